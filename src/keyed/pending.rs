//! Rows of keys that wait for their labels, in memory and in files.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::late::{Said, Ticket};
use super::{KeyBuf, Keyed};
use crate::AskedRow;
use crate::columns::{put_texts, texts};
use crate::data::check_label;
use crate::error::Error;
use crate::persist::State;
use crate::predictor::Asked;
use crate::runtime::Heap;

/// A ticket whose label the caller has given, to be learned when later rows have been predicted.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    pub(super) ticket: Ticket,
    pub(super) y: f64,
}

/// Rows that wait for their labels, the oldest first.
pub(super) type Pending = VecDeque<Waiting>;

impl Keyed {
    /// Writes the rows that wait, and how many have been asked for.
    pub(super) fn save_pending(&self, state: &mut State) {
        if self.n_asked != self.n_seen {
            state.put("n_asked", [self.n_asked as f64]);
        }
        if self.pending.is_empty() {
            return;
        }
        let parts: Vec<_> = self.pending.iter().map(|w| w.ticket.parts()).collect();
        let lists = parts.iter().flat_map(|(lists, _)| lists);
        state.put_lists("pending", lists.map(Vec::as_slice));
        let all = parts.iter().flat_map(|(_, texts)| texts);
        put_texts(state, "pending", all.map(|text| Cow::Borrowed(&**text)));
        let labels: Vec<f64> = self.pending.iter().map(|waiting| waiting.y).collect();
        state.put("pending_labels", labels);
    }

    /// Reads the rows that wait, and how many have been asked for.
    pub(super) fn load_pending(&mut self, state: &State) -> Result<(), Error> {
        self.n_asked = self.n_seen;
        if state.has("n_asked") {
            self.n_asked = state.count("n_asked")? as u64;
        }
        if !state.has("pending_labels") {
            return Ok(());
        }
        let wrong = || Error::model_file("pending should be rows that wait for their labels");
        let (lists, all) = (state.lists("pending")?, texts(state, "pending")?);
        let labels = state.any_vector("pending_labels")?;
        let (lists, rest) = lists.as_chunks::<{ Ticket::LISTS }>();
        let (texts, more) = all.as_chunks::<{ Ticket::TEXTS }>();
        let n = labels.len();
        if n != lists.len() || n != texts.len() || !rest.is_empty() || !more.is_empty() {
            return Err(wrong());
        }
        for ((lists, texts), y) in lists.iter().zip(texts).zip(labels) {
            let ticket = Ticket::from_parts(lists, texts).map_err(|_| wrong())?;
            self.check_ticket(&ticket).map_err(|_| wrong())?;
            check_label(&[y], 1).map_err(|_| wrong())?;
            self.pending.push_back(Waiting { ticket, y });
        }
        Ok(())
    }
}

impl Ticket {
    /// Numbers of lists and of texts that a ticket is.
    pub(crate) const LISTS: usize = 4;
    pub(crate) const TEXTS: usize = 2;

    /// The ticket as lists of numbers and texts.
    pub(crate) fn parts(&self) -> ([Vec<f64>; Self::LISTS], [String; Self::TEXTS]) {
        let Said {
            yhat,
            shared,
            own,
            mean,
            age,
            unit,
        } = self.said;
        let numbers = [yhat, shared, own, mean, age as f64, unit, self.at as f64];
        let lists = [
            self.x.clone(),
            numbers.to_vec(),
            flat(&self.shared),
            flat(&self.own),
        ];
        let row = self.row.as_ref().map(AskedRow::to_text);
        (lists, [self.key.to_text(), row.unwrap_or_default()])
    }

    /// Reads what [`parts`](Self::parts) has written.
    pub(crate) fn from_parts(
        [x, numbers, shared, own]: &[Vec<f64>; Self::LISTS],
        [key, row]: &[String; Self::TEXTS],
    ) -> Result<Self, Error> {
        let wrong = || Error::Ticket { algorithm: "Keyed" };
        let &[yhat, said, of_own, mean, age, unit, at] = numbers.as_slice() else {
            return Err(wrong());
        };
        let said = Said {
            yhat,
            shared: said,
            own: of_own,
            mean,
            age: count(age).ok_or_else(wrong)?,
            unit,
        };
        Ok(Self {
            key: KeyBuf::of_text(key).ok_or_else(wrong)?,
            x: x.clone(),
            said,
            shared: unflat(shared).ok_or_else(wrong)?,
            own: unflat(own).ok_or_else(wrong)?,
            at: count(at).ok_or_else(wrong)?,
            row: AskedRow::from_text(row)?,
        })
    }
}

/// What a model had to say as one list: two lengths come before the numbers.
fn flat(asked: &Asked) -> Vec<f64> {
    let Asked {
        yhat,
        q,
        scales,
        details,
    } = asked;
    let head = [yhat.len() as f64, scales.len() as f64, *q];
    [&head, &**yhat, scales, details].concat()
}

/// Reads what [`flat`] has written.
fn unflat(list: &[f64]) -> Option<Asked> {
    let (&[n_yhat, n_scales, q], rest) = list.split_first_chunk()?;
    let [n_yhat, n_scales] = [n_yhat, n_scales].map(|n| usize::try_from(count(n)?).ok());
    let (yhat, rest) = rest.split_at_checked(n_yhat?)?;
    let (scales, details) = rest.split_at_checked(n_scales?)?;
    Some(Asked {
        yhat: yhat.to_vec(),
        q,
        scales: scales.to_vec(),
        details: details.to_vec(),
    })
}

/// A count that a number is.
fn count(number: f64) -> Option<u64> {
    crate::persist::whole(number)
}

impl Heap for Waiting {
    fn heap_bytes(&self) -> usize {
        let Ticket {
            key,
            x,
            shared,
            own,
            row,
            ..
        } = &self.ticket;
        key.heap_bytes()
            + x.heap_bytes()
            + shared.heap_bytes()
            + own.heap_bytes()
            + row.heap_bytes()
    }
}
