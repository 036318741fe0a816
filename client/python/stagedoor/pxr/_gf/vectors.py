"""Vectors: Gf.Vec2d to Gf.Vec4i."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from stagedoor.pxr._gf.numbers import ROUND, is_number, text

V = TypeVar("V", bound="Vec")

# Below this length, OpenUSD does not normalize.
MIN_LENGTH = 1e-10


class Vec:
    """A vector of 2, 3 or 4 numbers, which may be changed in place.

    As in OpenUSD it can be iterated, but has no `__iter__`, by which scripts tell it from arrays.
    """

    __slots__ = ("_v",)
    _v: list[Any]
    dimension = 0
    letter = "d"
    _round: Callable[[Any], Any] = float

    def __init__(self, *values: Any) -> None:
        count = self.dimension
        if len(values) == 1 and is_number(values[0]):
            values = values * count
        elif len(values) == 1:
            values = tuple(values[0])
        elif not values:
            values = (0,) * count
        if len(values) != count:
            raise TypeError(f"{type(self).__name__} has {count} components, not {len(values)}")
        convert = type(self)._round
        self._v = [convert(value) for value in values]

    @classmethod
    def _of(cls: type[V], values: list[Any]) -> V:
        """A vector of numbers that have the type's precision already. Keeps the list."""
        made = cls.__new__(cls)
        made._v = values
        return made

    @classmethod
    def Axis(cls: type[V], index: int) -> V:
        return cls(*(1 if i == index else 0 for i in range(cls.dimension)))

    @classmethod
    def XAxis(cls: type[V]) -> V:
        return cls.Axis(0)

    @classmethod
    def YAxis(cls: type[V]) -> V:
        return cls.Axis(1)

    @classmethod
    def ZAxis(cls: type[V]) -> V:
        return cls.Axis(2)

    @classmethod
    def WAxis(cls: type[V]) -> V:
        return cls.Axis(3)

    # ------------------------------------------------------------------------------ as a sequence

    def __len__(self) -> int:
        return self.dimension

    def __getitem__(self, index: Any) -> Any:
        return self._v[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        convert = type(self)._round
        if isinstance(index, slice):
            values = [convert(one) for one in value]
            if len(values) != len(self._v[index]):
                raise ValueError("a vector cannot change its size")
            self._v[index] = values
        else:
            self._v[index] = convert(value)

    def __contains__(self, value: object) -> bool:
        return value in self._v

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Vec):
            return self._v == other._v
        if isinstance(other, (tuple, list)):
            return self._v == list(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._v))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        from stagedoor.pxr._gf.numbers import DTYPES

        return np.array(self._v, dtype or DTYPES[self.letter])

    def __repr__(self) -> str:
        return f"Gf.{type(self).__name__}({', '.join(map(repr, self._v))})"

    def __str__(self) -> str:
        return f"({', '.join(text(value, self.letter) for value in self._v)})"

    def __copy__(self: V) -> V:
        return self._of(list(self._v))

    def __deepcopy__(self: V, _: Any) -> V:
        return self._of(list(self._v))

    def __reduce__(self) -> Any:
        return type(self), tuple(self._v)

    # -------------------------------------------------------------------------------- arithmetic

    def _values_of(self, other: Any) -> Sequence[Any] | None:
        """The components of an operand; None if it is not such a vector."""
        if isinstance(other, Vec):
            return other._v if other.dimension == self.dimension else None
        if isinstance(other, (tuple, list)) and len(other) == self.dimension:
            return other
        return None

    def __add__(self: V, other: Any) -> V:
        values = self._values_of(other)
        if values is None:
            return NotImplemented
        return _wider(self, other)(*(a + b for a, b in zip(self._v, values)))

    __radd__ = __add__

    def __sub__(self: V, other: Any) -> V:
        values = self._values_of(other)
        if values is None:
            return NotImplemented
        return _wider(self, other)(*(a - b for a, b in zip(self._v, values)))

    def __rsub__(self: V, other: Any) -> V:
        values = self._values_of(other)
        if values is None:
            return NotImplemented
        return type(self)(*(b - a for a, b in zip(self._v, values)))

    def __neg__(self: V) -> V:
        return self._of([-value for value in self._v])

    def __mul__(self, other: Any) -> Any:
        if is_number(other):
            return type(self)(*(self._scaled(value * other) for value in self._v))
        values = self._values_of(other)
        if values is None:
            return NotImplemented
        return type(self)._round(sum(a * b for a, b in zip(self._v, values)))

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self: V, other: Any) -> V:
        if not is_number(other):
            return NotImplemented
        return type(self)(*(self._scaled(value / other) for value in self._v))

    def _scaled(self, value: Any) -> Any:
        return int(value) if self.letter == "i" else value

    def __floordiv__(self: V, other: Any) -> V:
        return self / other

    def __xor__(self, other: Any) -> Any:
        return self.GetCross(other) if self.dimension == 3 else NotImplemented

    def GetDot(self, other: Any) -> Any:
        return self * type(self)(other)

    def GetCross(self: V, other: Any) -> V:
        a, b = self._v, list(other)
        return type(self)(
            a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
        )

    # ------------------------------------------------------------------------------------ length

    def GetLengthSq(self) -> float:
        return float(sum(value * value for value in self._v))

    def GetLength(self) -> float:
        length: float = type(self)._round(math.sqrt(self.GetLengthSq()))
        return length

    def GetNormalized(self: V, eps: float = MIN_LENGTH) -> V:
        return self / max(math.sqrt(self.GetLengthSq()), eps)

    def Normalize(self, eps: float = MIN_LENGTH) -> float:
        length = self.GetLength()
        self._v = self.GetNormalized(eps)._v
        return length

    def GetProjection(self: V, other: Any) -> V:
        found: V = type(self)(other) * (self * other)
        return found

    def GetComplement(self: V, other: Any) -> V:
        return self - self.GetProjection(other)


def _wider(vector: V, other: Any) -> type[V]:
    """The type of a sum: that of the operand with more precision."""
    if isinstance(other, Vec) and "hfd".find(other.letter) > "hfd".find(vector.letter):
        kind: Any = type(other)
        return kind
    return type(vector)


def _make(dimension: int, letter: str) -> type[Vec]:
    name = f"Vec{dimension}{letter}"
    rounding = staticmethod(ROUND[letter])
    scope = {"dimension": dimension, "letter": letter, "_round": rounding, "__slots__": ()}
    return type(name, (Vec,), {**scope, "__module__": "stagedoor.pxr.Gf"})


VECTORS = {f"Vec{n}{letter}": _make(n, letter) for n in (2, 3, 4) for letter in "dfhi"}
Vec2d, Vec2f, Vec2h, Vec2i = (VECTORS[f"Vec2{letter}"] for letter in "dfhi")
Vec3d, Vec3f, Vec3h, Vec3i = (VECTORS[f"Vec3{letter}"] for letter in "dfhi")
Vec4d, Vec4f, Vec4h, Vec4i = (VECTORS[f"Vec4{letter}"] for letter in "dfhi")
