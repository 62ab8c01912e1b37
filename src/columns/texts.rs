//! Texts as arrays of a state: the header of a file has little room.

use std::borrow::Cow;

use crate::error::Error;
use crate::persist::{State, whole};

/// Number of bytes in a number, which float64 holds exactly.
const PACKED: usize = 6;

/// Stores texts under a name.
pub(crate) fn put_texts<'a>(
    state: &mut State,
    name: &str,
    texts: impl Iterator<Item = Cow<'a, str>>,
) {
    let (mut bytes, mut lengths) = (Vec::new(), Vec::new());
    for text in texts {
        bytes.extend_from_slice(text.as_bytes());
        lengths.push(text.len());
    }
    let pack = |bytes: &[u8]| {
        bytes
            .iter()
            .rfold(0.0, |sum, byte| 256.0 * sum + f64::from(*byte))
    };
    let numbers: Vec<f64> = bytes.chunks(PACKED).map(pack).collect();
    state.put(&format!("{name}_bytes"), numbers);
    state.put_indices(&format!("{name}_lengths"), &lengths);
}

/// The texts stored under a name.
pub(crate) fn texts(state: &State, name: &str) -> Result<Vec<String>, Error> {
    let wrong = || Error::model_file(format!("{name} should be texts"));
    let numbers = state.any_vector(&format!("{name}_bytes"))?;
    let bytes: Option<Vec<[u8; PACKED]>> = numbers.iter().map(|number| unpacked(*number)).collect();
    let bytes = bytes.ok_or_else(wrong)?.concat();
    let (mut texts, mut rest) = (Vec::new(), &*bytes);
    for length in state.any_vector(&format!("{name}_lengths"))? {
        let length = whole(length).and_then(|length| usize::try_from(length).ok());
        let (text, after) = length
            .and_then(|n| rest.split_at_checked(n))
            .ok_or_else(wrong)?;
        texts.push(String::from_utf8(text.to_vec()).map_err(|_| wrong())?);
        rest = after;
    }
    let is_padding = rest.len() < PACKED && rest.iter().all(|byte| *byte == 0);
    is_padding.then_some(texts).ok_or_else(wrong)
}

/// The bytes of a number, the last of which may be padding.
fn unpacked(number: f64) -> Option<[u8; PACKED]> {
    let [bytes @ .., 0, 0] = whole(number)?.to_le_bytes() else {
        return None;
    };
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(all: &[&str]) -> State {
        let mut state = State::default();
        put_texts(
            &mut state,
            "names",
            all.iter().map(|text| Cow::Borrowed(*text)),
        );
        state
    }

    #[test]
    fn texts_come_back() {
        for all in [
            &[][..],
            &[""],
            &["a", "", "größer als sechs"],
            &["sixsix"],
            &["\0", "\0"],
        ] {
            assert_eq!(texts(&stored(all), "names").unwrap(), all);
        }
        let array = stored(&["ab"]).any_vector("names_bytes");
        assert_eq!(array, Ok(vec![97.0 + 256.0 * 98.0]));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let lengths = [
            vec![3.0],
            vec![1.0],
            vec![-1.0],
            vec![0.5],
            vec![2.0, 1e300],
        ];
        for lengths in lengths {
            let mut state = stored(&["ab"]);
            state.put("names_lengths", lengths);
            // A padded text of three letters would be read as "ab\0".
            let read = texts(&state, "names");
            assert!(read.is_err() || read.unwrap() == ["ab\0"]);
        }
        for number in [2.0_f64.powi(48), -1.0, 0.5, 255.0] {
            let mut state = stored(&["a"]);
            state.put("names_bytes", [number]);
            assert!(texts(&state, "names").is_err());
        }
    }
}
