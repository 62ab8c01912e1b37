"""The columns of a table, slow and literal: what is known is computed anew from all rows learned.

A row is a dict of None, floats, booleans, datetimes without a zone, and strings. Nothing here is
shared with the product, and nothing is checked: rows are such that the product takes them.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np

SETTLED = 256  # rows, after which kinds are final
RECENT = 255  # numbers whose median stands for a missing one
PRIOR = 10.0  # rows that the mean of all labels counts as
INDICATORS, FREQUENT, PART = 16, 3, 200
LONGEST = 256  # bytes of a value that is remembered letter by letter
WORDS = 32
EPOCH = datetime(1970, 1, 1)


@dataclass
class Settings:
    schema: dict[str, str] = field(default_factory=dict)
    max_categories: int = 1000
    missing_values: tuple[float, ...] = ()
    forgetting: float = 0.999
    on_new_columns: str = "error"
    scale: bool = (
        False  # features are scaled by the first rows: all is anew whenever kinds are inferred
    )


# Values


def cleaned(value, settings):
    """A value as it is kept: strings have no spaces around them, and what is missing is None."""
    if isinstance(value, str):
        return value.strip() or None
    if value is None or isinstance(value, bool | datetime):
        return value
    return None if math.isnan(value) or value in settings.missing_values else float(value)


def as_number(value):
    return float(value) if isinstance(value, bool | float) else None


def as_text(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return np.format_float_positional(value + 0.0, trim="-")
    if isinstance(value, datetime):
        return value.isoformat()
    return value


# Times


def clock_in(text):
    """Hours, minutes, seconds and microseconds since midnight, as a timedelta."""
    match = re.fullmatch(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?: *([AaPp])[Mm])?", text)
    match = match or re.fullmatch(r"(\d{1,2})\.(\d\d)\.(\d\d)()()", text)
    if match is None:
        return None
    hour, minute, second, fraction, half = match.groups()
    hour, minute, second = int(hour), int(minute), int(second or 0)
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "Pp" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    micros = int(((fraction or "") + "000000")[:6])
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micros)


def date_in(text, day_first):
    """The date at the beginning, if it is one; the rest of the text; and if it is yyyy-mm-dd."""
    if match := re.match(r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?!\d)", text):
        year, _, month, day = match.groups()
    elif match := re.match(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)", text):
        day, sign, month, year = match.groups()
        if sign == "/" and not day_first:
            day, month = month, day
    else:
        return None
    try:
        date = datetime(int(year), int(month), int(day))
    except ValueError:
        return None
    return date, text[match.end() :], bool(re.match(r"\d{4}-", text))


def time_in(text, day_first):
    """A datetime, a timedelta for a time of day alone, or None."""
    clock = clock_in(text)
    if clock is not None:
        return clock
    found = date_in(text, day_first)
    if found is None:
        return None
    date, rest, is_iso = found
    if rest == "":
        return date
    if is_iso:
        rest = re.sub(r" *(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$", "", rest)
    begin = re.match(r"T| +" if is_iso else r" +", rest)
    clock = clock_in(rest[begin.end() :]) if begin and ":" in rest else None
    return None if clock is None else date + clock


def epoch(number):
    """Seconds since 1970 or, if the number is large, thousandths of them, and so on."""
    unit = next((10**i for i in (0, 3, 6) if abs(number) < 1e11 * 10**i), 10**9)
    return EPOCH + timedelta(microseconds=round(number * 1e6 / unit))


@dataclass(frozen=True)
class Reading:
    """The kind of a column, and how its times are read."""

    kind: str
    day_first: bool = False
    takes_epochs: bool = False

    def time(self, value):
        if isinstance(value, str):
            return time_in(value, self.day_first)
        if isinstance(value, float):
            return epoch(value) if self.takes_epochs else None
        return value if isinstance(value, datetime) else None


# Kinds


def order_of(values):
    """Whether the day comes first, and how many values are no times then."""

    def rank(day_first):
        times = [Reading("time", day_first).time(value) for value in values]
        days = [time.toordinal() for time in times if isinstance(time, datetime)]
        return times.count(None), max(days, default=0) - min(days, default=0), day_first

    n_wrong, _, day_first = min(rank(False), rank(True))
    return day_first, n_wrong


def infer(name, stated, values):
    """The reading of a column with these values; None if there are none."""
    values = [value for value in values if value is not None]
    if stated is not None:
        is_time = stated == "time"
        return Reading(stated, is_time and order_of(values)[0], is_time)
    if not values:
        return None
    if isinstance(values[0], bool):
        return Reading("category")
    if isinstance(values[0], float):
        return Reading("unused (id)" if are_ids(name, values) else "number")
    if isinstance(values[0], datetime):
        return Reading("time", order_of(values)[0])
    day_first, n_wrong = order_of(values)
    if n_wrong == 0:
        return Reading("time", day_first)
    texts = [as_text(value) for value in values]
    n_repeated = len(texts) - len(set(texts))
    if len(texts) < 64 or n_repeated / len(texts) >= 1 / 50:
        return Reading("category")
    n_words = sum(len(text.split()) for text in texts)
    return Reading("unused (text)" if n_words / len(texts) >= 3 else "unused (id)")


def are_ids(name, values):
    numbers = [float(value) for value in values]
    if len(numbers) < 32 or len(set(numbers)) < len(numbers):
        return False
    if not all(number.is_integer() for number in numbers):
        return False
    steps = set(np.diff(numbers))
    return (len(steps) == 1 and steps.pop() > 0) or says_id(name)


def says_id(name):
    name = name.strip()
    lower = name.lower()
    is_camel = re.search(r"[^A-Z](Id|ID)$", name) is not None
    is_word = lower in ("", "id", "uuid", "index", "key")
    return is_camel or is_word or lower.endswith("_id") or lower.startswith("unnamed: ")


# Encoders: each knows its column's values in the rows learned, the labels and the weights


def forgetting_mean(labels, weights, forgetting):
    """The count of rows of which each counts less than the next, and the mean of their labels."""
    ages = np.arange(len(labels))[::-1]
    parts = np.asarray(weights) * forgetting**ages
    return parts.sum(), parts @ np.asarray(labels) / parts.sum()


class Number:
    def __init__(self, append):
        self.append, self.numbers = append, []
        append("")

    def encode(self, value, _mean):
        number = as_number(value)
        median = np.median(self.numbers[-RECENT:]) if self.numbers else 0.0
        return {"": median if number is None else number, " is missing": float(number is None)}

    def learn(self, value, _y, _weight):
        if as_number(value) is None:
            self.append(" is missing")
        else:
            self.numbers.append(as_number(value))


def key_of(text):
    """The text, or a hash of a long one."""
    if text is None or len(text.encode()) <= LONGEST:
        return text
    return hashlib.sha256(text.encode()).digest()[:16]


def indicator_of(text):
    if text is None:
        return " is missing"
    if isinstance(key_of(text), str):
        return f"={text}"
    return f"={text.encode()[:64].decode(errors='ignore')}...{key_of(text)[:4].hex()}"


@dataclass
class Value:
    rows: list[int] = field(default_factory=list)  # numbers of the rows that had it
    labels: list[np.ndarray] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    indicator: str | None = None


class Category:
    def __init__(self, append, settings, n_targets):
        self.append, self.settings, self.n_targets = append, settings, n_targets
        self.values, self.n_rows = {}, 0

    def means(self):
        several = range(self.n_targets) if self.n_targets > 1 else [None]
        return [": mean label" if i is None else f": mean label {i}" for i in several]

    def encode(self, value, mean):
        known = self.values.get(key_of(as_text(value)), Value())
        shrunken = mean
        if known.rows:
            n, own = forgetting_mean(known.labels, known.weights, self.settings.forgetting)
            shrunken = (n * own + PRIOR * mean) / (n + PRIOR)
        features = dict(zip(self.means(), shrunken, strict=True))
        features[": frequency"] = math.log((len(known.rows) + 1) / (self.n_rows + 2))
        if known.indicator is not None:
            features[known.indicator] = 1.0
        return features

    def learn(self, value, y, weight):
        self.n_rows += 1
        text = as_text(value)
        key = key_of(text)
        if key not in self.values:
            self.make_room()
            if len(self.values) >= self.settings.max_categories:
                return
        known = self.values.setdefault(key, Value())
        known.rows.append(self.n_rows)
        known.labels.append(y)
        known.weights.append(weight)
        if len(self.values) == 1:
            return
        self.append(*self.means())
        if len(self.values) > INDICATORS:
            self.append(": frequency")
        n_indicators = sum(value.indicator is not None for value in self.values.values())
        is_frequent = len(known.rows) >= max(FREQUENT, self.n_rows / PART)
        if is_frequent and known.indicator is None and n_indicators < INDICATORS:
            known.indicator = indicator_of(text)
            self.append(known.indicator)

    def make_room(self):
        """Forgets the rarest quarter of the values if there are as many as there may be."""
        most = self.settings.max_categories
        if len(self.values) < most:
            return
        free = [key for key, value in self.values.items() if value.indicator is None]
        free.sort(key=lambda key: (len(self.values[key].rows), self.values[key].rows[-1]))
        for key in free[: max(most // 4, 1)]:
            del self.values[key]


def circle(name, part):
    return {
        f"{name} sin": math.sin(2 * math.pi * part),
        f"{name} cos": math.cos(2 * math.pi * part),
    }


def clock_of(time):
    return time if isinstance(time, timedelta) else time - datetime(*time.timetuple()[:3])


class Time:
    def __init__(self, append, reading):
        self.append, self.reading = append, reading
        self.clocks, self.dated = [], []

    def encode(self, value, _mean):
        time = self.reading.time(value)
        features = {" is missing": float(time is None)}
        if time is not None:
            features |= circle(": hour", clock_of(time) / timedelta(days=1))
        last = self.dated[-1] if self.dated else None
        if isinstance(time, datetime):
            last = time
            year = datetime(time.year, 1, 1)
            n_days = (datetime(time.year, 12, 31) - year).days + 1
            features |= circle(": weekday", time.weekday() / 7)
            features |= circle(": year", (time - year).days / n_days)
            features[": weekend"] = float(time.weekday() >= 5)
        if last is not None and self.dated:
            features[": elapsed"] = (last - self.dated[0]) / timedelta(days=1)
        return features

    def learn(self, value, _y, _weight):
        time = self.reading.time(value)
        if time is None:
            self.append(" is missing")
            return
        self.clocks.append(clock_of(time))
        if clock_of(time) != self.clocks[0]:
            self.append(": hour sin", ": hour cos")
        if isinstance(time, datetime):
            self.dated.append(time)
            first = self.dated[0]
            if time.weekday() != first.weekday():
                self.append(": weekday sin", ": weekday cos", ": weekend")
            if time.date() != first.date():
                self.append(": year sin", ": year cos")
            back, span = max(self.dated) - time, max(self.dated) - min(self.dated)
            if back > timedelta(days=1) and back > span / 2:
                self.append(": elapsed")


def word_hash(word):
    """FNV-1a, then the last step of MurmurHash3."""
    bits = 2**64 - 1
    hashed = 0xCBF29CE484222325
    for byte in "".join(letter.lower() for letter in word).encode():
        hashed = (hashed ^ byte) * 0x100000001B3 & bits
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        hashed = (hashed ^ hashed >> 33) * factor & bits
    return hashed ^ hashed >> 33


class Text:
    def __init__(self, append):
        append(*(f": words {i}" for i in range(WORDS)))

    def encode(self, value, _mean):
        text = as_text(value) or ""
        words = "".join(letter if letter.isalnum() else " " for letter in text).split(" ")
        words = [word for word in words if word]
        sums = np.zeros(WORDS)
        for word in words:
            hashed = word_hash(word)
            sums[hashed % WORDS] += -1.0 if hashed >> 32 & 1 else 1.0
        return {f": words {i}": x / math.sqrt(len(words) or 1) for i, x in enumerate(sums)}

    def learn(self, value, y, weight):
        pass


class Nothing:
    def encode(self, _value, _mean):
        return {}

    def learn(self, value, y, weight):
        pass


# Columns


class Columns:
    """What has been learned of the columns."""

    def __init__(self, settings=None, n_targets=1):
        self.settings, self.n_targets = settings or Settings(), n_targets
        self.n_rows = 0
        self.first = []  # the first rows with labels and weights, until all is settled
        self.readings, self.encoders = {}, {}
        self.features = []  # pairs of a column and the rest of a name
        self.labels, self.weights = [], []

    def feature_names(self):
        return [column + rest for column, rest in self.features]

    def schema(self):
        return {name: reading and reading.kind for name, reading in self.readings.items()}

    def encode(self, row):
        """The features of a row, with all that is known."""
        mean = np.zeros(self.n_targets)
        if self.labels:
            _, mean = forgetting_mean(self.labels, self.weights, self.settings.forgetting)
        known = {
            (name, rest): number
            for name, encoder in self.encoders.items()
            for rest, number in encoder.encode(self.value(row, name), mean).items()
        }
        return np.array([known.get(feature, 0.0) for feature in self.features])

    def learn(self, row, y, weight=1.0):
        """Learns a row; returns "none", "wider", or the first rows' features if all is anew."""
        y = np.broadcast_to(np.asarray(y, float), self.n_targets)
        width = len(self.features)
        if self.n_rows == 0 or self.settings.on_new_columns == "add":
            for name in row:
                if name not in self.readings:
                    self.begin(name, infer(name, self.settings.schema.get(name), []))
        for name, reading in self.readings.items():
            if reading is None:
                self.begin(name, infer(name, None, [self.value(row, name)]))
        self.learn_row(row, y, weight)
        self.n_rows += 1
        if self.n_rows <= SETTLED:
            self.first.append((row, y, weight))
            replay = self.settle()
            if replay is not None:
                return replay
        return "wider" if len(self.features) > width else "none"

    def value(self, row, name):
        return cleaned(row.get(name), self.settings)

    def begin(self, name, reading):
        """Gives a column an encoder that has learned nothing."""

        def append(*rests):
            new = [(name, rest) for rest in rests if (name, rest) not in self.features]
            self.features.extend(new)

        self.readings[name] = reading
        kind = reading and reading.kind
        if kind == "number":
            self.encoders[name] = Number(append)
        elif kind == "category":
            self.encoders[name] = Category(append, self.settings, self.n_targets)
        elif kind == "time":
            self.encoders[name] = Time(append, reading)
        elif kind == "text":
            self.encoders[name] = Text(append)
        else:
            self.encoders[name] = Nothing()

    def learn_row(self, row, y, weight):
        for name, encoder in self.encoders.items():
            encoder.learn(self.value(row, name), y, weight)
        self.labels.append(y)
        self.weights.append(weight)

    def settle(self):
        """Infers all kinds anew after 1, 2, 4 and so on rows; begins anew if one differs."""
        if self.n_rows.bit_count() != 1:
            return None
        readings = {
            name: infer(
                name,
                self.settings.schema.get(name),
                [self.value(row, name) for row, _, _ in self.first],
            )
            for name in self.readings
        }
        if self.n_rows > 1 and not self.settings.scale and readings == self.readings:
            return None
        self.features, self.labels, self.weights = [], [], []
        for name, reading in readings.items():
            self.begin(name, reading)
        encoded = []
        for row, y, weight in self.first:
            encoded.append(self.encode(row))
            self.learn_row(row, y, weight)
        return [np.pad(x, (0, len(self.features) - len(x))) for x in encoded]
