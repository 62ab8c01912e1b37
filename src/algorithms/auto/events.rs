//! Events: what an ensemble has noticed of a stream that changes.

use std::collections::VecDeque;

use crate::error::Error;
use crate::persist::{State, index};
use crate::runtime::Heap;

/// The most events that are remembered.
const MOST: usize = 100;

/// The kinds of events, in the order of their numbers in files.
const KINDS: [&str; 5] = ["take-over", "forgetting", "restart", "rescaling", "feature"];

/// Something that an ensemble has noticed, or done about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Number of rows that had been learned.
    pub row: u64,
    /// The kind: take-over, forgetting, restart, rescaling or feature.
    pub kind: &'static str,
    /// A number of take-overs, the part of the error that is saved, a distance in scales, or a scale.
    pub size: f64,
    /// The feature that it is about, if it is about one.
    pub feature: Option<usize>,
}

/// The last events.
#[derive(Debug, Clone, Default)]
pub(super) struct Events {
    last: VecDeque<Event>,
}

impl Events {
    /// Records an event of one of the kinds.
    pub(super) fn push(&mut self, row: u64, kind: &'static str, size: f64, feature: Option<usize>) {
        self.last.push_back(Event {
            row,
            kind,
            size,
            feature,
        });
        while self.last.len() > MOST {
            self.last.pop_front();
        }
    }

    /// The events, the oldest first.
    pub(super) fn all(&self) -> Vec<Event> {
        self.last.iter().cloned().collect()
    }

    pub(super) fn save(&self, state: &mut State) {
        let numbers = self.last.iter().flat_map(|event| {
            let kind = KINDS.iter().position(|kind| *kind == event.kind);
            let feature = event.feature.map_or(-1.0, |feature| feature as f64);
            [
                event.row as f64,
                kind.unwrap_or(0) as f64,
                event.size,
                feature,
            ]
        });
        state.put_matrix("events", [self.last.len(), 4], numbers.collect());
    }

    /// Reads events of rows of this width; older files have none.
    pub(super) fn load(width: usize, state: &State) -> Result<Self, Error> {
        let mut events = Self::default();
        if !state.has("events") {
            return Ok(events);
        }
        let (_, numbers) = state.matrix("events", 4)?;
        for [row, kind, size, feature] in numbers.as_chunks::<4>().0 {
            let kind = index(*kind, 0..KINDS.len());
            let (Some(row), Some(kind)) = (index(*row, 0..usize::MAX), kind) else {
                return Err(Error::model_file("its events should have rows and kinds"));
            };
            events.push(row as u64, KINDS[kind], *size, index(*feature, 0..width));
        }
        Ok(events)
    }
}

impl Heap for Events {
    fn heap_bytes(&self) -> usize {
        self.last.capacity() * size_of::<Event>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_events_are_remembered_also_in_files() {
        let mut events = Events::default();
        (0..150).for_each(|row| events.push(row, "take-over", 1.0, None));
        events.push(150, "feature", 0.5, Some(2));
        let mut state = State::default();
        events.save(&mut state);
        let again = Events::load(3, &state).unwrap();
        assert_eq!(again.all(), events.all());
        assert_eq!((again.all().len(), again.all()[0].row), (MOST, 51));
        assert!(Events::load(3, &State::default()).unwrap().all().is_empty());
    }

    #[test]
    fn events_of_no_kind_are_refused() {
        for numbers in [
            [1.0, 5.0, 0.0, -1.0],
            [-1.0, 0.0, 0.0, -1.0],
            [0.5, 0.0, 0.0, 0.0],
        ] {
            let mut state = State::default();
            state.put_matrix("events", [1, 4], numbers.to_vec());
            assert!(Events::load(3, &state).is_err());
        }
    }
}
