"""The values of a batch: paths × times, with look-ups in constant time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from stagedoor import _html, _tables, _times
from stagedoor._decode import Held, checked, damaged, decode, enum_text, unpack, warnings
from stagedoor._digests import Key
from stagedoor._proto import Message, v1
from stagedoor.errors import Error, from_item
from stagedoor.types import Array, State, Time, TimeCode, Warning

_NUMBERS = {
    "double": ("doubles", "f8"),
    "timecode": ("doubles", "f8"),
    "duration": ("doubles", "f8"),
    "float": ("floats", "f4"),
    "half": ("floats", "f2"),
    "int": ("ints", "i4"),
    "uint": ("ints", "u4"),
    "uchar": ("ints", "u1"),
    "int64": ("ints", "i8"),
    "bool": ("bools", "?"),
}
# The fields of columns that have numbers, with a type that holds all of their values.
_WIDE = {"doubles": "f8", "floats": "f4", "ints": "i8", "bools": "?"}
STATES = {1: State.VALUE, 2: State.NONE, 3: State.BLOCKED, 4: State.ERROR, 5: State.VALUE}


class _Column:
    """The values of one type. `items` are their numbers in the batch; None: all, in order."""

    def __init__(self, type_name: str, items: Array | None, values: Array | Sequence[Any]) -> None:
        self.type_name = type_name
        self.items = items
        self.values = values
        self._objects: Any = None  # the same with numbers as Python has them, made on first use

    def __getitem__(self, position: int) -> Any:
        if self._objects is None:
            scalars = isinstance(self.values, np.ndarray) and self.values.ndim == 1
            self._objects = np.asarray(self.values).tolist() if scalars else self.values
        return self._objects[position]


class Values:
    """The values of paths × times.

        values = stage.values(["/A.size", "/B.size"], "1:48")
        values["/A.size", 12]     # one value
        values["/A.size"]         # all times of a path
        values.array("/A.size")   # the same as one array

    If a single time was asked for, `values[path]` is its value. None stands for "no value"; `state`
    tells whether it is blocked. A value that failed raises its error when it is asked for.

    paths, times: what was asked for.
    snapshot: the fingerprint of the snapshot that was read.
    sources: with `sources=True`, for each path, for example "time_samples"; else empty.
    warnings: problems of value clips: why items may have no value.
    """

    def __init__(
        self,
        paths: Sequence[str],
        codes: Sequence[TimeCode],
        single: bool,
        columns: list[_Column],
        states: Sequence[int],
        errors: dict[int, Error],
    ) -> None:
        self.paths = tuple(paths)
        self.times = tuple(codes)
        self.snapshot = ""
        self.sources: tuple[str, ...] = ()
        self.warnings: tuple[Warning, ...] = ()
        self._single = single
        self._columns = columns
        self._states = states  # empty if all items have values
        self._errors = errors  # by item
        # Made on first use. The values of a path or time that occurs twice are the same.
        self._path_index: dict[str, int] = {}
        self._time_index: dict[TimeCode, int] = {}
        self._places: tuple[Array, Array] | None = None

    @classmethod
    def from_batch(
        cls,
        paths: Sequence[str],
        codes: Sequence[TimeCode],
        single: bool,
        reply: Message,
        held: Held,
    ) -> Values:
        """The values of a BatchGetValuesResponse."""
        count = len(codes)
        total = len(paths) * count
        if len(reply.states) not in (0, total):
            raise damaged(f"{len(reply.states)} states for {total} items")
        columns = [_column(column, paths, codes, held) for column in reply.columns]
        errors = {}
        for status in reply.path_errors:
            number = checked(status.item, len(paths))
            error = from_item(status, paths[number])
            errors.update(dict.fromkeys(range(number * count, (number + 1) * count), error))
        for status in reply.item_errors:
            number = checked(status.item, total)
            errors[number] = from_item(status, paths[number // count])
        values = cls(paths, codes, single, columns, list(reply.states), errors)
        values.snapshot = reply.snapshot
        values.sources = tuple(
            enum_text(v1.ValueSource, "VALUE_SOURCE_", source) for source in reply.sources
        )
        values.warnings = warnings(reply.warnings)
        return values

    @classmethod
    def from_stream(
        cls,
        paths: Sequence[str],
        codes: Sequence[TimeCode],
        single: bool,
        replies: Sequence[Message],
        held: Held,
    ) -> Values:
        """The values of StreamValuesResponses."""
        count = len(codes)
        states, errors = [0] * (len(paths) * count), {}
        found: dict[str, tuple[list[int], list[Any]]] = {}
        for reply in replies:
            item = checked(reply.item, len(states))
            path = paths[item // count]
            states[item] = reply.state
            if STATES.get(reply.state) is State.VALUE:
                items, column = found.setdefault(reply.type_name, ([], []))
                items.append(item)
                column.append(decode(reply.value, held, _key(path, codes[item % count])))
            elif reply.HasField("error"):
                errors[item] = from_item(reply.error, path)
        columns = [_Column(name, np.array(i), column) for name, (i, column) in found.items()]
        values = cls(paths, codes, single, columns, states, errors)
        values.snapshot = replies[0].snapshot if replies else ""
        values.warnings = warnings(w for reply in replies for w in reply.warnings)
        return values

    @classmethod
    def joined(cls, parts: Sequence[Values]) -> Values:
        """The values of several batches for the same times and about the same snapshot."""
        if len(parts) == 1:
            return parts[0]
        columns, errors = [], {}
        states: list[int] = []
        value = next(number for number, state in STATES.items() if state is State.VALUE)
        for part in parts:
            for column in part._columns:
                items = np.arange(len(part)) if column.items is None else column.items
                columns.append(_Column(column.type_name, items + len(states), column.values))
            errors.update({item + len(states): error for item, error in part._errors.items()})
            states += part._states or [value] * len(part)
        if all(part._is_dense() for part in parts):
            columns = _join_columns(columns)
        paths = [path for part in parts for path in part.paths]
        values = cls(paths, parts[0].times, parts[0]._single, columns, states, errors)
        values.snapshot = parts[0].snapshot
        values.sources = tuple(source for part in parts for source in part.sources)
        values.warnings = tuple(dict.fromkeys(w for part in parts for w in part.warnings))
        return values

    # ------------------------------------------------------------------------------ looking up

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            path, time = key
            return self._at(self._item(path, time))
        first = self._first(key)
        if self._single:
            return self._at(first)
        return [self._at(first + t) for t in range(len(self.times))]

    def state(self, path: Any, time: Time = None) -> State:
        """Whether there is a value at a path and a time; a single time may be left out."""
        return self._state(self._place(path, time))

    def error(self, path: Any, time: Time = None) -> Error | None:
        """Why there is no value, if it failed."""
        item = self._place(path, time)
        return self._error(item) if self._state(item) is State.ERROR else None

    def get(self, path: Any, time: Time = None, default: Any = None) -> Any:
        """The value, or `default` if there is none or it failed."""
        item = self._place(path, time)
        return self._at(item) if self._state(item) is State.VALUE else default

    def type_name(self, path: Any) -> str:
        """The type name of an attribute, for example "point3f[]"; empty without a value."""
        first = self._first(path)
        for item in range(first, first + len(self.times)):
            column, _ = self._locate(item)
            if column is not None:
                return column.type_name
        return ""

    def array(self, path: Any = None) -> Array:
        """The values of a path as one array whose first axis is the time.

        Without a path, the values of all paths: the first axis is the path, the second the time.
        All of them must exist and have the same shape.
        """
        if path is None:
            if not self.paths:
                return np.empty((0, len(self.times)))
            items: Sequence[int] = range(len(self))
        else:
            first = self._first(path)
            items = range(first, first + len(self.times))
        array = self._stack(items)
        if path is None:
            return array.reshape((len(self.paths), len(self.times), *array.shape[1:]))
        return array

    def __len__(self) -> int:
        return len(self.paths) * len(self.times)

    def __contains__(self, path: object) -> bool:
        return path in self._paths_by_name()

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def items(self) -> Iterator[tuple[str, Any]]:
        """Each path with what `values[path]` is."""
        for path in self.paths:
            yield path, self[path]

    def to_pandas(self) -> Any:
        """A pandas DataFrame: a row for each time, a column for each path."""
        return _tables.pandas_of_values(self)

    def to_arrow(self) -> Any:
        """A pyarrow Table: a row for each time; the column "time" and one for each path.

        Vectors are FixedSizeList, arrays LargeList, asset paths their resolved paths. Null stands
        for "no value", and for a time that is not a number.
        """
        return _tables.arrow_of_values(self)

    def __repr__(self) -> str:
        failed = f", {len(self._errors)} errors" if self._errors else ""
        return f"<Values of {len(self.paths)} paths × {len(self.times)} times{failed}>"

    def _repr_html_(self) -> str:
        return _html.values(self)

    # ---------------------------------------------------------------------------------- details

    def _is_dense(self) -> bool:
        """Whether all values are in one array."""
        return len(self._columns) == 1 and self._columns[0].items is None

    def _first(self, path: Any) -> int:
        text = path if isinstance(path, str) else str(getattr(path, "path", path))
        number = self._paths_by_name().get(text)
        if number is None:
            raise KeyError(f"{text} is not among the paths of this batch")
        return number * len(self.times)

    def _paths_by_name(self) -> dict[str, int]:
        if not self._path_index:
            self._path_index = dict(zip(self.paths, range(len(self.paths))))
        return self._path_index

    def _item(self, path: Any, time: Time) -> int:
        code = _times.time_code(time)
        if not self._time_index:
            self._time_index = dict(zip(self.times, range(len(self.times))))
        if code not in self._time_index:
            raise KeyError(f"{code} is not among the times of this batch")
        return self._first(path) + self._time_index[code]

    def _place(self, path: Any, time: Time) -> int:
        if time is None and len(self.times) == 1:
            return self._first(path)
        return self._item(path, time)

    def _state(self, item: int) -> State:
        return STATES.get(self._states[item], State.ERROR) if self._states else State.VALUE

    def _error(self, item: int) -> Error:
        path = self.paths[item // len(self.times)]
        return self._errors.get(item) or Error(f"{path}: the daemon did not say why it failed")

    def _at(self, item: int) -> Any:
        column, position = self._locate(item)
        if column is not None:
            return column[position]
        state = self._state(item)
        if state is State.ERROR:
            raise self._error(item)
        if state is State.VALUE:
            raise damaged(f"no value of {self.paths[item // len(self.times)]}")
        return None

    def _locate(self, item: int) -> tuple[_Column | None, int]:
        if len(self._columns) == 1 and self._columns[0].items is None:
            return self._columns[0], item
        if self._places is None:
            self._places = self._find_places()
        which = int(self._places[0][item])
        return (self._columns[which] if which >= 0 else None), int(self._places[1][item])

    def _find_places(self) -> tuple[Array, Array]:
        """For each item, its column (-1: it has no value) and its position there."""
        which = np.full(len(self), -1, np.int32)
        position = np.zeros(len(self), np.int32)
        for number, column in enumerate(self._columns):
            items = np.arange(len(self)) if column.items is None else column.items
            which[items] = number
            position[items] = np.arange(len(items))
        return which, position

    def _stack(self, items: Sequence[int]) -> Array:
        if len(self._columns) == 1 and self._columns[0].items is None:
            values = self._columns[0].values
            if isinstance(values, np.ndarray):
                return values[items[0] : items[-1] + 1] if len(items) else values[:0]
        found = []
        for item in items:
            value = self._at(item)
            if value is None:
                path, code = self.paths[item // len(self.times)], self.times[item % len(self.times)]
                raise ValueError(f"{path} has no value at {code}")
            found.append(np.asarray(value))
        return np.stack(found)


def _join_columns(columns: list[_Column]) -> list[_Column]:
    """One column of all values, if they are arrays of one type."""
    values = [column.values for column in columns]
    same = len({column.type_name for column in columns}) == 1
    if not same or not all(isinstance(found, np.ndarray) for found in values):
        return columns
    return [_Column(columns[0].type_name, None, np.concatenate(values))]


def _key(path: str, code: TimeCode) -> Key:
    return Key(path, (code.kind, code.value))


def _numbers(column: Message, field: str) -> Array:
    """The numbers in a field of a column, of the type that the column names, if that holds them.

    An opinion may have another type than its attribute: a float for a radius, which is a double.
    """
    numbers = np.array(getattr(column, field), _WIDE[field])
    named, dtype = _NUMBERS.get(column.type_name, ("", ""))
    if named == field and numbers.dtype != dtype:
        with np.errstate(all="ignore"):
            narrow = numbers.astype(dtype)
        if np.array_equal(narrow, numbers, equal_nan=True):
            numbers = narrow
    numbers.flags.writeable = False
    return numbers


def _column(
    column: Message, paths: Sequence[str], codes: Sequence[TimeCode], held: Held
) -> _Column:
    items = np.array(column.items, np.int64) if column.items else None
    if items is not None:
        checked(int(items.max()), len(paths) * len(codes))
    values: Array | Sequence[Any]
    field = next((name for name in _WIDE if getattr(column, name)), None)
    if field is not None:
        values = _numbers(column, field)
    elif column.strings:
        values = list(column.strings)
    elif column.values:
        count = len(codes)
        numbers = range(len(column.values)) if items is None else items
        values = [
            decode(value, held, _key(paths[item // count], codes[item % count]))
            for item, value in zip(numbers, column.values)
        ]
    else:
        values = unpack(column.tuples)
    total = len(paths) * len(codes)
    if len(values) != (total if items is None else len(items)):
        raise damaged(f"{len(values)} values of type {column.type_name}")
    return _Column(column.type_name, items, values)
