//! The pool of threads that score rows.

use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::available_parallelism;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;

/// Number of threads asked for; 0 means one for each core.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// The pool, with the id of its process: a forked child has no threads.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The largest number of threads: more than any machine has use for, and few enough for every system.
const MAX_THREADS: usize = 1024;

/// Sets the number of threads that score large arrays, and that share the experts of [`Auto`](crate::algorithms::Auto):
/// 1 to 1,024. `None` means all cores, which is the default.
pub fn set_num_threads(n: Option<usize>) -> Result<(), Error> {
    if let Some(n) = n.filter(|n| !(1..=MAX_THREADS).contains(n)) {
        let expected = "between 1 and 1024, or None for all cores";
        return Err(Error::parameter("n", expected, n as f64));
    }
    WANTED.store(n.unwrap_or(0), Ordering::Relaxed);
    Ok(())
}

/// The number of threads that score large arrays.
pub fn num_threads() -> usize {
    // The system is asked once: the answer may be a matter of reading files.
    static CORES: LazyLock<usize> =
        LazyLock::new(|| available_parallelism().map_or(1, usize::from));
    match WANTED.load(Ordering::Relaxed) {
        0 => *CORES,
        n => n,
    }
}

/// Fills `out` in chunks of this length on several threads; `fill` is given the start of its chunk. Returns the first
/// error in the order of the chunks.
pub(crate) fn fill_in_chunks<E: Send>(
    out: &mut [f64],
    len: usize,
    fill: impl Fn(usize, &mut [f64]) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let error = |(i, out): (usize, &mut [f64])| fill(i * len, out).err();
    let n_threads = num_threads();
    let pool = (out.len() > len && n_threads > 1).then(|| pool(n_threads));
    let error = match pool.flatten() {
        Some(pool) => {
            let chunks = out.par_chunks_mut(len).enumerate();
            pool.install(|| chunks.find_map_first(error))
        }
        None => out.chunks_mut(len).enumerate().find_map(error),
    };
    error.map_or(Ok(()), Err)
}

/// Calls `work` on each item, on several threads.
pub(crate) fn for_each<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    let n_threads = num_threads();
    match (n_threads > 1).then(|| pool(n_threads)).flatten() {
        Some(pool) => pool.install(|| items.par_iter_mut().for_each(work)),
        None => items.iter_mut().for_each(work),
    }
}

/// A pool of `n_threads` threads, if the system gives them.
fn pool(n_threads: usize) -> Option<Arc<ThreadPool>> {
    let owner = process::id();
    let kept = || POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, pool)) = &*kept()
        && (*of, pool.current_num_threads()) == (owner, n_threads)
    {
        return Some(pool.clone());
    }
    // Without the lock, which a child that is forked meanwhile would never see released.
    let name = |i| format!("nystream-{i}");
    let pool = ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .thread_name(name);
    let pool = Arc::new(pool.build().ok()?);
    let before = kept().replace((owner, pool.clone()));
    // The threads of another process cannot be told to stop.
    if before.as_ref().is_some_and(|(of, _)| *of != owner) {
        std::mem::forget(before);
    }
    Some(pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_is_filled_once_with_any_number_of_threads() {
        for n in [Some(1), Some(3), None] {
            set_num_threads(n).unwrap();
            assert!(n.is_none_or(|n| n == num_threads()));
            let mut out = vec![f64::NAN; 1000];
            let filled = fill_in_chunks(&mut out, 64, |start, out| {
                for (i, out) in out.iter_mut().enumerate() {
                    assert!(out.is_nan());
                    *out = (start + i) as f64;
                }
                Ok::<_, usize>(())
            });
            assert_eq!(filled, Ok(()));
            let refused = fill_in_chunks(&mut out, 10, |start, _| match start {
                0..500 => Ok(()),
                _ => Err(start),
            });
            assert_eq!(refused, Err(500));
            assert!(out.iter().enumerate().all(|(i, out)| *out == i as f64));
        }
    }
}
