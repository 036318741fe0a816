"""Numbers as Gf rounds and prints them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

_FLOAT = struct.Struct("<f")


def to_float(value: Any) -> float:
    """A number rounded to single precision; infinite if it is too large for that."""
    try:
        rounded: float = _FLOAT.unpack(_FLOAT.pack(value))[0]
        return rounded
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def to_half(value: Any) -> float:
    """A number rounded to half precision."""
    with np.errstate(all="ignore"):
        return float(np.float16(value))


def to_int(value: Any) -> int:
    if isinstance(value, float):
        raise TypeError(f"an integer is required, not {value!r}")
    return int(value)


# How components are rounded, by the letter at the end of the type's name.
ROUND: dict[str, Callable[[Any], Any]] = {
    "d": float,
    "f": to_float,
    "h": to_half,
    "i": to_int,
}
DTYPES = {"d": np.float64, "f": np.float32, "h": np.float16, "i": np.int32}


def text(value: Any, letter: str = "d") -> str:
    """A number with as few digits as its precision needs, without a trailing ".0"."""
    if isinstance(value, int):
        return str(value)
    if letter == "d" or value != value or value in (float("inf"), float("-inf")):
        digits = repr(float(value))
    else:
        digits = str(DTYPES[letter](value)) if letter == "h" else str(np.float32(value))
    mantissa, e, exponent = digits.partition("e")
    mantissa = mantissa[:-2] if mantissa.endswith(".0") else mantissa
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number))
