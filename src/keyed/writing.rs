//! Models by key as a file, piece by piece: between two pieces others may ask them for predictions.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::own::Bench;
use super::{Keyed, record};
use crate::error::Error;

/// Bytes from which on a piece has no further key.
const PIECE: usize = 1 << 20;

/// A file as far as it has been written.
#[derive(Default)]
pub(crate) struct Writing {
    sha256: Sha256,
    /// Numbers of keys and of rows learned in the beginning.
    begun: Option<(usize, u64)>,
    n_written: usize,
    is_done: bool,
}

impl Writing {
    /// Puts the next piece in place of `bytes`, or returns false at the end. Models that have learned since the first piece
    /// are refused.
    pub(crate) fn next(&mut self, keyed: &Keyed, bytes: &mut Vec<u8>) -> io::Result<bool> {
        bytes.clear();
        if self.is_done {
            return Ok(false);
        }
        let now = (keyed.slots.len(), keyed.n_seen);
        match self.begun.replace(now) {
            None => keyed.write_start(bytes)?,
            Some(then) => check_equal(then, now)?,
        }
        self.add_keys(keyed, bytes)?;
        self.sha256.update(&*bytes);
        self.is_done = self.n_written == now.0;
        if self.is_done {
            bytes.write_all(&self.sha256.clone().finalize())?;
        }
        Ok(true)
    }

    fn add_keys(&mut self, keyed: &Keyed, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut bench = Bench::new(&*keyed.template);
        while bytes.len() < PIECE
            && let Some((key, slot)) = keyed.slots.get_index(self.n_written)
        {
            let model = bench.encode(&slot.own, &keyed.overflow);
            record::write(bytes, key.as_key(), slot, &model.map_err(io::Error::other)?)?;
            self.n_written += 1;
        }
        Ok(())
    }
}

/// Refuses models that have learned in between.
fn check_equal(then: (usize, u64), now: (usize, u64)) -> io::Result<()> {
    if then == now {
        return Ok(());
    }
    let problem = "the models should learn nothing while they are written";
    Err(io::Error::other(Error::model_file(problem)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LinearRlsParams;
    use crate::keyed::{Key, KeyedParams};

    fn learned(n: i64) -> Keyed {
        let mut keyed = Keyed::new(KeyedParams::new(LinearRlsParams::default())).unwrap();
        for key in 0..n {
            keyed.learn_row(Key::Int(key), &[0.5; 30], 1.0).unwrap();
        }
        keyed
    }

    #[test]
    fn pieces_together_are_the_bytes_of_the_models() {
        let (keyed, mut piece) = (learned(1_000), Vec::new());
        let (mut writing, mut pieces) = (Writing::default(), Vec::new());
        while writing.next(&keyed, &mut piece).unwrap() {
            pieces.push(piece.clone());
        }
        assert!(pieces.len() > 2);
        assert_eq!(pieces.concat(), keyed.to_bytes().unwrap());
        assert!(!writing.next(&keyed, &mut piece).unwrap());
    }

    #[test]
    fn models_that_learn_between_two_pieces_are_refused() {
        let (mut keyed, mut piece) = (learned(1_000), Vec::new());
        let mut writing = Writing::default();
        writing.next(&keyed, &mut piece).unwrap();
        keyed.learn_row(Key::Int(0), &[0.5; 30], 1.0).unwrap();
        let error = writing.next(&keyed, &mut piece).unwrap_err();
        assert!(error.to_string().contains("should learn nothing"));
    }
}
