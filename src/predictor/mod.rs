//! Predictors: the part of a learner that predicts, without the part that learns.
//!
//! Every learner whose predictions are a function of the row has a [`Predictor`]; a scorer holds nothing else.

mod clip;
mod conformal;
mod curve;
mod curved;
mod expansion;
mod extension;
mod line;
mod metric;
mod mixture;
mod record;
mod scaling;
mod trees;
mod waves;

use serde::{Deserialize, Serialize};

use crate::data::Rows;
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::runtime::Heap;
use line::{load_lines, save_lines};

pub use conformal::{Asked, Scores};
pub use curve::Curve;
pub use curved::Curved;
pub use expansion::Expansion;
pub use extension::Extension;
pub use line::Line;
pub use metric::Metric;
pub use mixture::Mixture;
pub(crate) use record::Record;
pub use scaling::Scaling;
#[cfg(feature = "python")]
pub(crate) use scaling::{COMPRESSED, FARTHEST, ROUNDING};
pub(crate) use scaling::{
    compress_in_place, compressed, location, median_distance, median_distance_in_1_norm, quantile,
};
pub use trees::Trees;
pub use waves::{Fourier, Waves};

/// The predictions of a learner at some moment as a function of a row, with a value for each target.
#[non_exhaustive]
#[derive(Debug, Clone)]
pub enum Predictor {
    /// `sum_i c_i kappa(z_i, x)`.
    Expansion(Expansion),
    /// `slopes . x + constant`, a line for each target.
    Linear(Vec<Line>),
    /// `w . phi(x)` on Fourier features.
    Waves(Waves),
    /// Expansions of several widths and a linear function, on scaled features.
    Mixture(Mixture),
    /// The predictions that a loss gives to the values of another predictor.
    Linked(Box<Predictor>, AnyLoss),
}

/// The part of a predictor that is not arrays, as files name it.
#[derive(Serialize, Deserialize)]
pub(crate) enum Kind {
    Expansion {
        kernel: AnyKernel,
    },
    Linear,
    Waves,
    #[serde(rename = "Blend")]
    Mixture {
        widths: Vec<f64>,
        /// The kernels of expansions in metrics; `None` without adaptive experts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mapped: Option<Vec<AnyKernel>>,
        /// The kernel of experts on curves, if there are any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        curved: Option<AnyKernel>,
    },
    Linked {
        loss: AnyLoss,
        of: Box<Kind>,
    },
}

impl Predictor {
    /// The predictor of a learner with this loss, whose values are those of this one.
    #[must_use]
    pub(crate) fn linked(self, loss: AnyLoss) -> Self {
        if loss.has_link() {
            Self::Linked(Box::new(self), loss)
        } else {
            self
        }
    }

    /// Number of targets.
    pub fn n_targets(&self) -> usize {
        match self {
            Self::Expansion(expansion) => expansion.n_targets(),
            Self::Linear(lines) => lines.len(),
            Self::Waves(_) => 1,
            Self::Mixture(mixture) => mixture.lines.len(),
            Self::Linked(values, _) => values.n_targets(),
        }
    }

    /// Writes the predictions for a row, one for each target.
    pub fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        match self {
            Self::Expansion(expansion) => expansion.predict_into(x, out),
            Self::Linear(lines) => {
                for (line, out) in lines.iter().zip(out) {
                    *out = line.predict(x);
                }
            }
            Self::Waves(waves) => out[0] = waves.predict(x),
            Self::Mixture(mixture) => mixture.predict_into(x, out),
            Self::Linked(values, loss) => {
                values.predict_into(x, out);
                loss.predict_in_place(out);
            }
        }
    }

    /// Writes the predictions for many rows: those of all targets for the first row, then those for the next.
    pub fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        match self {
            Self::Expansion(expansion) => expansion.predict_rows_into(rows, out),
            Self::Waves(waves) => waves.predict_rows_into(rows, out),
            Self::Mixture(mixture) => mixture.predict_rows_into(rows, out),
            Self::Linked(values, loss) => {
                values.predict_rows_into(rows, out);
                loss.predict_in_place(out);
            }
            Self::Linear(lines) => {
                for (x, out) in rows.iter().zip(out.chunks_exact_mut(lines.len())) {
                    self.predict_into(x, out);
                }
            }
        }
    }

    /// The kernel that rows are compared by, if they are compared as they are.
    pub fn kernel(&self) -> Option<&AnyKernel> {
        match self {
            Self::Expansion(expansion) => Some(&expansion.kernel),
            Self::Linked(values, _) => values.kernel(),
            _ => None,
        }
    }

    /// The width of rows that the predictor needs, if it needs one.
    pub fn n_features(&self) -> Option<usize> {
        let n_features = match self {
            Self::Expansion(expansion) => expansion.rows.n_features(),
            Self::Linear(lines) => lines
                .iter()
                .map(|line| line.slopes.len())
                .max()
                .unwrap_or(0),
            Self::Waves(waves) => waves.fourier.n_features(),
            Self::Mixture(mixture) => mixture.scaling.width(),
            Self::Linked(values, _) => return values.n_features(),
        };
        (n_features > 0).then_some(n_features)
    }

    /// Bytes held beside the rows that may be shared with the learner.
    pub(crate) fn own_bytes(&self) -> usize {
        match self {
            Self::Expansion(expansion) => expansion.c.heap_bytes(),
            Self::Waves(waves) => waves.w.heap_bytes(),
            Self::Linked(values, _) => values.own_bytes(),
            _ => self.heap_bytes(),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Expansion(expansion) => Kind::Expansion {
                kernel: expansion.kernel.clone(),
            },
            Self::Linear(_) => Kind::Linear,
            Self::Waves(_) => Kind::Waves,
            Self::Mixture(mixture) => Kind::Mixture {
                widths: mixture.widths(),
                mapped: mixture.extension.as_ref().map(Extension::kernels),
                curved: mixture
                    .extension
                    .as_ref()
                    .and_then(Extension::curved_kernel),
            },
            Self::Linked(values, loss) => Kind::Linked {
                loss: *loss,
                of: Box::new(values.kind()),
            },
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        match self {
            Self::Expansion(expansion) => expansion.save(state),
            Self::Linear(lines) => save_lines(lines, state),
            Self::Waves(waves) => waves.save(state),
            Self::Mixture(mixture) => mixture.save(state),
            Self::Linked(values, _) => values.save(state),
        }
    }

    pub(crate) fn load(kind: Kind, n_targets: usize, state: &State) -> Result<Self, Error> {
        Ok(match kind {
            Kind::Expansion { kernel } => {
                Self::Expansion(Expansion::load(kernel, n_targets, state)?)
            }
            Kind::Linear => Self::Linear(load_lines(n_targets, state)?),
            Kind::Waves => Self::Waves(Waves::load(state)?),
            Kind::Mixture {
                widths,
                mapped,
                curved,
            } => {
                let kernels = mapped.map(|mapped| (mapped, curved));
                Self::Mixture(Mixture::load(&widths, kernels, n_targets, state)?)
            }
            Kind::Linked { loss, of } => Self::load(*of, n_targets, state)?.linked(loss),
        })
    }
}

impl Heap for Predictor {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Expansion(expansion) => expansion.heap_bytes(),
            Self::Linear(lines) => lines.heap_bytes(),
            Self::Waves(waves) => waves.heap_bytes(),
            Self::Mixture(mixture) => mixture.heap_bytes(),
            Self::Linked(values, _) => values.heap_bytes(),
        }
    }
}
