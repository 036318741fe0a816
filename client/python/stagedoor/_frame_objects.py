"""Decodes the objects of frames that come one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from stagedoor import _cameras, _render, _shade
from stagedoor._decode import NO_KEY, damaged, decode, unpack
from stagedoor._frame_arrays import HeldArrays
from stagedoor._frame_columns import sample_times
from stagedoor._lazy import Lazy
from stagedoor._proto import Message
from stagedoor.errors import Error, from_item
from stagedoor.results import (
    FrameCamera,
    FrameGeometry,
    FrameInstances,
    FrameLight,
    FrameMaterial,
    FrameSubset,
    FrameValue,
    FrameValues,
    MaterialNetwork,
    VolumeField,
)
from stagedoor.types import Array

# Values of at most so many bytes are decoded once for all objects of a reply that have the same. So
# few that none of their arrays has a digest, unless it is unchanged.
_SMALL_BYTES = 2048

_NO_FIELDS: Lazy[tuple[VolumeField, ...]] = Lazy.of(())
_NO_INDICES = np.empty(0, np.int32)


def camera(path: str, reply: Message) -> FrameCamera:
    """The camera of a header."""
    for status in reply.path_errors:
        return FrameCamera(path, np.empty(0), (), from_item(status, path))
    samples = _cameras.samples_of_one(reply)
    return FrameCamera(path, sample_times(reply.samples.times, len(samples)), tuple(samples), None)


def materials(message: Message) -> dict[int, FrameMaterial]:
    networks = {network.item: network for network in message.networks}
    if len(message.paths) != len(message.ids):
        raise damaged(f"{len(message.paths)} paths of {len(message.ids)} materials")
    found = {}
    for item, (id, path) in enumerate(zip(message.ids, message.paths)):
        found[id] = _material(id, path, networks.get(item))
    return found


def _material(id: int, path: str, network: Message | None) -> FrameMaterial:
    if network is None or network.unchanged:
        raise damaged(f"no network of {path}")
    if network.HasField("error"):
        return FrameMaterial(id, path, None, from_item(network.error, path))
    made: Lazy[MaterialNetwork] = Lazy(lambda: _shade.network(network))
    return FrameMaterial(id, path, made, None)


def light(message: Message, held: HeldArrays) -> FrameLight:
    return FrameLight(
        id=message.id,
        path=message.path,
        type_name=message.type_name,
        shader_id=message.shader_id,
        is_filter=message.is_filter,
        filters=tuple(message.filters),
        portals=tuple(message.portals),
        values=FrameValues(Lazy.of(_values(message.id, message.values, held))),
        material=message.material,
        prim=message.prim,
    )


def light_set(message: Message) -> Array:
    lights = np.fromiter(message.lights, np.uint64)
    lights.flags.writeable = False
    return lights


def geometry(
    message: Message,
    base: FrameGeometry | None,
    held: FrameGeometry | None,
    arrays: HeldArrays,
    find: Callable[[int], FrameGeometry],
) -> FrameGeometry:
    """A geometry after a message about it.

    base: what the frame before has. held: what is held when the message comes: None, if it is not
    known or to be forgotten, `base`, or the result for an earlier message of the same frame.
    find: the geometry with an ID that has come with the frame before the message; KeyError if none
      has.
    """
    if message.complete:
        held = None
    fields = held._fields if held is not None else _NO_FIELDS
    if message.fields:
        fields = Lazy(lambda: tuple(map(_render.volume_field, message.fields)))
    instances = held.instances if held is not None else None
    if message.HasField("instances"):
        instances = _instances(message.id, message.instances, arrays)
    shared: list[Any] = []
    for values in message.shared:
        shared += (find(values.geometry), values.names)
    if base is None and held is None and not arrays.known:  # so are most, in the first frame
        values = Lazy(_GeometryValues(message, shared, arrays))
        return FrameGeometry(message.id, values, None, frozenset(), fields, instances)
    found = dict(held._values.get()) if held is not None else {}
    changed = set(held.changed) if held is not None and held is not base else set()
    for name in (value.name for value in message.values if value.removed):
        found.pop(name, None)
        changed.discard(name)
    came = _GeometryValues(message, shared, arrays)()
    found.update(came)
    changed.update(came)
    removed = frozenset(base or ()).difference(found)
    return FrameGeometry(message.id, Lazy.of(found), frozenset(changed), removed, fields, instances)


def subset(message: Message, held: HeldArrays) -> FrameSubset:
    return FrameSubset(
        id=message.id,
        prim=message.prim,
        path=message.path,
        element_type=message.element_type,
        family=message.family_name,
        material=message.material,
        indices=_indices(message.id, message, "indices", held),
    )


def _instances(id: int, message: Message, held: HeldArrays) -> FrameInstances:
    transforms = tuple(unpack(packed) for packed in message.transforms)
    prototype_indices = _indices(id, message, "prototype_indices", held)
    instance_indices = _indices(id, message, "instance_indices", held)
    count = len(prototype_indices)
    if any(len(column) != count for column in (instance_indices, *transforms)):
        raise damaged(f"columns of other lengths than {count} instances")
    if count and prototype_indices.max() >= len(message.prototypes):
        raise damaged(f"prototype {prototype_indices.max()} of {len(message.prototypes)}")
    return FrameInstances(
        prototypes=tuple(message.prototypes),
        prototype_paths=tuple(message.prototype_paths),
        prototype_indices=prototype_indices,
        instance_indices=instance_indices,
        ids=_array(id, message, "ids", held),
        times=sample_times(message.times, len(transforms)),
        transforms=transforms,
    )


def errors(paths: Any, statuses: Iterable[Message]) -> dict[str, Error]:
    """The errors of a message by path."""
    found = {}
    for status in statuses:
        if status.item >= len(paths):
            raise damaged(f"the error of path {status.item} of {len(paths)}")
        found[paths[status.item]] = from_item(status, paths[status.item])
    return found


# ---------------------------------------------------------------------------------------- values


def _values(id: int, messages: Iterable[Message], held: HeldArrays) -> dict[str, Lazy[FrameValue]]:
    """Values by name, decoded when they are needed; at once if an array has not been sent."""
    found = {}
    for message in messages:
        if message.removed:
            continue
        if held.known and any(map(_unchanged, [*message.values, *message.indices])):
            value = _lazy_value(id, message, held)
            value.get()
        else:
            value = _small_value(id, message, held)
        found[message.name] = value
    return found


class _GeometryValues:
    """Decodes the values of the message of a geometry, by name.

    shared: geometries, each followed by the names of the values that are in common with it. There
      are many of these objects at once, so each is a single one for the garbage collector.
    """

    __slots__ = ("_arrays", "_message", "_shared")

    def __init__(self, message: Message, shared: list[Any], arrays: HeldArrays) -> None:
        self._message = message
        self._shared = shared
        self._arrays = arrays

    def __call__(self) -> dict[str, Lazy[FrameValue]]:
        message = self._message
        found = _values(message.id, message.values, self._arrays)
        parts = iter(self._shared)
        for geometry, repeated in zip(parts, parts):
            values = geometry._values.get()
            names = list(repeated)
            try:
                found.update(zip(names, map(values.__getitem__, names)))
            except KeyError as missing:
                raise damaged(f"no {missing.args[0]} of the geometry {geometry.id}") from None
        return found


def _small_value(id: int, message: Message, held: HeldArrays) -> Lazy[FrameValue]:
    """The value of a message without unchanged arrays, which other objects may have, too."""
    data = message.SerializeToString()
    if len(data) > _SMALL_BYTES:
        return _lazy_value(id, message, held)
    value = held.small_values.get(data)
    if value is None:
        value = held.small_values.setdefault(data, _lazy_value(id, message, held))
    return value


def _lazy_value(id: int, message: Message, held: HeldArrays) -> Lazy[FrameValue]:
    return Lazy(lambda: _value(id, message, held))


def _value(id: int, message: Message, held: HeldArrays) -> FrameValue:
    name = message.name

    def decoded(messages: Iterable[Message], called: str) -> list[Any]:
        found = []
        for sample, value in enumerate(messages):
            has_digest = value.WhichOneof("kind") == "array_value" and value.array_value.digest
            key = held.key(id, called, sample) if has_digest else NO_KEY
            found.append(decode(value, held, key))
        return found

    values = decoded(message.values, name)
    indices = decoded(message.indices, f"{name} indices")
    if len(indices) not in (0, len(values)):
        raise damaged(f"{len(indices)} arrays of indices for {len(values)} values of {name}")
    return FrameValue(
        name=name,
        type_name=message.type_name,
        interpolation=message.interpolation,
        element_size=message.element_size,
        times=sample_times(message.times, len(values)),
        values=values,
        indices=indices or None,
    )


def _unchanged(value: Message) -> bool:
    """Whether an array has not been sent, because the client has it."""
    if value.WhichOneof("kind") != "array_value":
        return False
    return bool(value.array_value.WhichOneof("payload") == "unchanged")


def _array(id: int, message: Message, name: str, held: HeldArrays) -> Array | None:
    """An array of an object; None if it is not set."""
    if not message.HasField(name):
        return None
    return held.array(getattr(message, name), held.key(id, name))


def _indices(id: int, message: Message, name: str, held: HeldArrays) -> Array:
    """An array of indices, which is not set if there are none."""
    found = _array(id, message, name, held)
    return _NO_INDICES if found is None else found
