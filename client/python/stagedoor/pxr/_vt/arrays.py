"""Arrays of numbers, vectors, matrices, text and so on: Vt.Vec3fArray and the like.

Those of numbers hold an array of NumPy, which `numpy.asarray` returns without a copy. Those that
were read share it with the package, which keeps it: they copy it before a script changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from stagedoor.pxr._gf.matrices import MATRICES
from stagedoor.pxr._gf.numbers import DTYPES, is_number, text
from stagedoor.pxr._gf.quaternions import QUATERNIONS
from stagedoor.pxr._gf.ranges import RANGES
from stagedoor.pxr._gf.vectors import VECTORS, Vec
from stagedoor.types import Array

A = TypeVar("A", bound="VtArray")


class VtArray:
    """The methods of all arrays. Derived classes hold a NumPy array or a list in `_a`."""

    __slots__ = ("_a",)
    _a: Any
    _isVtArray = True
    _printed_module = "Vt"

    def __len__(self) -> int:
        return len(self._a)

    def __bool__(self) -> bool:
        return len(self._a) > 0

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def __contains__(self, value: object) -> bool:
        return any(item == value for item in self)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        name = f"{self._printed_module}.{type(self).__name__}"
        if not len(self):
            return f"{name}()"
        comma = "," if len(self) == 1 else ""
        items = ", ".join(self._repr_of(item) for item in self)
        return f"{name}({len(self)}, ({items}{comma}))"

    def __str__(self) -> str:
        return f"[{', '.join(self._text_of(item) for item in self)}]"

    def _repr_of(self, item: Any) -> str:
        return repr(item)

    def _text_of(self, item: Any) -> str:
        return str(item)

    def index(self, value: Any) -> int:
        return list(self).index(value)


class NumberArray(VtArray):
    """An array of numbers or of values that consist of numbers."""

    __slots__ = ("_owned",)
    _dtype: Any = np.float64
    _shape: tuple[int, ...] = ()
    _letter = "d"

    def __init__(self, *values: Any) -> None:
        self._owned = True
        if len(values) == 1 and isinstance(values[0], NumberArray):
            self._a = values[0]._a.astype(self._dtype)
        elif len(values) == 1 and isinstance(values[0], np.ndarray):
            self._a = values[0].astype(self._dtype).reshape((-1, *self._shape))
        elif len(values) == 1 and isinstance(values[0], (int, np.integer)):
            self._a = np.zeros((int(values[0]), *self._shape), self._dtype)
        elif len(values) == 1:
            self._a = self._rows(list(values[0]))
        elif len(values) == 2:
            self._a = self._filled(values[0], values[1])
        else:
            self._a = np.zeros((0, *self._shape), self._dtype)

    @classmethod
    def _of(cls: type[A], array: Array) -> A:
        """The array itself, which may be read-only."""
        made = cls.__new__(cls)
        made._a = array
        made._owned = False  # type: ignore[attr-defined]
        return made

    @classmethod
    def FromNumpy(cls: type[A], array: Any) -> A:
        return cls(np.asarray(array))  # type: ignore[call-arg]

    FromBuffer = FromNumpy

    def _rows(self, values: list[Any]) -> Array:
        rows = [self._numbers(value) for value in values]
        return np.array(rows, self._dtype).reshape((-1, *self._shape))

    def _filled(self, count: int, value: Any) -> Array:
        """`count` items, which repeat the value or values given."""
        many = isinstance(value, (tuple, list, VtArray)) and not (
            self._shape and len(value) and is_number(next(iter(value)))
        )
        rows = self._rows(list(value) if many else [value])
        repeats = -(-count // max(1, len(rows)))
        return np.concatenate([rows] * max(1, repeats))[:count].copy()

    def _numbers(self, value: Any) -> Any:
        """A value in the form of which NumPy makes an item."""
        return list(value) if self._shape else value

    def _item(self, row: Any) -> Any:
        """The item of what NumPy's tolist makes of it."""
        return row

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        array: Array = self._a
        wanted = array if dtype is None else array.astype(dtype, copy=False)
        return wanted.copy() if copy and wanted is array else wanted

    def __iter__(self) -> Iterator[Any]:
        return map(self._item, self._a.tolist())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._of(self._a[index])
        if isinstance(index, type(Ellipsis)):
            return self._of(self._a)
        return self._item(self._a[index].tolist())

    def __setitem__(self, index: Any, value: Any) -> None:
        if not self._owned:
            self._a, self._owned = self._a.copy(), True
        if isinstance(index, slice):
            self._a[index] = self._rows(list(value))
        else:
            self._a[index] = self._rows([value])[0]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberArray):
            return np.array_equal(self._a, other._a)
        if isinstance(other, (list, tuple)):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other))
        return NotImplemented

    __hash__ = VtArray.__hash__

    def _operand(self, other: Any) -> Any:
        if isinstance(other, NumberArray):
            return other._a
        if isinstance(other, Vec):
            return np.array(other._v, self._dtype)
        return np.asarray(other, self._dtype) if isinstance(other, (list, tuple)) else other

    def __add__(self: A, other: Any) -> A:
        return self._of(np.asarray(self._a + self._operand(other), self._dtype))  # type: ignore[attr-defined]

    __radd__ = __add__

    def __sub__(self: A, other: Any) -> A:
        return self._of(np.asarray(self._a - self._operand(other), self._dtype))  # type: ignore[attr-defined]

    def __mul__(self: A, other: Any) -> A:
        return self._of(np.asarray(self._a * self._operand(other), self._dtype))  # type: ignore[attr-defined]

    __rmul__ = __mul__

    def __truediv__(self: A, other: Any) -> A:
        return self._of(np.asarray(self._a / self._operand(other), self._dtype))  # type: ignore[attr-defined]

    def __neg__(self: A) -> A:
        return self._of(-self._a)  # type: ignore[attr-defined]

    def __reduce__(self) -> Any:
        return type(self), (np.array(self._a),)

    def _repr_of(self, item: Any) -> str:
        return f"{item:.17g}" if isinstance(item, float) else repr(item)

    def _text_of(self, item: Any) -> str:
        if isinstance(item, bool):
            return "1" if item else "0"
        return text(item, self._letter) if is_number(item) else str(item)


class TextArray(VtArray):
    """An array of text, paths and the like."""

    __slots__ = ()
    _convert: Callable[[Any], Any] = str

    def __init__(self, *values: Any) -> None:
        convert = type(self)._convert
        if len(values) == 2:
            many = [values[1]] if isinstance(values[1], str) else list(values[1])
            self._a = [convert(many[i % len(many)]) for i in range(values[0])]
        elif values and isinstance(values[0], int):
            self._a = [convert("")] * values[0]
        else:
            self._a = [convert(value) for value in values[0]] if values else []

    @classmethod
    def _of(cls: type[A], values: list[Any]) -> A:
        made = cls.__new__(cls)
        made._a = values
        return made

    def __iter__(self) -> Iterator[Any]:
        return iter(self._a)

    def __getitem__(self, index: Any) -> Any:
        found = self._a[index]
        return self._of(found) if isinstance(index, slice) else found

    def __setitem__(self, index: Any, value: Any) -> None:
        self._a = list(self._a)
        self._a[index] = value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (TextArray, list, tuple)):
            return list(self) == list(other)
        return NotImplemented

    __hash__ = VtArray.__hash__

    def __add__(self: A, other: Any) -> A:
        return type(self)([*self, *other])  # type: ignore[call-arg]

    def __reduce__(self) -> Any:
        return type(self), (list(self._a),)


def _numbers_class(
    name: str,
    dtype: Any,
    shape: tuple[int, ...] = (),
    item: Callable[[Any], Any] | None = None,
    numbers: Callable[[Any], Any] | None = None,
    letter: str = "d",
) -> type[NumberArray]:
    scope: dict[str, Any] = {"_dtype": np.dtype(dtype), "_shape": shape, "_letter": letter}
    if item is not None:
        scope["_item"] = lambda self, row: item(row)
    if numbers is not None:
        scope["_numbers"] = lambda self, value: numbers(value)
    return type(name, (NumberArray,), {**scope, "__slots__": (), "__module__": "stagedoor.pxr.Vt"})


def _matrix_of(matrix: Any, dtype: Any) -> Callable[[Any], Any]:
    return lambda rows: matrix._of(np.array(rows, dtype))


def _range_of(box: Any) -> Callable[[Any], Any]:
    return lambda ends: box(*ends)


def _range_numbers(value: Any) -> Any:
    return [list(value.min), list(value.max)] if value.dimension > 1 else [value.min, value.max]


def _quat_numbers(value: Any) -> Any:
    return [*value.imaginary, value.real]


def _all_classes() -> dict[str, type[VtArray]]:
    scalars = {
        "Bool": "?",
        "UChar": "u1",
        "Char": "i1",
        "Short": "i2",
        "UShort": "u2",
        "Int": "i4",
        "UInt": "u4",
        "Int64": "i8",
        "UInt64": "u8",
        "Half": "f2",
        "Float": "f4",
        "Double": "f8",
    }
    letters = {"Half": "h", "Float": "f"}
    found: dict[str, type[VtArray]] = {
        f"{name}Array": _numbers_class(f"{name}Array", dtype, letter=letters.get(name, "d"))
        for name, dtype in scalars.items()
    }
    for name, vector in VECTORS.items():
        kind = DTYPES[vector.letter]
        found[f"{name}Array"] = _numbers_class(
            f"{name}Array", kind, (vector.dimension,), vector._of, letter=vector.letter
        )
    for name, matrix in MATRICES.items():
        kind = DTYPES[matrix.letter]
        found[f"{name}Array"] = _numbers_class(
            f"{name}Array",
            kind,
            matrix.dimension,
            _matrix_of(matrix, kind),
            lambda value: value._m if hasattr(value, "_m") else value,
        )
    for name, quat in QUATERNIONS.items():
        kind = DTYPES[quat.letter]
        found[f"{name}Array"] = _numbers_class(
            f"{name}Array", kind, (4,), quat._of_numbers, _quat_numbers
        )
    for name, box in RANGES.items():
        shape = (2,) if box.dimension == 1 else (2, box.dimension)
        kind = DTYPES[box.letter]
        found[f"{name}Array"] = _numbers_class(
            f"{name}Array", kind, shape, _range_of(box), _range_numbers
        )
    for name in ("StringArray", "TokenArray"):
        scope = {"__slots__": (), "__module__": "stagedoor.pxr.Vt"}
        found[name] = type(name, (TextArray,), scope)
    return found


ARRAYS = _all_classes()


def text_class(name: str, convert: Callable[[Any], Any], module: str = "Sdf") -> type[TextArray]:
    """A class of arrays of other values than text, which Sdf defines."""
    scope = {
        "_convert": staticmethod(convert),
        "_printed_module": module,
        "__slots__": (),
        "__module__": f"stagedoor.pxr.{module}",
    }
    made: type[TextArray] = type(name, (TextArray,), scope)
    ARRAYS[name] = made
    return made
