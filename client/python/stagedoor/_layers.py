"""The objects of a frame by kind, so that the next frame shares those that did not change.

Tables and Objects consist of layers of changes, of which later ones take precedence. A new version
has the layers of the old one, which stays as it was, and one more. A layer is merged with the one
below it unless it is less than half as large, so that there are few. So a version costs time in
proportion to what changed, times the logarithm of what there is at most.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from stagedoor._lazy import Lazy
from stagedoor.types import Array

T = TypeVar("T")

Columns = Mapping[str, Array]


class Rows:
    """Objects in columns: element i of each column is about object i, whose ID is ids[i].

    samples: columns with columns["counts"][i] elements for object i, one object after another.

    Immutable. The columns are decoded when they are asked for first.
    """

    __slots__ = ("_by_path", "_columns", "_count", "_index")

    def __init__(self, count: int, columns: Lazy[tuple[Columns, Columns]]) -> None:
        self._count = count
        self._columns = columns
        self._index: tuple[Array, Array] | None = None
        self._by_path: dict[str, int] | None = None

    @classmethod
    def of(cls, columns: Columns, samples: Columns | None = None) -> Rows:
        """Rows of columns that are decoded; their arrays become read-only."""
        samples = samples or {}
        for column in (*columns.values(), *samples.values()):
            column.flags.writeable = False
        return cls(len(columns["ids"]), Lazy.of((columns, samples)))

    @classmethod
    def joined(cls, parts: list[Rows]) -> Rows:
        """All rows of the parts, in order. Once joined, the parts are views of the result."""
        if len(parts) == 1:
            return parts[0]
        found = list(parts)  # the caller may add to its own
        return cls(sum(map(len, found)), Lazy(lambda: _joined(found)))

    def __len__(self) -> int:
        return self._count

    @property
    def columns(self) -> Columns:
        return self._columns.get()[0]

    @property
    def samples(self) -> Columns:
        return self._columns.get()[1]

    @property
    def ids(self) -> Array:
        return self.columns["ids"]

    def locate(self, ids: Array) -> Array:
        """The index of the last row of each ID, a uint64; -1 for those without one."""
        in_order, order = self._sorted()
        if not len(order):
            return np.full(len(ids), -1)
        places = np.searchsorted(in_order, ids, side="right") - 1
        return np.where(in_order[places] == ids, order[places], -1)

    def find(self, id: int) -> int:
        """The index of the last row of an ID; -1 if there is none."""
        return int(self.locate(np.array([id], np.uint64))[0])

    def id_at(self, path: str) -> int | None:
        """The ID of the object at a path, if the rows have the column "paths"."""
        if self._by_path is None:
            self._by_path = dict(zip(self.columns["paths"], self.ids.tolist()))
        return self._by_path.get(path)

    def span(self, row: int) -> slice:
        """Where the samples of a row are."""
        end = int(self.columns["ends"][row])
        return slice(end - int(self.columns["counts"][row]), end)

    def take(self, rows: Array) -> Rows:
        """Some rows, in the order of their indices."""
        columns = {name: column[rows] for name, column in self.columns.items() if name != "ends"}
        if not self.samples:
            return Rows.of(columns)
        add_ends(columns)
        shift = self.columns["ends"][rows] - columns["ends"]  # the begins move as the ends do
        shifts = np.repeat(shift, columns["counts"])
        places = shifts + np.arange(len(shifts))
        return Rows.of(columns, {name: found[places] for name, found in self.samples.items()})

    def without(self, ids: Array) -> Rows:
        """The rows of other IDs; this object itself if these are all."""
        kept = ~np.isin(self.ids, ids)
        return self if kept.all() else self.take(np.flatnonzero(kept))

    def unique(self) -> Rows:
        """The rows without those whose ID has a later one."""
        in_order, order = self._sorted()
        repeated = in_order[1:] == in_order[:-1]
        if not repeated.any():
            return self
        return self.take(np.sort(order[np.append(~repeated, True)]))

    def _sorted(self) -> tuple[Array, Array]:
        """The IDs in ascending order, and their rows."""
        if self._index is None:
            rows = np.argsort(self.ids, kind="stable")
            self._index = self.ids[rows], rows
        return self._index


def add_ends(columns: dict[str, Array]) -> None:
    """Adds where the samples of rows end to their columns."""
    columns["ends"] = np.cumsum(columns["counts"], dtype=np.int64)


def _concatenated(parts: list[Rows]) -> Rows:
    columns = {
        name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns
    }
    samples = {
        name: np.concatenate([part.samples[name] for part in parts]) for name in parts[0].samples
    }
    if samples:
        add_ends(columns)
    return Rows.of(columns, samples)


def _joined(parts: list[Rows]) -> tuple[Columns, Columns]:
    """The columns of all parts, of whose own columns it makes views, so that no copies are left."""
    whole = _concatenated(parts)
    columns, samples = whole.columns, whole.samples
    row = sample = 0
    for part in parts:
        rows = slice(row, row + len(part))
        views = {name: column[rows] for name, column in columns.items()}
        if not samples:
            part._columns.set((views, {}))
        else:
            views["ends"] = part.columns["ends"]
            end = sample + int(views["counts"].sum())
            part._columns.set((views, {name: found[sample:end] for name, found in samples.items()}))
            sample = end
        row = rows.stop
    return columns, samples


def _overlaid(below: Rows, above: Rows) -> Rows:
    """The rows of both; those of `above` take the places of those below with the same ID."""
    both = _concatenated([below, above])
    rows = np.arange(len(below))
    places = below.locate(above.ids)
    known = places >= 0
    added = np.arange(len(below), len(both))
    rows[places[known]] = added[known]
    return both.take(np.concatenate([rows, added[~known]]))


def _pushed(layers: tuple[T, ...], layer: T, size: Callable[[T], int], merge: Any) -> tuple[T, ...]:
    """The layers with one more, which is merged with those that are less than twice as large."""
    below = list(layers)
    while below and size(below[-1]) < 2 * size(layer):
        layer = merge(below.pop(), layer)
    return (*below, layer)


class _Layer(NamedTuple):
    """Rows, and the IDs of objects whose rows in the layers below do not count."""

    rows: Rows
    gone: Array

    @property
    def size(self) -> int:
        return len(self.rows) + len(self.gone)

    def on(self, below: _Layer) -> _Layer:
        """This layer and the one below it as one."""
        kept = below.rows.without(self.gone) if len(self.gone) else below.rows
        return _Layer(_overlaid(kept, self.rows), np.union1d(below.gone, self.gone))


_NONE_GONE = np.empty(0, np.uint64)


class Table:
    """The rows of all objects of a kind. Immutable; making a new version shares the old one.

    empty: the columns that there are, without rows.
    """

    __slots__ = ("_empty", "_flat", "_layers")

    def __init__(self, empty: Rows, layers: tuple[_Layer, ...] = ()) -> None:
        self._empty = empty
        self._flat: Rows | None = None  # all rows, once they were asked for
        self._layers = layers

    def of(self, rows: Rows) -> Table:
        """A table of other rows of the same kind."""
        return Table(self._empty, (_Layer(rows, _NONE_GONE),) if len(rows) else ())

    def changed(self, parts: list[Rows], gone: Array = _NONE_GONE) -> Table:
        """Without objects that are gone, and with rows that are new, or take the place of others.

        gone: IDs, of which those that the table has not are ignored.
        """
        rows = Rows.joined(parts) if parts else self._empty
        if len(gone):
            gone = np.unique(gone[_locate(self._layers, gone)[0] >= 0])
        if not len(rows) and not len(gone):
            return self
        layers = _pushed(self._layers, _Layer(rows, gone), _size, _merged)
        if len(layers) == 1:
            return self.of(layers[0].rows)
        return Table(self._empty, layers)

    def find(self, id: int) -> tuple[Rows, int] | None:
        """Where the row of an object is."""
        layers = self._layers
        numbers, rows = _locate(layers, np.array([id], np.uint64))
        return (layers[numbers[0]].rows, int(rows[0])) if numbers[0] >= 0 else None

    def id_at(self, path: str) -> int | None:
        """The ID of the object at a path, if the rows have the column "paths"."""
        for layer in reversed(self._layers):
            id = layer.rows.id_at(path)
            if id is not None:
                return id if self.find(id) is not None else None
        return None

    def select(self, ids: Array) -> Rows:
        """The rows of some objects, in this order. KeyError if one has none."""
        layers = self._layers
        numbers, rows = _locate(layers, ids)
        if (numbers < 0).any():
            raise KeyError(int(ids[numbers < 0][0]))
        if not len(ids):
            return self._empty
        if len(layers) == 1:
            return layers[0].rows.take(rows)
        taken = [layer.rows.take(rows[numbers == i]) for i, layer in enumerate(layers)]
        return _concatenated(taken).take(np.argsort(np.argsort(numbers, kind="stable")))

    def flat(self) -> Rows:
        """All rows, in the order in which the objects became known."""
        if self._flat is None:
            layers = self._layers
            flat = layers[0] if layers else _Layer(self._empty, _NONE_GONE)
            for layer in layers[1:]:
                flat = layer.on(flat)
            self._flat = flat.rows.unique()
            self._layers = self.of(self._flat)._layers
        return self._flat


def _locate(layers: tuple[_Layer, ...], ids: Array) -> tuple[Array, Array]:
    """For each ID, the number of the layer that has its row, and of the row; -1 if none has it."""
    numbers = np.full(len(ids), -1)
    rows = np.zeros(len(ids), np.int64)
    for number, layer in enumerate(layers):
        if len(layer.gone):
            numbers[np.isin(ids, layer.gone)] = -1
        places = layer.rows.locate(ids)
        found = places >= 0
        numbers[found] = number
        rows[found] = places[found]
    return numbers, rows


def _size(layer: _Layer) -> int:
    return layer.size


def _merged(below: _Layer, above: _Layer) -> _Layer:
    return above.on(below)


class Objects(Mapping[int, T], Generic[T]):
    """Objects of a kind by ID. Immutable; making a new version shares the old one.

    In a layer, None stands for an object of the layers below that is gone.
    """

    __slots__ = ("_layers",)

    def __init__(self, layers: tuple[dict[int, T | None], ...] = ()) -> None:
        self._layers = layers

    def changed(self, objects: Mapping[int, T], gone: Iterable[int] = ()) -> Objects[T]:
        """Without objects that are gone, and with some that are new, or take the place of others.

        gone: IDs, of which those that are not known are ignored.
        """
        layer: dict[int, T | None] = {id: None for id in gone if id in self}
        layer.update(objects)
        if not layer:
            return self
        layers = _pushed(self._layers, layer, len, _united)
        return Objects(layers) if len(layers) > 1 else Objects.of(layers[0])

    @staticmethod
    def of(objects: Mapping[int, T | None]) -> Objects[T]:
        """Objects without those that are gone."""
        left: dict[int, T | None] = {id: o for id, o in objects.items() if o is not None}
        return Objects((left,) if left else ())

    def __getitem__(self, id: int) -> T:
        for layer in reversed(self._layers):
            if id in layer:
                found = layer[id]
                if found is not None:
                    return found
                break
        raise KeyError(id)

    def __contains__(self, id: object) -> bool:
        for layer in reversed(self._layers):
            if id in layer:
                return layer[id] is not None
        return False

    def __iter__(self) -> Iterator[int]:
        return iter(self._flat())

    def __len__(self) -> int:
        return len(self._flat())

    def values(self) -> ValuesView[T]:
        return cast("dict[int, T]", self._flat()).values()

    def items(self) -> ItemsView[int, T]:
        return cast("dict[int, T]", self._flat()).items()

    def _flat(self) -> dict[int, T | None]:
        """All of them, in the order in which they became known."""
        if len(self._layers) > 1:
            flat: dict[int, T | None] = {}
            for layer in self._layers:
                flat.update(layer)
            self._layers = self.of(flat)._layers
        return self._layers[0] if self._layers else {}


def _united(below: dict[int, T | None], above: dict[int, T | None]) -> dict[int, T | None]:
    return {**below, **above}
