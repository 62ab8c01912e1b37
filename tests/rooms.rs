//! The rooms of the crate depend downwards only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up: a room may use those before it.
const ROOMS: [&str; 14] = [
    "limits",
    "error",
    "runtime",
    "data",
    "linalg",
    "persist",
    "kernels",
    "losses",
    "predictor",
    "features",
    "updates",
    "algorithms",
    "learner",
    "python",
];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| rust_files(folder));
    let own = files
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs"));
    own.chain(below).collect()
}

/// The room of a file: its folder in `src`, or its name.
fn room_of(path: &Path, src: &Path) -> String {
    let first = path.strip_prefix(src).unwrap().iter().next().unwrap();
    let name = Path::new(first).file_stem().unwrap();
    name.to_str().unwrap().to_owned()
}

/// The rooms that a line of code names as `crate::room`; comments name what they like.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    let names = code.split("crate::").skip(1);
    names.filter_map(|rest| {
        rest.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
    })
}

#[test]
fn rooms_depend_downwards_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rank: BTreeMap<&str, usize> = ROOMS
        .iter()
        .enumerate()
        .map(|(i, room)| (*room, i))
        .collect();
    let mut forbidden = Vec::new();
    for path in rust_files(&src) {
        let room = room_of(&path, &src);
        if room == "lib" {
            continue;
        }
        let own = *rank
            .get(&*room)
            .unwrap_or_else(|| panic!("{room} is a room without a place"));
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (i, line) in code.lines().enumerate() {
            for other in named(line) {
                if rank.get(other).is_some_and(|rank| *rank > own) {
                    let place = path.strip_prefix(&src).unwrap().display();
                    forbidden.push(format!(
                        "{place}:{}: {room} -> {other}: {}",
                        i + 1,
                        line.trim()
                    ));
                }
            }
        }
    }
    assert!(forbidden.is_empty(), "\n{}", forbidden.join("\n"));
}
