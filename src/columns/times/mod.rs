//! Times: moments, the calendar, and the ways in which people write them.

mod calendar;
mod moment;
mod parse;

pub(crate) use calendar::{DAY, months_of, start_of_month};
pub(super) use moment::Moment;
pub(super) use parse::{Order, parse};
