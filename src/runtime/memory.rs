//! The memory that values hold, and allocations that fail with an error.

use std::collections::VecDeque;
use std::mem::size_of;
use std::sync::{Arc, OnceLock};

use nalgebra::DMatrix;

use crate::error::Error;

/// A value that may hold memory on the heap.
pub trait Heap {
    /// Bytes held on the heap, spare capacity included.
    fn heap_bytes(&self) -> usize;
}

impl Heap for f64 {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Heap for usize {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Heap for bool {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Heap for (f64, f64) {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl<T: Heap, const N: usize> Heap for [T; N] {
    fn heap_bytes(&self) -> usize {
        self.iter().map(Heap::heap_bytes).sum()
    }
}

impl<T: Heap> Heap for Vec<T> {
    fn heap_bytes(&self) -> usize {
        let inside: usize = self.iter().map(Heap::heap_bytes).sum();
        self.capacity() * size_of::<T>() + inside
    }
}

impl<T: Heap> Heap for VecDeque<T> {
    fn heap_bytes(&self) -> usize {
        let inside: usize = self.iter().map(Heap::heap_bytes).sum();
        self.capacity() * size_of::<T>() + inside
    }
}

impl<T: Heap> Heap for Option<T> {
    fn heap_bytes(&self) -> usize {
        self.as_ref().map_or(0, Heap::heap_bytes)
    }
}

impl<T: Heap> Heap for OnceLock<T> {
    fn heap_bytes(&self) -> usize {
        self.get().map_or(0, Heap::heap_bytes)
    }
}

impl<T: Heap> Heap for Arc<T> {
    fn heap_bytes(&self) -> usize {
        size_of::<T>() + T::heap_bytes(self)
    }
}

impl<T: Heap> Heap for Box<T> {
    fn heap_bytes(&self) -> usize {
        size_of::<T>() + T::heap_bytes(self)
    }
}

impl Heap for DMatrix<f64> {
    fn heap_bytes(&self) -> usize {
        self.len() * size_of::<f64>()
    }
}

/// An empty vector with capacity for `numbers` floats, or an error if memory is short.
pub(crate) fn reserved(numbers: usize, what: impl FnOnce() -> String) -> Result<Vec<f64>, Error> {
    let mut memory = Vec::new();
    reserve(&mut memory, numbers, what)?;
    Ok(memory)
}

/// A vector of `numbers` zeros, or an error if memory is short.
pub(crate) fn zeros(numbers: usize, what: impl FnOnce() -> String) -> Result<Vec<f64>, Error> {
    let mut zeros = reserved(numbers, what)?;
    zeros.resize(numbers, 0.0);
    Ok(zeros)
}

/// Replaces the content of `memory` by these numbers, or fails if memory is short.
pub(crate) fn refill(
    memory: &mut Vec<f64>,
    numbers: impl ExactSizeIterator<Item = f64>,
) -> Result<(), Error> {
    memory.clear();
    let what = || format!("{} numbers as float64", numbers.len());
    reserve(memory, numbers.len(), what)?;
    memory.extend(numbers);
    Ok(())
}

/// Appends numbers, with as little to spare as [`grow_to`].
pub(crate) fn append(memory: &mut Vec<f64>, numbers: &[f64]) {
    let start = memory.len();
    grow_to(memory, start + numbers.len(), 0.0);
    memory[start..].copy_from_slice(numbers);
}

/// Grows to `len` elements of this value, with a sixteenth to spare at most: doubling would leave half unused.
pub(crate) fn grow_to<T: Clone>(memory: &mut Vec<T>, len: usize, value: T) {
    if len > memory.capacity() {
        let spare = memory.len() + memory.len() / 16;
        memory.reserve_exact(len.max(spare) - memory.len());
    }
    memory.resize(len, value);
}

fn reserve(
    memory: &mut Vec<f64>,
    numbers: usize,
    what: impl FnOnce() -> String,
) -> Result<(), Error> {
    memory
        .try_reserve_exact(numbers)
        .map_err(|_| Error::Memory {
            what: what(),
            bytes: numbers.saturating_mul(size_of::<f64>()),
        })
}

/// Implements `Heap` for a type whose memory is that of these fields.
macro_rules! heap {
    ($type:ty: $($field:tt),*) => {
        impl crate::runtime::Heap for $type {
            fn heap_bytes(&self) -> usize {
                0 $(+ crate::runtime::Heap::heap_bytes(&self.$field))*
            }
        }
    };
}
pub(crate) use heap;

#[cfg(test)]
mod tests {
    use super::*;

    struct Pair {
        first: Vec<f64>,
        second: Option<Vec<Vec<usize>>>,
    }
    heap!(Pair: first, second);

    #[test]
    fn a_vector_that_grows_has_a_sixteenth_to_spare_at_most() {
        let (mut numbers, mut moves) = (Vec::new(), 0);
        for len in 1..=1000 {
            let before = numbers.capacity();
            grow_to(&mut numbers, len, 1.0);
            assert!(numbers.len() == len && numbers.capacity() <= len + len / 16);
            moves += usize::from(numbers.capacity() != before);
        }
        assert!(moves < 100, "{moves}");
        assert_eq!(numbers, [1.0; 1000]);
    }

    #[test]
    fn bytes_are_those_of_the_fields() {
        let first = Vec::with_capacity(3);
        assert_eq!(
            Pair {
                first,
                second: None
            }
            .heap_bytes(),
            24
        );
        let (first, second) = (vec![], Some(vec![vec![0; 5]]));
        assert_eq!(Pair { first, second }.heap_bytes(), 24 + 5 * 8);
    }
}
