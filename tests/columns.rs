//! Columns of any table: no panics, no leaks, and the same result however rows are cut into tables.

use nystream::columns::{
    Change, Column, Columns, Kind, MISSING, Matched, OnNewColumns, Settings, Table, Why,
};
use nystream::{Heap, LARGEST, State};
use proptest::prelude::*;

/// A number that depends on what it is made of alone.
fn draw(seed: u64, column: u64, row: u64) -> u64 {
    // The mixing function of SplitMix64.
    let mut z = (seed ^ (column << 32) ^ row).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Missing,
    Number(f64),
    Truth(bool),
    Time(i64),
    Text(String),
}

/// The sorts of columns.
const SORTS: u64 = 14;

/// An index below `n`.
fn index(z: u64, n: u64) -> usize {
    usize::try_from(z % n).unwrap()
}

/// The value of a row in a column of a sort.
fn value(sort: u64, row: u64, z: u64) -> Value {
    let small = (z % 7) as f64;
    let text = |text: String| Value::Text(text);
    match sort {
        0 => Value::Number(small / 3.0),
        1 => Value::Number(row as f64),
        2 => Value::Number(if z.is_multiple_of(50) {
            -200.0
        } else {
            small * 1e9
        }),
        3 => Value::Truth(z.is_multiple_of(3)),
        4 => Value::Time((row * 3_600_000_000 + z % 4).cast_signed()),
        5 => text(["red", " green", "blue ", "", "\u{a0}"][index(z, 5)].into()),
        6 => text(format!("{}/{}/2013", 1 + z % 12, 1 + z % 28)),
        7 => text(format!("{}/{}/2013", 1 + row % 28, 1 + row / 28 % 12)),
        8 => text(format!("{:02}.{:02}.00", z % 24, z % 60)),
        9 => text(format!("tail{z}")),
        10 => text(format!("the words of {z}")),
        11 if row < 200 + z % 100 => text(format!("2013-01-{:02} 10:00", 1 + z % 28)),
        11 => text("none".into()),
        12 => text("long".repeat(60 + index(z, 9))),
        _ => Value::Missing,
    }
}

/// Some rows, with names of columns. A value in twenty is missing, and all at the beginning of some columns.
fn rows(names: &[&str], sorts: &[u64], seed: u64, rows: std::ops::Range<u64>) -> Rows {
    let cell = |column: usize, row: u64| {
        let z = draw(seed, column as u64, row);
        let start = sorts[column] / SORTS * 150;
        match z % 20 {
            0 => Value::Missing,
            _ if row < start => Value::Missing,
            _ => value(sorts[column] % SORTS, row, z / 20),
        }
    };
    let row = |row| (0..sorts.len()).map(|column| cell(column, row)).collect();
    let labels = rows
        .clone()
        .map(|row| (draw(seed, 99, row) % 100) as f64 / 7.0);
    Rows {
        names: names
            .iter()
            .take(sorts.len())
            .map(ToString::to_string)
            .collect(),
        y: labels.collect(),
        cells: rows.map(row).collect(),
    }
}

#[derive(Debug, Clone)]
struct Rows {
    names: Vec<String>,
    cells: Vec<Vec<Value>>,
    y: Vec<f64>,
}

impl Rows {
    fn len(&self) -> usize {
        self.cells.len()
    }

    fn slice(&self, range: std::ops::Range<usize>) -> Self {
        Self {
            names: self.names.clone(),
            cells: self.cells[range.clone()].to_vec(),
            y: self.y[range].to_vec(),
        }
    }

    /// The rows as a table. A column has the type of its first value, and none if it has no value.
    fn table(&self) -> Table {
        let columns = (0..self.names.len()).map(|column| {
            column_of(
                &self
                    .cells
                    .iter()
                    .map(|row| &row[column])
                    .collect::<Vec<_>>(),
            )
        });
        Table::new(self.len(), self.names.clone(), columns.collect()).unwrap()
    }
}

fn column_of(values: &[&Value]) -> Column {
    match values.iter().find(|value| ***value != Value::Missing) {
        Some(Value::Number(_)) => Column::Numbers(values.iter().map(|v| number(v)).collect()),
        Some(Value::Truth(_)) => Column::Truths(values.iter().map(|v| truth(v)).collect()),
        Some(Value::Time(_)) => Column::Times(values.iter().map(|v| time(v)).collect()),
        Some(Value::Text(_)) => texts(values),
        _ => Column::Empty,
    }
}

fn number(value: &Value) -> f64 {
    if let Value::Number(number) = value {
        *number
    } else {
        f64::NAN
    }
}

fn truth(value: &Value) -> Option<bool> {
    if let Value::Truth(truth) = value {
        Some(*truth)
    } else {
        None
    }
}

fn time(value: &Value) -> Option<i64> {
    if let Value::Time(time) = value {
        Some(*time)
    } else {
        None
    }
}

fn texts(values: &[&Value]) -> Column {
    let mut known: Vec<String> = Vec::new();
    let mut code = |value: &&Value| {
        let Value::Text(text) = value else {
            return MISSING;
        };
        let code = known
            .iter()
            .position(|other| other == text)
            .unwrap_or_else(|| {
                known.push(text.clone());
                known.len() - 1
            });
        u32::try_from(code).unwrap()
    };
    let codes = values.iter().map(&mut code).collect();
    let values = known;
    Column::Texts { codes, values }
}

/// The bits of each row's features, before it is learned.
type Encoded = Vec<Vec<u64>>;

/// Encodes and learns each row of a table.
fn learn(columns: &mut Columns, rows: &Rows, encoded: &mut Encoded) -> Result<(), String> {
    let table = rows.table();
    let mut matched = columns.check(&table).map_err(|error| error.to_string())?;
    let mut x = Vec::new();
    for (row, y) in rows.y.iter().enumerate() {
        columns.encode(&mut matched, row, &mut x);
        assert!(x.iter().all(|x| x.abs() <= LARGEST), "{x:?}");
        encoded.push(x.iter().map(|x| x.to_bits()).collect());
        let width = columns.width();
        match columns.learn(&mut matched, row, &[*y], 1.0 + (row % 2) as f64) {
            Change::None => assert_eq!(columns.width(), width),
            Change::Wider => assert!(columns.width() > width),
            Change::Anew(replay) => {
                assert_eq!(replay.rows().len() as u64, columns.n_learned());
                let mut replayed = replay.rows().iter();
                assert!(replayed.all(|row| row.features.len() == columns.width()));
            }
        }
    }
    Ok(())
}

const NAMES: [&str; 6] = ["a", "b", "user_id", "c", "d", "e"];

fn settings() -> impl Strategy<Value = Settings> {
    let kinds = prop_oneof![
        Just(Kind::Category),
        Just(Kind::Text),
        Just(Kind::Time),
        Just(Kind::Number),
        Just(Kind::Unused(Why::Stated)),
    ];
    let stated = prop::collection::btree_map(prop::sample::select(&NAMES[..3]), kinds, 0..2);
    let new = prop_oneof![
        Just(OnNewColumns::Error),
        Just(OnNewColumns::Ignore),
        Just(OnNewColumns::Add),
    ];
    (stated, new, 1_usize..40).prop_map(|(stated, on_new_columns, max_categories)| Settings {
        schema: stated
            .into_iter()
            .map(|(name, kind)| (name.to_owned(), kind))
            .collect(),
        max_categories,
        missing_values: vec![-200.0],
        on_new_columns,
        ..Settings::default()
    })
}

/// Sorts of columns, of which some begin with many gaps.
fn sorts() -> impl Strategy<Value = Vec<u64>> {
    let late = prop_oneof![4 => Just(0_u64), 1 => Just(1), 1 => Just(2)];
    let sort = (0..SORTS, late).prop_map(|(sort, late)| late * SORTS + sort);
    prop::collection::vec(sort, 3..=6)
}

fn saved(columns: &Columns) -> (serde_json::Value, State) {
    let mut state = State::default();
    (columns.save(&mut state).unwrap(), state)
}

proptest! {
    #[test]
    fn tables_are_encoded_alike_however_they_are_cut(
        (settings, sorts, seed) in (settings(), sorts(), any::<u64>()),
        n_rows in 1_u64..600,
        mut cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let rows = rows(&NAMES, &sorts, seed, 0..n_rows);
        let mut at_once = Columns::new(settings.clone(), 1).unwrap();
        let mut in_pieces = at_once.clone();
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        let is_refused = learn(&mut at_once, &rows, &mut expected).is_err();
        cuts.sort_by_key(|cut| cut.index(rows.len()));
        let ends = cuts.iter().map(|cut| cut.index(rows.len())).chain([rows.len()]);
        let (mut start, mut error) = (0, None);
        for end in ends {
            if error.is_none() && start < end {
                // The weights depend on the row's place in its table.
                let end = end.next_multiple_of(2).min(rows.len());
                error = learn(&mut in_pieces, &rows.slice(start..end), &mut found).err();
                start = end;
            }
        }
        prop_assert_eq!(error.is_some(), is_refused, "{:?}", error);
        if !is_refused {
            prop_assert_eq!(found, expected);
            prop_assert_eq!(saved(&in_pieces), saved(&at_once));
        }
    }

    #[test]
    fn columns_go_on_from_a_file_bit_for_bit(
        (settings, sorts, seed) in (settings(), sorts(), any::<u64>()),
        (n_before, n_rows) in (0_u64..400, 1_u64..300),
    ) {
        let mut columns = Columns::new(settings, 1).unwrap();
        let before = rows(&NAMES, &sorts, seed, 0..n_before);
        prop_assume!(learn(&mut columns, &before, &mut Vec::new()).is_ok());
        let (content, state) = saved(&columns);
        let mut again = Columns::load(content, &state).unwrap();
        prop_assert_eq!(saved(&again), saved(&columns));
        let rest = rows(&NAMES, &sorts, seed, n_before..n_before + n_rows);
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        let result = learn(&mut columns, &rest, &mut expected);
        prop_assert_eq!(learn(&mut again, &rest, &mut found), result);
        prop_assert_eq!(found, expected);
        prop_assert_eq!(saved(&again), saved(&columns));
    }

    #[test]
    fn rows_and_labels_to_come_change_nothing(
        (settings, sorts, seed) in (settings(), sorts(), any::<u64>()),
        (n_before, n_rows) in (1_usize..400, 2_u64..600),
        order in any::<u64>(),
    ) {
        let rows = rows(&NAMES, &sorts, seed, 0..n_rows);
        let n_before = n_before.min(rows.len());
        let mut places: Vec<usize> = (n_before..rows.len()).collect();
        places.sort_by_key(|&place| draw(order, 0, place as u64));
        let mut other = rows.clone();
        // A row's own label may not reach it: the labels move from the last row on that is compared.
        other.y[n_before - 1] = 1e3;
        for (place, from) in (n_before..).zip(places) {
            other.cells[place].clone_from(&rows.cells[from]);
            other.y[place] = -rows.y[from];
        }
        let columns = Columns::new(settings, 1).unwrap();
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        let first = learn(&mut columns.clone(), &rows, &mut expected);
        let second = learn(&mut columns.clone(), &other, &mut found);
        if first.is_ok() && second.is_ok() {
            prop_assert_eq!(&found[..n_before], &expected[..n_before]);
        }
    }

    #[test]
    fn tables_of_any_kind_give_a_result_or_an_error(
        settings in settings(),
        tables in prop::collection::vec((sorts(), any::<u64>(), 0_u64..300, 0_usize..6), 1..6),
        infinite in prop::bool::weighted(0.1),
    ) {
        let mut columns = Columns::new(settings, 1).unwrap();
        let (mut learned, mut usual) = (0, None);
        for (sorts, seed, n_rows, change) in tables {
            // Most tables are like the first; some have other sorts, names or an order of their own.
            let usual = usual.get_or_insert_with(|| sorts.clone()).clone();
            let mut names = NAMES.to_vec();
            if change == 1 {
                names[0] = "new";
            }
            if change == 2 {
                names[..3].reverse();
            }
            let sorts = if change < 3 { usual } else { sorts };
            let mut rows = rows(&names, &sorts, seed, learned..learned + n_rows);
            if let (true, Some(row)) = (infinite, rows.cells.last_mut()) {
                row[0] = Value::Number(f64::INFINITY);
            }
            let before = saved(&columns);
            match learn(&mut columns, &rows, &mut Vec::new()) {
                Ok(()) => learned += n_rows,
                Err(error) => {
                    prop_assert!(error.contains("column \""), "{}", error);
                    prop_assert_eq!(saved(&columns), before);
                }
            }
        }
        let (content, state) = saved(&columns);
        prop_assert!(Columns::load(content, &state).is_ok());
    }
}

/// The rows of an example that the slow version in Python has encoded, too.
fn example() -> Table {
    let n: usize = 39;
    let number = |i: usize| {
        if i % 5 == 3 {
            -200.0
        } else {
            (i * i % 11) as f64
        }
    };
    let color = |i: usize| ["red", "blue", ""][i * i % 7 % 3].to_owned();
    let when = |i: usize| format!("{}/12/2017 {}:30", 1 + i * 5 % 13, i * 7 % 24);
    let town = |i: usize| format!("town {}", i * 7 % 20);
    let sold = |i: usize| (i != 9).then_some(i.is_multiple_of(3));
    let title = |i: usize| format!("House {}, by the sea", i % 4);
    let texts = |text: &dyn Fn(usize) -> String| {
        let values: Vec<Value> = (0..n).map(|i| Value::Text(text(i))).collect();
        column_of(&values.iter().collect::<Vec<_>>())
    };
    let columns = vec![
        Column::Numbers((0..n).map(number).collect()),
        texts(&color),
        texts(&when),
        Column::Truths((0..n).map(sold).collect()),
        texts(&title),
        texts(&town),
    ];
    let names = ["size", "color", "when", "sold", "title", "town"].map(str::to_owned);
    Table::new(n, names.into(), columns).unwrap()
}

#[test]
fn the_slow_version_in_python_says_the_same() {
    let settings = Settings {
        schema: [("title".to_owned(), Kind::Text)].into(),
        missing_values: vec![-200.0],
        ..Settings::default()
    };
    let (table, mut x) = (example(), Vec::new());
    let mut columns = Columns::new(settings, 1).unwrap();
    let mut matched = columns.check(&table).unwrap();
    for row in 0..table.n_rows() {
        columns.encode(&mut matched, row, &mut x);
        let (y, weight) = ((row * row % 13) as f64 / 2.0, (1 + row % 2) as f64);
        let _change = columns.learn(&mut matched, row, &[y], weight);
    }
    let names = columns.feature_names().iter();
    let found: Vec<_> = names.zip(&x).filter(|(_, x)| **x != 0.0).collect();
    let expected = [
        ("size", 4.0),
        ("title: words 9", -0.447_213_595_499_957_9),
        ("title: words 14", -0.447_213_595_499_957_9),
        ("title: words 17", -0.447_213_595_499_957_9),
        ("title: words 20", 0.447_213_595_499_957_9),
        ("title: words 28", 0.447_213_595_499_957_9),
        ("color: mean label", 3.149_209_292_439_674),
        ("when: hour sin", 0.608_761_429_008_720_7),
        ("when: hour cos", 0.793_353_340_291_235_2),
        ("when: weekday sin", -0.974_927_912_181_823_6),
        ("when: weekday cos", -0.222_520_933_956_314_6),
        ("when: weekend", 1.0),
        ("when: year sin", -0.385_663_406_243_607_45),
        ("when: year cos", 0.922_639_548_840_487_5),
        ("sold: mean label", 3.067_960_830_956_399_5),
        ("town: mean label", 3.338_505_986_193_591_7),
        ("size is missing", 1.0),
        ("when: elapsed", 8.083_333_333_333_334),
        ("sold=false", 1.0),
        ("color is missing", 1.0),
        ("town: frequency", -2.995_732_273_553_991),
    ];
    assert_eq!((x.len(), found.len()), (51, expected.len()));
    for ((name, x), (expected_name, expected)) in found.into_iter().zip(expected) {
        assert_eq!(name, expected_name);
        assert!((x - expected).abs() < 1e-12, "{name}: {x} {expected}");
    }
}

#[test]
fn memory_does_not_grow_with_the_stream() {
    let settings = Settings {
        schema: [("name".to_owned(), Kind::Category)].into(),
        max_categories: 50,
        ..Settings::default()
    };
    let mut columns = Columns::new(settings, 1).unwrap();
    let mut bytes = Vec::new();
    for lot in 0..10_usize {
        let name = |i: usize| Value::Text(format!("{}{i}", "long ".repeat(i % 100)));
        let names: Vec<Value> = (0..1000).map(|i| name(1000 * lot + i)).collect();
        let column = column_of(&names.iter().collect::<Vec<_>>());
        let table = Table::new(1000, vec!["name".into()], vec![column]).unwrap();
        let mut matched = columns.check(&table).unwrap();
        for row in 0..1000 {
            let _change = columns.learn(&mut matched, row, &[1.0], 1.0);
        }
        bytes.push(columns.heap_bytes());
    }
    // Texts of different lengths are remembered now and then.
    assert!(bytes.iter().all(|bytes| *bytes < 30_000), "{bytes:?}");
}

#[test]
fn columns_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Columns>();
    shared::<Matched<'_>>();
    shared::<Table>();
}
