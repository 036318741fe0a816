"""Values as the page shows them: short texts, whatever a scene contains.

The text is JSON as `stagedoor get` prints it, with the first elements of long arrays and the
beginning of long strings. It is bounded before it is made, so that a value of a gigabyte costs no
more than the bytes that are shown.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from stagedoor.errors import Error
from stagedoor.types import Array, AssetPath, InvalidValue, State, TimeCode, ValueBlock

MAX_TEXT = 2000  # characters of a value
_MAX_VECTOR = 16
_MAX_DEPTH = 12


class Limits(NamedTuple):
    """How much of a value is written."""

    text: int = MAX_TEXT  # characters
    string: int = 1000  # of a string in it
    items: int = 8  # elements of an array
    entries: int = 100  # of a dictionary


_USUAL = Limits()

# Single numbers of these types arrive as Python's, which have more digits.
_PRECISIONS: dict[str, Any] = {"float": np.float32, "half": np.float16}

Shown = dict[str, Any]


def shown(value: Any, type_name: str = "") -> Shown:
    """A value as the page gets it.

    text: empty if there is no value. count: the number of elements, of an array.
    cut: whether the text is not all of the value. color: of a color, as "#rrggbb".
    """
    writer = _Writer(_USUAL)
    writer.value(_precise(value, type_name), is_array=type_name.endswith("[]"))
    found: Shown = {"text": "" if value is None else writer.text()}
    if writer.is_cut:
        found["cut"] = True
    if type_name.endswith("[]") and hasattr(value, "__len__"):
        found["count"] = len(value)
    color = _color(value, type_name)
    if color:
        found["color"] = color
    return found


def whole_text(value: Any, type_name: str, limit: int) -> tuple[str, bool]:
    """All of a value, to be edited, and whether it had to be cut at so many characters."""
    writer = _Writer(Limits(limit, limit, limit, limit))
    writer.value(_precise(value, type_name), is_array=type_name.endswith("[]"))
    return writer.text(), writer.is_cut


def shown_state(state: State, value: Any, type_name: str = "") -> Shown:
    """As `shown`, of a value that may be blocked or missing."""
    if state is State.VALUE:
        return shown(value, type_name)
    return {"text": "", "state": state.value}


def shown_error(error: Error) -> Shown:
    return {"text": "", "state": "error", "message": error.message[:MAX_TEXT], "hint": error.hint}


def shown_fields(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields of metadata, by name."""
    return [{"name": name, **shown(value)} for name, value in sorted(fields.items())]


def time_text(code: TimeCode) -> str:
    """A time as users write it."""
    if code.kind in ("default", "earliest"):
        return code.kind
    return f"pre:{number_text(code.value)}" if code.kind == "pre" else number_text(code.value)


def number_text(number: float) -> str:
    """The shortest text of a number, as the type that it has."""
    if not math.isfinite(number):
        return "nan" if math.isnan(number) else ("inf" if number > 0 else "-inf")
    text = str(number)  # of a NumPy scalar, the shortest for its own precision
    return text[:-2] if text.endswith(".0") else text


def finite(number: Any) -> float | None:
    """A number for JSON; None instead of nan and infinities."""
    made = float(number)
    return made if math.isfinite(made) else None


def _precise(value: Any, type_name: str) -> Any:
    if isinstance(value, float) and type_name in _PRECISIONS:
        return _PRECISIONS[type_name](value)
    return value


def _color(value: Any, type_name: str) -> str:
    """The color of a single color, clamped; empty for other values."""
    if not type_name.startswith("color") or type_name.endswith("[]"):
        return ""
    if not isinstance(value, np.ndarray) or value.shape not in ((3,), (4,)):
        return ""
    parts = np.clip(np.nan_to_num(value[:3].astype(np.float64)), 0.0, 1.0)
    # Scene-linear light to the sRGB of screens.
    parts = np.where(parts <= 0.0031308, 12.92 * parts, 1.055 * parts ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(float(part) * 255):02x}" for part in parts)


class _Writer:
    """Writes JSON until it is long enough."""

    def __init__(self, limits: Limits) -> None:
        self._parts: list[str] = []
        self._limits = limits
        self._left = limits.text
        self.is_cut = False

    def text(self) -> str:
        return "".join(self._parts)

    def value(self, value: Any, depth: int = 0, *, is_array: bool = False) -> None:
        if self._left <= 0 or depth > _MAX_DEPTH:
            self._more()
        elif isinstance(value, np.ndarray):
            self._array(value, is_array)
        elif isinstance(value, Mapping):
            self._mapping(value.items(), depth)
        elif isinstance(value, (list, tuple)):
            most = self._limits.items if is_array else self._limits.entries
            self._list(value, depth, most)
        else:
            self._single(value, depth)

    def _single(self, value: Any, depth: int) -> None:
        if isinstance(value, str):
            self._string(value)
        elif value is None or isinstance(value, (bool, np.bool_)):
            self._write("null" if value is None else str(bool(value)).lower())
        elif isinstance(value, (int, float, np.number)):
            number = number_text(value)  # type: ignore[arg-type]
            self._write(number if math.isfinite(float(value)) else f'"{number}"')
        elif isinstance(value, AssetPath):
            self._asset(value)
        elif isinstance(value, ValueBlock):
            self._write("blocked")
        elif isinstance(value, InvalidValue):
            self._string(value.message)
        elif isinstance(value, TimeCode):
            self._write(time_text(value))
        elif dataclasses.is_dataclass(value):
            names = [field.name for field in dataclasses.fields(value)]
            set_ones = [(name, getattr(value, name)) for name in names]
            used = [(name, item) for name, item in set_ones if item not in (None, "", (), False)]
            self._mapping(used, depth)
        else:
            self._string(str(value))

    def _asset(self, value: AssetPath) -> None:
        self._string(value.path)
        if value.resolved and value.resolved != value.path:
            self._write(" → ")
            self._string(value.resolved)

    def _array(self, value: Array, is_array: bool) -> None:
        # Without a type, a short array may be a vector.
        first = value[: self._limits.items] if is_array or len(value) > _MAX_VECTOR else value
        self._nested(first.tolist() if first.dtype.kind in "biu" else _shortest(first))
        if len(first) < len(value):
            self._more()
            self._write("]")

    def _nested(self, items: Any) -> None:
        if not isinstance(items, list):
            self._single(items, 0)
            return
        self._write("[")
        for i, item in enumerate(items):
            self._write(", " if i else "")
            self._nested(item)
        self._write("]")

    def _list(self, items: Iterable[Any], depth: int, most: int) -> None:
        self._write("[")
        for i, item in enumerate(items):
            self._write(", " if i else "")
            if i == most or self._left <= 0:
                self._more()
                break
            self.value(item, depth + 1)
        self._write("]")

    def _mapping(self, items: Iterable[tuple[Any, Any]], depth: int) -> None:
        self._write("{")
        for i, (name, item) in enumerate(items):
            self._write(", " if i else "")
            if i == self._limits.entries or self._left <= 0:
                self._more()
                break
            self._string(str(name) if not isinstance(name, float) else number_text(name))
            self._write(": ")
            self.value(item, depth + 1)
        self._write("}")

    def _string(self, text: str) -> None:
        most = min(self._limits.string, max(self._left, 1))
        self._write(json.dumps(text[:most], ensure_ascii=False))
        if len(text) > most:
            self._more()
            self._write(f" ({len(text)} characters)")

    def _more(self) -> None:
        if self._parts and self._parts[-1] == "]":  # of an array that goes on
            self._parts[-1] = ", "
        if not self._parts or self._parts[-1] != "…":
            self._parts.append("…")
        self.is_cut = True

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._left -= len(text)


def _shortest(array: Array) -> Any:
    """The numbers of an array as NumPy scalars, which know their shortest text."""
    return list(array) if array.ndim == 1 else [_shortest(row) for row in array]
