//! The kind of a column, inferred from the first of its values.

use std::collections::HashSet;

use super::cell::Cell;
use super::kind::{Kind, Why};
use super::reading::Reading;
use super::times::{Order, parse};

/// The fewest numbers that may be seen to number the rows, and the fewest texts that may be seen never to come again.
const NUMBERS: usize = 32;
const TEXTS: usize = 64;

/// Texts hardly ever come again if fewer than one in so many does.
const REPEATED: usize = 50;

/// The fewest words that a text has on average, if it is not an id.
const WORDS: usize = 3;

/// The reading of a column with these values; `None` if there are none and no kind is stated.
///
/// The first value tells the type of the column: numbers that truths come among, say, or texts that numbers come among.
pub(super) fn infer<'a>(
    name: &str,
    stated: Option<Kind>,
    cells: impl Iterator<Item = &'a Cell<'a>>,
) -> Option<Reading> {
    let values: Vec<&Cell<'_>> = cells.filter(|cell| !cell.is_missing()).collect();
    if let Some(kind) = stated {
        let (order, _) = order_of(&values);
        let takes_epochs = kind == Kind::Time;
        return Some(match kind {
            Kind::Time => Reading {
                kind,
                order,
                takes_epochs,
            },
            _ => Reading::of(kind),
        });
    }
    let reading = match values.first()? {
        Cell::Number(_) => Reading::of(kind_of_numbers(name, &values)),
        Cell::Truth(_) => Reading::of(Kind::Category),
        Cell::Time(_) => Reading {
            order: order_of(&values).0,
            ..Reading::of(Kind::Time)
        },
        Cell::Text(_) => of_texts(&values),
        Cell::Missing => return None,
    };
    Some(reading)
}

/// Numbers are a quantity, unless they number the rows.
fn kind_of_numbers(name: &str, values: &[&Cell<'_>]) -> Kind {
    let numbers: Vec<f64> = values.iter().filter_map(|cell| cell.number()).collect();
    if numbers.len() < NUMBERS || numbers.iter().any(|number| number.fract() != 0.0) {
        return Kind::Number;
    }
    // A zero has no sign.
    let bits: HashSet<u64> = numbers
        .iter()
        .map(|number| (number + 0.0).to_bits())
        .collect();
    let are_distinct = bits.len() == numbers.len();
    if are_distinct && (go_up_evenly(&numbers) || says_id(name)) {
        Kind::Unused(Why::Id)
    } else {
        Kind::Number
    }
}

fn go_up_evenly(numbers: &[f64]) -> bool {
    let step = numbers[1] - numbers[0];
    step > 0.0 && numbers.windows(2).all(|pair| pair[1] - pair[0] == step)
}

/// Returns true if a column of this name is an id, by the name alone.
fn says_id(name: &str) -> bool {
    let (name, lower) = (name.trim(), name.trim().to_lowercase());
    let camel = name.strip_suffix("Id").or(name.strip_suffix("ID"));
    let is_camel = camel.is_some_and(|before| before.ends_with(|c: char| !c.is_uppercase()));
    ["", "id", "uuid", "index", "key"].contains(&&*lower)
        || lower.ends_with("_id")
        || lower.starts_with("unnamed: ")
        || is_camel
}

/// Texts are times if all are; ids or words if they hardly ever come again; else categories.
fn of_texts(values: &[&Cell<'_>]) -> Reading {
    let (order, n_wrong) = order_of(values);
    if n_wrong == 0 {
        let kind = Kind::Time;
        return Reading {
            order,
            ..Reading::of(kind)
        };
    }
    let texts = values.iter().filter_map(|cell| cell.text());
    let n_words: usize = texts
        .clone()
        .map(|text| text.split_whitespace().count())
        .sum();
    let distinct: HashSet<_> = texts.collect();
    let n_repeated = values.len() - distinct.len();
    Reading::of(
        if values.len() < TEXTS || n_repeated * REPEATED >= values.len() {
            Kind::Category
        } else if n_words >= WORDS * values.len() {
            Kind::Unused(Why::Text)
        } else {
            Kind::Unused(Why::Id)
        },
    )
}

/// The order of day and month under which most values are times and, of two under which as many are, their dates span
/// fewer days; and the number of values that are no times under it.
fn order_of(values: &[&Cell<'_>]) -> (Order, usize) {
    let rank = |order: &Order| {
        let moments = values.iter().map(|cell| match cell {
            Cell::Text(text) => parse(text, *order),
            cell => cell.moment(*order),
        });
        let (mut n_wrong, mut days) = (0, (i64::MAX, i64::MIN));
        for moment in moments {
            match moment {
                Some(moment) if moment.has_date => {
                    days = (days.0.min(moment.day()), days.1.max(moment.day()));
                }
                Some(_) => {}
                None => n_wrong += 1,
            }
        }
        (n_wrong, days.1.saturating_sub(days.0))
    };
    let [month_first, day_first] = [Order::MonthFirst, Order::DayFirst].map(|order| rank(&order));
    if day_first < month_first {
        (Order::DayFirst, day_first.0)
    } else {
        (Order::MonthFirst, month_first.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str, cells: &[Cell<'_>]) -> Option<Kind> {
        infer(name, None, cells.iter()).map(|reading| reading.kind)
    }

    fn numbers(numbers: impl Iterator<Item = i32>) -> Vec<Cell<'static>> {
        numbers.map(|number| Cell::Number(number.into())).collect()
    }

    fn texts(texts: &[String]) -> Vec<Cell<'_>> {
        texts.iter().map(|text| Cell::of_text(text)).collect()
    }

    #[test]
    fn the_type_of_the_first_value_tells_the_kind() {
        let missing = Cell::Missing;
        assert_eq!(kind("a", &[]), None);
        assert_eq!(kind("a", std::slice::from_ref(&missing)), None);
        let cases = [
            (Cell::Number(1.0), Kind::Number),
            (Cell::Truth(true), Kind::Category),
            (Cell::Time(0), Kind::Time),
            (Cell::of_text("x"), Kind::Category),
            (Cell::of_text("12:30"), Kind::Time),
        ];
        for (cell, expected) in cases {
            assert_eq!(
                kind("a", &[missing.clone(), cell, missing.clone()]),
                Some(expected)
            );
        }
        assert_eq!(
            kind("a", &[Cell::Truth(true), Cell::Number(2.5)]),
            Some(Kind::Category)
        );
        assert_eq!(
            kind("a", &[Cell::Number(2.5), Cell::Truth(true)]),
            Some(Kind::Number)
        );
        assert_eq!(
            kind("a", &[Cell::of_text("12:30"), Cell::Number(1.0)]),
            Some(Kind::Category)
        );
    }

    #[test]
    fn numbers_that_number_the_rows_are_ids() {
        let (id, number) = (Some(Kind::Unused(Why::Id)), Some(Kind::Number));
        assert_eq!(kind("a", &numbers((0..32).map(|i| 5 + 3 * i))), id);
        assert_eq!(kind("a", &numbers(0..31)), number);
        assert_eq!(kind("a", &numbers((0..32).rev())), number);
        let shuffled = || (0..40).map(|i| i * 7 % 41);
        assert_eq!(kind("a", &numbers(shuffled())), number);
        assert_eq!(kind("user_id", &numbers(shuffled())), id);
        assert_eq!(kind("user_id", &numbers(shuffled().chain([0]))), number);
        let halves: Vec<_> = (0..40).map(|i| Cell::Number(f64::from(i) / 2.0)).collect();
        assert_eq!(kind("id", &halves), number);
    }

    #[test]
    fn names_say_id() {
        for name in [
            "id",
            "ID",
            " Key",
            "uuid",
            "Index",
            "Unnamed: 0",
            "",
            "user_id",
            "A_ID",
            "rowId",
            "rowID",
        ] {
            assert!(says_id(name), "{name:?}");
        }
        for name in [
            "paid", "valid", "COVID", "idle", "keys", "Identity", "Id-card", "unnamed",
        ] {
            assert!(!says_id(name), "{name:?}");
        }
    }

    #[test]
    fn texts_that_never_come_again_are_left_out() {
        let names: Vec<String> = (0..64).map(|i| format!("tail {i}")).collect();
        assert_eq!(kind("a", &texts(&names)), Some(Kind::Unused(Why::Id)));
        assert_eq!(kind("a", &texts(&names[..63])), Some(Kind::Category));
        let titles: Vec<String> = names.iter().map(|name| format!("the {name}")).collect();
        assert_eq!(kind("a", &texts(&titles)), Some(Kind::Unused(Why::Text)));
        let twice = [&names[..63], &names[..2]].concat();
        assert_eq!(kind("a", &texts(&twice)), Some(Kind::Category));
        let once = [&names[..], &names[..1]].concat();
        assert_eq!(kind("a", &texts(&once)), Some(Kind::Unused(Why::Id)));
    }

    #[test]
    fn dates_have_the_order_in_which_all_exist_or_are_nearer() {
        let order = |all: &[&str]| {
            let cells: Vec<_> = all.iter().map(|text| Cell::of_text(text)).collect();
            infer("a", None, cells.iter()).map(|reading| (reading.kind, reading.order))
        };
        let (month, day) = (
            Some((Kind::Time, Order::MonthFirst)),
            Some((Kind::Time, Order::DayFirst)),
        );
        assert_eq!(order(&["01/02/2013"]), month);
        assert_eq!(order(&["13/02/2013", "01/02/2013"]), day);
        assert_eq!(order(&["02/13/2013", "01/02/2013"]), month);
        assert_eq!(order(&["01/12/2017", "02/12/2017"]), day);
        assert_eq!(order(&["12/01/2017", "12/02/2017"]), month);
        let neither = order(&["02/13/2013", "13/02/2013"]);
        assert_eq!(neither, Some((Kind::Category, Order::MonthFirst)));
    }

    #[test]
    fn stated_kinds_are_never_overruled() {
        let cells = [
            Cell::of_text("x"),
            Cell::of_text("13/02/2013"),
            Cell::of_text("1/2/2013"),
        ];
        let reading = infer("a", Some(Kind::Time), cells.iter()).unwrap();
        assert_eq!((reading.kind, reading.order), (Kind::Time, Order::DayFirst));
        assert!(reading.takes_epochs);
        assert_eq!(
            infer("a", Some(Kind::Text), [].iter()).unwrap().kind,
            Kind::Text
        );
    }
}
