//! Tables in text: CSV and JSON lines, read block by block.
//!
//! A [`Head`] is what the first lines tell: the dialect, the names of the columns and their types. A [`Reader`] is then fed
//! with bytes, however they are cut, and gives so many rows at a time as a [`Batch`]: a table, labels, and the faults of
//! rows that cannot be read.
//!
//! ```
//! use nystream::text::{Field, Format, Head, Reader, Type, Wishes};
//!
//! let bytes = b"town;rooms;price\nUlm;2,5;200\nBonn;;350\n";
//! let head = Head::of_csv(bytes, true, &Wishes::default())?.unwrap();
//! assert_eq!(head.names.unwrap(), ["town", "rooms", "price"]);
//! assert!(head.dialect.decimal_comma);
//!
//! let fields = (0..2).map(|i| Field::new(i, head.types[i])).collect();
//! let price = Field::new(2, Type::Label);
//! let mut reader = Reader::new(Format::csv(head.dialect, 3), fields, vec![price]);
//! reader.feed(&bytes[head.n_bytes..]);
//! reader.end();
//! reader.read(100);
//! let batch = reader.take();
//! assert_eq!(batch.labels, [200.0, 350.0]);
//! # Ok::<(), nystream::text::NoHead>(())
//! ```

mod batch;
mod buffer;
mod cells;
mod dialect;
mod encoding;
mod field;
mod head;
mod json;
mod number;
mod reader;

pub use batch::{Batch, Fault, Problem};
pub use buffer::LONGEST;
pub use dialect::{Dialect, Wishes};
pub use encoding::Encoding;
pub use field::{Field, Type};
pub use head::{Head, NoHead, keys_of};
pub use reader::{Format, Reader};
