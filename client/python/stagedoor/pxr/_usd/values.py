"""Turns values of the package into those of Gf, Vt and Sdf."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stagedoor import types
from stagedoor.pxr._gf.matrices import MATRICES
from stagedoor.pxr._gf.quaternions import QUATERNIONS
from stagedoor.pxr._gf.vectors import VECTORS
from stagedoor.pxr._sdf import types as sdf
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._vt.arrays import ARRAYS

# By the characters of NumPy's types.
_LETTERS = {"e": "h", "f": "f", "d": "d", "i": "i"}
_SCALARS = {
    np.dtype(name).char: kind
    for name, kind in [
        *(("?", "Bool"), ("u1", "UChar"), ("i4", "Int"), ("u4", "UInt"), ("i8", "Int64")),
        *(("u8", "UInt64"), ("f2", "Half"), ("f4", "Float"), ("f8", "Double"), ("i1", "Char")),
        *(("i2", "Short"), ("u2", "UShort")),
    ]
}

# Returns the type name of what is converted, which may need a question to the daemon.
TypeName = Callable[[], str]


def from_package(value: Any, type_name: TypeName) -> Any:
    """A value of an attribute or field. The type name is asked for only where it decides."""
    if value is None or isinstance(value, (bool, int, str)):
        return _text(value, type_name) if isinstance(value, str) else value
    if isinstance(value, float):
        return sdf.TimeCode(value) if type_name() == "timecode" else value
    if isinstance(value, np.ndarray):
        return _from_array(value, type_name)
    if isinstance(value, np.generic):
        return from_package(value.item(), type_name)
    if isinstance(value, list):
        return _from_list(value, type_name)
    converter = _OTHERS.get(type(value))
    return converter(value) if converter is not None else value


def _text(value: str, type_name: TypeName) -> Any:
    return sdf.PathExpression(value) if type_name() == "pathExpression" else value


def _no_name() -> str:
    return ""


def plain(value: Any) -> Any:
    """A value in metadata, whose type is known from itself."""
    return from_package(value, _no_name)


def _from_array(array: Any, type_name: TypeName) -> Any:
    """An array of NumPy is a tuple or matrix, or an array of these."""
    shape, letter = array.shape, _LETTERS.get(array.dtype.char, "")
    if array.ndim == 1 and shape[0] in (2, 3, 4) and letter:
        name = type_name() or ""
        if not name.endswith("[]"):
            if name.startswith("quat"):
                return QUATERNIONS[f"Quat{letter}"]._of_numbers(array.tolist())
            return VECTORS[f"Vec{shape[0]}{letter}"]._of(array.tolist())
    if array.ndim == 1:
        if array.dtype.char == "d" and type_name() == "timecode[]":
            return ARRAYS["TimeCodeArray"](array.tolist())  # type: ignore[call-arg]
        return _array_class(_SCALARS[array.dtype.char])._of(array)
    if array.ndim == 2 and shape[0] == shape[1] and letter in "df" and not _is_array(type_name):
        return MATRICES[f"Matrix{shape[0]}{letter}"]._of(array)
    if array.ndim == 3:
        return _array_class(f"Matrix{shape[1]}{letter}")._of(array)
    if shape[1] == 4 and letter in "hfd" and type_name().startswith("quat"):
        return _array_class(f"Quat{letter}")._of(array)
    return _array_class(f"Vec{shape[1]}{letter}")._of(array)


def _is_array(type_name: TypeName) -> bool:
    name = type_name()
    return name.endswith("[]") if name else False


def _array_class(name: str) -> Any:
    return ARRAYS[f"{name}Array"]


def _from_list(values: list[Any], type_name: TypeName) -> Any:
    if values and isinstance(values[0], types.AssetPath):
        return _array_class("AssetPath")._of([_asset(value) for value in values])
    if all(isinstance(value, str) for value in values):
        name = type_name()
        kinds = {"string[]": "String", "asset[]": "AssetPath", "pathExpression[]": "PathExpression"}
        if name in ("asset[]", "pathExpression[]"):
            return _array_class(kinds[name])(values)
        return _array_class(kinds.get(name, "Token"))._of(values)
    return [plain(value) for value in values]


def _asset(value: types.AssetPath) -> sdf.AssetPath:
    return sdf.AssetPath(value.authored, value.resolved, value.evaluated)


def _offset(value: types.LayerOffset) -> sdf.LayerOffset:
    return sdf.LayerOffset(value.offset, value.scale)


def _reference(value: types.Reference) -> sdf.Reference:
    data = plain(value.custom_data)
    return sdf.Reference(value.asset_path, value.prim_path, _offset(value.layer_offset), data)


def _payload(value: types.Payload) -> sdf.Payload:
    return sdf.Payload(value.asset_path, value.prim_path, _offset(value.layer_offset))


def _list_op(value: types.ListOp) -> sdf.ListOp:
    names = ("explicit", "prepended", "appended", "deleted", "added", "ordered")
    lists = {name: [plain(item) for item in getattr(value, name)] for name in names}
    return sdf.ListOp(value.is_explicit, **lists)


def _samples(value: dict[Any, Any]) -> dict[Any, Any]:
    return {key: plain(item) for key, item in value.items()}


_OTHERS: dict[type, Callable[[Any], Any]] = {
    types.AssetPath: _asset,
    types.LayerOffset: _offset,
    types.Reference: _reference,
    types.Payload: _payload,
    types.ListOp: _list_op,
    types.ValueBlock: lambda _: sdf.ValueBlock(),
    types.AnimationBlock: lambda _: sdf.ValueBlock(),
    dict: _samples,
    tuple: lambda items: tuple(plain(item) for item in items),
}


def default_of(type_name: str) -> Any:
    """The value that attributes of a type have in OpenUSD before they are set."""
    from stagedoor.pxr._sdf.value_types import find

    cpp = find(type_name).cppTypeName
    if type_name.endswith("[]"):
        kind = array_class_of(type_name)
        return kind() if kind is not None else None
    kinds: dict[str, Any] = {**VECTORS, **MATRICES, **QUATERNIONS}
    if cpp.startswith("Gf") and cpp[2:] in kinds:
        return kinds[cpp[2:]](0) if cpp.startswith("GfQuat") else kinds[cpp[2:]]()
    known = {
        "bool": False,
        "string": "",
        "TfToken": "",
        "std::string": "",
        "float": 0.0,
        "double": 0.0,
        "GfHalf": 0.0,
        "SdfAssetPath": sdf.AssetPath(),
        "SdfTimeCode": sdf.TimeCode(0),
    }
    return known.get(cpp, 0)


def array_class_of(type_name: str) -> Any:
    """The class of arrays of a type name such as "point3f[]"; None if there is none."""
    from stagedoor.pxr._sdf.value_types import find

    cpp = find(type_name).scalarType.cppTypeName
    plain_names = {
        "bool": "Bool",
        "int": "Int",
        "unsigned int": "UInt",
        "int64_t": "Int64",
        "uint64_t": "UInt64",
        "unsigned char": "UChar",
        "float": "Float",
        "double": "Double",
        "GfHalf": "Half",
        "std::string": "String",
        "TfToken": "Token",
        "SdfAssetPath": "AssetPath",
        "SdfTimeCode": "TimeCode",
    }
    name = plain_names.get(cpp) or cpp.removeprefix("Gf").removeprefix("Sdf")
    return ARRAYS.get(f"{name}Array")


def as_path(value: Any) -> Path:
    return value if isinstance(value, Path) else Path(value)
