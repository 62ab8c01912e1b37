"use strict";
// Scales: where a value is drawn, and which values are marked. Any finite numbers will do.

const MOST = 16; // marks of an axis
const LARGEST = 1e300, LEAST = 1e-300; // beyond which differences overflow, or have few digits
const ALIKE = 1e-12; // ratio of a difference to its values below which it is rounding

/** The round number with which about so many steps lead from one value to another. */
function stride(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) || 10);
}

/** All multiples of a step between two values; counted first, so that rounding adds none. */
function multiples(step, low, high) {
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  const length = Math.min(Math.max(last - first + 1, 0), MOST);
  return Array.from({ length }, (_, i) => (first + i) * step);
}

const between = (low, high, from, to) => (value) =>
  from + ((Math.min(Math.max(value, low), high) - low) / (high - low)) * (to - from);

const clamped = (value) => Math.min(Math.max(value, -LARGEST), LARGEST);

/** The least and the greatest value, or room around values that differ by rounding alone. */
function limits(values) {
  const low = clamped(Math.min(...values)), high = clamped(Math.max(...values));
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > Math.max(size * ALIKE, LEAST)) return [low, high];
  const room = size > LEAST ? size * 0.1 : 1;
  return [low - room, high + room];
}

/** From the least value to the greatest. */
function exact(values, from, to) {
  const [low, high] = limits(values);
  return { place: between(low, high, from, to), ticks: multiples(stride(low, high, 5), low, high) };
}

/** From a round number below to one above. */
function round(values, from, to) {
  const [least, most] = limits(values), step = stride(least, most, 4);
  const low = Math.floor(least / step) * step, high = Math.ceil(most / step) * step;
  return { place: between(low, high, from, to), ticks: multiples(step, low, high) };
}

/** The same from zero on. */
const counted = (values, from, to) => round([0, ...values], from, to);

/** Equal ratios are equal distances. */
function ratios(values, from, to) {
  const [low, high] = limits(values.map(Math.log10));
  const place = between(low, high, from, to);
  const isMark = (value) => value < Infinity && Math.log10(value) > low - 1e-9 && Math.log10(value) < high + 1e-9;
  const powers = multiples(Math.ceil((high - low) / 5), low, high).map((power) => 10 ** power).filter(isMark);
  const finer = multiples(1, Math.floor(low), high).flatMap((i) => [1, 2, 5].map((k) => k * 10 ** i)).filter(isMark);
  return { place: (value) => place(Math.log10(value)), ticks: finer.length <= 7 ? finer : powers };
}
