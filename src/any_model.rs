//! Model files of any kind.

use std::path::Path;

use crate::error::Error;
use crate::forecast::Forecaster;
use crate::keyed::Keyed;
use crate::learner::{Learner, Scorer};
use crate::persist::model_file;

/// The content of a model file: a learner, a scorer, a forecaster, or models by key.
pub(crate) enum AnyModel {
    Learner(Learner),
    Scorer(Scorer),
    Forecaster(Box<Forecaster>),
    Keyed(Box<Keyed>),
}

impl AnyModel {
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        if Keyed::is_in(path) {
            return Keyed::load(path).map(|keyed| Self::Keyed(Box::new(keyed)));
        }
        model_file::load(path, |bytes| {
            let (content, state) = model_file::from_bytes(bytes)?;
            let has = |name| content.get(name).is_some();
            if has("forecaster") {
                let forecaster = Forecaster::from_content(content, &state)?;
                return Ok(Self::Forecaster(Box::new(forecaster)));
            }
            if has("scorer") {
                return Scorer::from_content(content, &state).map(Self::Scorer);
            }
            Learner::from_content(content, &state).map(Self::Learner)
        })
    }
}
