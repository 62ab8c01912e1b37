//! Models as bytes and files.

mod atomic;
pub(crate) mod model_file;
mod state;

#[cfg(feature = "python")]
pub(crate) use atomic::write as write_file;
pub use state::State;
