"""Turns values of Python and NumPy into those of the API; the inverse of _decode."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from stagedoor import types
from stagedoor._proto import Message, v1


class Packing(NamedTuple):
    """How the elements of a type are packed."""

    component: int
    shape: int
    rows: int
    columns: int
    dtype: str


_COMPONENTS = {
    "bool": (1, "?"),
    "uchar": (2, "u1"),
    "int": (3, "<i4"),
    "uint": (4, "<u4"),
    "int64": (5, "<i8"),
    "uint64": (6, "<u8"),
    "half": (7, "<f2"),
    "float": (8, "<f4"),
    "double": (9, "<f8"),
    "timecode": (10, "<f8"),
    "duration": (11, "<f8"),
}
_LETTERS = {"i": "int", "h": "half", "f": "float", "d": "double"}
_ROLE = re.compile(r"(point|normal|vector|color|texCoord|matrix|quat)([234]?)([hfd])")
_TUPLE = re.compile(r"(int|half|float|double)([234])")
_SCALAR, _VECTOR, _MATRIX, _QUATERNION = 1, 2, 3, 4
_BY_DTYPE = {np.dtype(dtype): name for name, (_, dtype) in reversed(_COMPONENTS.items())}
_TEXTS = ("string", "token", "asset", "pathExpression")


def packing_of(name: str) -> Packing | None:
    """How elements of a type such as "point3f" are packed; None for texts and unknown types."""
    if name in _COMPONENTS:
        component, dtype = _COMPONENTS[name]
        return Packing(component, _SCALAR, 1, 1, dtype)
    if name == "frame4d":
        name = "matrix4d"
    match = _TUPLE.fullmatch(name)
    if match is not None:
        return _sized(match[1], _VECTOR, 1, int(match[2]))
    match = _ROLE.fullmatch(name)
    if match is None:
        return None
    size, scalar = int(match[2] or 4), _LETTERS[match[3]]
    if match[1] == "matrix":
        return _sized(scalar, _MATRIX, size, size)
    return _sized(scalar, _QUATERNION if match[1] == "quat" else _VECTOR, 1, size)


def _sized(scalar: str, shape: int, rows: int, columns: int) -> Packing:
    component, dtype = _COMPONENTS[scalar]
    return Packing(component, shape, rows, columns, dtype)


def needs_type(value: Any) -> bool:
    """Whether a value says too little about its type, so that the attribute's must be known."""
    return isinstance(value, (np.ndarray, Sequence)) and not isinstance(value, (str, bytes))


def encode(value: Any, type_name: str = "") -> Message:
    """A v1.Value. With the name of a type, the value is converted to it where that is safe."""
    out = v1.Value()
    _fill(out, value, type_name)
    return out


def _fill(out: Message, value: Any, type_name: str) -> None:
    if value is None or isinstance(value, types.ValueBlock):
        block = out.animation_block if isinstance(value, types.AnimationBlock) else out.block
        block.SetInParent()
    elif type_name.endswith("[]"):
        _fill_array(out, value, type_name[:-2])
    elif type_name:
        _fill_element(out, value, type_name)
    else:
        _fill_guessed(out, value)


# ------------------------------------------------------------------------------------ known types


def _fill_element(out: Message, value: Any, name: str) -> None:
    packing = packing_of(name)
    if packing is None:
        _fill_text(out, value, name)
        return
    if packing.shape == _SCALAR:
        _fill_guessed(out, value.item() if isinstance(value, (np.generic, np.ndarray)) else value)
        return
    _fill_packed(out.tuple_value, _shaped(value, packing, count=1), packing)


def _fill_text(out: Message, value: Any, name: str) -> None:
    if name == "asset":
        out.asset_path_value.authored = _authored(value)
    elif name == "token":
        out.token_value = str(value)
    elif name == "pathExpression":
        out.path_expression_value = str(value)
    else:
        _fill_guessed(out, value)


def _fill_array(out: Message, value: Any, name: str) -> None:
    packing = packing_of(name)
    if packing is not None:
        _fill_packed(out.array_value, _shaped(value, packing), packing)
    elif name == "asset":
        out.asset_path_array.SetInParent()
        for item in value:
            out.asset_path_array.values.add(authored=_authored(item))
    elif name in _TEXTS:
        field = {"pathExpression": "path_expression_array"}.get(name, f"{name}_array")
        texts = getattr(out, field)
        texts.SetInParent()
        texts.values.extend(str(item) for item in value)
    else:
        _fill_guessed(out, value)


def _authored(value: Any) -> str:
    return str(value.authored) if isinstance(value, types.AssetPath) else str(value)


def _shaped(value: Any, packing: Packing, count: int = -1) -> types.Array:
    """The elements as an array of the type, with one row for each."""
    array = np.asarray(value)
    dtype = np.dtype(packing.dtype)
    if not np.can_cast(array.dtype, dtype, "same_kind") and array.size:
        raise TypeError(f"values of the type {array.dtype} cannot be set as {dtype}")
    size = packing.rows * packing.columns
    if size == 1 and count < 0:
        shape: tuple[int, ...] = (-1,)
        expected = array.ndim == 1
    else:
        inner = (packing.columns,) if packing.rows == 1 else (packing.rows, packing.columns)
        shape = (count, size)
        expected = array.shape == inner if count == 1 else array.shape[1:] == inner
    if not expected and array.size:
        raise ValueError(f"an array of the shape {array.shape} is not one of such elements")
    if array.dtype.kind in "iu" and dtype.kind in "iu" and array.size:
        limits = np.iinfo(dtype)
        if array.min() < limits.min or array.max() > limits.max:
            raise OverflowError(f"a number does not fit into {dtype}")
    return np.ascontiguousarray(array, dtype=dtype).reshape(shape if array.size else (0, size))


def _fill_packed(out: Message, array: types.Array, packing: Packing) -> None:
    out.component_type = packing.component
    out.shape = packing.shape
    out.rows = packing.rows
    out.columns = packing.columns
    out.count = len(array)
    out.data = array.tobytes()


# ----------------------------------------------------------------------------------- other values


def _fill_guessed(out: Message, value: Any) -> None:
    if isinstance(value, (bool, np.bool_)):
        out.bool_value = bool(value)
    elif isinstance(value, (int, np.integer)):
        number = int(value)
        if number > 2**63 - 1:
            out.uint64_value = number
        else:
            out.int64_value = number
    elif isinstance(value, (float, np.floating)):
        out.double_value = float(value)
    elif isinstance(value, str):
        out.string_value = value
    elif isinstance(value, types.TimeCode):
        out.time_code_value = value.value
    elif isinstance(value, types.AssetPath):
        out.asset_path_value.authored = value.authored
    else:
        _fill_composite(out, value)


def _fill_composite(out: Message, value: Any) -> None:
    if isinstance(value, types.ListOp):
        _fill_list_op(out.list_op, value)
    elif isinstance(value, (types.Reference, types.Payload)):
        _fill_arc(out, value)
    elif isinstance(value, Mapping):
        out.dictionary_value.SetInParent()
        for key, entry in sorted(value.items()):
            _fill(out.dictionary_value.entries.add(key=key).value, entry, "")
    elif needs_type(value):
        _fill_sequence(out, value)
    elif hasattr(value, "path"):
        out.string_value = str(value.path)
    else:
        raise TypeError(f"values of {type(value).__name__} cannot be set")


def _fill_sequence(out: Message, value: Any) -> None:
    array = np.asarray(value)
    if array.dtype.kind in "US" or (array.size == 0 and array.ndim == 1):
        out.string_array.SetInParent()
        out.string_array.values.extend(str(item) for item in value)
        return
    scalar = _BY_DTYPE.get(array.dtype.newbyteorder("<"))
    if scalar is None:
        raise TypeError(f"the type of an array of {array.dtype} is not known: state type_name")
    if array.ndim == 1:
        _fill_array(out, array, scalar)
    elif array.ndim == 2 and array.shape[1] in (2, 3, 4):
        _fill_array(out, array, f"{scalar}{array.shape[1]}")
    else:
        raise ValueError(f"the type of an array of the shape {array.shape} is not known")


def _fill_arc(out: Message, arc: types.Reference | types.Payload) -> None:
    message = out.reference if isinstance(arc, types.Reference) else out.payload
    message.asset_path = arc.asset_path
    message.prim_path = arc.prim_path
    if arc.layer_offset != types.LayerOffset():
        message.layer_offset.offset = arc.layer_offset.offset
        message.layer_offset.scale = arc.layer_offset.scale
    if isinstance(arc, types.Reference):
        for key, entry in sorted(arc.custom_data.items()):
            _fill(message.custom_data.entries.add(key=key).value, entry, "")


def _fill_list_op(out: Message, op: types.ListOp) -> None:
    out.SetInParent()
    out.is_explicit = op.is_explicit
    for name in ("explicit", "prepended", "appended", "deleted", "added", "ordered"):
        for item in getattr(op, name):
            _fill(getattr(out, f"{name}_items").add(), item, "")


def path_list_op(paths: Sequence[str]) -> Message:
    """The explicit list of paths."""
    op = v1.ListOp(is_explicit=True)
    for path in paths:
        op.explicit_items.add(path_value=path)
    return op
