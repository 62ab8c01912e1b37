//! Files that are there as a whole or not at all.

use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The most links that lead from one to the next.
const LINKS: usize = 40;

/// Writes a file: whatever happens meanwhile, the path holds what it held before or all of `bytes`.
///
/// Through a link, the file that it leads to is replaced. What is there and is no file, such as a pipe or a device, is
/// written to as it is.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let before = fs::metadata(path).ok();
    if path.file_name().is_none() || before.as_ref().is_some_and(|before| !before.is_file()) {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let target = end_of_links(path);
    let (temporary, file) = create_beside(&target)?;
    let filled = fill(file, bytes, before.map(|before| before.permissions()));
    let written = filled.and_then(|()| fs::rename(&temporary, &target));
    match written {
        Ok(()) => sync_folder(&target),
        Err(_) => drop(fs::remove_file(&temporary)),
    }
    written
}

/// Where links from here lead, also if nothing is there yet.
fn end_of_links(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&target) else {
            break;
        };
        // A relative link starts in its own folder.
        target = target.with_file_name("").join(next);
    }
    target
}

/// A new file in the same folder, which no other process writes to or may have left behind.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let random = RandomState::new().build_hasher().finish();
        let temporary = target.with_file_name(format!(".nystream-{random:016x}.tmp"));
        let created = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary);
        match created {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => return created.map(|file| (temporary, file)),
        }
    }
}

fn fill(mut file: File, bytes: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    // The name must not come to stand for bytes that are still on their way to the disk.
    file.sync_all()
}

/// Makes the new name last; not every system lets a folder be opened.
fn sync_folder(target: &Path) {
    let folder = target.parent().filter(|folder| *folder != Path::new(""));
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let name = format!("nystream-atomic-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("model");
        for bytes in [&b"first"[..], b"second"] {
            write(&path, bytes).unwrap();
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        assert!(write(&folder, b"a folder").is_err());
        assert!(write(&folder.join("nowhere").join("model"), b"").is_err());
        assert!(write(Path::new(""), b"").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
