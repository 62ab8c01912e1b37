//! Which models are in memory and which on the disk.

use super::blocks::ByKey;
use super::own::{Bench, Own};
use super::{Key, KeyBuf, Keyed, Slot};
use crate::error::Error;

/// The part of the models in memory that goes to the disk at once.
const AT_ONCE: usize = 8;

/// Number of models that are moved together when the file is written anew.
const MOVED: usize = 1024;

impl Keyed {
    /// The slots of keys whose rows are to be learned, with their models in memory; new keys are given one. If that fails,
    /// nothing has changed.
    pub(super) fn bring_in(&mut self, keys: &[Key<'_>]) -> Result<Vec<u32>, Error> {
        let known = self.slots.len();
        let slots: Vec<u32> = keys.iter().map(|key| self.slot_of(*key)).collect();
        if let Some(max_keys) = self.params.max_keys
            && let Err(error) = self.make_room(&slots, max_keys)
        {
            self.slots.truncate(known);
            return Err(error);
        }
        Ok(slots)
    }

    /// The slots of keys, all of whose models are in memory or new.
    pub(super) fn slots_for(&mut self, keys: &[Key<'_>]) -> Vec<u32> {
        let slots = keys.iter().map(|key| self.slot_of(*key)).collect();
        if self.params.max_keys.is_some() {
            self.in_memory = (0..).take(self.slots.len()).collect();
        }
        slots
    }

    /// The slot of a key, which may be new.
    fn slot_of(&mut self, key: Key<'_>) -> u32 {
        let known = self.slots.get_index_of(&key);
        let new = || self.slots.insert_full(KeyBuf::from(key), Slot::default()).0;
        u32::try_from(known.unwrap_or_else(new)).unwrap_or(u32::MAX)
    }

    /// Reads the models of slots that are on the disk, and writes those used least recently in their place.
    fn make_room(&mut self, slots: &[u32], max_keys: usize) -> Result<(), Error> {
        let wanted: Vec<u32> = ByKey::new(slots).slots().collect();
        let is_there = |slot: &u32| self.slots[*slot as usize].own.is_in_memory();
        let coming: Vec<u32> = wanted
            .iter()
            .copied()
            .filter(|slot| !is_there(slot))
            .collect();
        let read = self.owns_of(&coming)?;
        if self.in_memory.len() + coming.len() > max_keys {
            let n = self.in_memory.len() + coming.len() - max_keys + max_keys / AT_ONCE;
            self.move_out(n, &wanted)?;
        }
        for (slot, own) in coming.into_iter().zip(read) {
            let place = std::mem::replace(&mut self.slots[slot as usize].own, own);
            if let Own::Stored(place) = place {
                self.overflow.forget(place);
            }
            self.in_memory.push(slot);
        }
        self.tidy();
        Ok(())
    }

    /// The models of slots that are on the disk or new.
    fn owns_of(&self, slots: &[u32]) -> Result<Vec<Own>, Error> {
        let mut bench = Bench::new(&*self.template);
        let owns = slots.iter().map(|slot| &self.slots[*slot as usize].own);
        let read = |own: &Own| match own {
            Own::Stored(place) => bench.decode(&self.overflow.read(*place)?),
            _ => Ok(Own::Fresh),
        };
        owns.map(read).collect()
    }

    /// Writes `n` models to the disk, those used least recently, but for those wanted now.
    fn move_out(&mut self, n: usize, wanted: &[u32]) -> Result<(), Error> {
        let used = |slot: &u32| self.slots[*slot as usize].used;
        let (mut kept, mut out): (Vec<u32>, Vec<u32>) = self
            .in_memory
            .iter()
            .partition(|slot| wanted.binary_search(slot).is_ok());
        if n < out.len() {
            out.select_nth_unstable_by_key(n, used);
            kept.extend(out.drain(n..));
        }
        let owns = out.iter().map(|slot| &self.slots[*slot as usize].own);
        let parts: Result<Vec<_>, _> = owns.map(|own| own.encode(&self.overflow)).collect();
        let places = self.overflow.append(&parts?)?;
        for (slot, place) in out.into_iter().zip(places) {
            self.slots[slot as usize].own = Own::Stored(place);
        }
        self.in_memory = kept;
        Ok(())
    }

    /// Writes the file anew if most of it is not needed. Where the disk has no place for two, it stays as it is.
    fn tidy(&mut self) {
        if self.overflow.is_wasteful() {
            self.rewrite().unwrap_or_default();
        }
    }

    fn rewrite(&mut self) -> Result<(), Error> {
        let mut file = self.overflow.empty();
        let stored = |(i, slot): (usize, &Slot)| matches!(slot.own, Own::Stored(_)).then_some(i);
        let stored: Vec<usize> = self.slots.values().enumerate().filter_map(stored).collect();
        let mut places = Vec::with_capacity(stored.len());
        for some in stored.chunks(MOVED) {
            let parts = some
                .iter()
                .map(|i| self.slots[*i].own.encode(&self.overflow));
            places.extend(file.append(&parts.collect::<Result<Vec<_>, _>>()?)?);
        }
        for (i, place) in stored.into_iter().zip(places) {
            self.slots[i].own = Own::Stored(place);
        }
        self.overflow = file;
        Ok(())
    }

    /// Finds the models in memory anew.
    pub(super) fn find_in_memory(&mut self) {
        if self.params.max_keys.is_some() {
            let numbered = self.slots.values().zip(0..);
            let there = |(slot, i): (&Slot, u32)| slot.own.is_in_memory().then_some(i);
            self.in_memory = numbered.filter_map(there).collect();
        }
    }
}
