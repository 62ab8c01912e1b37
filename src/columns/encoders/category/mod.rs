//! The encoder of categories.

mod file;
mod values;

use super::features::Features;
use super::means::Means;
use super::{Lesson, Options};
use crate::limits::LARGEST;
use crate::runtime::heap;

pub(in crate::columns) use values::Seat;
use values::{Key, Values, beginning};

/// Number of rows that the mean of all labels counts as beside those of a value.
const PRIOR: f64 = 10.0;

/// The fewest rows that have a value with an indicator, and the part of all rows that they are at least.
const FREQUENT: u64 = 3;
const PART: u64 = 200;

/// The most values with an indicator.
const INDICATORS: usize = 16;

/// A value is encoded by the mean label of the rows that had it, and by an indicator if it is frequent; by how often it
/// came, too, once there are more values than indicators. A missing value is a value of its own. There are no features
/// before the second value.
#[derive(Debug, Clone)]
pub(in crate::columns) struct Category {
    values: Values,
    /// Number of rows learned.
    n_rows: u64,
    n_targets: usize,
    n_indicators: usize,
    forgetting: f64,
    /// The places of the first mean label, and of the frequency.
    means: Option<usize>,
    frequency: Option<usize>,
}

impl Category {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            values: Values::new(options.max_categories),
            n_rows: 0,
            n_targets: options.n_targets,
            n_indicators: 0,
            forgetting: options.forgetting,
            means: None,
            frequency: None,
        }
    }

    /// The seat of a value, which is looked up unless the one known is right.
    pub(super) fn seat(&self, known: Seat, text: Option<&str>) -> Seat {
        if self.values.is_current(known) {
            known
        } else {
            self.values.find(text)
        }
    }

    /// Writes the features of a value, given the mean labels of all rows.
    pub(super) fn encode(&self, seat: Seat, labels: &Means, out: &mut [f64]) {
        let Some(place) = self.means else { return };
        let value = self.values.at(seat);
        let (n, own) = value.map_or((0.0, labels), |value| (value.means.count, &value.means));
        let means = &mut out[place..][..self.n_targets];
        for (out, (own, all)) in means.iter_mut().zip(own.values.iter().zip(&labels.values)) {
            let shrunken = own + (all - own) * PRIOR / (n + PRIOR);
            // Rounding may lead out of the range of the labels, and so out of that of features.
            *out = shrunken.clamp(-LARGEST, LARGEST);
        }
        if let Some(frequency) = self.frequency {
            let count = value.map_or(0, |value| value.count);
            out[frequency] = ((count as f64 + 1.0) / (self.n_rows as f64 + 2.0)).ln();
        }
        if let Some(indicator) = value.and_then(|value| value.indicator) {
            out[indicator] = 1.0;
        }
    }

    /// Learns a row with a value, and returns the value's seat.
    pub(super) fn learn(
        &mut self,
        seat: Seat,
        text: Option<&str>,
        lesson: &Lesson<'_>,
        features: &mut Features<'_>,
    ) -> Seat {
        self.n_rows += 1;
        let seat = match self.values.at(seat) {
            Some(_) => seat,
            None => self.values.insert(text, self.n_targets),
        };
        self.append_to(features);
        let Some(value) = self.values.at_mut(seat) else {
            return seat;
        };
        value.count += 1;
        value.last = self.n_rows;
        value.means.update(lesson.y, lesson.weight, self.forgetting);
        let is_frequent = value.count >= FREQUENT && value.count * PART >= self.n_rows;
        if is_frequent
            && self.means.is_some()
            && value.indicator.is_none()
            && self.n_indicators < INDICATORS
        {
            value.indicator = Some(features.append(&indicator_name(text)));
            self.n_indicators += 1;
        }
        seat
    }

    /// Appends the features for which there are enough values by now.
    fn append_to(&mut self, features: &mut Features<'_>) {
        if self.means.is_none() && self.values.len() > 1 {
            self.means = Some(features.append_all(&mean_names(self.n_targets)));
        }
        if self.frequency.is_none() && self.values.len() > INDICATORS {
            self.frequency = Some(features.append(": frequency"));
        }
    }
}

/// The ends of the names of the mean labels.
fn mean_names(n_targets: usize) -> Vec<String> {
    match n_targets {
        1 => vec![": mean label".to_owned()],
        n => (0..n).map(|i| format!(": mean label {i}")).collect(),
    }
}

/// The end of the name of a value's indicator.
fn indicator_name(text: Option<&str>) -> String {
    match (Key::of(text), text) {
        (Key::Long(hash), Some(text)) => {
            let [a, b, c, d, ..] = hash;
            let digits = u32::from_be_bytes([a, b, c, d]);
            format!("={}...{digits:08x}", beginning(text))
        }
        (_, Some(text)) => format!("={text}"),
        (_, None) => " is missing".to_owned(),
    }
}

heap!(Category: values);

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const OPTIONS: Options = Options {
        n_targets: 1,
        max_categories: 100,
        forgetting: 0.5,
    };

    /// A category that learns, the names of its features, and the mean label.
    pub(super) struct Walk {
        pub(super) category: Category,
        pub(super) names: Vec<String>,
        pub(super) labels: Means,
    }

    impl Walk {
        pub(super) fn new(options: &Options) -> Self {
            Self {
                category: Category::new(options),
                names: Vec::new(),
                labels: Means::new(options.n_targets),
            }
        }

        pub(super) fn encoded(&self, text: Option<&str>) -> Vec<f64> {
            let mut out = vec![0.0; self.names.len()];
            let seat = self.category.seat(Seat::default(), text);
            self.category.encode(seat, &self.labels, &mut out);
            out
        }

        pub(super) fn learn(&mut self, text: Option<&str>, y: &[f64]) {
            let seat = self.category.seat(Seat::default(), text);
            let lesson = Lesson { y, weight: 1.0 };
            let mut features = Features {
                column: "a",
                names: &mut self.names,
            };
            self.category.learn(seat, text, &lesson, &mut features);
            self.labels.update(y, 1.0, self.category.forgetting);
        }
    }

    #[test]
    fn a_value_is_its_shrunken_mean_label() {
        let mut walk = Walk::new(&OPTIONS);
        walk.learn(Some("x"), &[4.0]);
        walk.learn(Some("x"), &[1.0]);
        assert!(walk.encoded(Some("x")).is_empty());
        walk.learn(None, &[0.0]);
        // The count of x is 1.5 and its mean 2; that of all labels is 1.75 and (4 / 4 + 1 / 2 + 0) / 1.75.
        let all = 1.5 / 1.75;
        let shrunken = |count: f64, mean| (count * mean + 10.0 * all) / (count + 10.0);
        assert_close(&walk.encoded(Some("x")), &[shrunken(1.5, 2.0)]);
        assert_close(&walk.encoded(None), &[shrunken(1.0, 0.0)]);
        assert_close(&walk.encoded(Some("y")), &[all]);
        assert_eq!(walk.names, ["a: mean label"]);
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-14, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn how_often_a_value_came_counts_once_there_are_more_than_indicators() {
        let mut walk = Walk::new(&OPTIONS);
        for i in 0..16 {
            walk.learn(Some(&i.to_string()), &[0.0]);
        }
        assert_eq!(walk.names.len(), 1);
        walk.learn(Some("x"), &[0.0]);
        walk.learn(Some("x"), &[0.0]);
        assert_eq!(walk.names, ["a: mean label", "a: frequency"]);
        for (text, n) in [("x", 3.0), ("0", 2.0), ("new", 1.0)] {
            assert_eq!(walk.encoded(Some(text))[1], (n / 20.0_f64).ln());
        }
    }

    #[test]
    fn frequent_values_get_an_indicator_for_ever() {
        let mut walk = Walk::new(&OPTIONS);
        (0..2).for_each(|_| walk.learn(Some("x"), &[0.0]));
        walk.learn(Some("0"), &[0.0]);
        assert_eq!(walk.names, ["a: mean label"]);
        walk.learn(Some("x"), &[0.0]);
        (1..595).for_each(|i| walk.learn(Some(&i.to_string()), &[0.0]));
        // The third of these rows is the 601st, of which a two-hundredth is more than 3.
        (0..3).for_each(|_| walk.learn(None, &[0.0]));
        assert_eq!(walk.names[1..], ["a=x", "a: frequency"]);
        walk.learn(None, &[0.0]);
        assert_eq!(walk.names[3..], ["a is missing"]);
        let indicators = |text| [1, 3].map(|place| walk.encoded(text)[place]);
        assert_eq!(indicators(None), [0.0, 1.0]);
        assert_eq!(indicators(Some("x")), [1.0, 0.0]);
        assert_eq!(indicators(Some("new")), [0.0, 0.0]);
    }

    #[test]
    fn sixteen_values_at_most_have_an_indicator() {
        let mut walk = Walk::new(&OPTIONS);
        for i in 0..8 * 17 {
            walk.learn(Some(&(i % 17).to_string()), &[0.0]);
        }
        assert_eq!(walk.names[..2], ["a: mean label", "a: frequency"]);
        assert_eq!(walk.names.len(), 2 + 16);
        assert_eq!(walk.encoded(Some("16"))[2..], [0.0; 16]);
    }

    #[test]
    fn indicators_are_called_like_their_value() {
        assert_eq!(indicator_name(None), " is missing");
        assert_eq!(indicator_name(Some("x")), "=x");
        // As `printf '%257s' | tr ' ' x | sha256sum` prints it.
        let expected = format!("={}...15eb95a4", "x".repeat(64));
        assert_eq!(indicator_name(Some(&"x".repeat(257))), expected);
    }

    #[test]
    fn each_target_has_a_mean_of_its_own() {
        let options = Options {
            n_targets: 2,
            ..OPTIONS
        };
        let mut walk = Walk::new(&options);
        walk.learn(Some("y"), &[1.0, -1e100]);
        walk.learn(Some("x"), &[1.0, -1e100]);
        assert_eq!(walk.encoded(Some("x")), [1.0, -1e100]);
        assert_eq!(walk.names, ["a: mean label 0", "a: mean label 1"]);
    }
}
