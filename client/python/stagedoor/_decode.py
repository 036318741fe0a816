"""Turns values of the API into Python's and NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stagedoor import types
from stagedoor._digests import Key
from stagedoor._proto import Message, v1
from stagedoor._results.tables import Numbered
from stagedoor.errors import Error, make_error
from stagedoor.types import Array

_DTYPES = {
    1: np.dtype("?"),
    2: np.dtype("u1"),
    3: np.dtype("<i4"),
    4: np.dtype("<u4"),
    5: np.dtype("<i8"),
    6: np.dtype("<u8"),
    7: np.dtype("<f2"),
    8: np.dtype("<f4"),
    9: np.dtype("<f8"),
    10: np.dtype("<f8"),
    11: np.dtype("<f8"),
}
_SCALAR = v1.ElementShape.Value("ELEMENT_SHAPE_SCALAR")


class Held:
    """The arrays that a request named as known, and where to keep those of the reply.

    shared: the arrays of the reply that came in shared memory, by segment and offset.
    """

    def __init__(
        self,
        known: Mapping[bytes, Array] | None = None,
        keep: Callable[[Key, bytes, Array], Array] | None = None,
    ) -> None:
        self.known: Mapping[bytes, Array] = known or {}
        self._keep = keep
        self.shared: dict[tuple[int, int], Array] = {}

    def array(self, packed: Message, key: Key) -> Array:
        """The array of PackedValues, from its bytes or from what the client has."""
        payload = packed.WhichOneof("payload")
        if payload == "unchanged":
            array = self.known.get(packed.digest)
            if array is None:
                raise make_error(
                    "the daemon left out an array that this client did not name", code="DATA_LOSS"
                )
        elif payload == "segment":
            array = shaped(self._take_shared(packed.segment), packed)
        else:
            array = unpack(packed)
        if packed.digest and self._keep is not None:
            return self._keep(key, packed.digest, array)
        return array

    def _take_shared(self, place: Message) -> Array:
        found = self.shared.pop((place.segment_id, place.offset), None)
        if found is None:
            raise damaged("an array is in shared memory that does not exist")
        return found


def damaged(what: str) -> Error:
    """The error for a reply that contradicts itself or its request."""
    return make_error(f"the daemon sent an inconsistent reply: {what}", code="DATA_LOSS")


def checked(number: int, count: int) -> int:
    """The number of an item of a reply, which must be less than `count`."""
    if number >= count:
        raise damaged(f"item {number} of {count}")
    return number


def numbered(numbers: Sequence[int], distinct: Sequence[Any], count: int) -> Numbered[Any]:
    """The results of `count` paths, which are numbers of distinct ones."""
    found = np.array(numbers, np.uint32)
    if len(found) != count:
        raise damaged(f"{len(found)} results for {count} paths")
    if count:
        checked(int(found.max()), len(distinct))
    return Numbered(distinct, found)


def first(items: Sequence[Any], what: str) -> Any:
    """The first of the items that a reply must have."""
    if not items:
        raise damaged(f"no {what}")
    return items[0]


NOTHING_HELD = Held()
NO_KEY = Key("")


def component_bytes(packed: Message) -> int:
    return _dtype(packed).itemsize


def _dtype(packed: Message) -> np.dtype[Any]:
    dtype = _DTYPES.get(packed.component_type)
    if dtype is None:
        raise make_error(
            f"unknown component type {packed.component_type}: update the package stagedoor",
            code="UNIMPLEMENTED",
        )
    return dtype


def unpack(packed: Message) -> Array:
    """A read-only view of the numbers of PackedValues.

    The shape is (count,) for scalars, (count, n) for vectors and quaternions (i, j, k, real), and
    (count, n, n) for matrices, which act on row vectors; (count, 2, 3) for boxes.
    """
    return shaped(packed.data, packed)


def shaped(content: bytes | Array, packed: Message) -> Array:
    """Bytes as the array that PackedValues describes."""
    data = np.frombuffer(content, _dtype(packed))
    if len(data) != packed.count * packed.rows * packed.columns:
        raise make_error(
            f"an array of {packed.count} elements has {data.nbytes} bytes", code="DATA_LOSS"
        )
    return data.reshape((packed.count, *element_shape(packed)))


def element_shape(packed: Message) -> tuple[int, ...]:
    if packed.shape == _SCALAR or (packed.rows == 1 and packed.columns == 1):
        return ()
    return (packed.columns,) if packed.rows == 1 else (packed.rows, packed.columns)


def decode(value: Message, held: Held = NOTHING_HELD, key: Key = NO_KEY) -> Any:
    """The value in Python; None if there is none. `key` is what an array is kept for."""
    kind = value.WhichOneof("kind")
    if kind is None:
        return None
    if kind in _PLAIN:
        return getattr(value, kind)
    if kind == "array_value":
        return held.array(value.array_value, key)
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise make_error(f"unknown kind of value {kind!r}", code="UNIMPLEMENTED")
    return decoder(getattr(value, kind))


def fields(entries: Iterable[Message]) -> dict[str, Any]:
    """Fields by name."""
    return {entry.name: decode(entry.value) for entry in entries}


def layer_offset(offset: Message) -> types.LayerOffset:
    """A message that is absent stands for the identity; a present one states both numbers."""
    return types.LayerOffset(offset.offset, offset.scale)


def site(message: Message) -> types.Site:
    offset = types.LayerOffset()
    if message.HasField("layer_offset"):
        offset = layer_offset(message.layer_offset)
    return types.Site(message.layer, message.path, message.arc, offset)


def warnings(messages: Iterable[Message]) -> tuple[types.Warning, ...]:
    return tuple(
        types.Warning(enum_text(v1.Warning.Kind, "KIND_", w.kind), w.asset, w.path, w.message)
        for w in messages
    )


def enum_text(wrapper: Any, prefix: str, number: int) -> str:
    """The name of an enum value in lower case without its prefix; "unknown" for a later one."""
    try:
        return str(wrapper.Name(number))[len(prefix) :].lower()
    except ValueError:
        return "unknown"


# ------------------------------------------------------------------------------ kinds of values

# Kinds whose field is the value itself.
_PLAIN = frozenset(
    (
        *("bool_value", "uchar_value", "int_value", "uint_value", "int64_value", "uint64_value"),
        *("half_value", "float_value", "double_value", "time_code_value", "duration_value"),
        *("string_value", "token_value", "path_value", "path_expression_value", "array_edit"),
    )
)


def decode_tuple(packed: Message) -> Array:
    """A single vector, matrix or quaternion."""
    if packed.count != 1:
        raise damaged(f"a tuple of {packed.count} elements")
    array: Array = unpack(packed)[0]
    return array


def _strings(message: Message) -> list[str]:
    return list(message.values)


def asset_path(message: Message) -> types.AssetPath:
    return types.AssetPath(message.authored, message.evaluated, message.resolved)


def _dictionary(message: Message) -> dict[str, Any]:
    return {entry.key: decode(entry.value) for entry in message.entries}


def _list_op(message: Message) -> types.ListOp:
    def items(name: str) -> tuple[Any, ...]:
        return tuple(decode(item) for item in getattr(message, f"{name}_items"))

    names = ("explicit", "prepended", "appended", "deleted", "added", "ordered")
    return types.ListOp(message.is_explicit, *(items(name) for name in names))


def _offset_of(message: Message) -> types.LayerOffset:
    present = message.HasField("layer_offset")
    return layer_offset(message.layer_offset) if present else types.LayerOffset()


def _reference(message: Message) -> types.Reference:
    return types.Reference(
        message.asset_path, message.prim_path, _offset_of(message), _dictionary(message.custom_data)
    )


def _payload(message: Message) -> types.Payload:
    return types.Payload(message.asset_path, message.prim_path, _offset_of(message))


def _time_samples(message: Message) -> dict[float, Any]:
    times = unpack(message.times) if message.times.count else ()
    return {float(t): decode(v) for t, v in zip(times, message.values)}


def _knot(knot: Message) -> types.Knot:
    return types.Knot(
        time=knot.time,
        value=knot.value,
        pre_value=knot.pre_value if knot.HasField("pre_value") else None,
        next=enum_text(v1.Spline.Segment, "SEGMENT_", knot.next),
        pre_tangent=(knot.pre_tangent.width, knot.pre_tangent.slope),
        post_tangent=(knot.post_tangent.width, knot.post_tangent.slope),
    )


def _spline(message: Message) -> types.Spline:
    def mode(extrapolation: Message) -> str:
        return enum_text(v1.Spline.ExtrapolationMode, "EXTRAPOLATION_MODE_", extrapolation.mode)

    return types.Spline(
        curve_type=enum_text(v1.Spline.CurveType, "CURVE_TYPE_", message.curve_type),
        value_type=message.value_type,
        knots=tuple(_knot(knot) for knot in message.knots),
        pre_extrapolation=mode(message.pre_extrapolation),
        post_extrapolation=mode(message.post_extrapolation),
    )


def specifier(number: int) -> str:
    """ "def", "over" or "class"."""
    return enum_text(v1.Specifier, "SPECIFIER_", number)


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "block": lambda _: types.ValueBlock(),
    "animation_block": lambda _: types.AnimationBlock(),
    "asset_path_value": asset_path,
    "tuple_value": decode_tuple,
    "string_array": _strings,
    "token_array": _strings,
    "asset_path_array": lambda m: [asset_path(p) for p in m.values],
    "path_array": _strings,
    "path_expression_array": _strings,
    "value_array": lambda m: [decode(v) for v in m.values],
    "dictionary_value": _dictionary,
    "list_op": _list_op,
    "reference": _reference,
    "payload": _payload,
    "layer_offset": layer_offset,
    "relocates": lambda m: {r.source: r.target for r in m.relocates},
    "time_samples": _time_samples,
    "spline": _spline,
    "specifier": specifier,
    "variability": lambda n: enum_text(v1.Variability, "VARIABILITY_", n),
    "permission": lambda n: enum_text(v1.Permission, "PERMISSION_", n),
    "unregistered_value": decode,
    "invalid_value": types.InvalidValue,
}
