//! The encoder of times.

use std::f64::consts::TAU;

use super::features::{Features, Places, number_of};
use crate::columns::times::{DAY, Moment};
use crate::error::Error;
use crate::persist::{State, whole};

/// Days from Monday to Saturday.
const SATURDAY: i64 = 5;

/// Microseconds that times may go back and yet be those of a stream in order.
const LATE: i64 = DAY;

/// A time is encoded by its parts, each from when it first varies: the time of day, the weekday and the day of the year
/// on circles, and the weekend. The days since the first time learned are a part of times that are in no order: where
/// they only go on, each row would have more of them than all before.
#[derive(Debug, Clone, Default)]
pub(in crate::columns) struct Time {
    /// The first time of day learned, in microseconds.
    first_clock: Option<i64>,
    /// The first and the last moment learned that have a date, in microseconds.
    first: Option<i64>,
    last: Option<i64>,
    /// The least and the greatest moment learned that have a date, in microseconds.
    span: Option<(i64, i64)>,
    places: Parts,
}

/// The places of the first feature of each part.
#[derive(Debug, Clone, Default)]
struct Parts {
    hour: Option<usize>,
    week: Option<usize>,
    year: Option<usize>,
    elapsed: Option<usize>,
    missing: Option<usize>,
}

impl Time {
    pub(super) fn encode(&self, moment: Option<Moment>, out: &mut [f64]) {
        let places = &self.places;
        if let (Some(place), None) = (places.missing, moment) {
            out[place] = 1.0;
        }
        if let (Some(place), Some(moment)) = (places.hour, moment) {
            put_circle(&mut out[place..], moment.part_of_day());
        }
        let dated = moment.filter(|moment| moment.has_date);
        if let (Some(place), Some(moment)) = (places.week, dated) {
            put_circle(&mut out[place..], moment.weekday() as f64 / 7.0);
            out[place + 2] = f64::from(u8::from(moment.weekday() >= SATURDAY));
        }
        if let (Some(place), Some(moment)) = (places.year, dated) {
            put_circle(&mut out[place..], moment.part_of_year());
        }
        if let (Some(place), Some(first)) = (places.elapsed, self.first) {
            let last = dated.map(|moment| moment.micros).or(self.last);
            out[place] = last.map_or(0.0, |last| days_between(first, last));
        }
    }

    pub(super) fn learn(&mut self, moment: Option<Moment>, features: &mut Features<'_>) {
        let Some(moment) = moment else {
            let missing = &mut self.places.missing;
            missing.get_or_insert_with(|| features.append(" is missing"));
            return;
        };
        let clock = moment.time_of_day();
        if *self.first_clock.get_or_insert(clock) != clock {
            let hour = &mut self.places.hour;
            hour.get_or_insert_with(|| features.append_all(&[": hour sin", ": hour cos"]));
        }
        if moment.has_date {
            let first = Moment::of_micros(*self.first.get_or_insert(moment.micros));
            self.last = Some(moment.micros);
            self.places.append_dated(first, moment, features);
            if self.is_out_of_order(moment.micros) {
                let elapsed = &mut self.places.elapsed;
                elapsed.get_or_insert_with(|| features.append(": elapsed"));
            }
        }
    }

    /// Notes a moment; returns true if it lies in the older half of all so far, and not only because rows came late.
    fn is_out_of_order(&mut self, micros: i64) -> bool {
        let (least, greatest) = self.span.unwrap_or((micros, micros));
        let (least, greatest) = (least.min(micros), greatest.max(micros));
        self.span = Some((least, greatest));
        let [back, span] = [micros, least].map(|from| greatest.abs_diff(from));
        back > LATE.unsigned_abs() && back > span / 2
    }

    pub(super) fn save(&self, state: &mut State) {
        let (least, greatest) = self.span.unzip();
        let micros = [self.first_clock, self.first, self.last, least, greatest];
        let numbers = micros.map(|micros| numbers_of(micros.map(Moment::of_micros)));
        state.put("times", numbers.concat());
        let Parts {
            hour,
            week,
            year,
            elapsed,
            missing,
        } = self.places;
        let places = [hour, week, year, elapsed, missing];
        state.put("places", places.map(number_of));
    }

    pub(super) fn load(state: &State, places: &mut Places) -> Result<Self, Error> {
        let times: [f64; 15] = state.numbers("times")?;
        let micros = |i: usize| {
            let numbers = std::array::from_fn(|j| times[3 * i + j]);
            moment_of(numbers).map(|moment| moment.map(|moment| moment.micros))
        };
        let [hour, week, year, elapsed, missing] = state.numbers("places")?;
        let time = Self {
            first_clock: micros(0)?,
            first: micros(1)?,
            last: micros(2)?,
            span: micros(3)?.zip(micros(4)?),
            places: Parts {
                hour: places.take_if_any(hour, 2)?,
                week: places.take_if_any(week, 3)?,
                year: places.take_if_any(year, 2)?,
                elapsed: places.take_if_any(elapsed, 1)?,
                missing: places.take_if_any(missing, 1)?,
            },
        };
        let has_dates = time.first.is_some();
        if time.last.is_some() == has_dates && time.span.is_some() == has_dates {
            return Ok(time);
        }
        let problem = "times should have a first, a last, a least and a greatest";
        Err(Error::model_file(problem))
    }
}

impl Parts {
    /// Appends the features of parts in which a moment differs from the first one.
    fn append_dated(&mut self, first: Moment, moment: Moment, features: &mut Features<'_>) {
        if moment.weekday() != first.weekday() {
            let names = [": weekday sin", ": weekday cos", ": weekend"];
            self.week.get_or_insert_with(|| features.append_all(&names));
        }
        if moment.day() != first.day() {
            let names = [": year sin", ": year cos"];
            self.year.get_or_insert_with(|| features.append_all(&names));
        }
    }
}

/// Writes the sine and the cosine of a part of a full turn.
fn put_circle(out: &mut [f64], part: f64) {
    (out[0], out[1]) = (TAU * part).sin_cos();
}

/// Days from one moment to another, both in microseconds.
fn days_between(first: i64, last: i64) -> f64 {
    (i128::from(last) - i128::from(first)) as f64 / DAY as f64
}

/// A moment as three numbers of a file: 0 for none, 1 for a time of day, 2 for a moment with its date; its day; and
/// its microseconds.
pub(in crate::columns) fn numbers_of(moment: Option<Moment>) -> [f64; 3] {
    moment.map_or([0.0; 3], |moment| {
        let sort = if moment.has_date { 2.0 } else { 1.0 };
        [sort, moment.day() as f64, moment.time_of_day() as f64]
    })
}

/// The moment that [`numbers_of`] has written.
pub(in crate::columns) fn moment_of(numbers: [f64; 3]) -> Result<Option<Moment>, Error> {
    let wrong = || Error::model_file("times should be days and microseconds");
    let [sort, day, clock] = numbers;
    if sort == 0.0 {
        return Ok(None);
    }
    let size = whole(day.abs()).map(i128::from);
    let day = size.map(|size| if day < 0.0 { -size } else { size });
    let clock = whole(clock)
        .map(i128::from)
        .filter(|clock| *clock < i128::from(DAY));
    let micros = day
        .zip(clock)
        .map(|(day, clock)| day * i128::from(DAY) + clock);
    let micros = micros.and_then(|micros| i64::try_from(micros).ok());
    let moment = micros.map(|micros| Moment {
        micros,
        has_date: sort == 2.0,
    });
    moment.map(Some).ok_or_else(wrong)
}

crate::runtime::heap!(Time:);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::times::{Order, parse};

    fn walk(texts: &[&str]) -> (Time, Vec<String>, Vec<Vec<f64>>) {
        let (mut time, mut names, mut seen) = (Time::default(), Vec::new(), Vec::new());
        for text in texts {
            let moment = parse(text, Order::MonthFirst);
            let mut out = vec![0.0; names.len()];
            time.encode(moment, &mut out);
            seen.push(out);
            let mut features = Features {
                column: "t",
                names: &mut names,
            };
            time.learn(moment, &mut features);
        }
        (time, names, seen)
    }

    fn encoded(time: &Time, text: &str, width: usize) -> Vec<f64> {
        let mut out = vec![0.0; width];
        time.encode(parse(text, Order::MonthFirst), &mut out);
        out.iter().map(|x| (x * 1e9).round() / 1e9).collect()
    }

    #[test]
    fn parts_come_when_they_first_vary() {
        let texts = [
            "2013-01-07",
            "2013-01-14",
            "2013-01-14 06:00",
            "2013-01-13 12:00",
            "",
        ];
        let (time, names, seen) = walk(&texts);
        let expected = [
            "t: year sin",
            "t: year cos",
            "t: hour sin",
            "t: hour cos",
            "t: weekday sin",
            "t: weekday cos",
            "t: weekend",
            "t is missing",
        ];
        assert_eq!(names, expected);
        let widths: Vec<usize> = seen.iter().map(Vec::len).collect();
        assert_eq!(widths, [0, 0, 2, 4, 7]);
        assert_eq!(seen[4], [0.0; 7]);
        assert_eq!(encoded(&time, "", 8)[6..], [0.0, 1.0]);
        let found = encoded(&time, "2013-01-01 18:00", 8);
        let tuesday = [0.781_831_482, 0.623_489_802];
        assert_eq!(found[..4], [0.0, 1.0, -1.0, -0.0]);
        assert_eq!(found[4..], [tuesday[0], tuesday[1], 0.0, 0.0]);
        assert_eq!(encoded(&time, "2013-01-05", 8)[6], 1.0);
    }

    #[test]
    fn times_in_no_order_have_the_days_since_the_first() {
        let in_order = [
            "2013-01-07",
            "2013-01-21 06:00",
            "2013-01-14 06:00",
            "2013-01-20 06:00",
        ];
        let (mut time, names, _) = walk(&in_order);
        assert!(!names.contains(&"t: elapsed".to_owned()), "{names:?}");
        let mut names = names;
        for text in ["2013-01-10", ""] {
            let column = "t";
            let mut features = Features {
                column,
                names: &mut names,
            };
            time.learn(parse(text, Order::MonthFirst), &mut features);
        }
        let place = names.iter().position(|name| name == "t: elapsed").unwrap();
        let elapsed = |text| encoded(&time, text, names.len())[place];
        assert_eq!(["2013-01-01 18:00", ""].map(elapsed), [-5.25, 3.0]);
        assert_eq!(
            walk(&["2013-01-07 20:00", "2013-01-06 21:00"]).1.len(),
            9 - 2
        );
    }

    #[test]
    fn a_time_of_day_alone_has_its_circle_alone() {
        let (time, names, seen) = walk(&["06:00", "6:00", "12:00", "18.00.00"]);
        assert_eq!(names, ["t: hour sin", "t: hour cos"]);
        assert_eq!(seen[..3], [const { Vec::<f64>::new() }; 3]);
        assert_eq!(encoded(&time, "06:00", 2), [1.0, 0.0]);
        assert_eq!(encoded(&time, "", 2), [0.0, 0.0]);
    }

    #[test]
    fn times_come_back_from_their_state() {
        let texts = [
            "1900-01-01 00:00:00.000001",
            "2013-01-05 06:00",
            "",
            "12:00",
        ];
        let (time, names, _) = walk(&texts);
        let mut state = State::default();
        time.save(&mut state);
        let mut places = Places::new(names.len());
        let again = Time::load(&state, &mut places).unwrap();
        assert!(places.owners().is_ok());
        for text in texts {
            assert_eq!(
                encoded(&again, text, names.len()),
                encoded(&time, text, names.len())
            );
        }
        let none = [0.0; 3];
        let some = [2.0, 0.0, 0.0];
        for times in [
            [some, some, none, some, some],
            [some, some, some, some, none],
        ] {
            state.put("times", times.concat());
            assert!(Time::load(&state, &mut Places::new(names.len())).is_err());
        }
    }

    #[test]
    fn every_moment_is_three_numbers() {
        let clock = Moment {
            micros: 7,
            has_date: false,
        };
        let dated = [i64::MIN, -1, 0, i64::MAX].map(Moment::of_micros);
        for moment in dated.into_iter().chain([clock]) {
            assert_eq!(moment_of(numbers_of(Some(moment))), Ok(Some(moment)));
        }
        assert_eq!(moment_of(numbers_of(None)), Ok(None));
        let day = DAY as f64;
        for (day, micros) in [
            (1e9, 0.0),
            (-1e9, 0.0),
            (0.5, 0.0),
            (0.0, day),
            (0.0, -1.0),
            (1e300, 0.0),
        ] {
            assert!(moment_of([2.0, day, micros]).is_err());
        }
    }
}
