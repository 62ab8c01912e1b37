//! What predicts, without what learns.

use serde::{Deserialize, Serialize};

use crate::blend::Blend;
use crate::error::Error;
use crate::fourier::Fourier;
use crate::hypothesis::{ANYTHING, Hypothesis, Range, limit};
use crate::kernels::AnyKernel;
use crate::linalg::{Panels, dot};
use crate::memory::heap;
use crate::rows::Rows;
use crate::state::State;

/// A function of a row: the predictions of a learner at some moment, one for each target.
#[non_exhaustive]
#[derive(Debug, Clone)]
pub enum Function {
    /// `sum_i c_i kappa(z_i, x)`.
    Expansion(Expansion),
    /// `slopes . x + constant`, a line for each target.
    Linear(Vec<Line>),
    /// `w . phi(x)` on Fourier features.
    Waves {
        /// The features.
        #[allow(private_interfaces, reason = "made by learners alone")]
        fourier: Fourier,
        /// A weight for each cosine, then for each sine.
        w: Vec<f64>,
    },
    /// Expansions of several widths and a linear function, on scaled features.
    Blend(Blend),
}

/// Kernel expansions `sum_i c_i kappa(z_i, .)`, one for each target, kept within a range.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// The kernel.
    pub kernel: AnyKernel,
    /// The rows `z_i`.
    pub rows: Panels,
    /// The coefficients `c_i`: those of the first target, then those of the next.
    pub c: Vec<f64>,
    /// The least and the largest value of each target.
    pub ranges: Vec<Range>,
}

/// A linear function kept within a range.
#[derive(Debug, Clone)]
pub struct Line {
    /// The slopes; none for a constant, which is the same for rows of any width.
    pub slopes: Vec<f64>,
    /// The value at 0.
    pub constant: f64,
    /// The least and the largest value.
    pub range: Range,
}

/// The part of a function that is not arrays.
#[derive(Serialize, Deserialize)]
pub(crate) enum Kind {
    Expansion { kernel: AnyKernel },
    Linear,
    Waves,
    Blend { widths: Vec<f64> },
}

/// `slopes . x + constant`.
pub(crate) fn linear_value(slopes: &[f64], constant: f64, x: &[f64]) -> f64 {
    dot(slopes, x) + constant
}

impl Expansion {
    pub(crate) fn hypothesis(&self) -> Hypothesis<'_> {
        Hypothesis::new(&self.kernel, &self.rows, &self.c).within_each(&self.ranges)
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put_rows("basis", &self.rows);
        state.put("coefficients", &*self.c);
        state.put_ranges("range", &self.ranges);
    }

    pub(crate) fn load(kernel: AnyKernel, n_targets: usize, state: &State) -> Result<Self, Error> {
        kernel.check()?;
        let rows = state.rows("basis")?;
        let n = n_targets.saturating_mul(rows.n_rows());
        Ok(Self {
            kernel,
            rows,
            c: state.vector("coefficients", n)?,
            ranges: state.ranges("range", n_targets)?,
        })
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
        limit(self.value(x), self.range)
    }

    /// The value, whatever the range.
    pub(crate) fn value(&self, x: &[f64]) -> f64 {
        let x = if self.slopes.is_empty() { &[] } else { x };
        linear_value(&self.slopes, self.constant, x)
    }
}

impl From<Hypothesis<'_>> for Function {
    fn from(hypothesis: Hypothesis<'_>) -> Self {
        let (kernel, rows, c) = hypothesis.parts();
        Self::Expansion(Expansion {
            kernel: kernel.clone(),
            rows: rows.clone(),
            c: c.to_vec(),
            ranges: hypothesis.ranges().to_vec(),
        })
    }
}

impl Function {
    /// Number of targets.
    pub fn n_targets(&self) -> usize {
        match self {
            Self::Expansion(expansion) => expansion.ranges.len(),
            Self::Linear(lines) => lines.len(),
            Self::Waves { .. } => 1,
            Self::Blend(blend) => blend.lines.len(),
        }
    }

    /// The values at a row.
    pub fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        match self {
            Self::Expansion(expansion) => expansion.hypothesis().predict_into(x, out),
            Self::Linear(lines) => {
                for (line, out) in lines.iter().zip(out) {
                    *out = line.predict(x);
                }
            }
            Self::Waves { fourier, w } => out[0] = fourier.predict(w, x),
            Self::Blend(blend) => blend.predict_into(x, out),
        }
    }

    /// The values at many rows: those of all targets for the first row, then those for the next.
    pub fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        match self {
            Self::Expansion(expansion) => expansion.hypothesis().predict_rows_into(rows, out),
            Self::Waves { fourier, w } => fourier.predict_rows_into(w, rows, out),
            Self::Blend(blend) => blend.predict_rows_into(rows, out),
            Self::Linear(lines) => {
                for (x, out) in rows.iter().zip(out.chunks_exact_mut(lines.len())) {
                    self.predict_into(x, out);
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
            Self::Linear(lines) => lines
                .iter()
                .map(|line| line.slopes.len())
                .max()
                .unwrap_or(0),
            Self::Waves { fourier, .. } => fourier.0.n_features(),
            Self::Blend(blend) => blend.scaling.width(),
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
            Self::Blend(blend) => Kind::Blend {
                widths: blend.widths(),
            },
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        match self {
            Self::Expansion(expansion) => expansion.save(state),
            Self::Blend(blend) => blend.save(state),
            Self::Linear(lines) => save_lines(lines, state),
            Self::Waves { fourier, w } => {
                state.put_rows("frequencies", &fourier.0);
                state.put("w", &**w);
            }
        }
    }

    pub(crate) fn load(kind: Kind, n_targets: usize, state: &State) -> Result<Self, Error> {
        Ok(match kind {
            Kind::Expansion { kernel } => {
                Self::Expansion(Expansion::load(kernel, n_targets, state)?)
            }
            Kind::Blend { widths } => Self::Blend(Blend::load(&widths, n_targets, state)?),
            Kind::Linear => Self::Linear(load_lines(n_targets, state)?),
            Kind::Waves => {
                let fourier = Fourier(state.rows("frequencies")?);
                let w = state.vector("w", fourier.size())?;
                Self::Waves { fourier, w }
            }
        })
    }
}

pub(crate) fn save_lines(lines: &[Line], state: &mut State) {
    let slopes: Vec<f64> = lines.iter().flat_map(|line| line.slopes.clone()).collect();
    let constants: Vec<f64> = lines.iter().map(|line| line.constant).collect();
    let ranges: Vec<Range> = lines.iter().map(|line| line.range).collect();
    state.put("slopes", slopes);
    state.put("constant", constants);
    state.put_ranges("range", &ranges);
}

pub(crate) fn load_lines(n_targets: usize, state: &State) -> Result<Vec<Line>, Error> {
    let (slopes, constants) = (
        state.any_vector("slopes")?,
        state.vector("constant", n_targets)?,
    );
    let ranges = state.ranges("range", n_targets)?;
    if !slopes.len().is_multiple_of(n_targets) {
        return Err(Error::model_file("slopes should be those of every target"));
    }
    let width = slopes.len() / n_targets;
    let lines = constants.into_iter().zip(ranges).enumerate();
    Ok(lines
        .map(|(i, (constant, range))| Line {
            slopes: slopes[i * width..(i + 1) * width].to_vec(),
            constant,
            range,
        })
        .collect())
}

impl crate::memory::Heap for Function {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Expansion(expansion) => expansion.heap_bytes(),
            Self::Linear(lines) => lines.heap_bytes(),
            Self::Waves { fourier, w } => fourier.heap_bytes() + w.heap_bytes(),
            Self::Blend(blend) => blend.heap_bytes(),
        }
    }
}

heap!(Expansion: rows, c);
heap!(Line: slopes);
