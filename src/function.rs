//! What predicts, without what learns.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::fourier::Fourier;
use crate::hypothesis::Hypothesis;
use crate::kernels::AnyKernel;
use crate::linalg::{Panels, dot};
use crate::memory::heap;
use crate::rows::Rows;
use crate::state::State;
use crate::updates::cut;

/// A function of a row: the predictions of a learner at some moment.
#[non_exhaustive]
#[derive(Debug, Clone)]
pub enum Function {
    /// `sum_i c_i kappa(z_i, x)`.
    Expansion(Expansion),
    /// `slopes . x + constant`.
    Linear(Line),
    /// `w . phi(x)` on Fourier features.
    Waves {
        /// The features.
        #[allow(private_interfaces, reason = "made by learners alone")]
        fourier: Fourier,
        /// A weight for each cosine, then for each sine.
        w: Vec<f64>,
    },
}

/// A kernel expansion `sum_i c_i kappa(z_i, .)` kept within a range.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// The kernel.
    pub kernel: AnyKernel,
    /// The rows `z_i`.
    pub rows: Panels,
    /// The coefficients `c_i`.
    pub c: Vec<f64>,
    /// The least and the largest value.
    pub range: (f64, f64),
}

/// A linear function kept within a range.
#[derive(Debug, Clone)]
pub struct Line {
    /// The slopes; none for a constant, which is the same for rows of any width.
    pub slopes: Vec<f64>,
    /// The value at 0.
    pub constant: f64,
    /// The least and the largest value.
    pub range: (f64, f64),
}

/// The part of a function that is not arrays.
#[derive(Serialize, Deserialize)]
pub(crate) enum Kind {
    Expansion { kernel: AnyKernel },
    Linear,
    Waves,
}

const ANYTHING: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// `slopes . x + constant`.
pub(crate) fn linear_value(slopes: &[f64], constant: f64, x: &[f64]) -> f64 {
    cut(dot(slopes, x) + constant)
}

impl Expansion {
    fn hypothesis(&self) -> Hypothesis<'_> {
        let (low, high) = self.range;
        Hypothesis::new(&self.kernel, &self.rows, &self.c).within(low, high)
    }
}

impl Line {
    /// The same value everywhere.
    pub fn constant(constant: f64) -> Self {
        Self {
            slopes: Vec::new(),
            constant,
            range: ANYTHING,
        }
    }

    fn predict(&self, x: &[f64]) -> f64 {
        let x = if self.slopes.is_empty() { &[] } else { x };
        linear_value(&self.slopes, self.constant, x).clamp(self.range.0, self.range.1)
    }
}

impl From<Hypothesis<'_>> for Function {
    fn from(hypothesis: Hypothesis<'_>) -> Self {
        let (kernel, rows, c, range) = hypothesis.parts();
        Self::Expansion(Expansion {
            kernel: kernel.clone(),
            rows: rows.clone(),
            c: c.to_vec(),
            range,
        })
    }
}

impl Function {
    /// The value at a row.
    pub fn predict(&self, x: &[f64]) -> f64 {
        match self {
            Self::Expansion(expansion) => expansion.hypothesis().predict(x),
            Self::Linear(line) => line.predict(x),
            Self::Waves { fourier, w } => fourier.predict(w, x),
        }
    }

    /// The values at many rows.
    pub fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        match self {
            Self::Expansion(expansion) => expansion.hypothesis().predict_rows_into(rows, out),
            Self::Waves { fourier, w } => fourier.predict_rows_into(w, rows, out),
            Self::Linear(line) => {
                for (x, out) in rows.iter().zip(out) {
                    *out = line.predict(x);
                }
            }
        }
    }

    /// The kernel, if there is one.
    pub fn kernel(&self) -> Option<&AnyKernel> {
        match self {
            Self::Expansion(expansion) => Some(&expansion.kernel),
            _ => None,
        }
    }

    /// The width of rows that it asks for, if it does.
    pub fn n_features(&self) -> Option<usize> {
        let n_features = match self {
            Self::Expansion(expansion) => expansion.rows.n_features(),
            Self::Linear(line) => line.slopes.len(),
            Self::Waves { fourier, .. } => fourier.0.n_features(),
        };
        (n_features > 0).then_some(n_features)
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Expansion(expansion) => Kind::Expansion {
                kernel: expansion.kernel.clone(),
            },
            Self::Linear(_) => Kind::Linear,
            Self::Waves { .. } => Kind::Waves,
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        match self {
            Self::Expansion(expansion) => {
                state.put_rows("basis", &expansion.rows);
                state.put("coefficients", &*expansion.c);
                state.put_range("range", expansion.range);
            }
            Self::Linear(line) => {
                state.put("slopes", &*line.slopes);
                state.put("constant", [line.constant]);
                state.put_range("range", line.range);
            }
            Self::Waves { fourier, w } => {
                state.put_rows("frequencies", &fourier.0);
                state.put("w", &**w);
            }
        }
    }

    pub(crate) fn load(kind: Kind, state: &State) -> Result<Self, Error> {
        Ok(match kind {
            Kind::Expansion { kernel } => {
                kernel.check()?;
                let rows = state.rows("basis")?;
                let (c, range) = (
                    state.vector("coefficients", rows.n_rows())?,
                    state.range("range")?,
                );
                Self::Expansion(Expansion {
                    kernel,
                    rows,
                    c,
                    range,
                })
            }
            Kind::Linear => Self::Linear(Line {
                slopes: state.any_vector("slopes")?,
                constant: state.scalar("constant")?,
                range: state.range("range")?,
            }),
            Kind::Waves => {
                let fourier = Fourier(state.rows("frequencies")?);
                let w = state.vector("w", fourier.size())?;
                Self::Waves { fourier, w }
            }
        })
    }
}

impl crate::memory::Heap for Function {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Expansion(expansion) => expansion.heap_bytes(),
            Self::Linear(line) => line.heap_bytes(),
            Self::Waves { fourier, w } => fourier.heap_bytes() + w.heap_bytes(),
        }
    }
}

heap!(Expansion: rows, c);
heap!(Line: slopes);
