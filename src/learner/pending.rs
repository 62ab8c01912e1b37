//! Rows that wait for their labels, in memory and in files.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde_json::{Value, json};

use super::Learner;
use super::late::{AskedRow, Ticket};
use crate::columns::{Table, put_texts, texts};
use crate::data::check_label;
use crate::error::Error;
use crate::persist::State;
use crate::predictor::Asked;
use crate::runtime::heap;

/// A ticket whose labels the caller has given, to be learned when later rows have been predicted.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    pub(super) ticket: Ticket,
    pub(super) y: Vec<f64>,
    pub(super) weight: f64,
}

impl Learner {
    /// Writes the rows that wait.
    pub(super) fn save_pending(&self, state: &mut State) {
        if self.n_asked != self.n_seen {
            state.put("n_asked", [self.n_asked as f64]);
        }
        if self.pending.is_empty() {
            return;
        }
        let single: Vec<[f64; 3]> = self.pending.iter().map(Waiting::single).collect();
        let all = self.pending.iter().zip(&single);
        state.put_lists(
            "pending",
            all.flat_map(|(waiting, single)| waiting.parts(single)),
        );
        if self.encoding.is_some() {
            let rows = self
                .pending
                .iter()
                .map(|waiting| waiting.ticket.row_to_text());
            put_texts(state, "pending_rows", rows.map(Cow::Owned));
        }
    }

    /// Reads the rows that wait.
    pub(super) fn load_pending(&mut self, state: &State) -> Result<(), Error> {
        self.n_asked = self.n_seen;
        if state.has("n_asked") {
            self.n_asked = state.count("n_asked")? as u64;
        }
        if !state.has("pending") {
            return Ok(());
        }
        let wrong = || Error::model_file("pending should be rows that wait for their labels");
        let parts = state.lists("pending")?;
        let rows = if self.encoding.is_some() && state.has("pending_rows_bytes") {
            texts(state, "pending_rows")?
        } else {
            Vec::new()
        };
        let rows = rows.into_iter().map(Some).chain(std::iter::repeat(None));
        for (parts, row) in parts.chunks(Waiting::PARTS).zip(rows) {
            let mut waiting = Waiting::read(parts).ok_or_else(wrong)?;
            waiting.ticket.row = row.map_or(Ok(None), |text| AskedRow::from_text(&text))?;
            self.check_ticket(&waiting.ticket).map_err(|_| wrong())?;
            check_label(&waiting.y, self.n_targets()).map_err(|_| wrong())?;
            let weight = Some(waiting.weight).filter(|weight| *weight != 1.0);
            weight
                .map_or(Ok(()), |w| self.check_weight(&waiting.ticket.x, w))
                .map_err(|_| wrong())?;
            self.pending.push_back(waiting);
        }
        Ok(())
    }
}

impl Ticket {
    /// The row of a table as text; empty for a row of an array.
    pub(crate) fn row_to_text(&self) -> String {
        let text = self.row.as_ref().map(AskedRow::to_text);
        text.unwrap_or_default()
    }
}

impl AskedRow {
    /// The row as text.
    pub(crate) fn to_text(&self) -> String {
        json!({"generation": self.generation, "row": self.table.row_to_json()}).to_string()
    }

    /// Reads what [`to_text`](Self::to_text) has written; nothing from an empty text.
    pub(crate) fn from_text(text: &str) -> Result<Option<Self>, Error> {
        if text.is_empty() {
            return Ok(None);
        }
        let wrong = || Error::model_file("a row asked for should be that of a table");
        let json: Value = serde_json::from_str(text).map_err(Error::model_file)?;
        let generation = json.get("generation").and_then(Value::as_u64);
        let row = json.get("row").ok_or_else(wrong)?;
        Ok(Some(Self {
            table: Table::row_from_json(row)?,
            generation: generation.ok_or_else(wrong)?,
        }))
    }
}

impl Waiting {
    /// Number of parts that a row has in a file.
    const PARTS: usize = 6;

    /// The numbers of the row that are not lists.
    fn single(&self) -> [f64; 3] {
        [self.ticket.at as f64, self.ticket.asked.q, self.weight]
    }

    /// The numbers of the row, in lists.
    fn parts<'a>(&'a self, single: &'a [f64; 3]) -> [&'a [f64]; Self::PARTS] {
        let Asked {
            yhat,
            scales,
            details,
            ..
        } = &self.ticket.asked;
        [&self.ticket.x, &self.y, yhat, scales, details, single]
    }

    /// Gives the row more features, which are 0.
    pub(super) fn widen(&mut self, n_features: usize) {
        self.ticket.x.resize(n_features, 0.0);
    }

    fn read(parts: &[Vec<f64>]) -> Option<Self> {
        let [x, y, yhat, scales, details, single] = parts else {
            return None;
        };
        let &[at, q, weight] = single.as_slice() else {
            return None;
        };
        let asked = Asked {
            yhat: yhat.clone(),
            q,
            scales: scales.clone(),
            details: details.clone(),
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count"
        )]
        let (at, x) = (at as u64, x.clone());
        Some(Self {
            ticket: Ticket {
                x,
                asked,
                at,
                row: None,
            },
            y: y.clone(),
            weight,
        })
    }
}

/// Rows that wait for their labels, the oldest first.
pub(super) type Pending = VecDeque<Waiting>;

heap!(Asked: yhat, scales, details);
heap!(AskedRow: table);
heap!(Ticket: x, asked, row);
heap!(Waiting: ticket, y);
