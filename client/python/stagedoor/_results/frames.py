"""The parts of frames: the objects of a kind that arrive together, or that a frame holds."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, Union

import numpy as np

from stagedoor._layers import Objects, Rows, Table
from stagedoor._lazy import Lazy
from stagedoor._results.brief import Brief
from stagedoor._results.frame_objects import (
    FrameGeometry,
    FrameLight,
    FrameMaterial,
    FrameObject,
    FramePrim,
    FrameSubset,
)
from stagedoor._results.geometry import CameraSample, Motion
from stagedoor._results.rendering import RenderSettings, pass_members
from stagedoor._results.tables import path_text
from stagedoor.errors import Error
from stagedoor.types import Array, Warning

T = TypeVar("T")
K = TypeVar("K", bound="FrameTable[Any]")

# The ID or the path of an object of a frame, or an object with one of them.
FrameKey = Union[int, str, Any]
# Finds the ID of the object at a path; None if there is none.
Find = Callable[[str], "int | None"]


class FramePart:
    """A part of a frame as it arrives.

    kind: the name of the property of Frame that holds all of its kind.
    """

    kind = ""


# ------------------------------------------------------------------------------ objects in columns


class FrameTable(FramePart, Mapping[int, T], Generic[T]):
    """Objects of a kind in columns: those of a part, or all that a frame holds.

    Element i of each column is about the object whose ID is ids[i]. It is also a mapping by ID, and
    of a frame by path. Columns of parts are views of what has arrived; those of a frame are put
    together when they are asked for first, unless nothing has changed since the frame before.
    """

    def __init__(self, table: Table, find: Find | None = None) -> None:
        self._table = table
        self._find = find

    @property
    def ids(self) -> Array:
        """N uint64."""
        return self._column("ids")

    def select(self: K, ids: Array) -> K:
        """The columns of some objects, in the order of their IDs. KeyError if one is missing."""
        rows = self._table.select(np.asarray(ids, np.uint64))
        return type(self)(self._table.of(rows), self._find)

    def __getitem__(self, key: FrameKey) -> T:
        id = _id(key, "id", self.id_at)
        found = self._table.find(id) if 0 <= id < 1 << 64 else None
        if found is None:
            raise KeyError(key)
        return self._made(*found)

    def get(self, key: FrameKey, default: Any = None) -> Any:
        """The object or value of a key; `default` if the mapping has none."""
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __len__(self) -> int:
        return len(self._table.flat())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self):,}>"

    def _column(self, name: str) -> Array:
        return self._table.flat().columns[name]

    def id_at(self, path: str) -> int | None:
        """The ID of the object at a path; None if there is none, or paths are not known."""
        return self._find(path) if self._find is not None else None

    def _made(self, rows: Rows, row: int) -> T:
        """The object of a row."""
        raise NotImplementedError


class FramePrims(FrameTable[FramePrim]):
    """Prims to draw, in columns; a mapping to FramePrim by ID and by path. See FramePrim.

    They are in stage order; those that were added by later frames come at the end.
    """

    kind = "prims"

    @property
    def paths(self) -> Array:
        """N str."""
        return self._column("paths")

    @property
    def type_names(self) -> Array:
        """N str."""
        return self._column("type_names")

    @property
    def purposes(self) -> Array:
        """N str."""
        return self._column("purposes")

    @property
    def materials(self) -> Array:
        """N uint64: the IDs."""
        return self._column("materials")

    @property
    def light_sets(self) -> Array:
        """N uint64: the IDs."""
        return self._column("light_sets")

    @property
    def shadow_sets(self) -> Array:
        """N uint64: the IDs."""
        return self._column("shadow_sets")

    @property
    def geometry(self) -> Array:
        """N uint64: the IDs."""
        return self._column("geometry")

    @property
    def prototypes(self) -> Array:
        """N uint64: the IDs."""
        return self._column("prototypes")

    @property
    def pass_members(self) -> Array:
        """N uint8: a bit for each collection; 1, 2, 4 and 8 in the order of RenderPass.members."""
        return self._column("pass_members")

    @property
    def draw_modes(self) -> Array:
        """N str."""
        return self._column("draw_modes")

    def id_at(self, path: str) -> int | None:
        """The ID of the prim at a path; None if there is none."""
        return self._table.id_at(path)

    def _made(self, rows: Rows, row: int) -> FramePrim:
        columns = rows.columns
        return FramePrim(
            id=int(columns["ids"][row]),
            path=columns["paths"][row],
            type_name=columns["type_names"][row],
            purpose=columns["purposes"][row],
            material=int(columns["materials"][row]),
            light_set=int(columns["light_sets"][row]),
            shadow_set=int(columns["shadow_sets"][row]),
            geometry=int(columns["geometry"][row]),
            prototype=int(columns["prototypes"][row]),
            pass_members=pass_members(int(columns["pass_members"][row])),
            draw_mode=columns["draw_modes"][row],
        )


class FrameVisibility(FrameTable[bool]):
    """Whether prims and lights are visible, in columns; a mapping to bool by ID and by path."""

    kind = "visibility"

    @property
    def visible(self) -> Array:
        """N bool."""
        return self._column("visible")

    def _made(self, rows: Rows, row: int) -> bool:
        return bool(rows.columns["visible"][row])


class FrameTransforms(FrameTable[Motion]):
    """Where prims and lights are, in columns; a mapping to Motion by ID and by path.

    The samples of the first object come first in `times` and `matrices`, then those of the second
    and so on. A Motion has the times of an object and its matrices, S × 4 × 4 float64.
    """

    kind = "transforms"

    @property
    def counts(self) -> Array:
        """N uint32: the number of samples of each object; 1 if it does not vary in the shutter."""
        return self._column("counts")

    @property
    def times(self) -> Array:
        """float64: the time of each sample, in time codes of the stage; NaN for a single one."""
        return self._table.flat().samples["times"]

    @property
    def matrices(self) -> Array:
        """float64, 4 × 4 for each sample: to world space, or to that of the prototype's root.

        Matrices act on row vectors: p' = p @ M.
        """
        return self._table.flat().samples["matrices"]

    def _made(self, rows: Rows, row: int) -> Motion:
        span = rows.span(row)
        return Motion(rows.samples["times"][span], rows.samples["matrices"][span], False, ())


# ---------------------------------------------------------------------------------- other objects


class FrameObjects(FramePart, Mapping[int, T], Generic[T]):
    """Objects of a kind by ID: those of a part, or all that a frame holds."""

    # The field of FramePrim and others that names an object of this kind.
    _member = "id"

    def __init__(self, objects: Objects[T], find: Find | None = None) -> None:
        self._objects = objects
        self._find = find
        self._by_path = Lazy(lambda: {getattr(o, "path", ""): id for id, o in objects.items()})

    @property
    def ids(self) -> Array:
        """N uint64."""
        return np.fromiter(self._objects, np.uint64)

    def __getitem__(self, key: FrameKey) -> T:
        try:
            return self._objects[_id(key, self._member, self.id_at)]
        except KeyError:
            raise KeyError(key) from None

    def get(self, key: FrameKey, default: Any = None) -> Any:
        """The object or value of a key; `default` if the mapping has none."""
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None

    def __iter__(self) -> Iterator[int]:
        return iter(self._objects)

    def values(self) -> ValuesView[T]:
        return self._objects.values()

    def items(self) -> ItemsView[int, T]:
        return self._objects.items()

    def __len__(self) -> int:
        return len(self._objects)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self):,}>"

    def id_at(self, path: str) -> int | None:
        """The ID of the object at a path; None if there is none, or paths are not known."""
        if self._find is not None:
            return self._find(path)
        return self._by_path.get().get(path)


class FrameGeometries(FrameObjects[FrameGeometry]):
    """FrameGeometry by ID, by FramePrim, and of a frame by the path of a prim."""

    kind = "geometry"
    _member = "geometry"


class FrameMaterials(FrameObjects[FrameMaterial]):
    """FrameMaterial by ID, by path, and by the FramePrim, FrameSubset or FrameLight that has it."""

    kind = "materials"
    _member = "material"


class FrameLights(FrameObjects[FrameLight]):
    """FrameLight by ID and by path."""

    kind = "lights"


class FrameLightSets(FrameObjects[Array]):
    """The IDs of lights, uint64, by the ID of their set, and by FramePrim for its light_set."""

    kind = "light_sets"
    _member = "light_set"


class FrameSubsets(FrameObjects[FrameSubset]):
    """FrameSubset by ID and by path."""

    kind = "subsets"

    def __init__(self, objects: Objects[FrameSubset], find: Find | None = None) -> None:
        super().__init__(objects, find)
        self._of_prims: dict[int, list[FrameSubset]] | None = None

    def of(self, prim: FramePrim | int) -> tuple[FrameSubset, ...]:
        """The subsets of a prim."""
        if self._of_prims is None:
            self._of_prims = self._by_prim()
        return tuple(self._of_prims.get(prim if isinstance(prim, int) else prim.id, ()))

    def _by_prim(self) -> dict[int, list[FrameSubset]]:
        found: dict[int, list[FrameSubset]] = {}
        for subset in self._objects.values():
            found.setdefault(subset.prim, []).append(subset)
        return found


# ------------------------------------------------------------------------------------ other parts


@dataclass(frozen=True, repr=False)
class FrameCamera(FramePart, Brief):
    """The camera of a frame, with its samples in the shutter.

    path: in a part, empty if the frame has none any more.
    times: of the samples, in time codes of the stage; NaN for a single one.
    samples: as `Stage.cameras` returns them. Empty if there is an error.
    """

    kind = "camera"

    path: str
    times: Array
    samples: tuple[CameraSample, ...]
    error: Error | None


@dataclass(frozen=True, repr=False)
class FrameSettings(FramePart, Brief):
    """The render settings of a frame; None if it has none any more."""

    kind = "settings"

    settings: RenderSettings | None


@dataclass(frozen=True, repr=False)
class FrameRemoved(FramePart, Brief):
    """The IDs of objects that the frame before had, and that are gone: uint64."""

    kind = "removed"

    ids: Array


@dataclass(frozen=True, repr=False)
class FrameErrors(FramePart, Brief):
    """Errors by the path of the prim that could not be computed, and warnings."""

    kind = "errors"

    errors: Mapping[str, Error]
    warnings: tuple[Warning, ...]


def _id(key: FrameKey, member: str, find: Find) -> int:
    """The ID that a key stands for; `member`: the field of an object that has it."""
    if isinstance(key, (int, np.integer)):
        return int(key)
    if isinstance(key, FrameObject):
        return int(getattr(key, member, key.id))
    found = find(path_text(key))
    if found is None:
        raise KeyError(key)
    return found
