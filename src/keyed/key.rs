//! Keys: integers and texts.

use std::fmt;

use indexmap::Equivalent;

use crate::runtime::Heap;

/// A key that is borrowed. An integer and a text are never the same key, even if they look alike.
///
/// ```
/// use nystream::keyed::Key;
///
/// assert_ne!(Key::from(7), Key::from("7"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key<'a> {
    /// An integer.
    Int(i64),
    /// A text.
    Text(&'a str),
}

/// A key that is owned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeyBuf {
    /// An integer.
    Int(i64),
    /// A text.
    Text(Box<str>),
}

impl KeyBuf {
    /// The key, borrowed.
    pub fn as_key(&self) -> Key<'_> {
        match self {
            Self::Int(key) => Key::Int(*key),
            Self::Text(key) => Key::Text(key),
        }
    }

    /// The key as a text from which it can be read again, and which is not empty.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Int(int) => format!("i{int}"),
            Self::Text(text) => format!("t{text}"),
        }
    }

    /// Reads what [`to_text`](Self::to_text) has written.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        match text.split_at_checked(1)? {
            ("i", int) => int.parse().ok().map(Self::Int),
            ("t", text) => Some(Self::Text(text.into())),
            _ => None,
        }
    }
}

impl From<i64> for Key<'_> {
    fn from(key: i64) -> Self {
        Self::Int(key)
    }
}

impl<'a> From<&'a str> for Key<'a> {
    fn from(key: &'a str) -> Self {
        Self::Text(key)
    }
}

impl From<Key<'_>> for KeyBuf {
    fn from(key: Key<'_>) -> Self {
        match key {
            Key::Int(key) => Self::Int(key),
            Key::Text(key) => Self::Text(key.into()),
        }
    }
}

/// Lets a map of owned keys be asked for a borrowed one: both have the same variants in the same order, and so one hash.
impl Equivalent<KeyBuf> for Key<'_> {
    fn equivalent(&self, key: &KeyBuf) -> bool {
        *self == key.as_key()
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(key) => write!(f, "{key}"),
            Self::Text(key) => write!(f, "{key:?}"),
        }
    }
}

impl Heap for KeyBuf {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Int(_) => 0,
            Self::Text(text) => text.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use indexmap::IndexMap;

    use super::*;

    #[test]
    fn a_borrowed_key_finds_the_owned_one_and_no_other() {
        let mut map = IndexMap::new();
        for (i, key) in [Key::from(7), Key::from("7"), Key::from("")]
            .into_iter()
            .enumerate()
        {
            assert_eq!(
                map.hasher().hash_one(key),
                map.hasher().hash_one(KeyBuf::from(key))
            );
            map.insert(KeyBuf::from(key), i);
        }
        for key in map.keys() {
            assert_eq!(KeyBuf::of_text(&key.to_text()).as_ref(), Some(key));
        }
        assert_eq!(["", "x", "ix"].map(KeyBuf::of_text), [None, None, None]);
        assert_eq!(map.get_index_of(&Key::from(7)), Some(0));
        assert_eq!(map.get_index_of(&Key::from("7")), Some(1));
        assert_eq!(map.get_index_of(&Key::from("seven")), None);
    }
}
