//! Model files of any kind: a learner, a scorer or a forecaster.
#![cfg(feature = "python")]

use std::path::Path;

use super::Forecaster;
use crate::error::Error;
use crate::learner::{Learner, Scorer};
use crate::persist::model_file;

/// The content of a model file.
pub(crate) enum AnyModel {
    Forecaster(Box<Forecaster>),
    Learner(Learner),
    Scorer(Scorer),
}

impl AnyModel {
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
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
