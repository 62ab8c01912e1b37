//! Online kernel regression: learners that see each row once, predict before they learn, and keep a small dictionary
//! of rows.
//!
//! [`Learner`] is the front; its algorithms are in [`algorithms`], composed of features on [`kernels`], such as those of
//! a [`Dictionary`], and one of the [`updates`]. AOGD-ALD and NONS-ALD are by Li and Liao, "Nearly Optimal Algorithms with Sublinear
//! Computational Complexity for Online Kernel Regression", ICML 2023.

pub mod algorithms;
mod atomic;
mod blend;
mod block;
mod dictionary;
mod error;
mod features;
mod fourier;
mod function;
mod hypothesis;
pub mod kernels;
mod kors;
mod learner;
pub mod linalg;
mod memory;
mod model_file;
mod names;
mod nystrom;
mod pace;
mod params;
mod random;
mod rows;
mod scorer;
mod simd;
mod state;
mod threads;
mod turns;
pub mod updates;

#[cfg(feature = "python")]
mod python;

pub use algorithms::{
    AnyParams, AogdAldParams, AutoParams, ConKonsParams, Decay, FogdParams, KaarParams, KogdParams,
    KonsParams, KrlsAldParams, LinearRlsParams, NogdParams, NonsAldParams, OnlineKrrParams,
    PkawvParams, ProsNKonsParams, RidgeAldParams, RunningMeanParams, SketchedKonsParams,
};
pub use blend::Blend;
pub use block::Block;
pub use dictionary::{Dictionary, Policy, SMALLEST_ALPHA};
pub use error::{Error, Place};
pub use function::{Expansion, Function, Line};
pub use hypothesis::{Coefficients, Hypothesis, Range};
pub use learner::Learner;
pub use memory::Heap;
pub use names::FeatureNames;
pub use nystrom::{NystromMap, Projection};
pub use rows::{LARGEST, Number, Rows};
pub use scorer::Scorer;
pub use simd::instruction_set;
pub use state::State;
pub use threads::{num_threads, set_num_threads};
