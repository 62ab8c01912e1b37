//! The encoder of texts.

use super::features::{Features, Places};
use crate::error::Error;
use crate::persist::State;

/// Number of features.
const FEATURES: usize = 32;

/// Each word of a text adds 1 to a feature, or takes 1 from it, which its hash chooses; the sum is divided by the root
/// of the number of words. Nothing is learned.
#[derive(Debug, Clone)]
pub(in crate::columns) struct Words {
    place: usize,
}

impl Words {
    pub(super) fn new(features: &mut Features<'_>) -> Self {
        let places = (0..FEATURES).map(|i| features.append(&format!(": words {i}")));
        let place = places.min().unwrap_or_default();
        Self { place }
    }

    pub(super) fn encode(&self, text: Option<&str>, out: &mut [f64]) {
        let out = &mut out[self.place..][..FEATURES];
        let words = text
            .unwrap_or_default()
            .split(|c: char| !c.is_alphanumeric());
        let mut n_words = 0;
        for word in words.filter(|word| !word.is_empty()) {
            let (feature, sign) = feature_of(word);
            out[feature] += sign;
            n_words += 1;
        }
        let size = f64::from(n_words.max(1)).sqrt();
        for out in out {
            *out /= size;
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put("place", [self.place as f64]);
    }

    pub(super) fn load(state: &State, places: &mut Places) -> Result<Self, Error> {
        let place = places.take(state.scalar("place")?, FEATURES)?;
        Ok(Self { place })
    }
}

/// The feature of a word, and 1 or -1.
fn feature_of(word: &str) -> (usize, f64) {
    let hash = mixed(fnv(word));
    let sign = if hash & (1 << 32) == 0 { 1.0 } else { -1.0 };
    #[allow(clippy::cast_possible_truncation, reason = "it is below 32")]
    let feature = (hash % FEATURES as u64) as usize;
    (feature, sign)
}

/// The FNV-1a hash of the bytes of a word in lower case.
fn fnv(word: &str) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for c in word.chars().flat_map(char::to_lowercase) {
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

/// The last step of `MurmurHash3`, after which every bit depends on all: those of FNV depend on few.
fn mixed(mut hash: u64) -> u64 {
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
    }
    hash ^ (hash >> 33)
}

crate::runtime::heap!(Words:);

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: Option<&str>) -> Vec<f64> {
        let mut out = vec![0.0; FEATURES];
        Words { place: 0 }.encode(text, &mut out);
        out
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        // From the specification's test vectors.
        assert_eq!(fnv(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv("FOObar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn words_are_counted_without_case_and_signs() {
        let (feature, sign) = feature_of("größe");
        let mut expected = vec![0.0; FEATURES];
        expected[feature] = sign * 2.0 / 2.0_f64.sqrt();
        assert_eq!(
            encoded(Some("  Größe, GRÖSSE!".replace("SS", "ß").as_str())),
            expected
        );
        for nothing in [None, Some(""), Some(" -- ")] {
            assert_eq!(encoded(nothing), vec![0.0; FEATURES]);
        }
    }

    #[test]
    fn words_go_to_all_features_with_both_signs() {
        let words: Vec<String> = (0..2000).map(|i| format!("word{i}")).collect();
        for feature in 0..FEATURES {
            for sign in [1.0, -1.0] {
                let n = words
                    .iter()
                    .filter(|word| feature_of(word) == (feature, sign))
                    .count();
                assert!((10..60).contains(&n), "{n}");
            }
        }
    }
}
