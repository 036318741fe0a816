"""The contents of a frame, and how the messages of a stream change them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stagedoor import _frame_columns, _frame_objects, _render
from stagedoor._decode import damaged, warnings
from stagedoor._frame_arrays import HeldArrays
from stagedoor._layers import Objects, Rows, Table
from stagedoor._proto import Message
from stagedoor._results.frames import Find
from stagedoor.errors import Error
from stagedoor.results import (
    FrameCamera,
    FrameErrors,
    FrameGeometries,
    FrameGeometry,
    FrameLights,
    FrameLightSets,
    FrameMaterials,
    FramePart,
    FramePrims,
    FrameRemoved,
    FrameSettings,
    FrameSubsets,
    FrameTransforms,
    FrameVisibility,
    RenderSettings,
)
from stagedoor.types import Array, Warning

TABLES: dict[str, Any] = {
    kind.kind: kind for kind in (FramePrims, FrameVisibility, FrameTransforms)
}
OBJECTS: dict[str, Any] = {
    kind.kind: kind
    for kind in (FrameMaterials, FrameLights, FrameLightSets, FrameGeometries, FrameSubsets)
}

# Objects that nothing refers to any more are dropped when they may be as many as this share of the
# prims, so that finding them costs no more than what has changed.
_MOST_UNUSED = 0.25

# The kinds of objects whose arrays the next frame may have again.
_WITH_ARRAYS = ("geometry", "subsets", "lights")

_NO_IDS = np.empty(0, np.uint64)


@dataclass(frozen=True)
class Contents:
    """All that a frame holds. Immutable; that of the next frame shares what did not change.

    unused: how many objects there may be that nothing refers to any more.
    """

    tables: Mapping[str, Table]
    objects: Mapping[str, Objects[Any]]
    settings: RenderSettings | None = None
    camera: FrameCamera | None = None
    unused: int = 0
    # The results of `view`, by kind.
    _views: dict[str, Any] = field(default_factory=dict, init=False)

    def view(self, kind: str) -> Any:
        """The objects of a kind, which the property of the frame with this name returns."""
        if kind not in self._views:
            self._views[kind] = self._made(kind)
        return self._views[kind]

    def _made(self, kind: str) -> Any:
        find = None
        if kind in ("visibility", "transforms"):
            find = _object_finder(self.view("prims"), self.view("lights"))
        elif kind == "geometry":
            find = _geometry_finder(self.view("prims"))
        if kind in TABLES:
            return TABLES[kind](self.tables[kind], find)
        return OBJECTS[kind](self.objects[kind], find)

    def ids(self) -> Array:
        """The IDs of all objects, ascending."""
        found = [self.tables["prims"].flat().ids]
        found += [np.fromiter(objects, np.uint64) for objects in self.objects.values()]
        return np.unique(np.concatenate(found))

    def used(self) -> Contents:
        """Without objects that nothing refers to."""
        columns = self.tables["prims"].flat().columns
        prims = set(columns["ids"].tolist())
        subsets = _only(self.objects["subsets"], lambda subset: subset.prim in prims)
        geometry = set(columns["geometry"].tolist())
        materials = set(columns["materials"].tolist())
        for user in (*subsets.values(), *self.objects["lights"].values()):
            materials.add(user.material)
        objects = {
            **self.objects,
            "subsets": subsets,
            "geometry": _only(self.objects["geometry"], lambda found: found.id in geometry),
            "materials": _only(self.objects["materials"], lambda found: found.id in materials),
        }
        return dataclasses.replace(self, objects=objects, unused=0)


def _object_finder(prims: FramePrims, lights: FrameLights) -> Find:
    """Finds the ID of the prim or the light at a path."""

    def find(path: str) -> int | None:
        id = prims.id_at(path)
        return id if id is not None else lights.id_at(path)

    return find


def _geometry_finder(prims: FramePrims) -> Find:
    """Finds the ID of the geometry of the prim at a path."""

    def find(path: str) -> int | None:
        prim = prims.get(path)
        return None if prim is None else prim.geometry

    return find


def _only(objects: Objects[Any], is_used: Any) -> Objects[Any]:
    return objects.changed({}, [id for id, found in objects.items() if not is_used(found)])


NOTHING = Contents(
    {kind: Table(_frame_columns.EMPTY[kind]) for kind in TABLES},
    {kind: Objects() for kind in OBJECTS},
)


class Arrival:
    """A frame as it arrives, on top of what the frame before holds. Not thread-safe.

    If the daemon is lost in the middle, another one sends the same frame again, without the objects
    that have come before.
    """

    def __init__(self, base: Contents, held: HeldArrays) -> None:
        self._base = base
        self._held = held
        self.changed: tuple[int, ...] = ()  # IDs of objects with arrays, once all have come
        self.begin(again=False)

    def begin(self, *, again: bool) -> None:
        """Prepares for a stream. `again`: whether what the one before has brought is kept."""
        if not again:
            self.header: Message | None = None
            self.token = b""
            self.parts: list[FramePart] = []
            self.errors: dict[str, Error] = {}
            self.warnings: tuple[Warning, ...] = ()
            self._settings, self._camera = self._base.settings, self._base.camera
            self._rows: dict[str, list[Rows]] = {kind: [] for kind in TABLES}
            self._objects: dict[str, dict[int, Any]] = {kind: {} for kind in OBJECTS}
            self._gone = _NO_IDS
            self._contents: Contents | None = None  # what there is, if it was asked for
        # The geometry that has come, by ID.
        self._come: dict[int, FrameGeometry] = dict(self._objects["geometry"])
        # The IDs of what earlier streams have brought.
        self._known: dict[str, Any] = {kind: set(new) for kind, new in self._objects.items()}
        for kind, parts in self._rows.items():
            self._known[kind] = np.concatenate([_NO_IDS, *(rows.ids for rows in parts)])

    def take(self, message: Message) -> list[FramePart]:
        """The parts of a message that are new."""
        self._contents = None
        found = [part for part in self._parts_of(message) if part is not None]
        self.parts += found
        return found

    def end(self) -> None:
        """Forgets the frame before, and all else that only messages need."""
        if self.header is None or not self.token:
            raise damaged("a frame without an end")
        self.changed = tuple(id for kind in _WITH_ARRAYS for id in self._objects[kind])
        self._contents = self._settled(self.header)
        self._held.release()
        self._base = NOTHING
        self._rows, self._objects, self._known, self._come = {}, {}, {}, {}

    @property
    def complete(self) -> bool:
        """Whether all of the frame is sent, not only what differs from the frame before."""
        return self.header is not None and bool(self.header.complete)

    @property
    def total(self) -> int:
        """The number of prims that can come; 0 while the daemon still has to find them."""
        return int(self.header.prim_count) if self.header is not None else 0

    @property
    def prim_count(self) -> int:
        """The number of prims that have come."""
        return sum(map(len, self._rows["prims"]))

    def contents(self) -> Contents:
        """The contents of the frame with all that has come."""
        if self._contents is None:
            self._contents = self._applied()
        return self._contents

    def _applied(self) -> Contents:
        before = NOTHING if self.complete else self._base
        gone = self._gone.tolist()
        tables = {
            kind: table.changed(self._rows[kind], self._gone)
            for kind, table in before.tables.items()
        }
        objects = {
            kind: found.changed(self._objects[kind], gone) for kind, found in before.objects.items()
        }
        if self._is_same(before, {**tables, **objects}):
            return before
        return Contents(tables, objects, self._settings, self._camera, before.unused)

    def _is_same(self, before: Contents, kinds: Mapping[str, Any]) -> bool:
        """Whether nothing differs from what there was before."""
        if self._settings is not before.settings or self._camera is not before.camera:
            return False
        return all(
            kinds[kind] is found for kind, found in {**before.tables, **before.objects}.items()
        )

    def _settled(self, header: Message) -> Contents:
        """The contents of the frame at the end of its stream."""
        contents = self.contents()
        if self.complete:
            return contents
        users = self.prim_count + len(self._objects["subsets"]) + len(self._objects["lights"])
        unused = contents.unused + users + len(self._gone)
        if unused > header.prim_count * _MOST_UNUSED:
            return contents.used()
        if unused == contents.unused:
            return contents
        return dataclasses.replace(contents, unused=unused)

    # ------------------------------------------------------------------------------------- parts

    def _parts_of(self, message: Message) -> Iterator[FramePart | None]:
        if message.HasField("header"):
            yield from self._header_parts(message.header)
        header = self.header
        if header is None:
            raise damaged("a frame without a header")
        if message.prim_count:  # which the header has not
            header.prim_count = message.prim_count
        if message.HasField("materials"):
            yield self._new("materials", _frame_objects.materials(message.materials))
        lights = {m.id: _frame_objects.light(m, self._held) for m in message.lights}
        yield self._new("lights", lights)
        sets = {m.id: _frame_objects.light_set(m) for m in message.light_sets}
        yield self._new("light_sets", sets)
        for kind in TABLES:
            if message.HasField(kind):
                yield self._new_rows(kind, getattr(message, kind))
        yield self._new("geometry", self._geometry(message.geometry))
        subsets = {m.id: _frame_objects.subset(m, self._held) for m in message.subsets}
        yield self._new("subsets", subsets)
        yield self._removed(np.fromiter(message.removed, np.uint64))
        yield self._problems(message)
        if message.token:
            yield self._removed(self._left_out())
            self.token = bytes(message.token)

    def _header_parts(self, header: Message) -> Iterator[FramePart]:
        first = self.header is None
        self.header = header
        if not first:  # the same that an earlier stream has brought
            return
        if header.complete or not header.settings_path:
            self._settings = None
        if header.complete or not header.camera_path:
            self._camera = None
        if header.HasField("settings"):
            self._settings = _render.settings_of(header.settings)
        if header.HasField("camera"):
            self._camera = _frame_objects.camera(header.camera_path, header.camera)
        if self._settings is not self._base.settings:
            yield FrameSettings(self._settings)
        if self._camera is not self._base.camera:
            yield self._camera or FrameCamera("", np.empty(0), (), None)

    def _new(self, kind: str, objects: dict[int, Any]) -> FramePart | None:
        """The part of objects that come one by one; None if there are none."""
        known = self._known[kind]
        new = {id: found for id, found in objects.items() if id not in known}
        if not new:
            return None
        self._objects[kind].update(new)
        part: FramePart = OBJECTS[kind](Objects.of(new))
        return part

    def _new_rows(self, kind: str, message: Message) -> FramePart | None:
        """The part of objects that come in columns; None if there are none."""
        rows = _frame_columns.rows(kind, message)
        if len(self._known[kind]):
            rows = rows.without(self._known[kind])
        if not len(rows):
            return None
        self._rows[kind].append(rows)
        part: FramePart = TABLES[kind](NOTHING.tables[kind].of(rows))
        return part

    def _geometry(self, messages: Iterable[Message]) -> dict[int, FrameGeometry]:
        """Geometries after messages about them, of which there may be several about one."""
        found: dict[int, FrameGeometry] = {}
        come = self._come
        bases = self._base.objects["geometry"]
        try:
            for message in messages:
                id = message.id
                base = bases.get(id) if bases else None
                before = come.get(id)
                if before is None and not self.complete:
                    before = base
                come[id] = found[id] = _frame_objects.geometry(
                    message, base, before, self._held, come.__getitem__
                )
        except KeyError:
            raise damaged("values of a geometry that has not come") from None
        return found

    def _removed(self, ids: Array) -> FrameRemoved | None:
        new = np.setdiff1d(ids, self._gone) if len(ids) else ids
        if not len(new):
            return None
        new.flags.writeable = False
        self._gone = np.union1d(self._gone, new)
        return FrameRemoved(new)

    def _left_out(self) -> Array:
        """The IDs of objects of the frame before that are not in a complete frame."""
        if not self.complete or self._base is NOTHING:
            return _NO_IDS
        return np.setdiff1d(self._base.ids(), self.contents().ids())

    def _problems(self, message: Message) -> FrameErrors | None:
        found = _frame_objects.errors(message.error_paths, message.path_errors)
        errors = {path: error for path, error in found.items() if path not in self.errors}
        new = tuple(w for w in warnings(message.warnings) if w not in self.warnings)
        if not errors and not new:
            return None
        self.errors.update(errors)
        self.warnings += new
        return FrameErrors(errors, new)
