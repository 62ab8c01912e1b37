//! The cells of a row of CSV.

use memchr::{memchr, memchr_iter};

const QUOTE: u8 = b'"';

/// Cells of a row; its memory is used again for the next row.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    /// The cells of a row with quotes, without them.
    unquoted: String,
    /// Where each cell begins and ends.
    spans: Vec<(usize, usize)>,
}

impl Cells {
    /// Cuts a row; returns a text, and the places of the cells in it.
    pub(super) fn cut<'a>(
        &'a mut self,
        row: &'a str,
        separator: u8,
    ) -> (&'a str, &'a [(usize, usize)]) {
        self.spans.clear();
        if memchr(QUOTE, row.as_bytes()).is_some() {
            self.cut_quoted(row, separator);
            return (&self.unquoted, &self.spans);
        }
        let mut start = 0;
        for end in memchr_iter(separator, row.as_bytes()) {
            self.spans.push((start, end));
            start = end + 1;
        }
        self.spans.push((start, row.len()));
        (row, &self.spans)
    }

    /// Cuts a row with quotes. Two quotes in a quoted cell are one; what follows the last quote belongs to the cell, too.
    fn cut_quoted(&mut self, row: &str, separator: u8) {
        self.unquoted.clear();
        let mut rest = row;
        loop {
            let start = self.unquoted.len();
            if let Some(quoted) = rest.trim_start_matches(' ').strip_prefix('"') {
                rest = self.unquote(quoted);
            }
            let end = memchr(separator, rest.as_bytes());
            self.unquoted.push_str(&rest[..end.unwrap_or(rest.len())]);
            self.spans.push((start, self.unquoted.len()));
            match end {
                Some(end) => rest = &rest[end + 1..],
                None => return,
            }
        }
    }

    /// Appends a quoted cell; returns what follows its last quote.
    fn unquote<'a>(&mut self, mut rest: &'a str) -> &'a str {
        while let Some(end) = memchr(QUOTE, rest.as_bytes()) {
            self.unquoted.push_str(&rest[..end]);
            rest = &rest[end + 1..];
            match rest.strip_prefix('"') {
                Some(after) => {
                    self.unquoted.push('"');
                    rest = after;
                }
                None => return rest,
            }
        }
        self.unquoted.push_str(rest);
        ""
    }
}

/// Returns true if a quoted cell goes on after a line; `is_open` if one did before it.
pub(super) fn ends_in_quotes(line: &[u8], separator: u8, mut is_open: bool) -> bool {
    let mut rest = line;
    loop {
        let quoted = if is_open {
            Some(rest)
        } else {
            after_spaces(rest).strip_prefix(b"\"")
        };
        if let Some(quoted) = quoted {
            match closed(quoted) {
                Some(after) => rest = after,
                None => return true,
            }
            is_open = false;
        }
        match memchr(separator, rest) {
            Some(end) => rest = &rest[end + 1..],
            None => return false,
        }
    }
}

/// Returns true if nothing follows the quote that closes a cell, which was opened before this line: else that quote was
/// meant to open another cell.
pub(super) fn closes_well(line: &[u8], separator: u8) -> bool {
    let after = closed(line).and_then(|after| after_spaces(after).first());
    after.is_none_or(|byte| *byte == separator || matches!(byte, b'\r' | b'\n'))
}

fn after_spaces(mut bytes: &[u8]) -> &[u8] {
    while let Some(rest) = bytes.strip_prefix(b" ") {
        bytes = rest;
    }
    bytes
}

/// What follows the quote that closes a cell.
fn closed(mut rest: &[u8]) -> Option<&[u8]> {
    loop {
        rest = &rest[memchr(QUOTE, rest)? + 1..];
        match rest.strip_prefix(b"\"") {
            Some(after) => rest = after,
            None => return Some(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(row: &str) -> Vec<String> {
        let mut cells = Cells::default();
        let (text, spans) = cells.cut(row, b',');
        spans
            .iter()
            .map(|(start, end)| text[*start..*end].to_owned())
            .collect()
    }

    #[test]
    fn cells_lie_between_separators_that_are_not_quoted() {
        assert_eq!(cut("a,b,"), ["a", "b", ""]);
        assert_eq!(cut(""), [""]);
        assert_eq!(cut(r#""a,b","say ""x""",é"#), ["a,b", r#"say "x""#, "é"]);
        assert_eq!(cut("\"a\nb\",\"\""), ["a\nb", ""]);
        assert_eq!(cut(r#"5" pipe,"a"b"#), [r#"5" pipe"#, "ab"]);
        assert_eq!(cut(r#""open,1"#), ["open,1"]);
        assert_eq!(cut(r#"a, "b,c" ,d"#), ["a", "b,c ", "d"]);
    }

    #[test]
    fn a_line_tells_whether_its_last_cell_goes_on() {
        for (line, is_open) in [
            (r#"1,"a"#, true),
            ("1,\"a\",\"", true),
            (r#"1,"a"",b,c"#, true),
            (r#"1, "a"#, true),
            (r#"1,"a""#, false),
            (r#"5" pipe,2"#, false),
            (r#""a,b",c"#, false),
            (r#""""#, false),
        ] {
            assert_eq!(
                ends_in_quotes(line.as_bytes(), b',', false),
                is_open,
                "{line}"
            );
        }
        assert!(!ends_in_quotes(b"rest\",1\n", b',', true));
        assert!(ends_in_quotes(b"rest\"\",1\n", b',', true));
        assert!(ends_in_quotes(b"rest\",\"1\n", b',', true));
        assert!(closes_well(b"rest\" ,1\n", b',') && closes_well(b"rest\"\r\n", b','));
        assert!(!closes_well(b"\"rest\",1\n", b','));
    }
}
