"""Plans and data of prims: descriptions, traversals and reading ahead."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from stagedoor import _times
from stagedoor._calls import Plan
from stagedoor._decode import enum_text, fields, site
from stagedoor._proto import Message, v1
from stagedoor._session import Session, StreamOf
from stagedoor._values import get_many, get_one, path_list
from stagedoor.batch import Values
from stagedoor.errors import Error, NotFoundError, sendable
from stagedoor.results import SiteList, VariantSet
from stagedoor.types import State, Time, TimeCode

_FLAGS = [
    "inactive",
    "unloaded",
    "undefined",
    "abstract",
    "model",
    "group",
    "instance",
    "instanceable",
    "instance_proxy",
    "has_payload",
    "prototype",
]

# How much of a prim is known. Each level includes the previous ones.
BASIC, PRIM, SOURCES, FULL, SAMPLES = 1, 2, 3, 4, 5
_BASIC_FIELDS = ["specifier", "type_name", *_FLAGS]
_PRIM_FIELDS = [
    *_BASIC_FIELDS,
    *("kind", "api_schemas", "schema_ancestors", "children", "variant_sets", "metadata"),
    "properties",
]
_SOURCES_FIELDS = [
    *_PRIM_FIELDS,
    *(f"properties.{name}" for name in ["source", "blocked", "might_be_time_varying"]),
]
_FULL_FIELDS = [
    *_SOURCES_FIELDS,
    *(f"properties.{name}" for name in ["metadata", "connections", "targets", "forwarded_targets"]),
]
_SAMPLES_FIELDS = [*_FULL_FIELDS, "properties.time_samples"]
FIELDS = {
    BASIC: _BASIC_FIELDS,
    PRIM: _PRIM_FIELDS,
    SOURCES: _SOURCES_FIELDS,
    FULL: _FULL_FIELDS,
    SAMPLES: _SAMPLES_FIELDS,
}

# The approximate size of the description of a prim, in bytes.
_PRIM_BYTES = 4096

# Reading ahead stops at so many prims, and at so many bytes of values.
_MAX_AHEAD = 512
_MAX_AHEAD_BYTES = 8 << 20
# Limits of the results of reading ahead that are kept for prims that came together.
_MAX_WINDOWS = 1000
_MAX_KEPT_BYTES = 64 << 20


def everywhere() -> Message:
    """A predicate that all prims pass, also those below instances."""
    return v1.PrimPredicate(preset=v1.PrimPredicate.PRESET_ALL, instance_proxies=True)


def predicate(
    *, all_prims: bool, instance_proxies: bool, require: Iterable[str], exclude: Iterable[str]
) -> Message:
    """The predicate of arguments; flags are "active", "loaded", "model", …"""

    def numbers(names: Iterable[str]) -> list[int]:
        try:
            return [v1.PrimFlag.Value(f"PRIM_FLAG_{name.upper()}") for name in names]
        except ValueError:
            known = [name[10:].lower() for name in v1.PrimFlag.keys()[1:]]
            raise ValueError(f"unknown flag in {list(names)}; use one of {known}") from None

    preset = "PRESET_ALL" if all_prims else "PRESET_DEFAULT"
    return v1.PrimPredicate(
        preset=getattr(v1.PrimPredicate, preset),
        instance_proxies=instance_proxies,
        required_flags=numbers(require),
        excluded_flags=numbers(exclude),
    )


def checked_prim_path(path: str) -> str:
    """The path, if it can be that of a prim."""
    if not path.startswith("/") or "." in path:
        raise ValueError(f"{path!r} is not an absolute prim path such as '/World/Char'")
    return path if path == "/" else path.rstrip("/")


def split_property_path(path: str) -> tuple[str, str]:
    """The path of the prim, and the name of the property."""
    prim, dot, name = path.partition(".")
    if not dot or not name:
        raise ValueError(f"{path!r} is not the path of an attribute, such as '/World/Char.points'")
    return checked_prim_path(prim), name


def child_paths(path: str, names: Iterable[str]) -> list[str]:
    return [f"{path.rstrip('/')}/{name}" for name in names]


class PrimData:
    """The description of a prim at one snapshot, as far as it was read."""

    def __init__(self, message: Message, level: int, generation: int) -> None:
        self.message = message
        self.level = level
        self.generation = generation
        self._properties: dict[str, Message] | None = None

    @property
    def properties(self) -> dict[str, Message]:
        """The properties by name, in the prim's property order."""
        if self._properties is None:
            self._properties = {p.name: p for p in self.message.properties}
        return self._properties

    def names(self, kind: int) -> list[str]:
        return [name for name, p in self.properties.items() if p.kind == kind]

    def metadata(self) -> dict[str, Any]:
        return fields(self.message.metadata)

    def variant_sets(self) -> dict[str, VariantSet]:
        return {
            entry.name: VariantSet(entry.name, entry.selection, tuple(entry.choices))
            for entry in self.message.variant_sets
        }

    def specifier(self) -> str:
        return enum_text(v1.Specifier, "SPECIFIER_", self.message.specifier)


def describe(session: Session, path: str, level: int, pin: str = "") -> Plan[PrimData]:
    """The description of one prim."""
    request = v1.GetPrimRequest(
        path=path, read_mask={"paths": FIELDS[level]}, predicate=v1.PrimPredicate()
    )
    reply = yield from session.ask("GetPrim", request, pin)
    return PrimData(reply.prim, level, session.generation)


def prim_stack(session: Session, path: str) -> Plan[SiteList]:
    request = v1.GetPrimRequest(path=path, read_mask={"paths": ["prim_stack"]})
    reply = yield from session.ask("GetPrim", request)
    return SiteList(site(entry) for entry in reply.prim.prim_stack)


def property_stack(session: Session, path: str, name: str, time: Time) -> Plan[SiteList]:
    request = v1.GetPrimRequest(
        path=path,
        read_mask={"paths": ["properties.stacks"]},
        property_names=[name],
        times=_times.selection([_times.time_code(time)]),
    )
    reply = yield from session.ask("GetPrim", request)
    for message in reply.prim.properties:
        return SiteList(site(entry) for stack in message.stacks[:1] for entry in stack.sites)
    raise missing(path, name)


def missing(path: str, name: str) -> Error:
    return NotFoundError(
        f"'{path}' has no property '{name}'",
        code="NOT_FOUND",
        reason="ATTRIBUTE_NOT_FOUND",
        metadata={"path": f"{path}.{name}"},
    )


def prim_values(
    session: Session, path: str, times: _times.Times, names: Sequence[str] | None
) -> Plan[Values]:
    """The values of a prim's attributes, or of those that `names` lists."""
    if names is None:
        data = yield from describe(session, path, PRIM)
        names = data.names(v1.Property.KIND_ATTRIBUTE)
    return (yield from get_many(session, [f"{path}.{name}" for name in names], times))


@sendable()
def traversal(
    session: Session,
    roots: Any | None,
    types: str | Iterable[str] | None,
    depth: int | None,
    which: Message,
) -> StreamOf[tuple[Message, Group]]:
    """A stream of prims, each with the group of prims that it came with."""
    request = v1.TraverseRequest(
        roots=path_list(roots) if roots is not None else [],
        predicate=which,
        schema_types=[types] if isinstance(types, str) else list(types or ()),
        read_mask={"paths": FIELDS[BASIC]},
    )
    if depth is not None:
        request.max_depth = depth
    snapshot = [""]

    def items(reply: Message) -> Iterator[tuple[Message, Group]]:
        if reply.snapshot:
            snapshot[0] = reply.snapshot
            session.saw(reply.snapshot)
        types = [prim.type_name for prim in reply.prims]
        group = Group(session, snapshot[0], [prim.path for prim in reply.prims], types)
        return ((prim, group) for prim in reply.prims)

    return StreamOf(session, "Traverse", request, items, read_ahead=True, ordered=True)


def data_of(session: Session, group: Group | None, path: str, level: int) -> Plan[PrimData]:
    """The description of a prim, read together with its neighbours if it is one of a group."""
    if group is not None and group.generation == session.generation:
        try:
            return (yield from group.describe(path, level))
        except Error as error:
            if error.reason != "SNAPSHOT_GONE":
                raise
    return (yield from describe(session, path, level))


def value_of(
    session: Session,
    group: Group | None,
    path: str,
    name: str,
    time: Time,
    interpolation: str | None,
) -> Plan[tuple[State, Any]]:
    """The value of an attribute, read together with those of its prim's neighbours."""
    if group is not None and group.generation == session.generation and interpolation is None:
        try:
            return (yield from group.value(path, name, _times.time_code(time)))
        except Error as error:
            if error.reason != "SNAPSHOT_GONE":
                raise
    return (yield from get_one(session, f"{path}.{name}", time, interpolation))


class Group:
    """Prims that came together in a traversal, for which data are read together.

    What a loop asks of one prim, it will probably ask of the next ones. So the second prim that is
    asked for something gets it together with the prims that follow, more of them each time, limited
    by a number of prims and of bytes. All is read from the snapshot of the traversal. Thread-safe.

    types: of the prims, if they are known. A value is read ahead for prims of the same type only,
      because others may not have the attribute.
    """

    def __init__(
        self,
        session: Session,
        snapshot: str,
        paths: list[str],
        types: list[str] | None = None,
    ) -> None:
        self.generation = session.generation
        self._session = session
        self._snapshot = snapshot
        self._paths = paths
        self._types = types
        self._index = {path: i for i, path in enumerate(paths)}
        self._lock = threading.Lock()
        self._windows: OrderedDict[object, _Window] = OrderedDict()

    def describe(self, path: str, level: int) -> Plan[PrimData]:
        """The description of a prim, and perhaps of those that follow it."""
        window = self._window(("prim", level))
        if path in window.found:
            known: PrimData = window.found[path]
            return known
        ahead = window.paths_from(self._index[path], self._paths)
        if len(ahead) == 1:
            data = yield from describe(self._session, path, level, self._snapshot)
            self._keep(window, {path: data}, _PRIM_BYTES)
            return data
        request = v1.TraverseRequest(
            roots=ahead, predicate=everywhere(), read_mask={"paths": FIELDS[level]}, max_depth=0
        )
        replies = yield from self._session.ask("Traverse", request, self._snapshot)
        found = {
            prim.path: PrimData(prim, level, self.generation)
            for reply in replies
            for prim in reply.prims
            if not prim.HasField("error")
        }
        self._keep(window, found, _PRIM_BYTES * len(found))
        if path not in found:
            return (yield from describe(self._session, path, level))
        return found[path]

    def value(self, path: str, name: str, code: TimeCode) -> Plan[tuple[State, Any]]:
        """The value of an attribute of a prim, and perhaps of those that follow it."""
        index = self._index[path]
        window = self._window((name, code, self._types[index] if self._types else ""))
        if path in window.found:
            values = window.found[path]
            return _from_window(values, f"{path}.{name}")
        ahead = window.paths_from(0, self._alike(index))
        if len(ahead) == 1:
            answer = yield from get_one(self._session, f"{path}.{name}", code, pin=self._snapshot)
            self._keep(window, {}, _size(answer[1]))
            return answer
        names = [f"{ahead_path}.{name}" for ahead_path in ahead]
        values = yield from get_many(self._session, names, code, pin=self._snapshot)
        size = sum(_size(values.get(full_name)) for full_name in names)
        self._keep(window, dict.fromkeys(ahead, values), size)
        return _from_window(values, f"{path}.{name}")

    def _alike(self, index: int) -> list[str]:
        """The prim at `index` and those of its type that follow, as many as may be read ahead."""
        if self._types is None:
            return self._paths[index : index + _MAX_AHEAD]
        wanted, pairs = self._types[index], zip(self._paths[index:], self._types[index:])
        alike = (path for path, type_name in pairs if type_name == wanted)
        return list(itertools.islice(alike, _MAX_AHEAD))

    def _window(self, key: object) -> _Window:
        with self._lock:
            window = self._windows.setdefault(key, _Window())
            self._windows.move_to_end(key)
            return window

    def _keep(self, window: _Window, found: dict[str, Any], size: int) -> None:
        window.set(found, size)
        with self._lock:
            kept = sum(other.bytes for other in self._windows.values())
            while len(self._windows) > 1 and (
                len(self._windows) > _MAX_WINDOWS or kept > _MAX_KEPT_BYTES
            ):
                _, oldest = self._windows.popitem(last=False)
                kept -= oldest.bytes


class _Window:
    """Results of one kind that were read ahead: of one attribute at one time, for example."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self._count = 0  # of the prims in the last call; 0 before the first
        self.bytes = 0  # of what it returned

    def paths_from(self, index: int, paths: list[str]) -> list[str]:
        """The paths to read now: the one at `index`, and those that follow."""
        if self._count == 0:
            return [paths[index]]
        each = max(1, self.bytes // self._count)
        limit = min(_MAX_AHEAD, max(1, _MAX_AHEAD_BYTES // each))
        return paths[index : index + min(8 * self._count, limit)]

    def set(self, found: dict[str, Any], size: int) -> None:
        self.found = found
        self._count = max(1, len(found))
        self.bytes = size


def _from_window(values: Values, path: str) -> tuple[State, Any]:
    return values.state(path), values[path]


def _size(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    return 16 * len(value) if isinstance(value, (list, str)) else 16
