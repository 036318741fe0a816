"""Frames for the viewport: all of the first one, and of the next ones what differs.

Each viewport of a page is a viewer, for which the frame that it shows is kept. What is sent are
blocks of JSON and arrays (see _packed), each with its length before it, as the parts of the frame
arrive. Objects have small numbers, which are those of a viewer.

While the time moves, a viewer without a graphics card draws coarser shapes, and is sent only the
points of these; the others follow when it asks for a frame that is not coarse.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from starlette.responses import Response, StreamingResponse

from stagedoor.errors import Error
from stagedoor.inspect._ask import Ask, Refused, cut, error_of
from stagedoor.inspect._held import HeldStage
from stagedoor.inspect._packed import Gathered, packed
from stagedoor.inspect._shown import finite, time_text
from stagedoor.inspect._tree import child_names, prim_path
from stagedoor.results import FrameGeometry, FrameMaterial
from stagedoor.types import Array, TimeCode

MAX_PRIMS = 20_000
MAX_BYTES = 192 << 20  # of arrays
MAX_INSTANCES = 200_000  # of an instancer
MAX_COARSE_POINTS = 1 << 20  # of a geometry
MAX_CAMERAS = 100
MAX_BOXES = 300
_MAX_VIEWERS = 8  # of a stage
_PURPOSES = ("default", "render", "proxy", "guide")

# The values of a geometry that are drawn; the others are not sent.
_VALUES = frozenset(
    [
        *("points", "faceVertexCounts", "faceVertexIndices", "holeIndices", "orientation"),
        *("curveVertexCounts", "type", "wrap", "basis", "radius", "height", "size", "axis"),
        *("width", "length", "radiusTop", "radiusBottom", "primvars:displayColor"),
    ]
)
# The inputs of shaders that have their color, in the order in which they are looked for.
_COLORS = ("diffuseColor", "base_color", "baseColor", "diffuse_color", "color", "base")


class _TooLarge(Exception):
    """The frame has more than a page can draw."""


@dataclass(frozen=True)
class Coarse:
    """What is drawn of a geometry with `count` points while the time moves: some of them."""

    count: int
    sources: Array


@dataclass(eq=False)
class Viewer:
    """The contents of a viewport: a frame, and the numbers of its objects."""

    key: tuple[Any, ...]  # the selection
    frame: Any = None
    sequence: int = 0  # counts the frames that were sent in full
    numbers: dict[int, int] = field(default_factory=dict)
    coarse: dict[int, Coarse] = field(default_factory=dict)  # by the number of the geometry
    behind: set[int] = field(default_factory=set)  # IDs of geometry of which it lacks points
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def number(self, id: int) -> int:
        """The number of an object; 0 stands for none."""
        if id == 0:
            return 0
        return self.numbers.setdefault(id, len(self.numbers) + 1)

    def forget(self) -> None:
        """Forgets what it holds, because it is sent all of a frame."""
        self.numbers.clear()
        self.coarse.clear()
        self.behind.clear()

    def column(self, ids: Iterable[int]) -> Array:
        return np.fromiter((self.number(int(id)) for id in ids), np.uint32)


async def frame(held: HeldStage, ask: Ask) -> Response:
    """The frame at a time, or what differs from the one that `base` names."""
    key = _selection(ask)
    viewer = _viewer(held, ask.text("viewer", limit=64), key)
    base = ask.whole("base", 0, 0, 1 << 31)
    blocks = _blocks(held, viewer, ask.time(), base, ask.flag("coarse"))

    async def content() -> AsyncIterator[bytes | memoryview]:
        gathered = Gathered()
        try:
            async for header, arrays in blocks:
                for part in gathered.add(_framed(header, arrays)):
                    yield part
                # The difference from a base is small; all of a frame is shown as it arrives.
                for part in gathered.rest() if not base else ():
                    yield part
        except (Error, ValueError) as error:
            for part in gathered.add(_framed({"kind": "error", "error": error_of(error)}, {})):
                yield part
        for part in gathered.rest():
            yield part

    return StreamingResponse(content(), media_type="application/octet-stream")


def _framed(header: dict[str, Any], arrays: dict[str, Array]) -> list[memoryview]:
    """A block, with its length before it."""
    parts = packed(header, arrays)
    length = sum(map(len, parts)).to_bytes(4, "little") + bytes(4)
    return [memoryview(length), *parts]


def _selection(ask: Ask) -> tuple[Any, ...]:
    path = prim_path(ask)
    camera = ask.text("camera", "")
    purposes = tuple(ask.text("purposes", "default,render").split(","))
    if not purposes or not set(purposes) <= set(_PURPOSES):
        raise Refused(f"'purposes' must be some of {','.join(_PURPOSES)}")
    return (() if path == "/" else (path,)), camera or None, purposes


def _viewer(held: HeldStage, name: str, key: tuple[Any, ...]) -> Viewer:
    viewers: OrderedDict[str, Viewer] = held.cache.setdefault("viewers", OrderedDict())
    if name not in viewers or viewers[name].key != key:
        viewers[name] = Viewer(key)
    viewers.move_to_end(name)
    while len(viewers) > _MAX_VIEWERS:
        viewers.popitem(last=False)
    return viewers[name]


Block = tuple[dict[str, Any], dict[str, Array]]


async def _blocks(
    held: HeldStage, viewer: Viewer, time: TimeCode, base: int, coarse: bool
) -> AsyncIterator[Block]:
    async with viewer.lock:
        before = viewer.frame if base and base == viewer.sequence else None
        viewer.frame = None  # until all of the next one has been sent
        roots, camera, purposes = viewer.key
        if before is not None:
            made = before.next(time)
        else:
            viewer.forget()
            made = held.stage.frame(
                time,
                roots=roots,
                camera=camera,
                purposes=purposes,
                primvars=["displayColor"],
                changes_between_snapshots=bool(held.key.session),
            )
        async for block in _sent(viewer, made, before is not None, coarse):
            yield block


async def _sent(viewer: Viewer, made: Any, is_next: bool, coarse: bool) -> AsyncIterator[Block]:
    """The blocks of a frame, from the first to the last."""
    sender = _Sender(viewer, coarse)
    began = False
    try:
        async for part in made:
            if not began:
                began = True
                yield _begin(viewer, made, is_next)
            for block in sender.blocks(part):
                yield block
    except _TooLarge:
        viewer.sequence += 1
        yield _begin(viewer, made, False) if not began else ({"kind": "cut"}, {})
        yield {"kind": "end", "base": 0}, {}
        return
    if not began:
        yield _begin(viewer, made, is_next)
    if viewer.behind and not coarse:
        yield sender.left_out(made)
    viewer.sequence += 1
    viewer.frame = made
    yield {"kind": "end", "base": viewer.sequence}, {}


def _begin(viewer: Viewer, made: Any, is_next: bool) -> Block:
    header = {
        "kind": "begin",
        "complete": not is_next,
        "time": time_text(made.time),
        "snapshot": made.snapshot,
        "prims": made.prim_count,
        "upAxis": made.up_axis,
        "metersPerUnit": finite(made.meters_per_unit),
    }
    return header, {}


class _Sender:
    """Turns the parts of a frame into blocks, up to a limit."""

    def __init__(self, viewer: Viewer, coarse: bool) -> None:
        self._viewer = viewer
        self._coarse = coarse
        self._prims = 0
        self._bytes = 0
        self._by_kind: dict[str, Callable[[Any], Iterable[Block]]] = {
            "prims": self._prim_blocks,
            "visibility": self._visibility,
            "transforms": self._transforms,
            "geometry": self._geometry,
            "materials": self._materials,
            "lights": self._lights,
            "camera": self._camera,
            "removed": self._removed,
            "errors": self._errors,
        }

    def blocks(self, part: Any) -> Iterable[Block]:
        make = self._by_kind.get(part.kind)
        return () if make is None else make(part)

    def left_out(self, made: Any) -> Block:
        """The points that were not sent while the time moved."""
        entries: list[dict[str, Any]] = []
        arrays: dict[str, Array] = {}
        for id in sorted(self._viewer.behind):
            if id in made.geometry:
                points = self._value(made.geometry[id]["points"], arrays)
                entry = {"number": self._viewer.number(id), "values": {"points": points}}
                entries.append({**entry, "removed": []})
        self._viewer.behind.clear()
        return {"kind": "geometry", "geometry": entries}, arrays

    def _prim_blocks(self, part: Any) -> Iterable[Block]:
        self._prims += len(part)
        if self._prims > MAX_PRIMS:
            raise _TooLarge
        number = self._viewer.column
        header = {
            "kind": "prims",
            "paths": part.paths.tolist(),
            "types": part.type_names.tolist(),
            "purposes": part.purposes.tolist(),
        }
        arrays = {
            "numbers": number(part.ids),
            "geometry": number(part.geometry),
            "materials": number(part.materials),
            "prototypes": number(part.prototypes),
        }
        yield header, arrays

    def _visibility(self, part: Any) -> Iterable[Block]:
        arrays = {"numbers": self._viewer.column(part.ids), "visible": part.visible}
        yield {"kind": "visibility"}, arrays

    def _transforms(self, part: Any) -> Iterable[Block]:
        ends = np.cumsum(part.counts)
        firsts = ends - part.counts  # the first sample of each, since the page blurs nothing
        matrices = part.matrices[firsts].astype(np.float32)
        yield (
            {"kind": "transforms"},
            {
                "numbers": self._viewer.column(part.ids),
                "matrices": matrices,
            },
        )

    def _geometry(self, part: Any) -> Iterable[Block]:
        entries: list[dict[str, Any]] = []
        arrays: dict[str, Array] = {}
        for found in part.values():
            entries.append(self._geometry_entry(found, arrays))
        if self._bytes > MAX_BYTES:
            raise _TooLarge
        yield {"kind": "geometry", "geometry": entries}, arrays

    def _geometry_entry(self, found: FrameGeometry, arrays: dict[str, Array]) -> dict[str, Any]:
        number = self._viewer.number(found.id)
        entry: dict[str, Any] = {"number": number, "values": {}}
        entry["removed"] = sorted(_VALUES & found.removed)
        changed = sorted(_VALUES & found.changed)
        coarse = self._viewer.coarse.get(number) if self._coarse and changed == ["points"] else None
        if coarse is not None and len(found["points"].value) == coarse.count:
            entry["values"]["points"] = self._coarse_points(found, coarse, arrays)
            self._viewer.behind.add(found.id)
            return entry
        for name in changed:
            entry["values"][name] = self._value(found[name], arrays)
        if "points" in changed:
            self._viewer.behind.discard(found.id)
        if found.instances is not None:
            entry["instances"] = self._instances(found.instances, arrays)
        return entry

    def _value(self, value: Any, arrays: dict[str, Array]) -> dict[str, Any]:
        made: dict[str, Any] = {"interpolation": value.interpolation}
        first = value.value
        if isinstance(first, np.ndarray):
            made["array"] = self._array(first, arrays)
            if value.indices:
                made["indices"] = self._array(value.indices[0], arrays)
        elif isinstance(first, (int, float)) and not isinstance(first, bool):
            made["number"] = finite(first)
        else:
            made["text"] = cut(str(first), 100)
        return made

    def _coarse_points(
        self, found: FrameGeometry, coarse: Coarse, arrays: dict[str, Array]
    ) -> dict[str, Any]:
        value = found["points"]
        points = self._array(value.value[coarse.sources], arrays)
        return {"interpolation": value.interpolation, "array": points, "coarse": True}

    def _array(self, array: Array, arrays: dict[str, Array]) -> str:
        kinds = {"f": np.float32, "i": np.int32, "u": np.uint32}
        kind = kinds.get(array.dtype.kind)
        if kind is not None and array.dtype != kind:
            array = array.astype(kind)
        self._bytes += array.nbytes
        name = str(len(arrays))
        arrays[name] = array
        return name

    def _instances(self, found: Any, arrays: dict[str, Array]) -> dict[str, Any]:
        count = min(len(found.prototype_indices), MAX_INSTANCES)
        matrices = found.transforms[0][:count] if found.transforms else np.empty((0, 4, 4))
        return {
            "prototypes": [self._viewer.number(id) for id in found.prototypes],
            "indices": self._array(found.prototype_indices[:count], arrays),
            "matrices": self._array(matrices.astype(np.float32), arrays),
            "total": len(found.prototype_indices),
        }

    def _materials(self, part: Any) -> Iterable[Block]:
        entries = [
            {"number": self._viewer.number(found.id), "path": found.path, "color": _color(found)}
            for found in part.values()
        ]
        yield {"kind": "materials", "materials": entries}, {}

    def _lights(self, part: Any) -> Iterable[Block]:
        entries = [
            {
                "number": self._viewer.number(found.id),
                "path": found.path,
                "type": cut(found.type_name, 200),
            }
            for found in part.values()
            if not found.is_filter
        ]
        yield {"kind": "lights", "lights": entries}, {}

    def _camera(self, part: Any) -> Iterable[Block]:
        if part.samples:
            yield {"kind": "camera", "path": part.path, **_camera(part.samples[0])}, {}

    def _removed(self, part: Any) -> Iterable[Block]:
        yield {"kind": "removed"}, {"numbers": self._viewer.column(part.ids)}

    def _errors(self, part: Any) -> Iterable[Block]:
        problems = [
            {"path": cut(path), "message": cut(error.message)}
            for path, error in list(part.errors.items())[:20]
        ]
        if problems:
            yield {"kind": "errors", "errors": problems, "total": len(part.errors)}, {}


def _color(found: FrameMaterial) -> list[float] | None:
    """The color of a material, if one of its shaders has one that is not from a texture."""
    network = found.network if found.error is None else None
    for node in network.nodes.values() if network is not None else ():
        for name in _COLORS:
            port = node.inputs.get(name)
            value = port.value if port is not None and not port.connections else None
            if isinstance(value, np.ndarray) and value.shape == (3,):
                return [float(x) for x in np.clip(np.nan_to_num(value), 0, 1)]
    return None


def _camera(sample: Any) -> dict[str, Any]:
    return {
        "matrix": [finite(x) for x in np.asarray(sample.transform).reshape(-1)],
        "orthographic": sample.projection == "orthographic",
        # At a distance of 1 from a perspective camera.
        "window": [finite(x) for x in np.asarray(sample.frustum.window).reshape(-1)],
    }


async def coarse(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """Takes which points of geometry a viewer draws while the time moves."""
    viewers: OrderedDict[str, Viewer] = held.cache.get("viewers", OrderedDict())
    viewer = viewers.get(ask.text("viewer", limit=64))
    if viewer is None:
        return {"known": False}
    for shape in ask.objects("shapes", MAX_PRIMS):
        count = shape.whole("points", 0, 0, 1 << 31)
        sources = np.array(shape.wholes("sources", MAX_COARSE_POINTS, count - 1), np.uint32)
        viewer.coarse[shape.whole("number", 0, 0, 1 << 31)] = Coarse(count, sources)
    return {"known": True}


# ------------------------------------------------------------------------------- what is around it


async def cameras(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The cameras of the stage, and where they are at a time."""
    known = held.cache.get("cameras")
    if known is None or known[0] != held.session.snapshot:
        paths = []
        async for prim in held.stage.traverse(type="Camera", instance_proxies=True):
            paths.append(prim.path)
            if len(paths) == MAX_CAMERAS:
                break
        known = held.cache["cameras"] = (held.session.snapshot, paths)
    found = await held.stage.cameras(known[1], ask.time()) if known[1] else {}
    samples = {path: found.get(path) for path in known[1]}
    return {
        "cameras": [{"path": path, **_camera(sample)} for path, sample in samples.items() if sample]
    }


async def boxes(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """Boxes around parts of the stage, which are shown until the parts have come.

    The parts are the prims below `path`, level by level, until there are enough.
    """
    path, time = prim_path(ask), ask.time()
    parts = [path]
    for _ in range(4):
        below: list[str] = []
        for part in parts:
            names = (await child_names(held, part, "defined"))[: MAX_BOXES + 1]
            below += [f"{part.rstrip('/')}/{name}" for name in names] or [part]
            if len(below) > MAX_BOXES:
                break
        if len(below) > MAX_BOXES or below == parts:
            break
        parts = below
    table = await held.stage.bounds([part for part in parts if part != "/"], time)
    found = [box for box in table.values() if np.all(np.isfinite(box)) and np.all(box[0] <= box[1])]
    return {"boxes": [[finite(x) for x in box.reshape(-1)] for box in found]}
