"""Vt: arrays, which hold arrays of NumPy."""

from typing import Any as _Any

from stagedoor.pxr._sdf import types as _sdf  # which has arrays, too
from stagedoor.pxr._vt.arrays import ARRAYS as _ALL

_ARRAYS = {name: kind for name, kind in _ALL.items() if kind._printed_module == "Vt"}
globals().update(_ARRAYS)


def _from_numpy(kind: _Any) -> _Any:
    return lambda array: kind.FromNumpy(array)


for _name, _kind in _ARRAYS.items():
    if hasattr(_kind, "FromNumpy"):
        globals()[f"{_name}FromNumpy"] = _from_numpy(_kind)
        globals()[f"{_name}FromBuffer"] = _from_numpy(_kind)


def Bool(value: bool) -> bool:
    return bool(value)


def Int(value: int) -> int:
    return int(value)


def Float(value: float) -> float:
    return float(value)


def Double(value: float) -> float:
    return float(value)


def Token(value: str) -> str:
    return str(value)


Long = ULong = UInt = Int64 = UInt64 = UChar = Short = UShort = Int
Half = Float
