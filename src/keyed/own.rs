//! The model that a key has of its own, in as little memory as it takes.

use std::mem::size_of_val;

use super::overflow::{Overflow, Place};
use crate::algorithms::Algorithm;
use crate::error::Error;
use crate::persist::State;
use crate::runtime::Heap;

/// The most numbers of a model that is packed in memory only: larger ones learn more quickly as they are.
const LARGEST_PACKED: usize = 2048;

/// The model of a key.
#[derive(Debug, Default)]
pub(super) enum Own {
    /// One that has learned nothing.
    #[default]
    Fresh,
    /// The numbers of an algorithm that has such a form.
    Packed(Box<[f64]>),
    /// An algorithm that has none, or one that has grown large.
    Live(Box<dyn Algorithm>),
    /// One that is on the disk.
    Stored(Place),
}

/// What a thread needs to work with the models of keys: packed ones become its worker, one after the other.
#[derive(Debug)]
pub(super) struct Bench {
    worker: Box<dyn Algorithm>,
    fresh: Box<[f64]>,
    numbers: Vec<f64>,
    is_packing: bool,
    is_packed_in_files: bool,
}

impl Bench {
    /// A bench for models that begin as this one, which has learned nothing.
    pub(super) fn new(template: &dyn Algorithm) -> Self {
        let (mut worker, mut numbers) = (template.copy(), Vec::new());
        let is_packing = worker.pack(&mut numbers);
        Self {
            is_packed_in_files: is_packing && worker.is_packed_in_files(),
            worker,
            fresh: numbers.as_slice().into(),
            numbers,
            is_packing,
        }
    }

    /// Lets the model of a key learn.
    pub(super) fn learn(&mut self, own: &mut Own, learn: impl FnOnce(&mut dyn Algorithm)) {
        if let Own::Fresh = own {
            *own = self.begin();
        }
        match own {
            Own::Live(algorithm) => learn(&mut **algorithm),
            Own::Packed(packed) => {
                self.worker.unpack(packed);
                learn(&mut *self.worker);
                self.pack();
                if packed.len() == self.numbers.len() {
                    packed.copy_from_slice(&self.numbers);
                } else {
                    *own = self.packed();
                }
            }
            Own::Fresh | Own::Stored(_) => {}
        }
    }

    fn pack(&mut self) {
        self.numbers.clear();
        self.worker.pack(&mut self.numbers);
    }

    /// The worker, which has just been packed, as the model of a key.
    fn packed(&self) -> Own {
        if self.is_packed_in_files || self.numbers.len() <= LARGEST_PACKED {
            Own::Packed(self.numbers.as_slice().into())
        } else {
            Own::Live(self.worker.copy())
        }
    }

    /// The model of a key, to be asked, wherever it is.
    pub(super) fn read<'a>(
        &'a mut self,
        own: &'a Own,
        overflow: &Overflow,
        place: &'a mut Own,
    ) -> Result<&'a dyn Algorithm, Error> {
        let own = match own {
            Own::Stored(at) => {
                *place = self.decode(&overflow.read(*at)?)?;
                &*place
            }
            own => own,
        };
        if let Own::Live(algorithm) = own {
            return Ok(&**algorithm);
        }
        let packed = match own {
            Own::Packed(packed) => packed,
            _ => &self.fresh,
        };
        self.worker.unpack(packed);
        Ok(&*self.worker)
    }

    /// The model of a key that is to learn its first row.
    fn begin(&self) -> Own {
        if self.is_packing {
            Own::Packed(self.fresh.clone())
        } else {
            Own::Live(self.worker.copy())
        }
    }

    /// The model of a key as bytes; none for one that has learned nothing.
    pub(super) fn encode(&mut self, own: &Own, overflow: &Overflow) -> Result<Vec<u8>, Error> {
        match own {
            Own::Fresh => Ok(Vec::new()),
            Own::Stored(place) => overflow.read(*place),
            Own::Live(algorithm) => state_of(&**algorithm),
            Own::Packed(numbers) if self.is_packed_in_files => {
                Ok(numbers.iter().flat_map(|n| n.to_le_bytes()).collect())
            }
            Own::Packed(numbers) => {
                self.worker.unpack(numbers);
                state_of(&*self.worker)
            }
        }
    }

    /// Reads what [`encode`](Self::encode) has written.
    pub(super) fn decode(&mut self, bytes: &[u8]) -> Result<Own, Error> {
        if !self.is_packed_in_files {
            return self.load(&State::from_bytes(bytes)?.0);
        }
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Box<[f64]> = numbers.iter().map(|b| f64::from_le_bytes(*b)).collect();
        if rest.is_empty() && self.worker.unpack(&numbers) {
            return Ok(Own::Packed(numbers));
        }
        Err(Error::model_file(
            "a key should have the numbers of its model",
        ))
    }

    /// The model with this state.
    fn load(&mut self, state: &State) -> Result<Own, Error> {
        self.worker.unpack(&self.fresh);
        let mut algorithm = self.worker.copy();
        algorithm.load(state)?;
        Ok(self.keep(algorithm))
    }

    /// An algorithm as the model of a key.
    pub(super) fn keep(&mut self, algorithm: Box<dyn Algorithm>) -> Own {
        if !self.is_packing {
            return Own::Live(algorithm);
        }
        self.worker = algorithm;
        self.pack();
        self.packed()
    }
}

/// The state of a model as bytes.
fn state_of(algorithm: &dyn Algorithm) -> Result<Vec<u8>, Error> {
    let mut state = State::default();
    algorithm.save(&mut state);
    state.to_bytes(String::new())
}

impl Own {
    /// True if the model is in memory and holds some.
    pub(super) fn is_in_memory(&self) -> bool {
        matches!(self, Self::Packed(_) | Self::Live(_))
    }
}

impl Heap for Own {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Fresh | Self::Stored(_) => 0,
            Self::Packed(numbers) => size_of_val(&**numbers),
            Self::Live(algorithm) => size_of_val(&**algorithm) + algorithm.heap_bytes(),
        }
    }
}
