"""A plan that asks for what programs need to deform skinned prims themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stagedoor import _motion, _times
from stagedoor._calls import Plan
from stagedoor._decode import Held, checked, damaged, decode_tuple, unpack
from stagedoor._digests import Key
from stagedoor._geom import Paths, Query
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor._values import expect
from stagedoor.errors import Error, from_item
from stagedoor.results import (
    BlendShape,
    JointInfluences,
    PathTable,
    Skinning,
    SkinningPose,
    SubShape,
)
from stagedoor.types import Array

# Reads an array, which the client may hold already.
Read = Callable[[Message], Array]


def skinning(
    session: Session,
    paths: Paths | None,
    times: _times.Times,
    packed: bool,
    shutter: _motion.ShutterLike,
) -> Plan[PathTable[Skinning]]:
    policy = _motion.policy(shutter)
    query = Query(paths if paths is not None else (), times)

    def request() -> Message:
        return v1.ComputeSkinningRequest(
            times=query.times(), with_packed_shapes=packed, sample_policy=policy
        )

    def some(part: Query, pin: str) -> Plan[PathTable[Skinning]]:
        asked = request()
        held = expect(session.arrays, asked, map(_name, part.paths))
        replies = yield from session.ask_about("ComputeSkinning", part.paths, asked, pin)
        return _Reader(part, held).table(replies)

    if paths is None:
        # The prims of the reply are not known yet, so no arrays that the client holds are named.
        replies = yield from session.ask("ComputeSkinning", request())
        return _Reader(query, Held()).table(replies)
    if not query.paths:
        return PathTable({}, {}, "")
    return (yield from query.in_parts(some))


def _name(path: str) -> str:
    """The name under which the arrays of a prim are kept."""
    return f"{path} skinning"


class _Reader:
    """Puts prims together from the parts that the items of a reply refer to by number."""

    def __init__(self, query: Query, held: Held) -> None:
        self._query = query
        self._held = held
        self._skeletons: dict[int, dict[str, Any]] = {}
        self._skinning_transforms: dict[int, Array] = {}
        self._bindings: dict[int, _Binding] = {}
        self._poses: dict[str, list[SkinningPose]] = {}
        self._prims: dict[str, dict[str, Any]] = {}
        self._errors: dict[str, Error] = {}

    def table(self, replies: list[Message]) -> PathTable[Skinning]:
        for reply in replies:
            self._read(reply)
        prims = {
            path: Skinning(**fields, poses=tuple(self._poses[path]))
            for path, fields in self._prims.items()
            if path not in self._errors
        }
        return PathTable(prims, self._errors, replies[0].snapshot if replies else "")

    def _read(self, reply: Message) -> None:
        for skeleton in reply.skeletons:
            self._skeletons[skeleton.number] = {
                "skeleton_joints": tuple(skeleton.joint_order),
                "inverse_bind_transforms": _optional(skeleton, "inverse_bind_transforms"),
            }
        for pose in reply.poses:
            self._skinning_transforms[pose.number] = unpack(pose.skinning_transforms)
        # The arrays of a binding are kept for the first prim that has it.
        owners: dict[int, str] = {}
        for item in reply.items:
            owners.setdefault(item.binding, item.path)
        for binding in reply.bindings:
            key = Key(_name(owners.get(binding.number, "")))
            skeleton = _part(self._skeletons, binding.skeleton)
            self._bindings[binding.number] = _Binding(binding, skeleton, self._reader(key))
        for item in reply.items:
            self._add(item)

    def _reader(self, key: Key) -> Read:
        return lambda packed: self._held.array(packed, key)

    def _add(self, item: Message) -> None:
        path = item.path
        if item.HasField("error"):
            self._errors[path] = from_item(item.error, path)
            return
        binding = _part(self._bindings, item.binding)
        if path not in self._prims:
            self._prims[path] = {
                "path": path,
                "skeleton": item.skeleton,
                "animation_source": item.animation_source,
                **binding.fields,
            }
        self._poses.setdefault(path, []).append(self._pose(item, binding))

    def _pose(self, item: Message, binding: _Binding) -> SkinningPose:
        codes = self._query.codes
        frame = codes[checked(item.time_index, len(codes))]
        read = self._reader(Key(_name(item.path)))
        joints = _part(self._skinning_transforms, item.pose) if item.pose else None
        return SkinningPose(
            time=_motion.time_of(item, frame),
            skinning_transforms=joints,
            skeleton_to_prim=decode_tuple(item.skeleton_to_prim),
            influences=_influences(item, read) or binding.influences,
            geom_bind_transform=_geom_bind(item) if binding.bind is None else binding.bind,
            blend_shape_weights=_optional(item, "blend_shape_weights"),
            sub_shape_weights=_optional(item, "sub_shape_weights"),
            blend_shape_indices=_optional(item, "blend_shape_indices"),
            sub_shape_indices=_optional(item, "sub_shape_indices"),
            sample=_motion.sample_of(item, frame),
        )


class _Binding:
    """The data that the prims of a SkinningBinding share."""

    def __init__(self, message: Message, skeleton: dict[str, Any], read: Read) -> None:
        own = message.HasField("joint_mapping")
        packed = message.packed_shapes if message.HasField("packed_shapes") else None
        self.influences = _influences(message, read)
        self.bind = _geom_bind(message) if message.HasField("geom_bind_transform") else None
        self.fields = {
            "method": message.skinning_method,
            "rigid": message.rigid,
            "joint_order": tuple(message.joint_order) if own else skeleton["skeleton_joints"],
            "joint_mapping": _optional(message, "joint_mapping"),
            **skeleton,
            "blend_shape_order": tuple(message.blend_shape_order),
            "blend_shapes": tuple(_blend_shape(shape, read) for shape in message.blend_shapes),
            "packed_offsets": read(packed.offsets) if packed is not None else None,
            "packed_ranges": read(packed.ranges) if packed is not None else None,
        }


def _part(parts: dict[int, Any], number: int) -> Any:
    if number not in parts:
        raise damaged(f"it refers to part {number}, which was not sent")
    return parts[number]


def _geom_bind(message: Message) -> Array:
    return decode_tuple(message.geom_bind_transform)


def _influences(message: Message, read: Read) -> JointInfluences | None:
    if not message.HasField("influences"):
        return None
    found = message.influences
    indices, weights = read(found.indices), read(found.weights)
    size = found.influences_per_component
    if not size or len(indices) % size or len(weights) != len(indices):
        raise damaged(f"{len(indices)} joint indices, {len(weights)} weights, {size} each")
    return JointInfluences(
        found.interpolation,
        indices.reshape(-1, size),
        weights.reshape(-1, size),
        found.out_of_range,
    )


def _blend_shape(message: Message, read: Read) -> BlendShape:
    return BlendShape(
        message.path,
        _optional(message, "point_indices", read),
        tuple(
            SubShape(
                sub.weight,
                sub.inbetween,
                _optional(sub, "point_offsets", read),
                _optional(sub, "normal_offsets", read),
            )
            for sub in message.sub_shapes
        ),
    )


def _optional(message: Message, name: str, read: Read = unpack) -> Array | None:
    return read(getattr(message, name)) if message.HasField(name) else None
