"""Quaternions: Gf.Quatd, Gf.Quatf, Gf.Quath and Gf.Quaternion."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from stagedoor.pxr._gf.numbers import ROUND, is_number, text
from stagedoor.pxr._gf.vectors import MIN_LENGTH, VECTORS, Vec

Q = TypeVar("Q", bound="Quat")


class Quat:
    """A quaternion of a real part and a vector."""

    __slots__ = ("_i", "_r")
    _i: Vec
    _r: Any
    letter = "d"
    _round: Callable[[Any], Any] = float
    _vector: type[Vec] = Vec

    def __init__(self, *values: Any) -> None:
        vector, convert = self._vector, type(self)._round
        if len(values) == 1 and isinstance(values[0], Quat):
            values = (values[0].real, values[0].imaginary)
        if len(values) == 4:
            values = (values[0], values[1:])
        if len(values) > 2:
            raise TypeError(f"{type(self).__name__} has a real part and an imaginary vector")
        self._r = convert(values[0]) if values else 0.0
        self._i = vector(values[1]) if len(values) == 2 else vector()

    @classmethod
    def _of_numbers(cls: type[Q], ijkr: Any) -> Q:
        """That of four numbers in the order of NumPy arrays: i, j, k, real."""
        return cls(ijkr[3], ijkr[0], ijkr[1], ijkr[2])

    @classmethod
    def GetZero(cls: type[Q]) -> Q:
        return cls(0)

    @classmethod
    def GetIdentity(cls: type[Q]) -> Q:
        return cls(1)

    @property
    def real(self) -> Any:
        return self._r

    @property
    def imaginary(self) -> Vec:
        return self._i

    def GetReal(self) -> Any:
        return self._r

    def GetImaginary(self) -> Vec:
        return self._i

    def _numbers(self) -> list[Any]:
        return [self._r, *self._i._v]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quat) and self._numbers() == other._numbers()

    def __hash__(self) -> int:
        return hash(tuple(self._numbers()))

    def __repr__(self) -> str:
        return f"Gf.{type(self).__name__}({self._r!r}, {self._i!r})"

    def __str__(self) -> str:
        return f"({', '.join(text(value, self.letter) for value in self._numbers())})"

    def __reduce__(self) -> Any:
        return type(self), (self._r, self._i)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        from stagedoor.pxr._gf.numbers import DTYPES

        return np.array([*self._i._v, self._r], dtype or DTYPES[self.letter])

    # -------------------------------------------------------------------------------- arithmetic

    def __add__(self: Q, other: Any) -> Q:
        return type(self)(self._r + other._r, self._i + other._i)

    def __sub__(self: Q, other: Any) -> Q:
        return type(self)(self._r - other._r, self._i - other._i)

    def __neg__(self: Q) -> Q:
        return type(self)(-self._r, -self._i)

    def __mul__(self: Q, other: Any) -> Q:
        if is_number(other):
            return type(self)(self._r * other, self._i * other)
        if not isinstance(other, Quat):
            return NotImplemented
        a, b, c, d = self._numbers()
        e, f, g, h = other._numbers()
        return type(self)(
            a * e - (b * f + c * g + d * h),
            a * f + b * e + (c * h - d * g),
            a * g + c * e + (d * f - b * h),
            a * h + d * e + (b * g - c * f),
        )

    def __rmul__(self: Q, other: Any) -> Q:
        return self * other if is_number(other) else NotImplemented

    def __truediv__(self: Q, other: float) -> Q:
        return self * (1.0 / other)

    def GetLength(self) -> float:
        return math.sqrt(sum(value * value for value in self._numbers()))

    def GetNormalized(self: Q, eps: float = MIN_LENGTH) -> Q:
        length = self.GetLength()
        return self.GetIdentity() if length < eps else self / length

    def Normalize(self, eps: float = MIN_LENGTH) -> float:
        length, found = self.GetLength(), self.GetNormalized(eps)
        self._r, self._i = found._r, found._i
        return length

    def GetConjugate(self: Q) -> Q:
        return type(self)(self._r, -self._i)

    def GetInverse(self: Q) -> Q:
        return self.GetConjugate() / sum(value * value for value in self._numbers())

    def Transform(self, point: Any) -> Vec:
        """The point, rotated by the quaternion."""
        kind = type(point) if isinstance(point, Vec) else self._vector
        found = self * type(self)(0, point) * self.GetInverse()
        return kind(found._i)


def Dot(left: Quat, right: Quat) -> float:
    return float(sum(a * b for a, b in zip(left._numbers(), right._numbers())))


def _make(name: str, letter: str) -> type[Quat]:
    scope = {
        "letter": letter,
        "_round": staticmethod(ROUND[letter]),
        "_vector": VECTORS[f"Vec3{letter}"],
        "__slots__": (),
        "__module__": "stagedoor.pxr.Gf",
    }
    return type(name, (Quat,), scope)


Quatd, Quatf, Quath = (_make(f"Quat{letter}", letter) for letter in "dfh")
Quaternion = _make("Quaternion", "d")
QUATERNIONS = {"Quatd": Quatd, "Quatf": Quatf, "Quath": Quath}


def Slerp(alpha: float, left: Q, right: Q) -> Q:
    """The rotation between two, on the shorter arc."""
    cosine = Dot(left, right)
    flip = cosine < 0
    cosine = abs(cosine)
    if 1.0 - cosine > 0.00001:
        theta = math.acos(min(1.0, cosine))
        scale0 = math.sin((1.0 - alpha) * theta) / math.sin(theta)
        scale1 = math.sin(alpha * theta) / math.sin(theta)
    else:
        scale0, scale1 = 1.0 - alpha, alpha
    return left * scale0 + right * (-scale1 if flip else scale1)
