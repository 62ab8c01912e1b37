//! Online regression: learners that see each row once, predict before they learn, and keep a small dictionary of rows.
//!
//! [`Learner`] is the front. Most of its [`algorithms`] are a composition: [`features`] of rows, compared by [`kernels`],
//! an [update](updates) that moves weights on them, and a [loss](losses) that says what an error costs. AOGD-ALD and
//! NONS-ALD are by Li and Liao, "Nearly Optimal Algorithms with Sublinear Computational Complexity for Online Kernel
//! Regression", ICML 2023.
//!
//! ```
//! use nystream::{AutoParams, Learner};
//!
//! // Rows come in an order of their own, which predictions are not to depend on.
//! let mut learner = Learner::new(AutoParams { use_past: false, ..Default::default() })?;
//! for i in 0..400 {
//!     let x = f64::from(i % 20);
//!     let _prediction = learner.learn_row(&[x], (x / 3.0).sin())?;
//! }
//! assert!((learner.predict_row(&[6.0])? - 2.0_f64.sin()).abs() < 1e-2);
//! # Ok::<(), nystream::Error>(())
//! ```

pub mod algorithms;
pub mod columns;
mod data;
mod error;
pub mod features;
pub mod forecast;
pub mod kernels;
pub mod keyed;
mod learner;
mod limits;
pub mod linalg;
pub mod losses;
mod persist;
pub mod predictor;
mod runtime;
pub mod text;
pub mod updates;

#[cfg(feature = "python")]
mod any_model;
#[cfg(feature = "python")]
mod python;

pub use algorithms::{
    AnyParams, AogdAldParams, AutoParams, ConKonsParams, Decay, FogdParams, KaarParams, KogdParams,
    KonsParams, KrlsAldParams, LinearRlsParams, NogdParams, NonsAldParams, OnlineKrrParams,
    PkawvParams, ProsNKonsParams, RidgeAldParams, RunningMeanParams, SketchedKonsParams,
};
pub use data::{FeatureNames, Number, Rows};
pub use error::{ColumnProblem, Error, Place};
pub use features::{Dictionary, NystromMap, Policy, Projection, SMALLEST_ALPHA};
pub use learner::{AskedRow, Learner, Scorer, Ticket};
pub use limits::{LARGEST, Range};
pub use linalg::simd::instruction_set;
pub use persist::State;
pub use predictor::Predictor;
pub use runtime::{Heap, num_threads, set_num_threads};
