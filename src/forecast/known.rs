//! Features of slots, as far as they are known.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::columns::{Column, Table};
use crate::error::Error;
use crate::runtime::Heap;

/// The features that came with slots: some hold for the slot they came with, and are known ahead of it; the others are
/// known up to the last slot.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// Names of the columns that are known ahead.
    ahead: Vec<String>,
    /// The most rows that are remembered; those farthest ahead are forgotten first.
    most: usize,
    /// Rows of one slot each.
    rows: BTreeMap<i64, Table>,
}

impl Known {
    pub(super) fn new(ahead: Vec<String>, most: usize) -> Self {
        let rows = BTreeMap::new();
        Self { ahead, most, rows }
    }

    /// Returns true if some columns are known ahead.
    pub(super) fn looks_ahead(&self) -> bool {
        !self.ahead.is_empty()
    }

    /// Returns true if something is known of a slot.
    pub(super) fn has(&self, slot: i64) -> bool {
        self.rows.contains_key(&slot)
    }

    /// Remembers a row of a table as that of a slot.
    pub(super) fn announce(&mut self, slot: i64, table: &Table, row: usize) {
        self.rows.insert(slot, table.row(row));
        if self.rows.len() > self.most {
            self.rows.pop_last();
        }
    }

    /// Forgets the rows before a slot.
    pub(super) fn forget_before(&mut self, slot: i64) {
        self.rows = self.rows.split_off(&slot);
    }

    /// Appends the columns for the forecast of a slot: those known ahead as they are there, or as at the last slot if
    /// nobody has said; the others as at the last slot.
    pub(super) fn append(
        &self,
        now: i64,
        slot: i64,
        names: &mut Vec<String>,
        columns: &mut Vec<Column>,
    ) {
        let Some(at_now) = self.rows.get(&now) else {
            return;
        };
        let there = self.rows.get(&slot).unwrap_or(at_now);
        for (name, column) in at_now.names().iter().zip(at_now.columns()) {
            let column = if self.ahead.contains(name) {
                of(there, name).unwrap_or(column)
            } else {
                column
            };
            names.push(name.clone());
            columns.push(column.clone());
        }
    }

    /// A row that was asked for, with the columns known ahead as they turned out to be; `None` if that changes nothing.
    pub(super) fn amended(&self, slot: i64, row: &Table) -> Option<Table> {
        let there = self.rows.get(&slot).filter(|_| self.looks_ahead())?;
        let now = |(name, column): (&String, &Column)| {
            let actual = of(there, name).filter(|_| self.ahead.contains(name));
            actual.unwrap_or(column).clone()
        };
        let columns = row.names().iter().zip(row.columns()).map(now).collect();
        Some(Table::trusted(1, row.names().to_vec(), columns))
    }

    pub(super) fn save(&self) -> Value {
        let rows = self.rows.iter();
        rows.map(|(slot, row)| json!([slot, row.row_to_json()]))
            .collect()
    }

    pub(super) fn load(&mut self, content: &Value) -> Result<(), Error> {
        let wrong = || Error::model_file("rows should be those of slots");
        for entry in content.as_array().ok_or_else(wrong)? {
            let slot = entry.get(0).and_then(Value::as_i64).ok_or_else(wrong)?;
            let row = entry.get(1).ok_or_else(wrong)?;
            self.rows.insert(slot, Table::row_from_json(row)?);
        }
        Ok(())
    }
}

/// The column of this name.
fn of<'t>(table: &'t Table, name: &str) -> Option<&'t Column> {
    let place = table.names().iter().position(|own| own == name)?;
    table.columns().get(place)
}

impl Heap for Known {
    fn heap_bytes(&self) -> usize {
        self.rows
            .values()
            .map(|row| size_of::<(i64, Table)>() + row.heap_bytes())
            .sum()
    }
}
