//! The file of models that memory has no place for.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;

/// A part of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    start: u64,
    len: u32,
}

/// A file of bytes that are written once at its end. It has no name, so that the system removes it with the process,
/// however that ends.
#[derive(Debug, Default)]
pub(super) struct Overflow {
    /// The folder of the file; `None` for that of the system.
    folder: Option<PathBuf>,
    /// The file, once something has been written, and its end.
    file: Option<File>,
    end: u64,
    /// Bytes that are not needed any more.
    wasted: u64,
}

impl Overflow {
    /// An empty file in this folder, or in the system's folder for files that go.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self {
            folder,
            ..Self::default()
        }
    }

    /// The bytes at a place.
    pub(super) fn read(&self, place: Place) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; place.len as usize];
        match &self.file {
            Some(file) => read_at(file, &mut bytes, place.start).map_err(|e| self.error(&e))?,
            None => bytes.clear(),
        }
        Ok(bytes)
    }

    /// Writes parts one after the other; returns the place of each. If that fails, the file is as it was.
    pub(super) fn append(&mut self, parts: &[Vec<u8>]) -> Result<Vec<Place>, Error> {
        let all = parts.concat();
        self.write(&all).map_err(|error| self.error(&error))?;
        let mut places = Vec::with_capacity(parts.len());
        for part in parts {
            let len = u32::try_from(part.len());
            let len = len.map_err(|_| Error::model_file("a model is larger than 4 GB"))?;
            let start = self.end;
            self.end += u64::from(len);
            places.push(Place { start, len });
        }
        Ok(places)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) => file,
            None => nameless(&self.folder())?,
        };
        write_at(self.file.insert(file), bytes, self.end)
    }

    /// Forgets the bytes at a place.
    pub(super) fn forget(&mut self, place: Place) {
        self.wasted += u64::from(place.len);
    }

    /// Returns true if most of the file is not needed any more.
    pub(super) fn is_wasteful(&self) -> bool {
        self.wasted > (1 << 20) + self.end / 2
    }

    /// Returns true if anything has been written.
    #[cfg(test)]
    pub(super) fn is_used(&self) -> bool {
        self.end > 0
    }

    /// An empty file in the same folder.
    pub(super) fn empty(&self) -> Self {
        Self::new(self.folder.clone())
    }

    fn folder(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(std::env::temp_dir)
    }

    fn error(&self, error: &io::Error) -> Error {
        Error::io(&self.folder(), error)
    }
}

/// Creates a file in a folder whose name is gone at once, where the system allows that, or when it is closed.
fn nameless(folder: &Path) -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!(".nystream-keys-{}-{number}.tmp", process::id()));
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true);
    hide(&mut options);
    let file = options.open(&path)?;
    if cfg!(unix) {
        fs::remove_file(&path)?;
    }
    Ok(file)
}

#[cfg(unix)]
fn hide(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(windows)]
fn hide(options: &mut OpenOptions) {
    use std::os::windows::fs::OpenOptionsExt;
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    options.custom_flags(DELETE_ON_CLOSE);
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, start)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut start: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, bytes, start)?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[n..];
        start += n as u64;
    }
    Ok(())
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut start: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_write(file, bytes, start)?;
        bytes = &bytes[n..];
        start += n as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_is_read_again() {
        let mut overflow = Overflow::new(None);
        let parts = [b"first".to_vec(), Vec::new(), b"third".to_vec()];
        let places = overflow.append(&parts).unwrap();
        let more = overflow.append(&[b"more".to_vec()]).unwrap();
        for (place, part) in places.iter().zip(&parts) {
            assert_eq!(overflow.read(*place).unwrap(), *part);
        }
        assert_eq!(overflow.read(more[0]).unwrap(), b"more");
        assert!(!overflow.is_wasteful());
    }

    #[test]
    fn a_folder_that_is_not_there_is_told() {
        let folder = PathBuf::from("/no/such/folder");
        let mut overflow = Overflow::new(Some(folder.clone()));
        let error = overflow.append(&[vec![1]]).unwrap_err();
        assert!(matches!(error, Error::Io { path, .. } if path == folder));
    }
}
