"use strict";
// Asks the service once a second how it goes, and draws the answer.

const EVERY = 1000; // milliseconds
const LEFT = 52, RIGHT = 10, TOP = 8, BOTTOM = 20; // margins of a chart
const SVG = "http://www.w3.org/2000/svg";
const at = (id) => document.getElementById(id);
let last = null; // the status before, for rates

// Numbers

const digits = (value, most) => value.toLocaleString("en", { maximumSignificantDigits: most });

function short(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e15 || size < 1e-4) return value.toExponential(1).replace(".0e", "e");
  for (const [unit, sign] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= 10 * unit || (unit > 1e3 && size >= unit)) return digits(value / unit, 3) + sign;
  }
  return digits(value, 4);
}

const error = (value) => (value === null ? "–" : value === 0 ? "0" : value < 1e-4 || value >= 1e7
  ? value.toExponential(2) : digits(value, 4));

function time(seconds) {
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [name, length] = units.find(([, length]) => seconds >= length) || units[3];
  const count = Math.floor(seconds / length);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

// Charts

function add(parent, name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
}

/** Draw lines and dots, each a list of [x, y]; without any, say what is missing. */
function draw(id, parts, empty, { scale = round, marks = false } = {}) {
  const svg = at(id), width = svg.clientWidth || 480, height = svg.clientHeight || 240;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const points = Object.values(parts).flat();
  svg.dataset.points = points.length;
  if (!points.length) {
    add(svg, "text", { x: width / 2, y: height / 2, "text-anchor": "middle", class: "empty" }, empty);
    return;
  }
  const x = exact(points.map((point) => point[0]), LEFT, width - RIGHT);
  const y = scale(points.map((point) => point[1]), height - BOTTOM, TOP);
  axes(svg, x, y, width, height, marks);
  const path = (line) => "M" + line.map((point) =>
    `${x.place(point[0]).toFixed(1)},${y.place(point[1]).toFixed(1)}`).join("L");
  for (const [kind, list] of Object.entries(parts)) {
    if (kind !== "dot" && list.length) add(svg, "path", { d: path(list), class: kind });
    const dots = kind === "dot" || list.length === 1 ? list : [];
    for (const [a, b] of dots) add(svg, "circle", { cx: x.place(a), cy: y.place(b), r: 2.4, class: kind });
  }
}

function axes(svg, x, y, width, height, marks) {
  for (const value of y.ticks) {
    const level = y.place(value);
    add(svg, "line", { x1: LEFT, x2: width - RIGHT, y1: level, y2: level, class: "grid" });
    add(svg, "text", { x: LEFT - 7, y: level + 4, "text-anchor": "end" }, short(value));
  }
  if (!marks) return;
  for (const value of x.ticks.filter((tick) => Number.isInteger(tick))) {
    const place = x.place(value), anchor = place > width - 40 ? "end" : "middle";
    add(svg, "text", { x: place, y: height - 5, "text-anchor": anchor }, short(value));
  }
}

/** Means between one point of the curve and the next, of rows each of which counts once. */
function lately(curve) {
  const means = [];
  let before = [0, 0];
  const few = curve.length ? curve[curve.length - 1][0] / 64 : 0; // rows below which a mean is noise
  for (const [rows, total] of curve) {
    if (rows - before[0] < few) continue;
    means.push([rows, (total - before[1]) / (rows - before[0])]);
    before = [rows, total];
  }
  return means;
}

function show(status) {
  const seconds = last ? status.uptime - last.uptime : 0;
  const rate = seconds > 0 ? (status.predicted - last.predicted) / seconds : 0;
  last = status;
  at("model").textContent = status.model;
  at("seen").textContent = status.n_seen.toLocaleString("en");
  size(status);
  at("mse").textContent = error(status.mse.learner);
  at("served").textContent = error(status.mse.served);
  at("rate").textContent = rate < 10 ? digits(rate, 2) : Math.round(rate).toLocaleString("en");
  at("pending").textContent = status.pending.toLocaleString("en");
  at("waiting").textContent = status.waiting.toLocaleString("en");
  at("target").textContent = status.n_targets > 1 ? `first of ${status.n_targets} targets` : "";
  charts(status);
  columns(status);
  const { written, failed } = status.checkpoints;
  at("about").textContent = [
    `up for ${time(status.uptime)}`,
    `model of ${short(status.bytes)} bytes`,
    `checkpoints written: ${written}` + (failed ? `, failed: ${failed}` : ""),
    `${status.predicted.toLocaleString("en")} rows predicted`,
    `nystream ${status.version}`,
  ].join(" · ");
}

/** What a model keeps: rows, or models by key their keys. */
function size({ n_basis: rows, n_keys: keys }) {
  at("kept").textContent = (keys ?? rows).toLocaleString("en");
  const name = keys === undefined ? "rows kept" : "keys";
  for (const place of document.querySelectorAll(".size")) place.textContent = name;
}

const SHOWN = 100; // columns

/** The columns of a model whose rows have names, and how many values were missing. */
function columns({ schema, feature_names: names }) {
  const table = at("columns"), known = names && schema ? schema : [];
  table.hidden = !known.length;
  const cells = known.slice(0, SHOWN).map(({ name, kind, missing }) =>
    [name, kind || "no value yet", missing.toLocaleString("en")]);
  if (known.length > SHOWN) cells.push([`and ${known.length - SHOWN} more`, "", ""]);
  table.tBodies[0].replaceChildren(...cells.map((texts) => {
    const row = document.createElement("tr");
    for (const text of texts) row.insertCell().textContent = text;
    return row;
  }));
}

function charts({ curve, labelled, predictions }) {
  const positive = ([, value]) => value > 0;
  const so_far = curve.map(([rows, total]) => [rows, total / rows]);
  const nothing = "no rows learned yet";
  draw("error", { grey: so_far.filter(positive), blue: lately(curve).filter(positive) }, nothing,
    { scale: ratios, marks: true });
  draw("dictionary", { blue: curve.map(([rows, , kept]) => [rows, kept]) }, nothing,
    { scale: counted, marks: true });
  draw("labels", {
    blue: labelled.map(([prediction], i) => [i, prediction]),
    dot: labelled.map(([, label], i) => [i, label]),
  }, nothing);
  draw("predictions", { blue: predictions.map((value, i) => [i, value]) }, "no predictions yet");
}

// The conversation

function say(state, text) {
  document.body.dataset.state = state;
  at("state").textContent = text;
  at("ask").hidden = state !== "locked";
  if (state === "live" || state === "stalled") at("main").hidden = false;
}

async function ask() {
  const token = sessionStorage.getItem("token");
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await fetch("status", { headers });
  if (answer.status === 401) {
    say("locked", token ? "the token is not the right one" : "a token is needed");
    return;
  }
  if (!answer.ok) throw new Error(`the service answers ${answer.status}`);
  const status = await answer.json();
  say(status.trouble ? "stalled" : "live", status.trouble || "live");
  show(status);
}

async function watch() {
  if (!document.hidden && document.body.dataset.state !== "locked") {
    await ask().catch((reason) => say("lost", reason instanceof TypeError ? "no connection" : reason.message));
  }
  setTimeout(watch, EVERY);
}

at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", at("token").value);
  at("token").value = "";
  say("waiting", "asking");
});

// #token=... in the address spares the typing; it is never sent, and is gone from the address.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem("token", given);
  history.replaceState(null, "", location.pathname);
}
addEventListener("resize", () => last && charts(last));
watch();
