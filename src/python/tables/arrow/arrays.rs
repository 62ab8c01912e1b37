//! Arrow arrays as columns.

use arrow_array::cast::AsArray;
use arrow_array::types as t;
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};
use pyo3::prelude::*;

use super::super::clock::Clock;
use super::super::values::SECOND;
use crate::columns::{Column, MISSING, TextsBuilder, time_of_day};

/// A column that is read array by array.
pub(super) enum Reading {
    Empty,
    Numbers(Vec<f64>),
    Truths(Vec<Option<bool>>),
    Times(Vec<Option<i64>>, Option<Clock>),
    Clocks(TextsBuilder),
    Texts(TextsBuilder),
    Categories(TextsBuilder, Box<DataType>),
}

impl Reading {
    /// A column of arrays of a type; `None` if no column holds it.
    pub(super) fn of(py: Python<'_>, data_type: &DataType) -> PyResult<Option<Self>> {
        let texts = TextsBuilder::default;
        Ok(Some(match data_type {
            DataType::Null => Self::Empty,
            DataType::Boolean => Self::Truths(Vec::new()),
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, None) => {
                Self::Times(Vec::new(), None)
            }
            DataType::Timestamp(_, Some(zone)) => {
                Self::Times(Vec::new(), Some(Clock::of(py, zone)?))
            }
            DataType::Time32(_) | DataType::Time64(_) => Self::Clocks(texts()),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Texts(texts()),
            DataType::Dictionary(_, values) => {
                let is_held = Self::of(py, values)?.is_some();
                return Ok(is_held.then(|| Self::Categories(texts(), values.clone())));
            }
            DataType::Duration(_) => Self::Numbers(Vec::new()),
            number if number.is_numeric() => Self::Numbers(Vec::new()),
            _ => return Ok(None),
        }))
    }

    /// Appends an array of the type.
    pub(super) fn append(&mut self, array: &dyn Array) -> PyResult<()> {
        match self {
            Self::Empty => {}
            Self::Numbers(numbers) => append_numbers(numbers, array),
            Self::Truths(truths) => truths.extend(array.as_boolean().iter()),
            Self::Times(times, None) => times.extend(micros(array)),
            Self::Times(times, Some(clock)) => {
                for time in micros(array) {
                    times.push(time.map(|time| clock.shows(time)).transpose()?);
                }
            }
            Self::Clocks(texts) => append_texts(texts, micros(array).map(|m| m.map(time_of_day))),
            Self::Texts(texts) => match array.data_type() {
                DataType::Utf8 => append_texts(texts, array.as_string::<i32>().iter()),
                DataType::LargeUtf8 => append_texts(texts, array.as_string::<i64>().iter()),
                _ => append_texts(texts, array.as_string_view().iter()),
            },
            Self::Categories(texts, data_type) => append_categories(texts, data_type, array)?,
        }
        Ok(())
    }

    /// The column.
    pub(super) fn finish(self) -> Column {
        match self {
            Self::Empty => Column::Empty,
            Self::Numbers(numbers) => Column::Numbers(numbers),
            Self::Truths(truths) => Column::Truths(truths),
            Self::Times(times, _) => Column::Times(times),
            Self::Clocks(texts) | Self::Texts(texts) | Self::Categories(texts, _) => texts.finish(),
        }
    }
}

fn append_texts<T: AsRef<str>>(texts: &mut TextsBuilder, array: impl Iterator<Item = Option<T>>) {
    for text in array {
        let code = text.map_or(MISSING, |text| texts.code(text.as_ref()));
        texts.push(code);
    }
}

fn append_categories(texts: &mut TextsBuilder, of: &DataType, array: &dyn Array) -> PyResult<()> {
    let array = array.as_any_dictionary();
    let mut categories = Python::attach(|py| Reading::of(py, of))?.unwrap_or(Reading::Empty);
    categories.append(&**array.values())?;
    // NaN is no place.
    let mut places = Vec::new();
    append_numbers(&mut places, array.keys());
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked"
    )]
    let place = |place: f64| (place >= 0.0).then_some(place as usize);
    texts.extend(places.into_iter().map(place), categories.finish());
    Ok(())
}

/// Appends numbers of any type as floats; durations are seconds.
fn append_numbers(numbers: &mut Vec<f64>, array: &dyn Array) {
    let first = numbers.len();
    match array.data_type() {
        DataType::Int8 => append::<t::Int8Type>(numbers, array, f64::from),
        DataType::Int16 => append::<t::Int16Type>(numbers, array, f64::from),
        DataType::Int32 => append::<t::Int32Type>(numbers, array, f64::from),
        DataType::Int64 => append::<t::Int64Type>(numbers, array, |n| n as f64),
        DataType::UInt8 => append::<t::UInt8Type>(numbers, array, f64::from),
        DataType::UInt16 => append::<t::UInt16Type>(numbers, array, f64::from),
        DataType::UInt32 => append::<t::UInt32Type>(numbers, array, f64::from),
        DataType::UInt64 => append::<t::UInt64Type>(numbers, array, |n| n as f64),
        DataType::Float16 => append::<t::Float16Type>(numbers, array, f64::from),
        DataType::Float32 => append::<t::Float32Type>(numbers, array, f64::from),
        DataType::Float64 => append::<t::Float64Type>(numbers, array, |n| n),
        DataType::Decimal32(_, scale) => {
            append::<t::Decimal32Type>(numbers, array, |n| scaled(n.into(), *scale));
        }
        DataType::Decimal64(_, scale) => {
            append::<t::Decimal64Type>(numbers, array, |n| scaled(n as f64, *scale));
        }
        DataType::Decimal128(_, scale) => {
            append::<t::Decimal128Type>(numbers, array, |n| scaled(n as f64, *scale));
        }
        DataType::Decimal256(_, scale) => append::<t::Decimal256Type>(numbers, array, |n| {
            scaled(n.to_string().parse().unwrap_or(f64::NAN), *scale)
        }),
        _ => {
            let seconds = |micros: i64| micros as f64 / SECOND as f64;
            numbers.extend(micros(array).map(|micros| micros.map_or(f64::NAN, seconds)));
        }
    }
    // What stands in the place of a missing value is no number.
    if let Some(nulls) = array.nulls() {
        let missing = nulls.iter().enumerate().filter(|(_, is_there)| !is_there);
        missing.for_each(|(i, _)| numbers[first + i] = f64::NAN);
    }
}

fn append<T: ArrowPrimitiveType>(
    numbers: &mut Vec<f64>,
    array: &dyn Array,
    float: impl Fn(T::Native) -> f64,
) {
    let values = array.as_primitive::<T>().values();
    numbers.extend(values.iter().map(|value| float(*value)));
}

/// The float of a decimal with so many digits after its point.
fn scaled(digits: f64, scale: i8) -> f64 {
    let power = 10.0_f64.powi(i32::from(scale.unsigned_abs()));
    if scale < 0 {
        digits * power
    } else {
        digits / power
    }
}

/// Times, times of day and durations of any unit in microseconds.
fn micros(array: &dyn Array) -> impl Iterator<Item = Option<i64>> + use<> {
    let (data, unit) = (array.to_data(), Unit::of(array.data_type()));
    let is_short = matches!(array.data_type(), DataType::Date32 | DataType::Time32(_));
    (0..array.len()).map(move |i| {
        let value = if is_short {
            i64::from(data.buffer::<i32>(0)[i])
        } else {
            data.buffer::<i64>(0)[i]
        };
        data.is_valid(i).then(|| unit.micros(value))
    })
}

/// How many microseconds a number counts for.
enum Unit {
    Times(i64),
    Thousandth,
}

impl Unit {
    fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Date32 => Self::Times(24 * 3600 * SECOND),
            DataType::Date64 => Self::Times(1000),
            DataType::Timestamp(unit, _)
            | DataType::Time32(unit)
            | DataType::Time64(unit)
            | DataType::Duration(unit) => match unit {
                TimeUnit::Second => Self::Times(SECOND),
                TimeUnit::Millisecond => Self::Times(1000),
                TimeUnit::Microsecond => Self::Times(1),
                TimeUnit::Nanosecond => Self::Thousandth,
            },
            _ => Self::Times(1),
        }
    }

    fn micros(&self, value: i64) -> i64 {
        match self {
            Self::Times(factor) => value.saturating_mul(*factor),
            Self::Thousandth => value.div_euclid(1000),
        }
    }
}
