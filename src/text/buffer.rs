//! Bytes that have come and are not read yet, row by row.

use memchr::memchr;

use super::cells::{closes_well, ends_in_quotes};

/// The most bytes of a line: without a limit, a file without line ends would fill memory.
pub const LONGEST: usize = 1 << 24;

/// The most lines and bytes of a row with a quoted cell that goes on over lines.
const MOST_LINES: u64 = 100;
const MOST_BYTES: usize = 1 << 20;

/// Bytes that were fed, of which rows are taken from the front.
#[derive(Debug, Clone)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// The beginning of the next row.
    start: usize,
    /// No line ends between the beginning of the row and here.
    searched: usize,
    /// Number of bytes of a line that is too long which have been let go.
    dropped: usize,
    /// The most bytes of a line.
    longest: usize,
    has_ended: bool,
    /// True if a last line without its end is not read: whoever writes it may not be done.
    leaves_unfinished: bool,
}

/// The next row of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A row of so many bytes and lines; its first line has the bytes stated.
    Row {
        len: usize,
        n_lines: u64,
        first_line: usize,
    },
    /// A quoted cell that is not closed soon, in a line of so many bytes.
    Open { first_line: usize },
    /// A line that is too long. It has been let go, so many bytes.
    TooLong { n_bytes: usize },
    /// More bytes are needed.
    Wait,
}

impl Buffer {
    pub(super) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            start: 0,
            searched: 0,
            dropped: 0,
            longest: LONGEST,
            has_ended: false,
            leaves_unfinished: false,
        }
    }

    /// Sets the most bytes of a line, and whether a last line without its end is left unread.
    pub(super) fn limit(&mut self, longest: usize, leaves_unfinished: bool) {
        (self.longest, self.leaves_unfinished) = (longest, leaves_unfinished);
    }

    pub(super) fn feed(&mut self, block: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        self.bytes.extend_from_slice(block);
    }

    /// No more bytes will come.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
    }

    /// Returns true if there are bytes that were left unread at the end.
    pub(super) fn has_rest(&self) -> bool {
        self.has_ended && (self.dropped > 0 || self.start < self.bytes.len())
    }

    /// The first bytes that have not been taken.
    pub(super) fn first(&self, len: usize) -> &[u8] {
        &self.bytes[self.start..self.start + len]
    }

    /// Takes bytes from the front.
    pub(super) fn advance(&mut self, len: usize) {
        self.start += len;
        self.searched = self.start;
    }

    /// Looks for the next row; where a separator is given, quoted cells may go on over lines.
    pub(super) fn next(&mut self, separator: Option<u8>) -> Next {
        let Some(end) = self.line_end(self.searched) else {
            self.searched = self.bytes.len();
            return self.drop_if_too_long();
        };
        let first_line = end - self.start;
        if self.dropped > 0 || first_line > self.longest {
            let n_bytes = self.dropped + first_line;
            self.dropped = 0;
            self.advance(first_line);
            return Next::TooLong { n_bytes };
        }
        match separator {
            Some(separator) => self.quoted(first_line, separator),
            None => Next::Row {
                len: first_line,
                n_lines: 1,
                first_line,
            },
        }
    }

    /// The end of the line in which a byte is.
    fn line_end(&self, from: usize) -> Option<usize> {
        if let Some(end) = memchr(b'\n', &self.bytes[from..]) {
            return Some(from + end + 1);
        }
        let has_last = self.has_ended && !self.leaves_unfinished && self.start < self.bytes.len();
        (has_last || (self.has_ended && !self.leaves_unfinished && self.dropped > 0))
            .then_some(self.bytes.len())
    }

    /// Lets go of a line that is too long already.
    fn drop_if_too_long(&mut self) -> Next {
        let len = self.bytes.len() - self.start;
        if self.dropped + len > self.longest {
            self.dropped += len;
            self.advance(len);
        }
        Next::Wait
    }

    /// The row that begins with a line, to the end of its last quoted cell.
    fn quoted(&self, first_line: usize, separator: u8) -> Next {
        let line = self.first(first_line);
        if memchr(b'"', line).is_none() || !ends_in_quotes(line, separator, false) {
            return Next::Row {
                len: first_line,
                n_lines: 1,
                first_line,
            };
        }
        let mut len = first_line;
        for n_lines in 2..=MOST_LINES {
            let from = self.start + len;
            let end = (from < self.bytes.len())
                .then(|| self.line_end(from))
                .flatten();
            let Some(end) = end else {
                let is_over = self.has_ended && !self.leaves_unfinished;
                let is_long = self.bytes.len() - self.start > MOST_BYTES;
                return if is_over || is_long {
                    Next::Open { first_line }
                } else {
                    Next::Wait
                };
            };
            len = end - self.start;
            if len > MOST_BYTES {
                break;
            }
            let line = &self.bytes[from..end];
            if !ends_in_quotes(line, separator, true) {
                let is_row = closes_well(line, separator);
                return if is_row {
                    Next::Row {
                        len,
                        n_lines,
                        first_line,
                    }
                } else {
                    Next::Open { first_line }
                };
            }
        }
        Next::Open { first_line }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(blocks: &[&str], set: impl Fn(&mut Buffer)) -> Vec<String> {
        let mut buffer = Buffer::new();
        set(&mut buffer);
        let mut found = Vec::new();
        for i in 0..=blocks.len() {
            match blocks.get(i) {
                Some(block) => buffer.feed(block.as_bytes()),
                None => buffer.end(),
            }
            loop {
                let (text, len) = match buffer.next(Some(b',')) {
                    Next::Row { len, .. } => {
                        (String::from_utf8(buffer.first(len).to_vec()).unwrap(), len)
                    }
                    Next::Open { first_line } => ("open".to_owned(), first_line),
                    Next::TooLong { n_bytes } => (format!("{n_bytes} bytes"), 0),
                    Next::Wait => break,
                };
                found.push(text);
                buffer.advance(len);
            }
        }
        found
    }

    #[test]
    fn rows_are_the_same_however_bytes_come() {
        let text = "a,b\r\n\n1,\"x\ny\"\n2,3";
        let expected = ["a,b\r\n", "\n", "1,\"x\ny\"\n", "2,3"];
        for cut in 0..text.len() {
            assert_eq!(
                rows(&[&text[..cut], &text[cut..]], |_| {}),
                expected,
                "{cut}"
            );
        }
    }

    #[test]
    fn an_unfinished_line_may_be_left() {
        assert_eq!(
            rows(&["1\n2"], |buffer| buffer.limit(LONGEST, true)),
            ["1\n"]
        );
        assert_eq!(
            rows(&["1\n\"2\n3\n"], |buffer| buffer.limit(LONGEST, true)),
            ["1\n"]
        );
    }

    #[test]
    fn a_quote_that_is_not_closed_costs_one_line() {
        let rest = "1,2\n".repeat(100);
        let found = rows(&[&format!("\"x\n{rest}")], |_| {});
        assert_eq!((&*found[0], found.len()), ("open", 101));
        assert_eq!(rows(&["\"x\n1\n"], |_| {}), ["open", "1\n"]);
    }

    #[test]
    fn long_lines_are_let_go() {
        for blocks in [&["12345\n1\n123456"][..], &["1234", "5", "\n1\n123", "456"]] {
            let found = rows(blocks, |buffer| buffer.limit(4, false));
            assert_eq!(found, ["6 bytes", "1\n", "6 bytes"]);
        }
    }
}
