//! How many threads score, and how rows are shared out among them.

use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The number asked for; 0 for as many as there are cores.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// The threads, with the process that they belong to: a forked child has none.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Sets the number of threads that score large arrays. `None` means all cores, which is the default.
pub fn set_num_threads(n: Option<usize>) {
    WANTED.store(n.unwrap_or(0), Ordering::Relaxed);
}

/// The number of threads that score large arrays.
pub fn num_threads() -> usize {
    match WANTED.load(Ordering::Relaxed) {
        0 => available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

/// Fills `out` in chunks of this length, several at a time: `fill` is told where its chunk starts.
pub(crate) fn fill_in_chunks(out: &mut [f64], len: usize, fill: impl Fn(usize, &mut [f64]) + Sync) {
    let chunks = |(i, out): (usize, &mut [f64])| fill(i * len, out);
    match pool() {
        Some(pool) if out.len() > len => {
            pool.install(|| out.par_chunks_mut(len).enumerate().for_each(chunks));
        }
        _ => out.chunks_mut(len).enumerate().for_each(chunks),
    }
}

/// The threads, if more than one is wanted and the system gives them.
fn pool() -> Option<Arc<ThreadPool>> {
    let n = num_threads();
    if n == 1 {
        return None;
    }
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    match &*kept {
        Some((owner, pool)) if *owner == process::id() && pool.current_num_threads() == n => {
            return Some(pool.clone());
        }
        // The threads of another process cannot be told to stop.
        Some((owner, _)) if *owner != process::id() => std::mem::forget(kept.take()),
        _ => {}
    }
    let name = |i| format!("nystream-{i}");
    let pool = ThreadPoolBuilder::new().num_threads(n).thread_name(name);
    let pool = Arc::new(pool.build().ok()?);
    *kept = Some((process::id(), pool.clone()));
    Some(pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_is_filled_once_with_any_number_of_threads() {
        for n in [Some(1), Some(3), None] {
            set_num_threads(n);
            assert!(n.is_none_or(|n| n == num_threads()));
            let mut out = vec![f64::NAN; 1000];
            fill_in_chunks(&mut out, 64, |start, out| {
                for (i, out) in out.iter_mut().enumerate() {
                    assert!(out.is_nan());
                    *out = (start + i) as f64;
                }
            });
            assert!(out.iter().enumerate().all(|(i, out)| *out == i as f64));
        }
    }
}
