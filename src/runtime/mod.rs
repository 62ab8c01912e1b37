//! Memory, threads and random numbers, as learners use them.

mod interleave;
pub(crate) mod memory;
mod random;
mod threads;

pub(crate) use interleave::interleave;
pub use memory::Heap;
pub(crate) use memory::heap;
pub(crate) use random::{Uniforms, generator};
pub(crate) use threads::{fill_in_chunks, for_each};
pub use threads::{num_threads, set_num_threads};
