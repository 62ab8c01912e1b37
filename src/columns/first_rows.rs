//! The first rows learned, kept as they came until the kinds of columns are settled.

use super::cell::Cell;
use super::encoders::{Lesson, moment_of, numbers_of};
use super::texts::{put_texts, texts};
use super::times::Moment;
use crate::error::Error;
use crate::limits::LARGEST;
use crate::persist::State;
use crate::runtime::Heap;

/// Number of rows that settle the kinds of columns.
pub(super) const SETTLED: usize = 256;

/// Rows as they were learned.
#[derive(Debug, Clone, Default)]
pub(super) struct FirstRows {
    rows: Vec<FirstRow>,
}

/// A row with its labels and its weight. Columns that came later have no value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FirstRow {
    pub(super) cells: Vec<Cell<'static>>,
    pub(super) y: Vec<f64>,
    pub(super) weight: f64,
}

impl FirstRow {
    pub(super) fn lesson(&self) -> Lesson<'_> {
        let (y, weight) = (&*self.y, self.weight);
        Lesson { y, weight }
    }
}

impl FirstRows {
    pub(super) fn push(&mut self, row: FirstRow) {
        self.rows.push(row);
    }

    pub(super) fn rows(&self) -> &[FirstRow] {
        &self.rows
    }

    /// The values of a column.
    pub(super) fn column<'a>(&'a self, column: usize) -> impl Iterator<Item = &'a Cell<'a>> {
        let cell = move |row: &'a FirstRow| -> &'a Cell<'a> {
            row.cells.get(column).unwrap_or(&Cell::Missing)
        };
        self.rows.iter().map(cell)
    }

    /// Writes the rows, which have so many columns.
    pub(super) fn save(&self, n_columns: usize, state: &mut State) {
        let columns = || 0..n_columns;
        let cells = || {
            self.rows
                .iter()
                .flat_map(move |row| columns().map(|i| row.cells.get(i)))
        };
        let sorts: Vec<f64> = cells().map(|cell| cell.map_or(0.0, sort)).collect();
        let present = || cells().flatten();
        let text = |cell: &'_ Cell<'static>| match cell {
            Cell::Text(text) => Some(text.clone()),
            _ => None,
        };
        let labels: Vec<f64> = self.rows.iter().flat_map(|row| row.y.clone()).collect();
        let weights: Vec<f64> = self.rows.iter().map(|row| row.weight).collect();
        state.put("sorts", sorts);
        state.put("numbers", present().flat_map(numbers).collect::<Vec<_>>());
        put_texts(state, "texts", present().filter_map(text));
        state.put("labels", labels);
        state.put("weights", weights);
    }

    /// Reads so many rows.
    pub(super) fn load(
        state: &State,
        n_rows: usize,
        (n_columns, n_targets): (usize, usize),
    ) -> Result<Self, Error> {
        let (labels, weights) = (
            state.vector("labels", n_rows.saturating_mul(n_targets))?,
            state.vector("weights", n_rows)?,
        );
        let is_wrong = |label: &f64| label.abs() > LARGEST;
        if labels.iter().any(is_wrong) || weights.iter().any(|weight| *weight <= 0.0) {
            return Err(wrong());
        }
        let mut cells = loaded_cells(state, n_rows.saturating_mul(n_columns))?.into_iter();
        let rows = labels.chunks_exact(n_targets).zip(weights);
        let rows = rows.map(|(y, weight)| FirstRow {
            cells: cells.by_ref().take(n_columns).collect(),
            y: y.to_vec(),
            weight,
        });
        let rows = rows.collect();
        Ok(Self { rows })
    }
}

fn wrong() -> Error {
    Error::model_file("the first rows should be values of columns with labels and weights")
}

/// The number of a sort of values in files; 0 for missing ones.
fn sort(cell: &Cell<'_>) -> f64 {
    match cell {
        Cell::Missing => 0.0,
        Cell::Number(_) => 1.0,
        Cell::Truth(_) => 2.0,
        Cell::Time(_) => 3.0,
        Cell::Text(_) => 4.0,
    }
}

/// The numbers that a value is in files.
fn numbers(cell: &Cell<'_>) -> Vec<f64> {
    match cell {
        Cell::Number(number) => vec![*number],
        Cell::Truth(truth) => vec![f64::from(u8::from(*truth))],
        Cell::Time(micros) => numbers_of(Some(Moment::of_micros(*micros)))[1..].to_vec(),
        Cell::Missing | Cell::Text(_) => Vec::new(),
    }
}

/// Reads so many values.
fn loaded_cells(state: &State, n: usize) -> Result<Vec<Cell<'static>>, Error> {
    let (sorts, numbers) = (state.vector("sorts", n)?, state.any_vector("numbers")?);
    let (mut numbers, mut texts) = (numbers.into_iter(), texts(state, "texts")?.into_iter());
    let mut number = || numbers.next().ok_or_else(wrong);
    let mut cells = Vec::with_capacity(n);
    for sort in sorts {
        cells.push(match sort {
            0.0 => Cell::Missing,
            1.0 => Cell::Number(
                Some(number()?)
                    .filter(|number| number.abs() <= LARGEST)
                    .ok_or_else(wrong)?,
            ),
            2.0 => Cell::Truth(number()? != 0.0),
            3.0 => {
                let moment = moment_of([2.0, number()?, number()?])?;
                Cell::Time(moment.ok_or_else(wrong)?.micros)
            }
            4.0 => Cell::Text(texts.next().ok_or_else(wrong)?.into()),
            _ => return Err(wrong()),
        });
    }
    if numbers.next().is_some() || texts.next().is_some() {
        return Err(wrong());
    }
    Ok(cells)
}

impl Heap for FirstRows {
    fn heap_bytes(&self) -> usize {
        let text = |cell: &Cell<'_>| match cell {
            Cell::Text(text) => text.len(),
            _ => 0,
        };
        let row = |row: &FirstRow| {
            let texts: usize = row.cells.iter().map(text).sum();
            row.cells.capacity() * size_of::<Cell<'_>>() + row.y.heap_bytes() + texts
        };
        self.rows.capacity() * size_of::<FirstRow>() + self.rows.iter().map(row).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> FirstRows {
        let row = |cells, weight| FirstRow {
            cells,
            y: vec![weight, -1.0],
            weight,
        };
        let text = Cell::of_text("größer").into_owned();
        let rows = vec![
            row(
                vec![Cell::Number(0.1), Cell::Truth(true), Cell::Time(i64::MIN)],
                1.0,
            ),
            row(vec![text, Cell::Missing, Cell::Time(i64::MAX)], 0.5),
        ];
        FirstRows { rows }
    }

    fn saved() -> State {
        let mut state = State::default();
        example().save(3, &mut state);
        state
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let again = FirstRows::load(&saved(), 2, (3, 2)).unwrap();
        assert_eq!(again.rows, example().rows);
        let column: Vec<_> = again.column(1).collect();
        assert_eq!(column, [&Cell::Truth(true), &Cell::Missing]);
        assert!(again.column(3).all(Cell::is_missing));
        let none = FirstRows::load(&saved(), 3, (2, 2));
        assert!(none.is_err());
    }

    #[test]
    fn forged_rows_are_refused() {
        let forged: [(&str, Vec<f64>); 7] = [
            ("sorts", vec![1.0, 2.0, 3.0, 4.0, 5.0, 3.0]),
            ("sorts", vec![1.0, 2.0, 3.0, 1.0, 0.0, 3.0]),
            ("sorts", vec![0.0; 6]),
            ("numbers", vec![0.0; 4]),
            ("numbers", vec![1e101, 1.0, 0.0, 0.0, 0.0, 0.0]),
            ("labels", vec![0.0, 0.0, 0.0, 1e101]),
            ("weights", vec![1.0, 0.0]),
        ];
        for (name, numbers) in forged {
            let mut state = saved();
            state.put(name, numbers);
            assert!(FirstRows::load(&state, 2, (3, 2)).is_err(), "{name}");
        }
    }
}
