//! How columns learn, row by row.

use super::cell::Cell;
use super::encoders::{Encoder, Features, Lesson, Means, Options, Source};
use super::first_rows::{FirstRow, SETTLED};
use super::infer::infer;
use super::kind::Kind;
use super::reading::Reading;
use super::{Change, Columns, Known, Matched, Replay};

impl Columns {
    /// Writes the features of a row of a table, with all that is known by now.
    pub fn encode(&self, matched: &mut Matched<'_>, row: usize, features: &mut Vec<f64>) {
        self.encode_row(matched.sources(self), row, features);
    }

    fn encode_row(&self, sources: &mut [Source<'_>], row: usize, features: &mut Vec<f64>) {
        features.clear();
        features.resize(self.names.len(), 0.0);
        for (known, source) in self.all.iter().zip(sources) {
            known.encoder.encode(source, row, &self.labels, features);
        }
    }

    /// Learns a row of a table and its labels, which are finite numbers of magnitude at most
    /// [`LARGEST`](crate::LARGEST). A row of weight 0 is not learned.
    #[must_use = "a change of the features must be told to those who use them"]
    pub fn learn(
        &mut self,
        matched: &mut Matched<'_>,
        row: usize,
        y: &[f64],
        weight: f64,
    ) -> Change {
        let is_learned = weight > 0.0;
        if !is_learned {
            return Change::None;
        }
        let width = self.width();
        self.add_new(matched);
        self.read_first_values(matched, row);
        self.keep(matched, row, Lesson { y, weight });
        self.learn_row(matched.sources(self), row, Lesson { y, weight });
        self.n_rows = self.n_rows.saturating_add(1);
        match self.settle() {
            Some(replay) => Change::Anew(replay),
            None if self.width() > width => Change::Wider,
            None => Change::None,
        }
    }

    fn learn_row(&mut self, sources: &mut [Source<'_>], row: usize, lesson: Lesson<'_>) {
        for (i, (known, source)) in self.all.iter_mut().zip(sources).enumerate() {
            let (column, names) = (&*known.name, &mut self.names);
            let mut features = Features { column, names };
            let encoder = &mut known.encoder;
            let has_value = encoder.learn(source, row, &lesson, &mut features);
            self.owners.resize(self.names.len(), i);
            known.n_missing += u64::from(!has_value);
        }
        let forgetting = self.settings.forgetting;
        self.labels.update(lesson.y, lesson.weight, forgetting);
    }

    /// Lets new columns join, if they may.
    fn add_new(&mut self, matched: &mut Matched<'_>) {
        if !self.takes_new() {
            return;
        }
        for name in matched.new_names(self) {
            let stated = self.stated(name);
            let reading = infer(name, stated, [].iter());
            self.all.push(Known::new(name.to_owned()));
            self.begin(self.all.len() - 1, reading);
        }
    }

    /// Settles for now how columns are read that have their first value in this row.
    fn read_first_values(&mut self, matched: &mut Matched<'_>, row: usize) {
        for i in 0..self.all.len() {
            if self.all[i].reading.is_some() {
                continue;
            }
            let column = matched.column(self, i);
            let cell = column.map(|column| column.cell(row, &self.settings));
            let reading = infer(&self.all[i].name, None, cell.iter());
            if reading.is_some() {
                self.begin(i, reading);
            }
        }
    }

    /// Gives a column an encoder that has learned nothing.
    pub(super) fn begin(&mut self, i: usize, reading: Option<Reading>) {
        self.version += 1;
        let (options, kind) = (self.options(), reading.map(|reading| reading.kind));
        let known = &mut self.all[i];
        let (column, names) = (&*known.name, &mut self.names);
        known.encoder = Encoder::new(kind, &options, &mut Features { column, names });
        self.owners.resize(self.names.len(), i);
        (known.reading, known.version) = (reading, self.version);
    }

    pub(super) fn options(&self) -> Options {
        Options {
            n_targets: self.n_targets,
            max_categories: self.settings.max_categories,
            forgetting: self.settings.forgetting,
        }
    }

    /// Keeps a row, if kinds are not settled; without what nobody looks at, which may be any number.
    fn keep(&mut self, matched: &mut Matched<'_>, row: usize, lesson: Lesson<'_>) {
        if self.first.is_none() {
            return;
        }
        let cell = |i: usize| {
            let stated = self.stated(&self.all[i].name);
            let is_used = !matches!(stated, Some(Kind::Unused(_)));
            let column = matched.column(self, i).filter(|_| is_used);
            let cell = column.map(|column| column.cell(row, &self.settings).into_owned());
            cell.unwrap_or(Cell::Missing)
        };
        let cells = (0..self.all.len()).map(cell).collect();
        let (y, weight) = (lesson.y.to_vec(), lesson.weight);
        if let Some(first) = &mut self.first {
            first.push(FirstRow { cells, y, weight });
        }
    }

    /// Infers all kinds anew when 1, 2, 4 and so on rows have been learned; begins anew if one differs.
    fn settle(&mut self) -> Option<Replay> {
        let first = self.first.as_ref()?;
        let n_rows = first.rows().len();
        if !n_rows.is_power_of_two() {
            return None;
        }
        let infer = |(i, known): (usize, &Known)| {
            let stated = self.stated(&known.name);
            infer(&known.name, stated, first.column(i))
        };
        let readings: Vec<_> = self.all.iter().enumerate().map(infer).collect();
        let known = self.all.iter().map(|known| &known.reading);
        let differ = n_rows == 1 || self.settings.scale || known.ne(&readings);
        let replay = differ.then(|| self.begin_anew(readings));
        if n_rows >= SETTLED {
            self.first = None;
        }
        replay
    }

    /// Forgets all but the first rows, and learns them again with columns that are read like this.
    fn begin_anew(&mut self, readings: Vec<Option<Reading>>) -> Replay {
        self.names.clear();
        self.owners.clear();
        self.labels = Means::new(self.n_targets);
        for (i, reading) in readings.into_iter().enumerate() {
            self.begin(i, reading);
            self.all[i].n_missing = 0;
        }
        let Some(first) = self.first.take() else {
            return Replay::default();
        };
        let columns = self.all.iter().enumerate();
        let source = |(i, known): (usize, &Known)| Source::of_cells(first.column(i), known.reading);
        let mut sources: Vec<Source<'_>> = columns.map(source).collect();
        let (mut replay, mut features) = (Replay::default(), Vec::new());
        for (i, row) in first.rows().iter().enumerate() {
            self.encode_row(&mut sources, i, &mut features);
            replay.push(&features, row);
            self.learn_row(&mut sources, i, row.lesson());
        }
        replay.widen(self.width());
        self.first = Some(first);
        replay
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::columns::table::tests::{table, texts};
    use crate::columns::{Column, OnNewColumns, ReplayedRow, Settings, Table, Why};

    pub(in crate::columns) fn columns(settings: Settings) -> Columns {
        Columns::new(settings, 1).unwrap()
    }

    /// Learns all rows of a table, with their numbers as labels; returns the encodings and the changes.
    pub(in crate::columns) fn learn(
        columns: &mut Columns,
        table: &Table,
    ) -> (Vec<Vec<f64>>, Vec<Change>) {
        let mut matched = columns.check(table).unwrap();
        let mut x = Vec::new();
        let mut learn = |row: usize| {
            columns.encode(&mut matched, row, &mut x);
            let change = columns.learn(&mut matched, row, &[row as f64], 1.0);
            (x.clone(), change)
        };
        (0..table.n_rows()).map(&mut learn).unzip()
    }

    fn numbers(numbers: impl IntoIterator<Item = i32>) -> Column {
        Column::Numbers(numbers.into_iter().map(f64::from).collect())
    }

    fn kinds(columns: &Columns) -> Vec<Option<Kind>> {
        columns.schema().map(|field| field.kind).collect()
    }

    fn is_anew(change: &Change) -> bool {
        matches!(change, Change::Anew(_))
    }

    #[test]
    fn the_first_row_begins_anew_and_is_replayed() {
        let mut columns = columns(Settings::default());
        let (encoded, changes) = learn(&mut columns, &table([("a", numbers([7, 5]))]));
        assert_eq!(encoded, [vec![], vec![5.0]]);
        let Change::Anew(replay) = &changes[0] else {
            panic!("the first row is new");
        };
        let (y, weight) = (vec![0.0], 1.0);
        let features = vec![7.0];
        assert_eq!(
            replay.rows(),
            [ReplayedRow {
                features,
                y,
                weight
            }]
        );
        assert_eq!(changes[1], Change::None);
    }

    #[test]
    fn kinds_are_inferred_anew_until_they_are_settled() {
        let mut columns = columns(Settings::default());
        let names = (0..300).map(|i| format!("x{i}"));
        let table = table([
            ("a", numbers(0..300)),
            ("b", texts(names)),
            ("c", numbers([7; 300])),
        ]);
        let (encoded, changes) = learn(&mut columns, &table);
        let anew: Vec<usize> = (0..300).filter(|row| is_anew(&changes[*row])).collect();
        assert_eq!(anew, [0, 31, 63]);
        let widths: Vec<usize> = [1, 31, 32, 63, 64].map(|row| encoded[row].len()).into();
        assert_eq!(widths, [2, 4, 3, 3, 1]);
        let id = Some(Kind::Unused(Why::Id));
        assert_eq!(kinds(&columns), [id, id, Some(Kind::Number)]);
        assert!(columns.is_settled() && columns.n_learned() == 300);
    }

    #[test]
    fn rows_are_replayed_as_if_the_kinds_had_been_known() {
        let dates = ["13/01/2013", "02/01/2013"].into_iter().cycle().take(9);
        let mixed = dates
            .enumerate()
            .map(|(i, date)| if i == 5 { "x" } else { date });
        let table = table([("a", texts(mixed))]);
        let stated = Settings {
            schema: [("a".to_owned(), Kind::Category)].into(),
            ..Settings::default()
        };
        let (mut inferred, mut stated) = (columns(Settings::default()), columns(stated));
        let (_, changes) = learn(&mut inferred, &table);
        let (encoded, _) = learn(&mut stated, &table);
        let Change::Anew(replay) = &changes[7] else {
            panic!("the column is no time");
        };
        for (row, expected) in replay.rows()[2..].iter().zip(&encoded[2..]) {
            assert_eq!(row.features[..expected.len()], *expected);
            assert!(row.features[expected.len()..].iter().all(|x| *x == 0.0));
        }
        assert_eq!(inferred.feature_names(), stated.feature_names());
        assert!(replay.rows()[0].features.iter().all(|x| *x == 0.0));
        assert_eq!(replay.rows().len(), 8);
    }

    #[test]
    fn features_are_appended_when_something_is_new() {
        let mut columns = columns(Settings::default());
        let column = Column::Numbers(vec![1.0, 2.0, f64::NAN, f64::NAN]);
        let (encoded, changes) = learn(&mut columns, &table([("a", column)]));
        assert_eq!(changes[1..], [Change::None, Change::Wider, Change::None]);
        assert_eq!(encoded[2..], [vec![1.5], vec![1.5, 1.0]]);
        assert_eq!(columns.schema().next().unwrap().n_missing, 2);
    }

    #[test]
    fn a_column_gets_its_kind_by_its_first_value_however_late() {
        for late in [2, 300] {
            let mut columns = columns(Settings::default());
            let values = (0..400).map(|i| if i < late { "" } else { "12:30" });
            let table = table([("a", numbers([0; 400])), ("b", texts(values))]);
            let (encoded, _) = learn(&mut columns, &table);
            assert_eq!(kinds(&columns)[1], Some(Kind::Time));
            assert!(encoded[1..].iter().all(|x| *x == [0.0]));
        }
        let mut columns = columns(Settings::default());
        let column = Column::Numbers(vec![f64::NAN, f64::NAN, 3.0]);
        let table = table([("a", numbers([0; 3])), ("b", column)]);
        let (_, changes) = learn(&mut columns, &table);
        assert_eq!(changes[1..], [Change::None, Change::Wider]);
        assert_eq!(columns.feature_names(), ["a", "b"]);
    }

    #[test]
    fn new_columns_join_or_are_left_out() {
        let first = table([("a", numbers([1]))]);
        let second = table([("b", numbers([2])), ("a", numbers([3]))]);
        for (on_new_columns, names, expected) in [
            (OnNewColumns::Add, &["a", "b"][..], vec![3.0, 2.0]),
            (OnNewColumns::Ignore, &["a"], vec![3.0]),
        ] {
            let settings = Settings {
                on_new_columns,
                ..Settings::default()
            };
            let mut columns = columns(settings);
            learn(&mut columns, &first);
            // Both have been checked before one of them is learned.
            let mut other = columns.check(&second).unwrap();
            learn(&mut columns, &second);
            assert_eq!(columns.feature_names(), names);
            let change = columns.learn(&mut other, 0, &[0.0], 1.0);
            assert_eq!(change, Change::None);
            let mut x = Vec::new();
            columns.encode(&mut other, 0, &mut x);
            assert_eq!(x, expected);
            let mut gone = columns.check(&first).unwrap();
            columns.encode(&mut gone, 0, &mut x);
            assert_eq!(x[0], 1.0);
        }
    }

    #[test]
    fn rows_without_weight_are_not_learned() {
        let mut columns = columns(Settings::default());
        let table = table([("a", numbers([1]))]);
        let mut matched = columns.check(&table).unwrap();
        for weight in [0.0, -1.0, f64::NAN] {
            assert_eq!(columns.learn(&mut matched, 0, &[1.0], weight), Change::None);
        }
        assert_eq!((columns.n_learned(), columns.width()), (0, 0));
    }

    #[test]
    fn stated_missing_values_are_missing() {
        let settings = Settings {
            missing_values: vec![-200.0],
            ..Settings::default()
        };
        let mut columns = columns(settings);
        let (encoded, _) = learn(&mut columns, &table([("a", numbers([4, -200, -200]))]));
        assert_eq!(encoded, [vec![], vec![4.0], vec![4.0, 1.0]]);
    }
}
