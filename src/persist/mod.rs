//! Saving and loading: named arrays, the format of model files, and atomic writes.

mod atomic;
pub(crate) mod model_file;
mod state;

#[cfg(feature = "python")]
pub(crate) use atomic::{write as write_file, write_with as fill_file};
pub use state::State;
pub(crate) use state::{index, whole};
