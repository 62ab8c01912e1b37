//! Merging of learners.

use pyo3::prelude::*;
use pyo3::types::PyType;

use super::arrays;
use super::learner::Learner;

/// Merges learners into one of this class.
#[pyfunction]
pub(super) fn merge_learners<'py>(
    cls: &Bound<'py, PyType>,
    models: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = cls.py();
    let learners = copies(models)?;
    let merged = py.detach(|| crate::Learner::merge(&learners))?;
    Learner::wrap(py, merged, Some(cls))
}

/// Copies the learners, so that none is locked during the merge.
fn copies(models: &Bound<'_, PyAny>) -> PyResult<Vec<crate::Learner>> {
    let expected = "a list of RidgeAld";
    let all = models
        .try_iter()
        .map_err(|_| arrays::wrong_type("models", expected, models))?;
    all.enumerate()
        .map(|(i, model)| {
            let model = model?;
            let learner = model.cast::<Learner>();
            let learner = learner
                .map_err(|_| arrays::wrong_type(&format!("models[{i}]"), "a RidgeAld", &model))?;
            Ok(learner.get().copy(models.py()))
        })
        .collect()
}
