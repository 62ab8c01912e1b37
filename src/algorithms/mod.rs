//! The algorithms: each is a short composition of features, if any, and an update.
//!
//! An algorithm is one file here plus a `mod` line and a line in [`AnyParams`]. It sees checked data only;
//! [`Learner`](crate::Learner) is the front that checks.

mod aogd_ald;
mod auto;
mod con_kons;
mod fogd;
mod in_blocks;
mod kaar;
mod kogd;
mod kons;
mod krls_ald;
mod linear_rls;
mod nogd;
mod nons_ald;
mod online_krr;
mod pkawv;
mod pros_n_kons;
mod ridge_ald;
mod running_mean;
mod sketched_kons;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::block::Block;
use crate::error::Error;
use crate::function::Function;
use crate::hypothesis::Hypothesis;
use crate::kernels::AnyKernel;
use crate::linalg::Panels;
use crate::memory::Heap;
use crate::rows::{LARGEST, Rows};
use crate::state::State;
use crate::updates::Scores;

pub use aogd_ald::{AogdAld, AogdAldParams};
pub(crate) use auto::compress_in_place;
pub use auto::{Auto, AutoParams, Expert, Scaling};
pub use con_kons::{ConKons, ConKonsParams};
pub use fogd::{Fogd, FogdParams};
use in_blocks::learn_one_by_one;
pub(crate) use in_blocks::{block_len, learn_rows};
pub use kaar::{Kaar, KaarParams};
pub use kogd::{Kogd, KogdParams};
pub use kons::{Kons, KonsParams};
pub use krls_ald::{KrlsAld, KrlsAldParams};
pub use linear_rls::{LinearRls, LinearRlsParams};
pub use nogd::{Nogd, NogdParams};
pub use nons_ald::{Decay, NonsAld, NonsAldParams};
pub use online_krr::{OnlineKrr, OnlineKrrParams};
pub use pkawv::{Pkawv, PkawvParams};
pub use pros_n_kons::{ProsNKons, ProsNKonsParams};
pub use ridge_ald::{RidgeAld, RidgeAldParams};
pub use running_mean::{RunningMean, RunningMeanParams};
pub use sketched_kons::{SketchedKons, SketchedKonsParams};

/// A learner that sees each row once and predicts it before it learns it.
pub trait Algorithm: fmt::Debug + Heap + Send + Sync {
    /// What predicts, if predictions are values of a kernel expansion.
    fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        None
    }

    /// What predicts, without what learns; `None` if it takes all of the algorithm to predict.
    fn function(&self) -> Option<Function> {
        self.hypothesis().map(Function::from)
    }

    /// The prediction for a row; 0 before anything is learned. An algorithm without a hypothesis has its own.
    fn predict(&self, x: &[f64]) -> f64 {
        self.hypothesis()
            .map_or(0.0, |hypothesis| hypothesis.predict(x))
    }

    /// One round: predicts the row, learns its label, and returns the prediction.
    fn learn(&mut self, x: &[f64], y: f64) -> f64;

    /// Number of labels that a row has.
    fn n_targets(&self) -> usize {
        1
    }

    /// The predictions for a row, one for each target. An algorithm for several has its own.
    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        out[0] = self.predict(x);
    }

    /// One round for a row whose loss counts `weight` times, with a label for each target: writes the predictions. An
    /// algorithm for several has its own; a weight other than 1 is asked only of one that takes weights.
    fn learn_targets(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) {
        yhat[0] = self.learn_weighted(x, y[0], weight);
    }

    /// Whether a row may count more or less than once.
    fn takes_weights(&self) -> bool {
        false
    }

    /// One round for a row whose loss counts `weight` times; asked only of an algorithm that takes weights.
    fn learn_weighted(&mut self, x: &[f64], y: f64, _weight: f64) -> f64 {
        self.learn(x, y)
    }

    /// How far past predictions were off, if the algorithm keeps that.
    fn scores(&self) -> Option<&Scores> {
        None
    }

    /// How little is known about a row, as a multiple of the variance of its label; asked only of an algorithm that has
    /// scores.
    fn uncertainty(&self, _x: &[f64]) -> f64 {
        0.0
    }

    /// Writes what has been learned.
    fn save(&self, state: &mut State);

    /// Reads, into a learner that has seen nothing, what one with the same parameters has written.
    fn load(&mut self, state: &State) -> Result<(), Error>;

    /// The rows kept, if the algorithm keeps any.
    fn basis(&self) -> Option<&Panels> {
        None
    }

    /// The kernel, if the algorithm has one.
    fn kernel(&self) -> Option<&AnyKernel> {
        None
    }

    /// The width of rows that parameters or state ask for, if they do.
    fn n_features(&self) -> Option<usize> {
        None
    }

    /// Follows rows that have gained features, which the rows stored have been given as zeros already.
    fn widen(&mut self, _from: usize, _to: usize) -> Result<(), Error> {
        Ok(())
    }

    /// How many numbers, at least, there are to be held if rows have this width.
    fn numbers_at(&self, n_features: usize) -> usize {
        let n_rows = self.basis().map_or(0, Panels::n_rows);
        n_rows.saturating_mul(n_features)
    }

    /// Refuses to learn so many more rows if there is no room for them.
    fn check_room(&self, _n_rows: usize) -> Result<(), Error> {
        Ok(())
    }

    /// The largest kernel value of a row with itself that the algorithm can work with.
    fn largest_kappa(&self) -> f64 {
        LARGEST
    }

    /// Number of features that a row has, if rows are learned in blocks, whose length follows from it.
    fn n_coordinates(&self) -> Option<usize> {
        None
    }

    /// The most rows that it is given to learn together.
    fn longest_block(&self) -> usize {
        32
    }

    /// What is known of its experts, if it has any.
    fn experts(&self) -> Vec<Expert> {
        Vec::new()
    }

    /// Number of rows kept.
    fn n_basis(&self) -> usize {
        self.basis().map_or(0, Panels::n_rows)
    }

    /// One round for each of the first of these rows, one at least; appends the predictions, to rounding those of
    /// [`learn_targets`](Self::learn_targets).
    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], _block: &mut Block, yhat: &mut Vec<f64>) {
        learn_one_by_one(self, rows, y, yhat);
    }

    /// The predictions for many rows: those of all targets for the first row, then those for the next.
    fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        match self.hypothesis() {
            Some(hypothesis) => hypothesis.predict_rows_into(rows, out),
            None => {
                for (x, out) in rows.iter().zip(out.chunks_exact_mut(self.n_targets())) {
                    self.predict_into(x, out);
                }
            }
        }
    }
}

/// [`Algorithm::learn`] of an algorithm for several targets that has one.
fn learn_one_target(algorithm: &mut impl Algorithm, x: &[f64], y: f64) -> f64 {
    let mut yhat = [0.0];
    algorithm.learn_targets(x, &[y], 1.0, &mut yhat);
    yhat[0]
}

/// [`Algorithm::predict`] of an algorithm for several targets; where there is one, without new memory.
fn predict_first_target(algorithm: &impl Algorithm, x: &[f64]) -> f64 {
    if algorithm.n_targets() == 1 {
        let mut yhat = [0.0];
        algorithm.predict_into(x, &mut yhat);
        return yhat[0];
    }
    let mut yhat = vec![0.0; algorithm.n_targets()];
    algorithm.predict_into(x, &mut yhat);
    yhat[0]
}

macro_rules! registry {
    ($($algorithm:ident: $params:ident),*) => {
        /// The parameters of any of the algorithms.
        #[non_exhaustive]
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum AnyParams {
            $(#[doc = concat!("Of [`", stringify!($algorithm), "`].")] $algorithm($params),)*
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
