//! The values of a category that are remembered.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::columns::encoders::means::Means;
use crate::runtime::Heap;

/// The longest text, in bytes, that is remembered letter by letter; of others only a hash is.
const LONGEST: usize = 256;

/// The most bytes of such a text that a name shows.
const BEGINNING: usize = 64;

/// The slot of a value that is not remembered.
const NOWHERE: u32 = u32::MAX;

/// A hash of 128 bits.
pub(super) type Hash = [u8; 16];

/// A value as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Missing,
    Text(Arc<str>),
    Long(Hash),
}

/// What is known of a value.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) key: Key,
    /// Number of rows that have had the value, and the number of the last of them.
    pub(super) count: u64,
    pub(super) last: u64,
    /// The mean label of these rows.
    pub(super) means: Means,
    /// The place of the feature that is 1 for this value alone.
    pub(super) indicator: Option<usize>,
    /// A number that no other value has or had, by which seats are told from those of values that are gone.
    stamp: u64,
}

impl Value {
    fn new(text: Option<&str>, n_targets: usize) -> Self {
        Self::known(Key::of(text), Means::new(n_targets))
    }

    /// A value of which no more than this is known.
    pub(super) fn known(key: Key, means: Means) -> Self {
        Self {
            key,
            count: 0,
            last: 0,
            means,
            indicator: None,
            stamp: 0,
        }
    }
}

/// A note of where a value is remembered, or that it is not, which says by itself if it has become wrong.
#[derive(Debug, Clone, Copy)]
pub(in crate::columns) struct Seat {
    slot: u32,
    /// The stamp of the value; the number of values ever remembered, if it was not among them.
    stamp: u64,
}

impl Default for Seat {
    /// A note from before anything was remembered.
    fn default() -> Self {
        let (slot, stamp) = (NOWHERE, 0);
        Self { slot, stamp }
    }
}

/// Values and what is known of them, at most a number of them.
#[derive(Debug, Clone)]
pub(super) struct Values {
    all: Vec<Value>,
    most: usize,
    /// Number of values ever remembered.
    ever: u64,
    missing: Option<u32>,
    texts: HashMap<Arc<str>, u32>,
    long: HashMap<Hash, u32>,
}

impl Values {
    pub(super) fn new(most: usize) -> Self {
        Self {
            all: Vec::new(),
            most: most.min(NOWHERE as usize),
            ever: 0,
            missing: None,
            texts: HashMap::new(),
            long: HashMap::new(),
        }
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The values, the one that came last at the end.
    pub(super) fn in_order(&self) -> Vec<&Value> {
        let mut all: Vec<&Value> = self.all.iter().collect();
        all.sort_by_key(|value| value.last);
        all
    }

    /// The value that a seat stands for, if it is remembered.
    pub(super) fn at(&self, seat: Seat) -> Option<&Value> {
        let value = self.all.get(seat.slot as usize);
        value.filter(|value| value.stamp == seat.stamp)
    }

    pub(super) fn at_mut(&mut self, seat: Seat) -> Option<&mut Value> {
        let value = self.all.get_mut(seat.slot as usize);
        value.filter(|value| value.stamp == seat.stamp)
    }

    /// Returns true if a seat is right.
    pub(super) fn is_current(&self, seat: Seat) -> bool {
        match seat.slot {
            NOWHERE => seat.stamp == self.ever,
            _ => self.at(seat).is_some(),
        }
    }

    /// The seat of a value.
    pub(super) fn find(&self, text: Option<&str>) -> Seat {
        let slot = match text {
            None => self.missing,
            Some(text) if text.len() <= LONGEST => self.texts.get(text).copied(),
            Some(text) => self.long.get(&hash(text)).copied(),
        };
        match slot.and_then(|slot| Some((slot, self.all.get(slot as usize)?))) {
            Some((slot, Value { stamp, .. })) => Seat {
                slot,
                stamp: *stamp,
            },
            None => Seat {
                slot: NOWHERE,
                stamp: self.ever,
            },
        }
    }

    /// Remembers a new value, and forgets others if there are too many; none can be if all have an indicator.
    pub(super) fn insert(&mut self, text: Option<&str>, n_targets: usize) -> Seat {
        if self.all.len() >= self.most {
            self.forget();
        }
        if self.all.len() < self.most {
            self.push(Value::new(text, n_targets));
        }
        self.find(text)
    }

    /// Returns true if a value is remembered.
    pub(super) fn has(&self, key: &Key) -> bool {
        match key {
            Key::Missing => self.missing.is_some(),
            Key::Text(text) => self.texts.contains_key(text),
            Key::Long(hash) => self.long.contains_key(hash),
        }
    }

    /// Remembers a value that is not among them.
    pub(super) fn push(&mut self, value: Value) {
        self.ever += 1;
        let stamp = self.ever;
        self.all.push(Value { stamp, ..value });
        self.index(self.all.len() - 1);
    }

    /// Forgets the rarest quarter of the values; of those as rare, the ones that came longest ago. A value with an
    /// indicator stays.
    fn forget(&mut self) {
        let is_free = |slot: &usize| self.all[*slot].indicator.is_none();
        let mut free: Vec<usize> = (0..self.all.len()).filter(is_free).collect();
        let n = (self.most / 4).max(1);
        if n < free.len() {
            let rank = |slot: &usize| (self.all[*slot].count, self.all[*slot].last);
            free.select_nth_unstable_by_key(n, rank);
            free.truncate(n);
        }
        // From the last on, so that no slot to come is moved.
        free.sort_unstable();
        for slot in free.into_iter().rev() {
            self.remove(slot);
        }
    }

    /// Forgets the value of a slot, in which the last value takes its place.
    fn remove(&mut self, slot: usize) {
        let gone = self.all.swap_remove(slot);
        match &gone.key {
            Key::Missing => self.missing = None,
            Key::Text(text) => _ = self.texts.remove(text),
            Key::Long(hash) => _ = self.long.remove(hash),
        }
        if slot < self.all.len() {
            self.index(slot);
        }
    }

    /// Notes where to find a value.
    fn index(&mut self, slot: usize) {
        let Ok(at) = u32::try_from(slot) else { return };
        match &self.all[slot].key {
            Key::Missing => self.missing = Some(at),
            Key::Text(text) => _ = self.texts.insert(Arc::clone(text), at),
            Key::Long(hash) => _ = self.long.insert(*hash, at),
        }
    }
}

impl Key {
    /// The key of a text; of a missing one if there is none.
    pub(super) fn of(text: Option<&str>) -> Self {
        match text {
            None => Self::Missing,
            Some(text) if text.len() <= LONGEST => Self::Text(text.into()),
            Some(text) => Self::Long(hash(text)),
        }
    }
}

/// The beginning of the text's SHA-256.
fn hash(text: &str) -> Hash {
    let digest = Sha256::digest(text);
    std::array::from_fn(|i| digest[i])
}

/// The beginning of a text, as much as a name shows of it.
pub(super) fn beginning(text: &str) -> &str {
    let end = (0..=BEGINNING.min(text.len())).rfind(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

impl Heap for Values {
    fn heap_bytes(&self) -> usize {
        let text = |value: &Value| match &value.key {
            Key::Text(text) => text.len() + 2 * size_of::<usize>(),
            _ => 0,
        };
        let own = |value: &Value| text(value) + value.means.heap_bytes();
        self.all.capacity() * size_of::<Value>()
            + self.all.iter().map(own).sum::<usize>()
            + self.texts.capacity() * size_of::<(Arc<str>, u32)>()
            + self.long.capacity() * size_of::<(Hash, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of which each has been seen in a row of its own, the first in row 1.
    fn seen(most: usize, texts: &[&str]) -> Values {
        let mut values = Values::new(most);
        for (text, row) in texts.iter().zip(1..) {
            see(&mut values, text, row);
        }
        values
    }

    fn see(values: &mut Values, text: &str, row: u64) -> Seat {
        let mut seat = values.find(Some(text));
        if values.at(seat).is_none() {
            seat = values.insert(Some(text), 1);
        }
        if let Some(value) = values.at_mut(seat) {
            (value.count, value.last) = (value.count + 1, row);
        }
        seat
    }

    fn remembered(values: &Values) -> Vec<&str> {
        let texts = values.in_order().into_iter().map(|value| match &value.key {
            Key::Text(text) => &**text,
            _ => "",
        });
        texts.collect()
    }

    #[test]
    fn the_rarest_quarter_is_forgotten_the_oldest_first() {
        let mut values = seen(8, &["a", "b", "c", "d", "e", "f", "g", "h", "a"]);
        see(&mut values, "i", 10);
        assert_eq!(remembered(&values), ["d", "e", "f", "g", "h", "a", "i"]);
        see(&mut values, "d", 11);
        see(&mut values, "j", 12);
        see(&mut values, "k", 13);
        assert_eq!(remembered(&values), ["g", "h", "a", "i", "d", "j", "k"]);
    }

    #[test]
    fn values_with_an_indicator_stay() {
        let mut values = seen(2, &["a", "b"]);
        let seat = values.find(Some("a"));
        values.at_mut(seat).unwrap().indicator = Some(0);
        see(&mut values, "c", 3);
        assert_eq!(remembered(&values), ["a", "c"]);
        let seat = values.find(Some("c"));
        values.at_mut(seat).unwrap().indicator = Some(1);
        let seat = see(&mut values, "d", 4);
        assert_eq!(remembered(&values), ["a", "c"]);
        assert!(values.at(seat).is_none() && values.is_current(seat));
    }

    #[test]
    fn seats_of_values_that_are_gone_say_so() {
        let mut values = seen(4, &["a", "b", "c", "d"]);
        let [a, b, d] = ["a", "b", "d"].map(|text| values.find(Some(text)));
        let unknown = values.find(Some("e"));
        assert!(values.is_current(unknown) && values.at(unknown).is_none());
        see(&mut values, "e", 5);
        // The last value has taken the place of the one that is gone.
        assert!(![a, d, unknown].iter().any(|seat| values.is_current(*seat)));
        assert!(values.is_current(b));
        let d = values.find(Some("d"));
        assert_eq!([b, d].map(|seat| values.at(seat).unwrap().last), [2, 4]);
        assert!(!values.is_current(Seat::default()));
        assert!(Values::new(1).is_current(Seat::default()));
    }

    #[test]
    fn long_texts_are_told_apart_by_their_hash() {
        let mut values = Values::new(9);
        let texts = ["x".repeat(256), "x".repeat(257), "x".repeat(100_000)];
        for text in &texts {
            values.insert(Some(text), 1);
        }
        values.insert(None, 1);
        assert!(matches!(values.all[0].key, Key::Text(_)));
        assert!(matches!(values.all[1].key, Key::Long(_)));
        let seats = texts.iter().map(|text| values.find(Some(text)).slot);
        assert_eq!(seats.collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(values.find(None).slot, 3);
        assert!(values.heap_bytes() < 2_000);
        assert_eq!(beginning(&format!("1{}", "é".repeat(99))).len(), 63);
        // As `printf '%257s' | tr ' ' x | sha256sum` prints it.
        assert_eq!(hash(&texts[1])[..4], [0x15, 0xeb, 0x95, 0xa4]);
    }
}
