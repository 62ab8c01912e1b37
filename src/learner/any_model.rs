//! Model files of either kind: a learner or a scorer.
#![cfg(feature = "python")]

use std::path::Path;

use super::{Learner, Scorer};
use crate::error::Error;
use crate::persist::model_file;

/// The content of a model file.
pub(crate) enum AnyModel {
    Learner(Learner),
    Scorer(Scorer),
}

impl AnyModel {
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        model_file::load(path, |bytes| {
            let (content, state) = model_file::from_bytes(bytes)?;
            match content.get("scorer") {
                None => Learner::from_content(content, &state).map(Self::Learner),
                Some(_) => Scorer::from_content(content, &state).map(Self::Scorer),
            }
        })
    }
}
