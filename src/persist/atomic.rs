//! Files that are written as a whole or not at all.

use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Write};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The most symbolic links that are followed from one to the next.
const LINKS: usize = 40;

/// Writes a file: whatever happens meanwhile, the path holds its old content or all of `bytes`.
///
/// Through a link, the file that it leads to is replaced. A pipe or a device is written to directly. A process that is
/// killed meanwhile may leave a temporary file behind, which the next one that writes to the path removes.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(path, |file| file.write_all(bytes))
}

/// Writes a file with the content that `content` writes, in the manner of [`write`].
pub(crate) fn write_with(
    path: &Path,
    content: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let before = fs::metadata(path).ok();
    if path.file_name().is_none() || before.as_ref().is_some_and(|before| !before.is_file()) {
        return content(&mut OpenOptions::new().write(true).open(path)?);
    }
    let target = end_of_links(path);
    let (temporary, mut file) = create_beside(&target, before.is_some())?;
    let filled = content(&mut file);
    let filled = filled.and_then(|()| finish(&file, before.map(|before| before.permissions())));
    let written = filled.and_then(|()| fs::rename(&temporary, &target));
    match written {
        Ok(()) => sync_folder(&target),
        Err(_) => drop(fs::remove_file(&temporary)),
    }
    written
}

/// The path that links from here lead to, even if nothing is there yet.
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

/// Creates a temporary file in the folder of `target`, locked by this process. If it is to replace a file, nobody else
/// may read it before it has the permissions of that file.
fn create_beside(target: &Path, is_private: bool) -> io::Result<(PathBuf, File)> {
    let mut temporary = usual_temporary(target);
    remove_if_abandoned(&temporary);
    loop {
        match open_new(&temporary, is_private) {
            Ok(file) if is_held(&file, &temporary) => return Ok((temporary, file)),
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => temporary = beside(target, RandomState::new().build_hasher().finish()),
        }
    }
}

/// The temporary file that a process tries first, which is found again if it was left behind.
fn usual_temporary(target: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    target.file_name().hash(&mut hasher);
    beside(target, hasher.finish())
}

fn beside(target: &Path, number: u64) -> PathBuf {
    target.with_file_name(format!(".nystream-{number:016x}.tmp"))
}

fn open_new(path: &Path, is_private: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    options.open(path)
}

/// Locks a new file; false if another process has removed it as abandoned.
fn is_held(file: &File, path: &Path) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && is_at(file, path)
}

/// Removes a temporary file that was left behind, which no process has locked.
fn remove_if_abandoned(path: &Path) {
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    if let Some(file) = File::open(path).ok().filter(|_| is_file)
        && file.try_lock().is_ok()
        && is_at(&file, path)
    {
        let _ = fs::remove_file(path);
    }
}

/// Returns true if a path still leads to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    let place = |found: fs::Metadata| (found.dev(), found.ino());
    let [own, there] =
        [file.metadata(), fs::symlink_metadata(path)].map(|found| found.ok().map(place));
    own.is_some() && own == there
}

/// Returns true if a path still leads to an open file.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

fn finish(file: &File, permissions: Option<fs::Permissions>) -> io::Result<()> {
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    // The bytes must be on the disk before the name stands for them.
    file.sync_all()
}

/// Flushes the new name to the disk, on systems that let a folder be opened.
fn sync_folder(target: &Path) {
    let folder = target.parent().filter(|folder| *folder != Path::new(""));
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty_folder(name: &str) -> PathBuf {
        let name = format!("nystream-atomic-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_another_writes_is_not() {
        let folder = empty_folder("left");
        let path = folder.join("model");
        let left = usual_temporary(&path);
        fs::write(&left, b"half").unwrap();
        write(&path, b"whole").unwrap();
        assert_eq!(names(&folder), ["model"]);
        let (temporary, _held) = create_beside(&path, true).unwrap();
        assert_eq!(temporary, left);
        write(&path, b"again").unwrap();
        assert!(left.exists());
        assert_eq!(fs::read(&path).unwrap(), b"again");
        assert_eq!(names(&folder).len(), 2);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_replaces_a_private_file_is_private_from_the_start() {
        use std::os::unix::fs::PermissionsExt;

        let folder = empty_folder("private");
        let path = folder.join("model");
        let (_, file) = create_beside(&path, true).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&path, b"before").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, b"after").unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o640
        );
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = empty_folder("replaced");
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
