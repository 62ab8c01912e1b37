//! Bytes as text.

use std::borrow::Cow;

/// The encoding of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// Windows-1252, which has all letters of Latin-1 where Latin-1 has them.
    Windows1252,
}

/// The characters of the bytes 128 to 159 in Windows-1252; NUL where there is none.
const HIGH: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

impl Encoding {
    /// The encoding of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        match &*name.to_ascii_lowercase().replace(['-', '_'], "") {
            "utf8" => Some(Self::Utf8),
            "latin1" | "iso88591" | "windows1252" | "cp1252" => Some(Self::Windows1252),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Windows1252 => "windows-1252",
        }
    }

    /// The encoding that the first bytes of a file are in. They may end within a character.
    pub(super) fn of(sample: &[u8]) -> Self {
        match std::str::from_utf8(sample) {
            Err(error) if error.error_len().is_some() => Self::Windows1252,
            _ => Self::Utf8,
        }
    }

    /// The text that bytes stand for, if they stand for one.
    pub(super) fn text(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        match self {
            Self::Utf8 => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Self::Windows1252 if bytes.is_ascii() => {
                std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
            }
            Self::Windows1252 => bytes
                .iter()
                .copied()
                .map(letter)
                .collect::<Option<String>>()
                .map(Cow::Owned),
        }
    }
}

fn letter(byte: u8) -> Option<char> {
    match byte {
        128..=159 => Some(HIGH[usize::from(byte - 128)]).filter(|letter| *letter != '\0'),
        _ => Some(char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_that_in_which_the_first_bytes_are_text() {
        assert_eq!(Encoding::of("20 °C".as_bytes()), Encoding::Utf8);
        assert_eq!(Encoding::of(b"20 \xc2"), Encoding::Utf8);
        assert_eq!(Encoding::of(b"20 \xb0C"), Encoding::Windows1252);
    }

    #[test]
    fn bytes_are_text_in_their_encoding_alone() {
        let text = |bytes| Encoding::Windows1252.text(bytes).map(Cow::into_owned);
        assert_eq!(text(b"\x80 20 \xb0C").unwrap(), "€ 20 °C");
        assert_eq!(text(b"\x81"), None);
        assert_eq!(Encoding::Utf8.text(b"\xb0"), None);
    }

    #[test]
    fn encodings_have_names() {
        for encoding in [Encoding::Utf8, Encoding::Windows1252] {
            assert_eq!(Encoding::of_name(encoding.name()), Some(encoding));
        }
        assert_eq!(Encoding::of_name("Latin-1"), Some(Encoding::Windows1252));
        assert_eq!(Encoding::of_name("utf-16"), None);
    }
}
