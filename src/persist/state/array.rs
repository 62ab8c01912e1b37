//! An array of finite numbers.

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::Value;

use super::model_file;
use crate::error::Error;

/// Numbers, row after row, and their shape.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Array {
    pub(super) shape: Vec<usize>,
    pub(super) data: Vec<f64>,
}

impl Array {
    /// Reads a vector or a matrix with at least one number.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let rows = value.as_array().filter(|rows| !rows.is_empty())?;
        let Some(first) = rows[0].as_array() else {
            let data: Option<Vec<f64>> = rows.iter().map(Value::as_f64).collect();
            let shape = vec![rows.len()];
            return data.map(|data| Self { shape, data });
        };
        let shape = vec![rows.len(), first.len()];
        let numbers = rows
            .iter()
            .flat_map(|row| row.as_array().into_iter().flatten());
        let data: Option<Vec<f64>> = numbers.map(Value::as_f64).collect();
        data.map(|data| Self { shape, data })
    }

    pub(super) fn to_json(&self) -> Value {
        match self.shape[..] {
            [_, width] => self.data.chunks(width.max(1)).map(Value::from).collect(),
            _ => self.data.as_slice().into(),
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; size_of_val(&*self.data)];
        let (numbers, _) = bytes.as_chunks_mut::<8>();
        for (bytes, value) in numbers.iter_mut().zip(&self.data) {
            *bytes = value.to_le_bytes();
        }
        bytes
    }

    pub(super) fn view<'a>(&self, bytes: &'a [u8]) -> Result<TensorView<'a>, Error> {
        TensorView::new(Dtype::F64, self.shape.clone(), bytes).map_err(model_file)
    }

    pub(super) fn from_view(name: &str, view: &TensorView<'_>) -> Result<Self, Error> {
        if view.dtype() != Dtype::F64 {
            return Err(Error::model_file(format!("{name} should hold float64")));
        }
        let (numbers, _) = view.data().as_chunks::<8>();
        let array = Self {
            shape: view.shape().to_vec(),
            data: numbers.iter().map(|b| f64::from_le_bytes(*b)).collect(),
        };
        if array.is_finite() {
            return Ok(array);
        }
        Err(Error::model_file(format!("{name} should be finite")))
    }

    pub(super) fn is_finite(&self) -> bool {
        self.data.iter().all(|value| value.is_finite())
    }
}
