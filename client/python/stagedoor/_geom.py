"""Plans that compute geometry: transforms, bounds, primvars, skinning, instances, collections."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable, TypeVar, Union

import numpy as np

from stagedoor import _matrix_blocks, _motion, _times
from stagedoor._calls import Plan
from stagedoor._decode import Held, checked, damaged, decode, enum_text, unpack
from stagedoor._digests import Key
from stagedoor._parts import in_parts
from stagedoor._path_sets import PathList
from stagedoor._proto import Message, v1
from stagedoor._results.tables import Numbered, Rows
from stagedoor._session import Session, StreamOf
from stagedoor._values import Path, expect, path_list
from stagedoor.errors import Error, from_item, sendable
from stagedoor.results import (
    Collection,
    GeomSubset,
    Instances,
    JointTransforms,
    MovingPoints,
    PathTable,
    Primvar,
    ProxyPrim,
    SkelBinding,
    SkinnedPrim,
    SubsetFamily,
    Subsets,
    Visibility,
)
from stagedoor.types import Array, TimeCode

T = TypeVar("T")
Paths = Union[Path, Iterable[Path]]

PURPOSES = {"default": 1, "render": 2, "proxy": 3, "guide": 4}


def _path_tuple(paths: Paths) -> PathList:
    found = PathList(paths if isinstance(paths, (list, tuple)) else path_list(paths))
    return found if found.size >= 0 else PathList(path_list(found))


class Query:
    """Paths × times of a request, and how its results are returned."""

    def __init__(self, paths: Paths, times: _times.Times) -> None:
        self.paths: Sequence[str] = _path_tuple(paths)
        self.codes = _times.expand(times)
        self.single = _times.is_single(times)

    def times(self) -> Message:
        return _times.selection(self.codes)

    def fields(self) -> dict[str, Any]:
        return {"paths": self.paths, "times": self.times()}

    def errors(self, statuses: Iterable[Message]) -> dict[str, Error]:
        found = {}
        for status in statuses:
            path = self.paths[checked(status.item, len(self.paths))]
            found[path] = from_item(status, path)
        return found

    def rows(self, items: Array) -> Array:
        """The results of all paths, one row each; without the axis of times for a single one."""
        if len(items) != len(self.paths) * len(self.codes):
            raise damaged(f"{len(items)} results for {len(self.paths)} paths")
        shape = (len(self.paths),) if self.single else (len(self.paths), len(self.codes))
        return items.reshape(shape + items.shape[1:])

    def table(self, rows: Any, errors: dict[str, Error], snapshot: str) -> PathTable[Any]:
        found: Mapping[str, Any] = Rows(self.paths, rows)
        if errors:
            found = {path: row for path, row in found.items() if path not in errors}
        return PathTable(
            found,
            errors,
            snapshot,
            (rows,) if isinstance(rows, np.ndarray) else (),
            rows if isinstance(rows, Numbered) else None,
        )

    def in_parts(self, ask: Callable[[Query, str], Plan[PathTable[Any]]]) -> Plan[PathTable[Any]]:
        """The results of all paths, which are asked for in parts; see `_parts.in_parts`."""

        def some(paths: Sequence[str], pin: str) -> Plan[PathTable[Any]]:
            part = copy.copy(self)
            part.paths = paths
            return (yield from ask(part, pin))

        tables = yield from in_parts(self.paths, some)
        if len(tables) == 1:
            return tables[0]
        results: dict[str, Any] = {}
        errors: dict[str, Error] = {}
        for table in tables:
            results.update(table.results)
            errors.update(table.errors)
        rows = tuple(row for table in tables for row in table.rows)
        return PathTable(results, errors, tables[0].snapshot, rows)


def transforms(
    session: Session, query: Query, local: bool, shutter: _motion.ShutterLike = None
) -> Plan[PathTable[Any]]:
    policy = _motion.policy(shutter)

    def some(part: Query, pin: str) -> Plan[PathTable[Any]]:
        request = v1.ComputeTransformsRequest(
            with_local=local,
            times=part.times(),
            sample_policy=policy,
            allow_blocks=len(part.paths) * len(part.codes) >= _matrix_blocks.MIN_ITEMS,
        )
        reply = yield from session.ask_about("ComputeTransforms", part.paths, request, pin)
        if reply.blocks:
            matrices = _matrix_blocks.unpack_blocks(reply.blocks, len(part.paths), len(part.codes))
        else:
            matrices = unpack(reply.local if local else reply.local_to_world)
        errors = part.errors(reply.path_errors)
        if policy is None:
            return part.table(part.rows(matrices), errors, reply.snapshot)
        return part.table(_motion.rows(part, reply.samples, matrices), errors, reply.snapshot)

    return (yield from query.in_parts(some))


def visibility(session: Session, query: Query) -> Plan[PathTable[Visibility]]:
    def some(part: Query, pin: str) -> Plan[PathTable[Visibility]]:
        request = v1.ComputeVisibilityRequest(times=part.times())
        reply = yield from session.ask_about("ComputeVisibility", part.paths, request, pin)
        return _visibility(part, reply)

    return (yield from query.in_parts(some))


def _visibility(query: Query, reply: Message) -> PathTable[Visibility]:
    inherited = v1.Visibility.Value("VISIBILITY_INHERITED")
    rows = query.rows(np.fromiter(reply.visibility, np.int32) == inherited)
    purposes = _purposes(reply)
    if len(purposes) != len(rows):
        raise damaged(f"{len(purposes)} purposes for {len(rows)} paths")
    if query.single:  # there are few different results, which prims share
        made = {key: Visibility(*key) for key in set(zip(rows, purposes))}
        found = [made[key] for key in zip(rows, purposes)]
    else:
        found = list(map(Visibility, rows, purposes))
    return query.table(found, query.errors(reply.path_errors), reply.snapshot)


def _purposes(reply: Message) -> list[str]:
    """The purpose of each path of a ComputeVisibilityResponse."""
    other = v1.Purpose.Value("PURPOSE_OTHER")
    texts = {number: enum_text(v1.Purpose, "PURPOSE_", number) for number in set(reply.purpose)}
    found = [texts[number] for number in reply.purpose]
    if other in texts:
        for i, number in enumerate(reply.purpose):
            if number == other:
                found[i] = reply.other_purposes[checked(i, len(reply.other_purposes))]
    return found


def effective_visibility(session: Session, query: Query, purpose: str) -> Plan[PathTable[Any]]:
    """For each path, a word, or a list with one for each time."""
    if purpose not in PURPOSES:
        raise ValueError(f"unknown purpose {purpose!r}; use one of {sorted(PURPOSES)}")

    def some(part: Query, pin: str) -> Plan[PathTable[Any]]:
        request = v1.ComputeVisibilityRequest(
            times=part.times(), effective_purposes=[PURPOSES[purpose]]
        )
        reply = yield from session.ask_about("ComputeVisibility", part.paths, request, pin)
        words = [
            enum_text(v1.Visibility, "VISIBILITY_", number) for number in reply.effective_visibility
        ]
        rows = part.rows(np.array(words, object)).tolist()
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from query.in_parts(some))


def proxy_prims(session: Session, paths: Paths) -> Plan[PathTable[ProxyPrim | None]]:
    def some(part: Query, pin: str) -> Plan[PathTable[ProxyPrim | None]]:
        request = v1.ComputeVisibilityRequest(times=part.times(), with_proxy_prims=True)
        reply = yield from session.ask_about("ComputeVisibility", part.paths, request, pin)
        if len(reply.proxy_prims) != len(part.paths) or len(reply.render_prims) != len(part.paths):
            raise damaged(f"{len(reply.proxy_prims)} proxies for {len(part.paths)} paths")
        rows = [
            ProxyPrim(proxy, render) if proxy else None
            for proxy, render in zip(reply.proxy_prims, reply.render_prims)
        ]
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from Query(paths, None).in_parts(some))


# ------------------------------------------------------------------------------------- primvars


def primvars(
    session: Session,
    query: Query,
    names: Sequence[str],
    flatten: bool,
    shutter: _motion.ShutterLike = None,
) -> Plan[PathTable[Any]]:
    """The primvars of prims by name: for each path, a dictionary, or one for each time."""
    policy = _motion.policy(shutter)

    def some(part: Query, pin: str) -> Plan[PathTable[Any]]:
        request = v1.GetPrimvarsRequest(
            names=names, flatten=flatten, times=part.times(), sample_policy=policy
        )
        return (yield from _primvars(session, part, request, pin))

    return (yield from query.in_parts(some))


def _primvars(session: Session, query: Query, request: Message, pin: str) -> Plan[PathTable[Any]]:
    keys = {path: Key(f"{path} primvars") for path in query.paths}
    held = expect(session.arrays, request, (key.name for key in keys.values()))
    replies = yield from session.ask_about("GetPrimvars", query.paths, request, pin)
    items: dict[int, list[tuple[Message, dict[str, Primvar]]]] = {}
    errors: dict[str, Error] = {}
    for item in (item for reply in replies for item in reply.items):
        path, _ = _item(query, item.item)
        if item.HasField("error"):
            errors[path] = from_item(item.error, path)
        found = {p.name: _primvar(p, held, keys[path]) for p in item.primvars}
        items.setdefault(item.item, []).append((item.sample, found))

    def result(item: int) -> Any:
        samples = items.get(item, [])
        if request.HasField("sample_policy"):
            return _motion.joined(samples)
        return samples[-1][1] if samples else {}

    rows = _motion.by_path(query, result)
    return query.table(rows, errors, replies[0].snapshot if replies else "")


def _primvar(message: Message, held: Held, key: Key) -> Primvar:
    return Primvar(
        name=message.name,
        type_name=message.type_name,
        interpolation=message.interpolation,
        element_size=message.element_size,
        value=decode(message.value, held, key),
        indices=decode(message.indices) if message.HasField("indices") else None,
        source_path=message.source_path,
    )


# ------------------------------------------------------------------------------------- skinning


@sendable()
def skinned_points(
    session: Session,
    paths: Paths | None,
    times: _times.Times,
    world_space: bool,
    with_normals: bool,
    with_joints: bool,
    shutter: _motion.ShutterLike = None,
) -> StreamOf[SkinnedPrim]:
    codes = _times.expand(times)
    request = v1.ComputeSkinnedPointsRequest(
        paths=path_list(paths) if paths is not None else [],
        times=_times.selection(codes),
        world_space=world_space,
        with_normals=with_normals,
        with_joints=with_joints,
        sample_policy=_motion.policy(shutter),
    )
    return _stream(session, "ComputeSkinnedPoints", request, lambda m: _skinned(m, codes))


def _skinned(message: Message, codes: Sequence[TimeCode]) -> SkinnedPrim:
    xform = _optional(message, "xform")
    frame = codes[checked(message.time_index, len(codes))]
    return SkinnedPrim(
        path=message.path,
        time=_motion.time_of(message, frame),
        points=_optional(message, "points"),
        normals=_optional(message, "normals"),
        skeleton=message.skeleton,
        animation_source=message.animation_source,
        rigid=message.rigid,
        xform=xform[0] if xform is not None else None,
        joint_order=tuple(message.joint_order),
        joint_transforms=_optional(message, "joint_transforms"),
        error=from_item(message.error, message.path) if message.HasField("error") else None,
        sample=_motion.sample_of(message, frame),
    )


def only_skinned(found: Sequence[SkinnedPrim], path: str) -> SkinnedPrim:
    """The only item of a query about one prim and one time."""
    if len(found) != 1:
        raise Error(f"{path}: the daemon sent {len(found)} items", code="DATA_LOSS")
    error = found[0].error
    if error is not None:
        raise error
    return found[0]


@sendable()
def skel_bindings(session: Session, roots: Paths | None) -> StreamOf[SkelBinding]:
    request = v1.ListSkelBindingsRequest(roots=path_list(roots) if roots is not None else [])

    def binding(message: Message) -> SkelBinding:
        _raise_error(message, message.path)
        return SkelBinding(
            path=message.path,
            skel_root=message.skel_root,
            skeleton=message.skeleton,
            animation_source=message.animation_source,
            joint_order=tuple(message.joint_order),
            rigid=message.rigid,
            has_blend_shapes=message.has_blend_shapes,
        )

    return _stream(session, "ListSkelBindings", request, binding, "bindings")


@sendable()
def joint_transforms(
    session: Session, query: Query, space: str, at_rest: bool
) -> StreamOf[JointTransforms]:
    spaces = {"local": 1, "skel": 2, "world": 3, "skinning": 4}
    if space not in spaces:
        raise ValueError(f"unknown space {space!r}; use one of {sorted(spaces)}")
    request = v1.ComputeJointTransformsRequest(
        space=spaces[space], at_rest=at_rest, **query.fields()
    )
    orders: dict[str, tuple[str, ...]] = {}

    def joints(message: Message) -> JointTransforms:
        path, code = _item(query, message.item)
        _raise_error(message, path)
        order = orders.setdefault(path, tuple(message.joint_order))
        return JointTransforms(path, code, order, _optional(message, "transforms"))

    return _stream(session, "ComputeJointTransforms", request, joints)


@sendable()
def moving_points(
    session: Session,
    query: Query,
    base_time: float | None,
    shutter: _motion.ShutterLike = None,
) -> StreamOf[MovingPoints]:
    request = v1.ComputePointsRequest(sample_policy=_motion.policy(shutter), **query.fields())
    if base_time is not None:
        request.base_time.numeric = base_time

    def of(message: Message) -> MovingPoints:
        path, code = _item(query, message.item)
        _raise_error(message, path)
        return MovingPoints(
            path,
            _motion.time_of(message, code),
            _optional(message, "points"),
            message.blur_scale,
            message.nonlinear_sample_count,
            message.velocity_scale,
            _motion.sample_of(message, code),
        )

    return _stream(session, "ComputePoints", request, of)


@sendable()
def subsets(
    session: Session, query: Query, element_type: str, family: str, unassigned: bool, problems: bool
) -> StreamOf[Subsets]:
    request = v1.ComputeSubsetsRequest(
        element_type=element_type,
        family_name=family,
        with_unassigned_indices=unassigned,
        with_problems=problems,
        **query.fields(),
    )

    def of(message: Message) -> Subsets:
        path, code = _item(query, message.item)
        _raise_error(message, path)
        return Subsets(
            path,
            code,
            tuple(
                GeomSubset(s.path, s.element_type, s.family_name, unpack(s.indices))
                for s in message.subsets
            ),
            tuple(
                SubsetFamily(
                    f.family_name,
                    f.element_type,
                    f.family_type,
                    _optional(f, "unassigned_indices"),
                    f.problem,
                )
                for f in message.families
            ),
        )

    return _stream(session, "ComputeSubsets", request, of)


@sendable()
def instances(
    session: Session,
    query: Query,
    base_time: float | None,
    ignore_mask: bool,
    ids: bool,
    shutter: _motion.ShutterLike = None,
) -> StreamOf[Instances]:
    request = v1.ComputeInstanceTransformsRequest(
        ignore_mask=ignore_mask,
        with_ids=ids,
        sample_policy=_motion.policy(shutter),
        **query.fields(),
    )
    if base_time is not None:
        request.base_time.numeric = base_time

    def of(message: Message) -> Instances:
        path, code = _item(query, message.item)
        _raise_error(message, path)
        indices, mask = _optional(message, "instance_indices"), _optional(message, "mask")
        everyone = message.instance_count
        return Instances(
            path,
            _motion.time_of(message, code),
            unpack(message.transforms),
            unpack(message.prototype_indices),
            tuple(message.prototypes),
            indices if indices is not None else np.arange(everyone, dtype=np.uint32),
            everyone,
            _optional(message, "ids"),
            np.ones(everyone, bool) if ignore_mask and mask is None else mask,
            _motion.sample_of(message, code),
        )

    return _stream(session, "ComputeInstanceTransforms", request, of)


# ---------------------------------------------------------------------------------- collections


@sendable()
def collections(session: Session, paths: Paths | None) -> StreamOf[Collection]:
    request = v1.ListCollectionsRequest(paths=path_list(paths) if paths is not None else [])

    def collection(message: Message) -> Collection:
        _raise_error(message, message.path)
        mode = enum_text(v1.Collection.Mode, "MODE_", message.mode)
        return Collection(message.path, mode, tuple(message.members))

    return _stream(session, "ListCollections", request, collection, "collections")


# -------------------------------------------------------------------------------------- helpers


def _stream(
    session: Session,
    method: str,
    request: Message,
    make: Callable[[Message], T],
    field: str = "items",
) -> StreamOf[T]:
    def items(reply: Message) -> Iterator[T]:
        session.saw(reply.snapshot)
        return (make(item) for item in getattr(reply, field))

    return StreamOf(session, method, request, items, ordered=True)


def _item(query: Query, number: int) -> tuple[str, TimeCode]:
    count = len(query.codes)
    checked(number, len(query.paths) * count)
    return query.paths[number // count], query.codes[number % count]


def _optional(message: Message, name: str) -> Array | None:
    return unpack(getattr(message, name)) if message.HasField(name) else None


def _raise_error(message: Message, path: str) -> None:
    if message.HasField("error"):
        raise from_item(message.error, path)
