//! Merging of models by key.

use std::ptr;

use pyo3::prelude::*;

use super::{Core, Keyed};
use crate::python::arrays::wrong_type;

/// Merges models by key. They are locked in the order of their addresses, so that two merges never wait for each other.
pub(super) fn merge(py: Python<'_>, models: &Bound<'_, PyAny>) -> PyResult<Core> {
    let all = models
        .try_iter()
        .map_err(|_| wrong_type("models", "a list of Keyed", models))?;
    let all = all.enumerate().map(|(i, model)| {
        let model = model?;
        let keyed = model.cast::<Keyed>().cloned();
        keyed.map_err(|_| wrong_type(&format!("models[{i}]"), "a Keyed", &model))
    });
    let all: Vec<Bound<'_, Keyed>> = all.collect::<PyResult<_>>()?;
    let all: Vec<&Keyed> = all.iter().map(Bound::get).collect();
    let merged = py.detach(|| {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_unstable_by_key(|i| ptr::from_ref(all[*i]).addr());
        let locked: Vec<_> = order.iter().map(|i| all[*i].core.lock()).collect();
        let borrowed: Vec<_> = locked.iter().map(|guard| guard.borrow()).collect();
        let mut given: Vec<(usize, &Core)> = order
            .into_iter()
            .zip(borrowed.iter().map(|b| &**b))
            .collect();
        given.sort_unstable_by_key(|(i, _)| *i);
        let given: Vec<&Core> = given.into_iter().map(|(_, core)| core).collect();
        Core::merge(&given)
    })?;
    Ok(merged)
}
