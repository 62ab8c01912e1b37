//! Numbers, truths and missing values in text.

/// The number that a cell holds. Where commas are decimal, a point is no part of a number.
pub(super) fn number(cell: &str, decimal_comma: bool) -> Option<f64> {
    if decimal_comma && cell.contains([',', '.']) {
        let is_whole = cell.contains('.');
        return if is_whole {
            None
        } else {
            plain(&cell.replacen(',', ".", 1))
        };
    }
    plain(cell)
}

fn plain(cell: &str) -> Option<f64> {
    // Most cells have no spaces around them.
    cell.parse().or_else(|_| cell.trim().parse()).ok()
}

/// Returns true if a cell without spaces around it says that there is no value.
pub(super) fn is_missing(cell: &str) -> bool {
    cell.len() <= 4
        && matches!(
            cell,
            "" | "NA"
                | "N/A"
                | "n/a"
                | "#N/A"
                | "<NA>"
                | "NaN"
                | "nan"
                | "null"
                | "NULL"
                | "None"
                | "?"
        )
}

/// Returns true if a cell among numbers says that there is no value.
pub(super) fn is_missing_number(cell: &str) -> bool {
    is_missing(cell) || cell == "-"
}

/// The number that a truth stands for.
pub(super) fn truth(cell: &str) -> Option<f64> {
    let is = |words: [&str; 2]| words.iter().any(|word| cell.eq_ignore_ascii_case(word));
    match cell {
        _ if is(["true", "yes"]) => Some(1.0),
        _ if is(["false", "no"]) => Some(0.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_the_decimal_sign_of_the_file() {
        for (cell, expected) in [("1.5", 1.5), (" -2e3 ", -2e3), ("+.5", 0.5), ("7", 7.0)] {
            assert_eq!(number(cell, false), Some(expected), "{cell}");
        }
        assert_eq!(number("1,5", true), Some(1.5));
        assert_eq!(number("-2", true), Some(-2.0));
        for cell in ["1,5", "1_0", "0x1", "x", "", "1 2"] {
            assert_eq!(number(cell, false), None, "{cell}");
        }
        for cell in ["1.5", "1.234,5", "1,2,3", "18.00.00"] {
            assert_eq!(number(cell, true), None, "{cell}");
        }
    }

    #[test]
    fn usual_words_are_missing() {
        for cell in [
            "", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", "?",
        ] {
            assert!(is_missing(cell) && is_missing_number(cell), "{cell}");
        }
        assert!(
            is_missing_number("-") && !is_missing("-") && !is_missing("none") && !is_missing("0")
        );
    }

    #[test]
    fn truths_are_one_and_zero() {
        assert_eq!(
            ["True", "yes", "FALSE", "No", "1"].map(truth),
            [Some(1.0), Some(1.0), Some(0.0), Some(0.0), None]
        );
    }
}
