//! Feature maps: rows become features, on which [updates](crate::updates) learn.
//!
//! | map | features of a row |
//! |---|---|
//! | [`Dictionary`] | its projection onto rows that ALD keeps |
//! | [`SampledMap`] | its projection onto rows that KORS samples |
//! | [`FixedNystrom`] | its projection onto the first rows, by their leading eigenvectors |
//! | [`FourierMap`] | cosines and sines of random frequencies |
//! | [`LinearMap`] | the row itself |

mod ald;
mod block;
mod fixed;
mod fourier;
mod kors;
mod linear;
mod matrix;
mod nystrom;
mod replacement;
mod sampled;

use std::fmt;

use crate::data::Rows;
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::Range;
use crate::linalg::Panels;
use crate::persist::State;
use crate::predictor::Predictor;
use crate::runtime::Heap;

pub use ald::{Dictionary, Policy, SMALLEST_ALPHA};
pub use block::Block;
pub use fixed::FixedNystrom;
pub use fourier::FourierMap;
pub(crate) use kors::{Kors, Offer};
pub use linear::LinearMap;
pub use matrix::FeatureMatrix;
pub use nystrom::{NystromMap, Projection};
pub(crate) use replacement::TOGETHER;
pub use sampled::SampledMap;

/// The change that a row makes to the features of later rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// No change.
    None,
    /// Later rows gain a coordinate; the row itself has this value in it.
    Gain(f64),
    /// Later rows have features in a new space; the row itself has those of the old one.
    NewSpace {
        /// True if the space gains a dimension.
        extends: bool,
    },
}

/// A map from rows to features.
///
/// A round is [`project`](Self::project), then [`admit`](Self::admit), which lets the row change the map.
pub trait FeatureMap: Clone + fmt::Debug + Heap + Send + Sync {
    /// True if the map learns nothing from rows but how many features they have.
    const IS_PLAIN: bool = false;

    /// Number of features that the next row will have.
    fn size(&self) -> usize;

    /// Computes the features of a row, which becomes the row at hand.
    fn project(&mut self, x: &[f64]);

    /// The features of the row at hand, with any coordinate that it has gained.
    fn phi(&self) -> &[f64];

    /// The squared distance of a row from the span of those kept, relative to its own; nothing if no rows are kept.
    fn distance(&self, _x: &[f64]) -> Option<f64> {
        None
    }

    /// Lets the row at hand change the map; returns the change.
    fn admit(&mut self, _x: &[f64]) -> Change {
        Change::None
    }

    /// The dictionary, if it is full and the row at hand should replace another.
    fn evicting(&mut self) -> Option<&mut Dictionary> {
        None
    }

    /// Makes replacements more frequent, because the stream has drifted.
    fn adapt_to_drift(&mut self) {}

    /// Computes and admits the features of the first of these rows, as many as can be learned together. The row with
    /// which the map has `full` features is the last.
    fn project_rows(&mut self, rows: &Rows<'_>, full: usize, block: &mut Block);

    /// The features that a row would have after [`project`](Self::project) and [`admit`](Self::admit).
    fn peek(&self, x: &[f64]) -> Vec<f64>;

    /// The predictor `w . phi(x)`, with a weight vector and a range for each target.
    fn predictor<'w>(&self, w: &dyn Fn(usize) -> &'w [f64], ranges: &[Range]) -> Predictor;

    /// Writes `w . phi(x)`, one value a target, where that costs less than a predictor; returns false if it does not.
    fn predict_into<'w>(
        &self,
        _w: &dyn Fn(usize) -> &'w [f64],
        _ranges: &[Range],
        _x: &[f64],
        _out: &mut [f64],
    ) -> bool {
        false
    }

    /// The rows kept and the kernel that compares them, if the map keeps rows.
    fn basis(&self) -> Option<(&Panels, &AnyKernel)> {
        None
    }

    /// The width of rows that the map needs when it has `size` features, if it needs one.
    fn n_features(&self, _size: usize) -> Option<usize> {
        None
    }

    /// Number of features that decides how many rows are learned together.
    fn block_size(&self) -> usize {
        self.size()
    }

    /// The least number of floats that map and update hold for rows of this width.
    fn min_floats(&self, width: usize) -> usize {
        let n_rows = self.basis().map_or(0, |(rows, _)| rows.n_rows());
        n_rows.saturating_mul(width)
    }

    /// Refuses `n_rows` more rows if there is no capacity for them.
    fn check_capacity(&self, _n_rows: usize) -> Result<(), Error> {
        Ok(())
    }

    /// Follows rows that have gained features; stored rows have been padded with zeros already.
    fn widen(&mut self, _from: usize, _to: usize) -> Result<(), Error> {
        Ok(())
    }

    /// Appends what the map has learned, beside its number of features, as plain numbers; returns false if there is no
    /// such form.
    fn pack(&self, _numbers: &mut Vec<f64>) -> bool {
        false
    }

    /// Becomes the map of `size` features that [`pack`](Self::pack) has written; returns the numbers after those, or
    /// nothing if they are no such numbers.
    fn unpack<'n>(&mut self, _size: usize, _numbers: &'n [f64]) -> Option<&'n [f64]> {
        None
    }

    /// Writes what the map has learned.
    fn save(&self, state: &mut State);

    /// Reads the state of a map with the same parameters; returns the number of features, if the state tells it.
    fn load(&mut self, state: &State) -> Result<Option<usize>, Error>;
}
