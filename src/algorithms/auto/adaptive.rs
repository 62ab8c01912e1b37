//! Experts that learn what to look at: the past of the labels, the features that matter, and steps.

use std::cell::OnceCell;

use super::AutoParams;
use super::any_experts::AnyExperts;
use super::boosted::Boosted;
use super::experts::Experts;
use super::focus::Focus;
use super::focused::Focused;
use super::lineup;
use super::past::Past;
use super::relevant::Relevant;
use super::stretched::Stretched;
use super::window::{Recent, Window};
use crate::error::Error;
use crate::features::LinearMap;
use crate::persist::State;
use crate::predictor::{Scaling, compress_in_place, compressed};
use crate::runtime::{for_each, heap};

/// The kind of experts that are trees on all features.
const TREES: &str = "trees";

/// The most rows that kernel experts learn again.
const LEARNED_AGAIN: usize = 4096;

/// The most rows that trees learn to tell whether the stream has changed.
const TRIED: usize = 2048;

/// Rows with the past of the labels as further features: plain, as linear experts take them, and compressed, with zeros
/// for a past that does not help.
#[derive(Debug)]
pub(super) struct Extended {
    pub(super) plain: Vec<f64>,
    pub(super) compressed: Vec<f64>,
}

/// Experts on rows that are extended by the past of the labels. Those with kernels and trees are made anew from the
/// last rows at growing intervals.
#[derive(Debug, Clone)]
pub(super) struct Adaptive {
    pub(super) past: Past,
    /// True if the past has been found to help: kernels and trees look at it then.
    uses_past: bool,
    window: Window,
    /// `None` if no expert may look at the past.
    pub(super) linear: Option<Experts<LinearMap>>,
    pub(super) metrics: Vec<Relevant>,
    pub(super) boosted: Boosted,
    /// `None` if no feature seemed useless when the experts began.
    pub(super) focused: Option<Focused>,
    /// `None` if no labels had a long tail when the experts began.
    pub(super) stretched: Option<Stretched>,
}

impl Adaptive {
    /// Experts for compressed rows of width `own` and labels like these, in units.
    pub(super) fn new(
        params: &AutoParams,
        (rows, own): (&[f64], usize),
        y: &[f64],
    ) -> Result<Self, Error> {
        let past = Past::new(y, params.n_pasts());
        let width = own + past.width();
        let mut wide = vec![0.0; rows.len() / own * width];
        for (wide, z) in wide.chunks_exact_mut(width).zip(rows.chunks_exact(own)) {
            wide[width - own..].copy_from_slice(z);
        }
        let designs = lineup::relevant(params, width).into_iter();
        let all = Recent {
            rows: rows.to_vec(),
            y: y.to_vec(),
            weights: vec![1.0; rows.len() / own],
        };
        let focus = Focus::of(&all, 0, params.n_targets);
        let focused = focus.is_some().then(|| Focused::new(params, &wide, width));
        Ok(Self {
            past,
            uses_past: false,
            window: Window::new(width, params.n_targets),
            linear: lineup::linear_past(params)?,
            metrics: designs
                .map(|design| Relevant::new(design, &wide, width))
                .collect::<Result<_, Error>>()?,
            boosted: Boosted::new(TREES, params.n_targets),
            focused: focused.transpose()?,
            stretched: Stretched::new(params, (&wide, width), y)?,
        })
    }

    /// Number of features of an extended row.
    pub(super) fn width(&self) -> usize {
        self.window.width()
    }

    /// All experts: linear ones, those with kernels, and trees; then those that are there for some streams only.
    pub(super) fn groups(&self) -> impl Iterator<Item = &dyn AnyExperts> {
        let linear = self.linear.iter().map(|l| l as &dyn AnyExperts);
        let relevant = self.metrics.iter().map(|r| r as &dyn AnyExperts);
        let stretched = self.stretched.iter().map(|s| s as &dyn AnyExperts);
        linear
            .chain(relevant)
            .chain([&self.boosted as &dyn AnyExperts])
            .chain(self.focused.iter().flat_map(Focused::groups))
            .chain(stretched)
    }

    /// Mutable references to all experts, in the same order.
    pub(super) fn groups_mut(&mut self) -> impl Iterator<Item = &mut dyn AnyExperts> {
        let linear = self.linear.iter_mut().map(|l| l as &mut dyn AnyExperts);
        let relevant = self.metrics.iter_mut().map(|r| r as &mut dyn AnyExperts);
        let stretched = self.stretched.iter_mut();
        let stretched = stretched.map(|s| s as &mut dyn AnyExperts);
        linear
            .chain(relevant)
            .chain([&mut self.boosted as &mut dyn AnyExperts])
            .chain(self.focused.iter_mut().flat_map(Focused::groups_mut))
            .chain(stretched)
    }

    /// Extends scaled rows by the past of the labels, or by what it was when a row was asked for; records the rows as they
    /// were, and labels. Each row counts `weight` times.
    pub(super) fn extend(
        &mut self,
        rows: &[f64],
        z: &[f64],
        (y, weight): (&[f64], f64),
        asked: Option<&[f64]>,
    ) -> Extended {
        let (width, n_targets) = (self.width(), self.window.n_targets());
        let (n_past, own) = (self.past.width(), width - self.past.width());
        let mut plain = Vec::with_capacity(z.len() / own * width);
        let each = rows.chunks_exact(own).zip(z.chunks_exact(own));
        for ((x, z), y) in each.zip(y.chunks_exact(n_targets)) {
            let raw = asked.map_or_else(|| self.past.raw(), <[f64]>::to_vec);
            self.past.append_to(&mut plain, &raw);
            let past = &plain[plain.len() - n_past..];
            self.window.push([past, x].concat().as_slice(), y, weight);
            plain.extend_from_slice(z);
            self.past.update(y, weight);
        }
        let mut compressed = compressed(&plain);
        self.hide_past(&mut compressed);
        Extended { plain, compressed }
    }

    /// The last rows as experts with kernels take them, the oldest first.
    fn recent(&self, scaling: &Scaling) -> Recent {
        let (mut recent, n_past) = (self.window.recent(), self.past.width());
        for row in recent.rows.chunks_exact_mut(self.width()) {
            let x = row[n_past..].to_vec();
            scaling.scale_into(&x, &mut row[n_past..]);
        }
        compress_in_place(&mut recent.rows);
        self.hide_past(&mut recent.rows);
        recent
    }

    /// The last rows as they were, at most `n`, with their labels.
    pub(super) fn last_rows(&self, n: usize) -> Recent {
        let (mut recent, n_past) = (self.window.last(n), self.past.width());
        let rows = recent.rows.chunks_exact(self.width());
        recent.rows = rows.flat_map(|row| &row[n_past..]).copied().collect();
        recent
    }

    /// Sets the past in compressed rows to 0 unless it helps.
    fn hide_past(&self, compressed: &mut [f64]) {
        if !self.uses_past {
            for row in compressed.chunks_exact_mut(self.width()) {
                row[..self.past.width()].fill(0.0);
            }
        }
    }

    /// The past of the next row as kernels and trees see it.
    pub(super) fn hidden_past(&self) -> Vec<f64> {
        let mut row = self.peek(&vec![0.0; self.width() - self.past.width()]);
        row.compressed.truncate(self.past.width());
        row.compressed
    }

    /// A scaled row that comes next, extended.
    pub(super) fn peek(&self, z: &[f64]) -> Extended {
        let mut plain = self.past.features();
        plain.extend_from_slice(z);
        let mut compressed = compressed(&plain);
        self.hide_past(&mut compressed);
        Extended { plain, compressed }
    }

    /// The squared error of trees fitted to the older two thirds of the last `n_rows` rows, relative to that of trees
    /// fitted to rows of the whole window; both are tested on the newest third. It is small if the stream has changed
    /// before the last `n_rows` rows.
    pub(super) fn gain_of_forgetting(&self, n_rows: usize, scaling: &Scaling) -> f64 {
        let width = self.width();
        let mut recent = self.recent(scaling);
        if let Some(focused) = self.focused.as_ref().filter(|f| !f.is_asleep()) {
            recent = recent.without(&focused.focus.is_useless);
        }
        let (before, end) = recent.split(n_rows / 3);
        let error = |rows: &Recent| {
            let mut boosted = Boosted::new(TREES, self.window.n_targets());
            boosted.renew(rows, width);
            boosted.squared_error(&end, width)
        };
        error(&before.last(n_rows - n_rows / 3)) / error(&before.part(TRIED)).max(f64::MIN_POSITIVE)
    }

    /// Forgets all rows but the last `n_rows`.
    pub(super) fn forget(&mut self, n_rows: usize) {
        self.window.forget(n_rows);
    }

    /// Makes experts anew from the last rows, with a look at the past of the labels if that helps.
    pub(super) fn renew(&mut self, past_helps: bool, scaling: &Scaling) {
        self.uses_past = past_helps;
        let (width, all) = (self.width(), self.recent(scaling));
        let recent = all.last(LEARNED_AGAIN);
        let mut work = vec![Renewed::Boosted(&mut self.boosted, &all)];
        work.extend(
            self.metrics
                .iter_mut()
                .map(|metric| Renewed::Relevant(metric, &[])),
        );
        work.extend(self.stretched.iter_mut().map(Renewed::Stretched));
        let (some, focused) = (OnceCell::new(), self.focused.as_mut());
        if let Some(focused) = focused.filter(|focused| !focused.is_asleep()) {
            focused.focus = Focus::of(&all, self.past.width(), self.window.n_targets());
            let Focused { focus, metrics, .. } = focused;
            let some = some.get_or_init(|| all.without(&focus.is_useless));
            work.push(Renewed::Boosted(&mut focused.boosted, some));
            let metrics = metrics.iter_mut();
            work.extend(metrics.map(|metric| Renewed::Relevant(metric, &focus.factors)));
        }
        for_each(&mut work, |renewed| match renewed {
            Renewed::Relevant(relevant, focus) => relevant.renew(&recent, focus),
            Renewed::Boosted(boosted, rows) => boosted.renew(rows, width),
            Renewed::Stretched(stretched) => stretched.renew(&recent),
        });
    }

    /// All experts in metrics that are learned.
    pub(super) fn relevant(&self) -> impl Iterator<Item = &Relevant> {
        let focused = self.focused.iter().flat_map(|focused| &focused.metrics);
        let stretched = self.stretched.iter().map(Stretched::experts);
        self.metrics.iter().chain(focused).chain(stretched)
    }

    /// How much each feature of a row matters, by a metric of single features: numbers that add up to 1.
    pub(super) fn relevance(&self) -> Vec<f64> {
        let is_focused = |relevant: &&Relevant| relevant.kinds()[0].family == "focused smooth";
        let mut awake = self.relevant().filter(|relevant| !relevant.is_asleep());
        let relevant = awake.find(is_focused).unwrap_or(&self.metrics[0]);
        let factors = relevant.metric().factors().unwrap_or(&[]);
        let own = factors.iter().skip(self.past.width());
        let squares: Vec<f64> = own.map(|factor| factor * factor).collect();
        let sum: f64 = squares.iter().sum();
        match sum {
            0.0 => vec![1.0 / squares.len() as f64; squares.len()],
            _ => squares.iter().map(|square| square / sum).collect(),
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put("uses_past", [f64::from(u8::from(self.uses_past))]);
        self.window.save(state);
        state.nest_padded("past", 0, |state| self.past.save(state));
        if let Some(linear) = &self.linear {
            state.nest("linear", |state| linear.save(state));
        }
        for (i, relevant) in self.metrics.iter().enumerate() {
            state.nest(&format!("relevant{i}"), |state| relevant.save(state));
        }
        self.boosted.save(state);
        if let Some(focused) = &self.focused {
            state.nest("focused", |state| focused.save(state));
        }
        if let Some(stretched) = &self.stretched {
            state.nest("stretched", |state| stretched.save(state));
        }
    }

    /// Reads experts on rows of width `own`.
    pub(super) fn load(params: &AutoParams, own: usize, state: &State) -> Result<Self, Error> {
        let past = Past::load(params.n_pasts(), &state.inner("past"))?;
        let width = own + past.width();
        let mut window = Window::new(width, params.n_targets);
        window.load(state)?;
        let mut linear = lineup::linear_past(params)?;
        if let Some(linear) = &mut linear {
            linear.load(&state.inner("linear"), width)?;
        }
        let metrics = Relevant::load_all(lineup::relevant(params, 3), width, state)?;
        let mut boosted = Boosted::new(TREES, params.n_targets);
        boosted.load(state, width)?;
        let focused = state.inner("focused");
        let focused = focused
            .has("focus")
            .then(|| Focused::load(params, width, &focused));
        let stretched = state.inner("stretched");
        let stretched = stretched
            .has("curves")
            .then(|| Stretched::load(params, width, &stretched));
        Ok(Self {
            past,
            uses_past: state.scalar("uses_past")? != 0.0,
            window,
            linear,
            metrics,
            boosted,
            focused: focused.transpose()?,
            stretched: stretched.transpose()?,
        })
    }
}

/// Experts that are made anew.
enum Renewed<'a> {
    /// Those in a metric, with the factors of a focus.
    Relevant(&'a mut Relevant, &'a [f64]),
    /// Trees, with the rows that they are fitted to.
    Boosted(&'a mut Boosted, &'a Recent),
    /// Those that learn labels on curves.
    Stretched(&'a mut Stretched),
}

heap!(Adaptive: past, window, linear, metrics, boosted, focused, stretched);
