//! The algorithms: most combine a [feature map](crate::features) and an [update](crate::updates).
//!
//! An algorithm is one file here plus a `mod` line and a line in [`AnyParams`]. It sees checked data only;
//! [`Learner`](crate::Learner) is the front that checks.

mod aogd_ald;
mod auto;
mod con_kons;
mod feature_learner;
mod fogd;
mod in_blocks;
mod kaar;
mod kogd;
mod kons;
mod krls_ald;
mod linear_rls;
mod merge;
mod nogd;
mod nons_ald;
mod on_features;
mod online_krr;
mod pkawv;
mod pros_n_kons;
mod ridge_ald;
mod running_mean;
mod sketched_kons;
mod two_phases;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::Rows;
use crate::error::Error;
use crate::features::Block;
use crate::kernels::AnyKernel;
use crate::linalg::Panels;
use crate::losses::AnyLoss;
use crate::persist::State;
use crate::predictor::{Asked, Predictor, Scores};
use crate::runtime::Heap;
use crate::updates::Rounds;

pub use aogd_ald::{AogdAld, AogdAldParams};
pub use auto::{Auto, AutoParams, Event, Expert};
pub use con_kons::{ConKons, ConKonsParams};
pub use feature_learner::FeatureLearner;
pub use fogd::{Fogd, FogdParams};
pub(crate) use in_blocks::learn_rows;
use in_blocks::one_by_one;
pub use kaar::{Kaar, KaarParams};
pub use kogd::{Kogd, KogdParams};
pub use kons::{Kons, KonsParams};
pub use krls_ald::{KrlsAld, KrlsAldParams};
pub use linear_rls::{LinearRls, LinearRlsParams};
pub use nogd::{Nogd, NogdParams};
pub use nons_ald::{Decay, NonsAld, NonsAldParams};
use on_features::OnFeatures;
pub use online_krr::{OnlineKrr, OnlineKrrParams};
pub use pkawv::{Pkawv, PkawvParams};
pub use pros_n_kons::{ProsNKons, ProsNKonsParams};
pub use ridge_ald::{RidgeAld, RidgeAldParams};
pub use running_mean::{RunningMean, RunningMeanParams};
pub use sketched_kons::{SketchedKons, SketchedKonsParams};
use two_phases::{Switch, TwoPhases};

/// The properties of an algorithm that the front asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facts {
    /// Number of labels that a row has.
    pub n_targets: usize,
    /// The width of rows that parameters or state need, if they need one.
    pub n_features: Option<usize>,
    /// Number of rows kept.
    pub n_basis: usize,
    /// True if a row may count more or less than once.
    pub takes_weights: bool,
    /// True if features may have any scale.
    pub takes_any_scale: bool,
    /// The blocks in which rows are learned together; `None` for an algorithm that learns them one by one.
    pub blocks: Option<Blocks>,
}

impl Default for Facts {
    /// An algorithm for one target that keeps no rows and learns them one by one.
    fn default() -> Self {
        Self {
            n_targets: 1,
            n_features: None,
            n_basis: 0,
            takes_weights: false,
            takes_any_scale: false,
            blocks: None,
        }
    }
}

/// The length of the blocks in which rows are learned together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blocks {
    /// Number of features: with few of them, blocks are shorter.
    pub size: usize,
    /// The most rows in a block.
    pub longest: usize,
}

impl Default for Blocks {
    /// Blocks of rows without features yet.
    fn default() -> Self {
        let (size, longest) = (0, 32);
        Self { size, longest }
    }
}

/// The rows that an algorithm keeps, and the kernel that compares them with others.
#[derive(Debug, Clone, Copy)]
pub struct Basis<'a> {
    /// The rows.
    pub rows: &'a Panels,
    /// The kernel.
    pub kernel: &'a AnyKernel,
    /// The largest kernel value of a row with itself that the algorithm can work with.
    pub largest_kappa: f64,
}

/// The parts of prediction intervals.
pub struct Intervals<'a> {
    /// The errors of past predictions.
    pub scores: &'a Scores,
    /// The uncertainty of the prediction for a row, as a multiple of the variance of its label.
    pub uncertainty: Box<Uncertainty<'a>>,
}

/// A function from a row to the uncertainty of its prediction.
type Uncertainty<'a> = dyn Fn(&[f64]) -> f64 + Sync + 'a;

impl<'a> Intervals<'a> {
    fn new(scores: &'a Scores, uncertainty: impl Fn(&[f64]) -> f64 + Sync + 'a) -> Self {
        let uncertainty = Box::new(uncertainty);
        Self {
            scores,
            uncertainty,
        }
    }
}

/// Scratch for learning rows together, made once and reused for every block.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) block: Block,
    rounds: Rounds,
}

/// An online learner: sees each row once and predicts it before it learns its labels.
pub trait Algorithm: CopyAlgorithm + fmt::Debug + Heap + Send + Sync {
    /// The properties of the algorithm.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// Makes one round: writes the predictions for a row, one for each target, then learns its labels. The loss of the
    /// row counts `weight` times, which is 1 for an algorithm that takes no weights.
    fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]);

    /// Writes the predictions for a row, one for each target; 0 before anything is learned.
    fn predict_into(&self, x: &[f64], out: &mut [f64]);

    /// Writes what has been learned.
    fn save(&self, state: &mut State);

    /// Reads, into a learner that has seen nothing, the state of one with the same parameters.
    fn load(&mut self, state: &State) -> Result<(), Error>;

    /// Appends all that has been learned as plain numbers, without the errors of past predictions; returns false if there
    /// is no such form, which is smaller and quicker than a [`State`].
    fn pack(&mut self, _numbers: &mut Vec<f64>) -> bool {
        false
    }

    /// Becomes the learner with the same parameters that [`pack`](Self::pack) has written; returns false if the numbers
    /// are not those of one.
    fn unpack(&mut self, _numbers: &[f64]) -> bool {
        false
    }

    /// Returns true if models by key have the [packed](Self::pack) form in files, too, and not only in memory.
    fn is_packed_in_files(&self) -> bool {
        false
    }

    /// Makes the rounds of the first of these rows, at least one: appends the predictions, which are those of
    /// [`learn_row`](Self::learn_row) up to rounding.
    fn learn_block(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        _scratch: &mut Scratch,
        yhat: &mut Vec<f64>,
    ) {
        one_by_one(self, rows, y, yhat);
    }

    /// Writes the predictions for many rows: those of all targets for the first row, then those for the next.
    fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        if let Some(predictor) = self.predictor() {
            return predictor.predict_rows_into(rows, out);
        }
        let n_targets = self.facts().n_targets;
        for (x, out) in rows.iter().zip(out.chunks_exact_mut(n_targets)) {
            self.predict_into(x, out);
        }
    }

    /// The predictor of this moment; `None` if predictions take the whole algorithm.
    fn predictor(&self) -> Option<Predictor> {
        None
    }

    /// The rows kept and their kernel, if the algorithm keeps rows.
    fn basis(&self) -> Option<Basis<'_>> {
        None
    }

    /// The parts of prediction intervals, if the algorithm has them.
    fn intervals(&self) -> Option<Intervals<'_>> {
        None
    }

    /// The errors of past predictions, to be recorded, if the algorithm has intervals.
    fn scores_mut(&mut self) -> Option<&mut Scores> {
        None
    }

    /// Predicts a row whose labels come later.
    fn ask(&self, x: &[f64]) -> Asked {
        let mut asked = Asked {
            yhat: vec![0.0; self.facts().n_targets],
            ..Asked::default()
        };
        self.predict_into(x, &mut asked.yhat);
        if let Some(intervals) = self.intervals() {
            asked.q = (intervals.uncertainty)(x);
            asked.scales = intervals.scores.scales();
        }
        asked
    }

    /// Learns the labels of a row that was asked for. `delay` other rows have been predicted since.
    fn learn_asked(&mut self, x: &[f64], y: &[f64], weight: f64, asked: &Asked, _delay: usize) {
        if let Some(scores) = self.scores_mut() {
            scores.answer(asked);
        }
        self.learn_row(x, y, weight, &mut asked.yhat.clone());
    }

    /// Lets so many rounds pass without a row; changes nothing in an algorithm that does not forget.
    fn elapse(&mut self, _rounds: u64) {}

    /// The experts of an ensemble; none for other algorithms.
    fn experts(&self) -> Vec<Expert> {
        Vec::new()
    }

    /// How much each feature matters to an ensemble; nothing for other algorithms.
    fn relevance(&self) -> Vec<f64> {
        Vec::new()
    }

    /// The last events that an ensemble has noticed; none for other algorithms.
    fn events(&self) -> Vec<Event> {
        Vec::new()
    }

    /// How far a row is from what an ensemble knows, 0 to 1; nothing for other algorithms.
    fn novelty(&self, _x: &[f64]) -> Option<f64> {
        None
    }

    /// The least number of floats that the algorithm holds for rows of this width.
    fn min_floats(&self, width: usize) -> usize {
        self.facts().n_basis.saturating_mul(width)
    }

    /// Refuses to learn `n_rows` more rows if there is no capacity for them.
    fn check_capacity(&self, _n_rows: usize) -> Result<(), Error> {
        Ok(())
    }

    /// Follows rows that have gained features; stored rows have been padded with zeros already.
    fn widen(&mut self, _from: usize, _to: usize) -> Result<(), Error> {
        Ok(())
    }
}

/// Copies of any algorithm, behind the trait object.
pub trait CopyAlgorithm {
    /// A copy that goes on bit for bit.
    fn copy(&self) -> Box<dyn Algorithm>;
}

impl<A: Algorithm + Clone + 'static> CopyAlgorithm for A {
    fn copy(&self) -> Box<dyn Algorithm> {
        Box::new(self.clone())
    }
}

macro_rules! registry {
    ($($algorithm:ident: $params:ident),*) => {
        /// The parameters of any of the algorithms.
        #[non_exhaustive]
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum AnyParams {
            $(#[doc = concat!("Parameters of [`", stringify!($algorithm), "`].")] $algorithm($params),)*
        }

        impl AnyParams {
            /// The names of all algorithms.
            pub const NAMES: &[&str] = &[$(stringify!($algorithm)),*];

            /// The default parameters of the algorithm of this name.
            pub fn default_of(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($algorithm) => Some($params::default().into()),)*
                    _ => None,
                }
            }

            /// Name of the algorithm.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$algorithm(_) => stringify!($algorithm),)*
                }
            }

            /// Checks the parameters and makes a learner that has seen nothing.
            pub fn build(&self) -> Result<Box<dyn Algorithm>, Error> {
                match self {
                    $(Self::$algorithm(params) => Ok(Box::new(params.build()?)),)*
                }
            }
        }

        $(impl From<$params> for AnyParams {
            fn from(params: $params) -> Self {
                Self::$algorithm(params)
            }
        })*
    };
}

impl AnyParams {
    /// The loss; `None` for an algorithm that has the squared one alone.
    pub fn loss(&self) -> Option<AnyLoss> {
        Some(match self {
            Self::AogdAld(params) => params.loss,
            Self::ConKons(ConKonsParams(params)) | Self::ProsNKons(params) => params.loss,
            Self::Fogd(params) => params.loss,
            Self::Kogd(params) => params.loss,
            Self::Kons(params) => params.loss,
            Self::LinearRls(params) => params.loss,
            Self::Nogd(params) => params.loss,
            Self::NonsAld(params) => params.loss,
            Self::RidgeAld(params) => params.loss,
            _ => return None,
        })
    }

    /// These parameters with another forgetting factor; an error for an algorithm that has none.
    pub fn with_forgetting(mut self, factor: f64) -> Result<Self, Error> {
        let algorithm = self.name();
        let forgetting = match &mut self {
            Self::Auto(params) => &mut params.forgetting,
            Self::LinearRls(params) => &mut params.forgetting,
            Self::RidgeAld(params) => &mut params.forgetting,
            _ => return Err(Error::Forgetting { algorithm }),
        };
        *forgetting = factor;
        Ok(self)
    }
}

registry!(
    AogdAld: AogdAldParams,
    Auto: AutoParams,
    ConKons: ConKonsParams,
    Fogd: FogdParams,
    Kaar: KaarParams,
    Kogd: KogdParams,
    Kons: KonsParams,
    KrlsAld: KrlsAldParams,
    LinearRls: LinearRlsParams,
    Nogd: NogdParams,
    NonsAld: NonsAldParams,
    OnlineKrr: OnlineKrrParams,
    Pkawv: PkawvParams,
    ProsNKons: ProsNKonsParams,
    RidgeAld: RidgeAldParams,
    RunningMean: RunningMeanParams,
    SketchedKons: SketchedKonsParams
);
