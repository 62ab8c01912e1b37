//! Categories in a file.

use std::borrow::Cow;

use super::values::{Key, Value};
use super::{Category, INDICATORS};
use crate::columns::encoders::Options;
use crate::columns::encoders::features::{Places, number_of};
use crate::columns::encoders::means::Means;
use crate::columns::texts::{put_texts, texts};
use crate::error::Error;
use crate::persist::{State, whole};

impl Category {
    pub(in crate::columns::encoders) fn save(&self, state: &mut State) {
        let all = self.values.in_order();
        let put = |state: &mut State, name: &str, number: &dyn Fn(&Value) -> f64| {
            state.put(
                name,
                all.iter().map(|value| number(value)).collect::<Vec<_>>(),
            );
        };
        put(state, "counts", &|value| value.count as f64);
        put(state, "last", &|value| value.last as f64);
        put(state, "mean_counts", &|value| value.means.count);
        put(state, "indicators", &|value| number_of(value.indicator));
        let means = all.iter().flat_map(|value| value.means.values.clone());
        let shape = [all.len(), self.n_targets];
        state.put_matrix("means", shape, means.collect());
        put_texts(state, "values", all.iter().map(|value| written(&value.key)));
        state.put("n_rows", [self.n_rows as f64]);
        state.put("places", [self.means, self.frequency].map(number_of));
    }

    pub(in crate::columns::encoders) fn load(
        options: &Options,
        state: &State,
        places: &mut Places,
    ) -> Result<Self, Error> {
        let [means, frequency] = state.numbers("places")?;
        let mut category = Self::new(options);
        category.means = places.take_if_any(means, options.n_targets)?;
        category.frequency = places.take_if_any(frequency, 1)?;
        category.n_rows = state.count("n_rows")? as u64;
        let keys = texts(state, "values")?;
        let n = keys.len();
        let vector = |name| state.vector(name, n);
        let (counts, last) = (vector("counts")?, vector("last")?);
        let (mean_counts, indicators) = (vector("mean_counts")?, vector("indicators")?);
        let (n_means, means) = state.matrix("means", options.n_targets)?;
        let is_in_order = last.is_sorted_by(|a, b| a < b);
        if n > options.max_categories || n_means != n || !is_in_order {
            return Err(wrong());
        }
        for (i, key) in keys.iter().enumerate() {
            let values = means[i * options.n_targets..][..options.n_targets].to_vec();
            let count = mean_counts[i];
            let key = read(key).ok_or_else(wrong)?;
            let mut value = Value::known(key, Means { count, values });
            value.count = category.row_number(counts[i])?;
            value.last = category.row_number(last[i])?;
            value.indicator = places.take_if_any(indicators[i], 1)?;
            category.add(value)?;
        }
        Ok(category)
    }

    /// Adds a value from a file.
    fn add(&mut self, value: Value) -> Result<(), Error> {
        self.n_indicators += usize::from(value.indicator.is_some());
        let has_means = value.means.count > 0.0 && value.means.is_possible();
        if !has_means || self.n_indicators > INDICATORS || self.values.has(&value.key) {
            return Err(wrong());
        }
        self.values.push(value);
        Ok(())
    }

    /// A number from 1 to the number of rows.
    fn row_number(&self, number: f64) -> Result<u64, Error> {
        let number = whole(number).filter(|number| (1..=self.n_rows).contains(number));
        number.ok_or_else(wrong)
    }
}

fn wrong() -> Error {
    Error::model_file("values should be those of a category, each once")
}

/// A key as a file has it: nothing, a text after an equals sign, or the digits of a hash after a number sign.
fn written(key: &Key) -> Cow<'_, str> {
    match key {
        Key::Missing => "".into(),
        Key::Text(text) => format!("={text}").into(),
        Key::Long(hash) => format!("#{:032x}", u128::from_be_bytes(*hash)).into(),
    }
}

/// The key that is written like this.
fn read(written: &str) -> Option<Key> {
    let key = match written.split_at_checked(1) {
        None => Key::Missing,
        Some(("=", text)) => Key::of(Some(text)),
        Some(("#", digits)) => {
            let number = u128::from_str_radix(digits, 16).ok()?;
            Key::Long(number.to_be_bytes())
        }
        Some(_) => return None,
    };
    // Each key has one way to be written.
    (self::written(&key) == written).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{OPTIONS, Walk};
    use super::*;

    #[test]
    fn a_category_goes_on_from_its_state() {
        let options = Options {
            max_categories: 5,
            ..OPTIONS
        };
        let mut walk = Walk::new(&options);
        let long = "long".repeat(100);
        let texts = [None, Some("x"), Some(&*long), Some("#x"), Some("=")];
        (0..60).for_each(|i| walk.learn(texts[i * i % 5], &[i as f64]));
        let mut state = State::default();
        walk.category.save(&mut state);
        let mut places = Places::new(walk.names.len());
        let mut again = Walk {
            category: Category::load(&options, &state, &mut places).unwrap(),
            names: walk.names.clone(),
            labels: walk.labels.clone(),
        };
        assert!(places.owners().is_ok());
        for text in texts.into_iter().chain([Some("y"), Some("z"), Some("x")]) {
            assert_eq!(again.encoded(text), walk.encoded(text));
            walk.learn(text, &[-1.0]);
            again.learn(text, &[-1.0]);
        }
    }

    #[test]
    fn forged_values_are_refused() {
        let mut walk = Walk::new(&OPTIONS);
        (0..20).for_each(|i| walk.learn([Some("x"), Some("y")][i % 2], &[1.0]));
        let mut state = State::default();
        walk.category.save(&mut state);
        let load = |name: &str, numbers: &[f64]| {
            let mut state = state.clone();
            state.put(name, numbers);
            Category::load(&OPTIONS, &state, &mut Places::new(walk.names.len()))
        };
        assert!(load("n_rows", &[20.0]).is_ok());
        let forged: [(&str, &[f64]); 9] = [
            ("n_rows", &[9.0]),
            ("n_rows", &[0.5]),
            ("counts", &[0.0, 10.0]),
            ("last", &[21.0, 20.0]),
            ("mean_counts", &[0.0, 1.0]),
            ("indicators", &[1.0, 1.0]),
            ("indicators", &[3.0, 1.0]),
            ("places", &[1.0, -1.0]),
            ("values_lengths", &[2.0]),
        ];
        for (name, numbers) in forged {
            assert!(load(name, numbers).is_err(), "{name}");
        }
        let same = "=x"
            .bytes()
            .rev()
            .fold(0.0, |sum, byte| 256.0 * sum + f64::from(byte));
        let twice = same + same * 256.0 * 256.0;
        assert!(load("values_bytes", &[twice]).is_err());
    }

    #[test]
    fn keys_are_written_in_one_way() {
        for key in [
            Key::Missing,
            Key::of(Some("#=")),
            Key::of(Some(&"x".repeat(300))),
        ] {
            assert_eq!(read(&written(&key)), Some(key));
        }
        for text in ["x", "#", "#1", "#+0000000000000000000000000000001", "é"] {
            assert_eq!(read(text), None);
        }
        assert_eq!(read(&format!("={}", "x".repeat(300))), None);
    }
}
