//! Ctrl-C during work that does not hold the interpreter.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How long a signal may wait.
const PATIENCE: Duration = Duration::from_millis(50);

/// Asks Python for signals now and then: each time means waiting for the interpreter.
pub(super) struct Signals(Instant);

impl Default for Signals {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Signals {
    /// Whether it was time to ask; fails if a handler did, as that of Ctrl-C does.
    #[allow(
        clippy::redundant_closure_for_method_calls,
        reason = "the method alone is not general enough in its lifetime"
    )]
    pub(super) fn check(&mut self) -> PyResult<bool> {
        if self.0.elapsed() < PATIENCE {
            return Ok(false);
        }
        Python::attach(|py| py.check_signals())?;
        self.0 = Instant::now();
        Ok(true)
    }
}
