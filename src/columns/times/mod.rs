//! Times: moments, the calendar, and the ways in which people write them.

mod calendar;
mod moment;
mod parse;

pub(super) use calendar::DAY;
pub(super) use moment::Moment;
pub(super) use parse::{Order, parse};
