//! Parameters of a forecaster.

use serde::{Deserialize, Serialize};

use super::Step;
use crate::AnyParams;
use crate::algorithms::AutoParams;
use crate::columns::Settings;
use crate::error::{Error, Place};

/// The longest horizon and season: histories hold several seasons.
const LONGEST: usize = 100_000;

/// The most horizons: each has a model, and as many rows wait for their values as it is long.
const MOST_HORIZONS: usize = 1000;

/// Parameters of a [`Forecaster`](super::Forecaster).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForecasterParams {
    /// The learner, of which each horizon has one. Default `Auto`.
    pub model: AnyParams,
    /// The distances of the slots to forecast from the last one that is known, increasing. Default 1 to 24.
    pub horizons: Vec<usize>,
    /// The time between two slots; `None` if slots have numbers and no times. Default none.
    pub every: Option<Step>,
    /// The lengths of seasons in slots, increasing, the shortest first; `None` for those of the calendar. Default none.
    pub seasons: Option<Vec<usize>>,
    /// Names of the columns whose values are known ahead. Default none.
    pub ahead: Vec<String>,
    /// Settings of the columns of features. Default those of `Auto`.
    pub columns: Settings,
    /// The time after which a value counts half; `None` leaves forgetting to the model. Default none.
    pub half_life: Option<Step>,
}

impl Default for ForecasterParams {
    fn default() -> Self {
        Self {
            model: AutoParams::default().into(),
            horizons: (1..=24).collect(),
            every: None,
            seasons: None,
            ahead: Vec::new(),
            columns: Settings::default(),
            half_life: None,
        }
    }
}

impl ForecasterParams {
    pub(super) fn check(&self) -> Result<(), Error> {
        increasing("horizon", &self.horizons, 1)?;
        increasing("season", self.seasons.as_deref().unwrap_or_default(), 2)?;
        match self.horizons.len() {
            1..=MOST_HORIZONS => Ok(()),
            n => Err(Error::parameter(
                "horizon",
                "1 to 1,000 distances",
                n as f64,
            )),
        }
    }

    /// The lengths of the seasons.
    pub(super) fn seasons(&self) -> Vec<usize> {
        let calendar = || self.every.map(Step::seasons).unwrap_or_default();
        self.seasons.clone().unwrap_or_else(calendar)
    }

    /// The model, which forgets as the half-life says.
    pub(super) fn model(&self) -> Result<AnyParams, Error> {
        self.model.loss().unwrap_or_default().of_any_label()?;
        let Some(half_life) = self.half_life else {
            return Ok(self.model.clone());
        };
        let needed = Error::Conflict {
            first: "half_life",
            second: "every",
            reason: "both should be given, as months or as shorter units",
        };
        let slots = self
            .every
            .and_then(|every| every.per(half_life))
            .ok_or(needed)?;
        self.model
            .clone()
            .with_forgetting(0.5_f64.powf(slots.recip()))
    }
}

/// Refuses numbers that do not increase from at least `least`.
fn increasing(argument: &'static str, numbers: &[usize], least: usize) -> Result<(), Error> {
    let mut last = least - 1;
    for (i, number) in numbers.iter().enumerate() {
        if *number <= last || *number > LONGEST {
            let expected = match least {
                1 => "whole numbers that increase, from 1 to 100,000",
                _ => "whole numbers that increase, from 2 to 100,000",
            };
            return Err(Error::Element {
                place: Place::new(argument, [i]),
                expected,
                value: *number as f64,
            });
        }
        last = *number;
    }
    Ok(())
}
