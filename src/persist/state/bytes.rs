//! Named arrays as bytes in the safetensors format.

use std::collections::HashMap;

use safetensors::SafeTensors;
use safetensors::tensor::TensorView;

use super::array::Array;
use super::{State, model_file};
use crate::error::Error;

/// The one metadata key: with several, the bytes would depend on the order of a hash map.
const METADATA: &str = "nystream";

/// The most bytes of a header: half a million names of columns take as many.
const LONGEST_HEADER: u64 = 1 << 24;

impl State {
    /// Shows all that the arrays are: their names, shapes and numbers.
    pub fn visit_bytes(&self, mut visit: impl FnMut(&[u8])) {
        for (name, array) in &self.arrays {
            let shape = array.shape.iter().flat_map(|n| (*n as u64).to_le_bytes());
            visit(name.as_bytes());
            visit(&[0]);
            visit(&[u8::try_from(array.shape.len()).unwrap_or(u8::MAX)]);
            visit(&shape.collect::<Vec<u8>>());
            visit(&array.bytes());
        }
    }

    /// The arrays and a text about them as safetensors.
    pub fn to_bytes(&self, metadata: String) -> Result<Vec<u8>, Error> {
        if let Some((name, _)) = self.arrays.iter().find(|(_, array)| !array.is_finite()) {
            return Err(Error::model_file(format!("{name} should be finite")));
        }
        let bytes: Vec<Vec<u8>> = self.arrays.values().map(Array::bytes).collect();
        let views: Vec<(&String, TensorView<'_>)> = self
            .arrays
            .iter()
            .zip(&bytes)
            .map(|((name, array), bytes)| Ok((name, array.view(bytes)?)))
            .collect::<Result<_, Error>>()?;
        let metadata = HashMap::from([(METADATA.to_owned(), metadata)]);
        safetensors::serialize(views, Some(metadata)).map_err(model_file)
    }

    /// How many bytes tell whether a file may be one of these.
    pub const START: u64 = 9;

    /// Whether bytes that start like this may hold arrays: with the length of a header, and its brace.
    pub fn may_start_with(start: &[u8]) -> bool {
        match start.split_first_chunk() {
            Some((length, [b'{', ..])) => u64::from_le_bytes(*length) <= LONGEST_HEADER,
            _ => false,
        }
    }

    /// The arrays and the text that these bytes hold.
    pub fn from_bytes(bytes: &[u8]) -> Result<(Self, String), Error> {
        if !Self::may_start_with(bytes) {
            let expected = format!("a header of at most {LONGEST_HEADER} bytes");
            return Err(Error::model_file(format!(
                "it should begin with {expected}"
            )));
        }
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(model_file)?;
        let text = header.metadata().as_ref().and_then(|m| m.get(METADATA));
        let text = text.ok_or_else(|| Error::model_file("its metadata has no key nystream"))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(model_file)?;
        let arrays = tensors
            .iter()
            .map(|(name, view)| Ok((name.to_owned(), Array::from_view(name, &view)?)))
            .collect::<Result<_, Error>>()?;
        let width = 0;
        Ok((Self { arrays, width }, text.clone()))
    }
}
