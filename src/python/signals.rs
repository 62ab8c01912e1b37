//! Signals such as Ctrl-C during work that does not hold the interpreter.

use std::time::{Duration, Instant};

use pyo3::intern;
use pyo3::prelude::*;

/// The longest time that a signal waits.
const PATIENCE: Duration = Duration::from_millis(50);

/// Asks Python for signals now and then, since each time means waiting for the interpreter.
///
/// Python runs the handlers of signals in the main thread. Other threads never ask, so that one that is still at work
/// when the interpreter ends does not come back to it.
pub(super) struct Signals {
    is_main_thread: bool,
    asked: Instant,
}

impl Signals {
    /// Signals of the current thread, to be asked for later.
    pub(super) fn new(py: Python<'_>) -> PyResult<Self> {
        let threading = py.import(intern!(py, "threading"))?;
        let main = threading.call_method0(intern!(py, "main_thread"))?;
        let own = threading.call_method0(intern!(py, "get_ident"))?;
        Ok(Self {
            is_main_thread: main.getattr(intern!(py, "ident"))?.eq(own)?,
            asked: Instant::now(),
        })
    }

    /// Asks for signals if it is time; returns true if it was. Fails if a handler does, as that of Ctrl-C.
    #[allow(
        clippy::redundant_closure_for_method_calls,
        reason = "the method alone is not general enough in its lifetime"
    )]
    pub(super) fn check(&mut self) -> PyResult<bool> {
        if self.asked.elapsed() < PATIENCE {
            return Ok(false);
        }
        if self.is_main_thread {
            Python::attach(|py| py.check_signals())?;
        }
        self.asked = Instant::now();
        Ok(true)
    }
}
