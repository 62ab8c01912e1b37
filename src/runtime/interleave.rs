//! Lists merged in turns.

/// Merges lists in turns: the first item of each, then the second of each, until all have ended.
pub(crate) fn interleave<T>(lists: impl IntoIterator<Item = Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    while lists.iter().any(|list| list.len() > 0) {
        all.extend(lists.iter_mut().filter_map(Iterator::next));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_its_turn_until_it_ends() {
        let lists = [vec![1, 4, 6, 7], vec![], vec![2], vec![3, 5]];
        assert_eq!(interleave(lists), [1, 2, 3, 4, 5, 6, 7]);
        assert!(interleave([Vec::<u8>::new()]).is_empty());
    }
}
