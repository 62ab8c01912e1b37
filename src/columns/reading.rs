//! How the values of a column are read.

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::kind::Kind;
use super::times::{Moment, Order};

/// The kind of a column, and what else it takes to read its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reading {
    pub(super) kind: Kind,
    /// The order of day and month in texts that are times.
    pub(super) order: Order,
    /// True if numbers are times, too.
    pub(super) takes_epochs: bool,
}

impl Reading {
    /// The reading of a column whose kind is inferred, and which has no order of day and month.
    pub(super) fn of(kind: Kind) -> Self {
        Self {
            kind,
            order: Order::default(),
            takes_epochs: false,
        }
    }

    /// The time that a value stands for, if it stands for one.
    pub(super) fn moment(self, cell: &Cell<'_>) -> Option<Moment> {
        if self.takes_epochs {
            cell.moment_or_epoch(self.order)
        } else {
            cell.moment(self.order)
        }
    }
}
