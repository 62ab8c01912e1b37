//! Kinds of columns.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of a column: what its values mean.
///
/// ```
/// use nystream::columns::{Kind, Why};
///
/// assert_eq!(Kind::try_from("category".to_owned()), Ok(Kind::Category));
/// assert_eq!(Kind::Unused(Why::Id).to_string(), "unused (id)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Kind {
    /// A quantity: more and less have a meaning.
    Number,
    /// One of some values, which are told apart and have no order.
    Category,
    /// A time on the wall clock.
    Time,
    /// Words. Never inferred, only stated.
    Text,
    /// Left out.
    Unused(Why),
}

/// The reason why a column is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The user says so.
    Stated,
    /// Its values number or name the rows.
    Id,
    /// Its values are texts that hardly ever come again.
    Text,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Number,
        Self::Category,
        Self::Time,
        Self::Text,
        Self::Unused(Why::Stated),
        Self::Unused(Why::Id),
        Self::Unused(Why::Text),
    ];

    /// The kind in a word, without the reason why a column is left out.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Category => "category",
            Self::Time => "time",
            Self::Text => "text",
            Self::Unused(_) => "unused",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Unused(Why::Id) => f.write_str(" (id)"),
            Self::Unused(Why::Text) => f.write_str(" (text)"),
            _ => Ok(()),
        }
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> Self {
        kind.to_string()
    }
}

impl TryFrom<String> for Kind {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let kind = Self::ALL.into_iter().find(|kind| kind.to_string() == text);
        let wrong =
            || format!("a kind should be number, category, time, text or unused, but is {text:?}");
        kind.ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_comes_back_from_its_text() {
        for kind in Kind::ALL {
            let text = serde_json::to_string(&kind).unwrap();
            assert_eq!(serde_json::from_str::<Kind>(&text).unwrap(), kind);
        }
        assert_eq!(serde_json::to_string(&Kind::Time).unwrap(), r#""time""#);
        let error = serde_json::from_str::<Kind>(r#""color""#).unwrap_err();
        assert!(error.to_string().contains(r#"but is "color""#), "{error}");
    }
}
