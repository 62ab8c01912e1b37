//! The modules of the crate depend downwards only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the ground up: each may use those before it.
const MODULES: [&str; 19] = [
    "limits",
    "error",
    "runtime",
    "data",
    "linalg",
    "persist",
    "columns",
    "text",
    "kernels",
    "losses",
    "predictor",
    "features",
    "updates",
    "algorithms",
    "learner",
    "forecast",
    "keyed",
    "any_model",
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

/// The module of a file: its folder in `src`, or its name.
fn module_of(path: &Path, src: &Path) -> String {
    let first = path.strip_prefix(src).unwrap().iter().next().unwrap();
    let name = Path::new(first).file_stem().unwrap();
    name.to_str().unwrap().to_owned()
}

/// The modules that a line of code names as `crate::module`; comments may name any.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    let names = code.split("crate::").skip(1);
    names.filter_map(|rest| {
        rest.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
    })
}

#[test]
fn modules_depend_downwards_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rank: BTreeMap<&str, usize> = MODULES
        .iter()
        .enumerate()
        .map(|(i, module)| (*module, i))
        .collect();
    let mut forbidden = Vec::new();
    for path in rust_files(&src) {
        let module = module_of(&path, &src);
        if module == "lib" {
            continue;
        }
        let own = *rank
            .get(&*module)
            .unwrap_or_else(|| panic!("{module} is missing in MODULES"));
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (i, line) in code.lines().enumerate() {
            for other in named(line) {
                if rank.get(other).is_some_and(|rank| *rank > own) {
                    let place = path.strip_prefix(&src).unwrap().display();
                    forbidden.push(format!(
                        "{place}:{}: {module} -> {other}: {}",
                        i + 1,
                        line.trim()
                    ));
                }
            }
        }
    }
    assert!(forbidden.is_empty(), "\n{}", forbidden.join("\n"));
}
