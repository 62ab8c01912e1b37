//! Model files of any kind: a learner, a scorer, or models by key.
#![cfg(feature = "python")]

use std::path::Path;

use super::Keyed;
use crate::error::Error;
use crate::learner::{Learner, Scorer};
use crate::persist::model_file;

/// The content of a model file.
pub(crate) enum AnyModel {
    Learner(Learner),
    Scorer(Scorer),
    Keyed(Box<Keyed>),
}

impl AnyModel {
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        if Keyed::is_in(path) {
            return Keyed::load(path).map(|keyed| Self::Keyed(Box::new(keyed)));
        }
        model_file::load(path, |bytes| {
            let (content, state) = model_file::from_bytes(bytes)?;
            match content.get("scorer") {
                None => Learner::from_content(content, &state).map(Self::Learner),
                Some(_) => Scorer::from_content(content, &state).map(Self::Scorer),
            }
        })
    }
}
