"""Ranges, boxes and intervals: Gf.Range1d to Gf.Range3f, Gf.BBox3d and Gf.Interval."""

from __future__ import annotations

import math
from typing import Any, TypeVar

from stagedoor.pxr._gf.matrices import Matrix4d, inverted
from stagedoor.pxr._gf.numbers import ROUND, text
from stagedoor.pxr._gf.vectors import VECTORS, Vec, Vec3d

R = TypeVar("R", bound="Range")

# The ends of an empty range, which any point widens.
_MAX_FLOAT = 3.4028234663852886e38


class Range:
    """All points between a minimum and a maximum; empty if the minimum is greater."""

    __slots__ = ("_max", "_min")
    _max: Any
    _min: Any
    dimension = 0
    letter = "d"

    def __init__(self, *values: Any) -> None:
        if len(values) == 1 and isinstance(values[0], Range):
            values = (values[0]._min, values[0]._max)
        if values and len(values) != 2:
            raise TypeError("a range has a minimum and a maximum")
        self._min = self._point(values[0] if values else _MAX_FLOAT)
        self._max = self._point(values[1] if values else -_MAX_FLOAT)

    @classmethod
    def _point(cls, value: Any) -> Any:
        """A copy of the value as a point of the range's type."""
        if cls.dimension == 1:
            return ROUND[cls.letter](value)
        return VECTORS[f"Vec{cls.dimension}{cls.letter}"](value)

    @property
    def min(self) -> Any:
        return self._min

    @min.setter
    def min(self, value: Any) -> None:
        self._min = self._point(value)

    @property
    def max(self) -> Any:
        return self._max

    @max.setter
    def max(self, value: Any) -> None:
        self._max = self._point(value)

    def GetMin(self) -> Any:
        return self._min

    def GetMax(self) -> Any:
        return self._max

    def SetMin(self, value: Any) -> None:
        self.min = value

    def SetMax(self, value: Any) -> None:
        self.max = value

    def GetSize(self) -> Any:
        return self._max - self._min

    def GetMidpoint(self) -> Any:
        return self._point((self._min + self._max) * 0.5)

    def _pairs(self, other: Any = None) -> list[tuple[Any, ...]]:
        ends = [self._min, self._max]
        if isinstance(other, Range):
            ends += [other._min, other._max]
        elif other is not None:
            ends += [other, other]
        return [tuple(ends)] if self.dimension == 1 else list(zip(*ends))

    def IsEmpty(self) -> bool:
        return any(low > high for low, high in self._pairs())

    def SetEmpty(self) -> None:
        self.min, self.max = _MAX_FLOAT, -_MAX_FLOAT

    def Contains(self, other: Any) -> bool:
        """Whether a point, or a whole range, is inside."""
        return all(a <= low and high <= b for a, b, low, high in self._pairs(other))

    def IsInside(self, other: Any) -> bool:
        return self.Contains(other)

    def IsOutside(self, other: Any) -> bool:
        return any(high < a or b < low for a, b, low, high in self._pairs(other))

    def UnionWith(self: R, other: Any) -> R:
        """Widens this range, so that it contains a point or another range."""
        pairs = self._pairs(other)
        self._set(
            [min(a, low) for a, _, low, _ in pairs], [max(b, high) for _, b, _, high in pairs]
        )
        return self

    def ExtendBy(self: R, other: Any) -> R:
        return self.UnionWith(other)

    def IntersectWith(self: R, other: Any) -> R:
        pairs = self._pairs(other)
        self._set(
            [max(a, low) for a, _, low, _ in pairs], [min(b, high) for _, b, _, high in pairs]
        )
        return self

    def _set(self, low: list[Any], high: list[Any]) -> None:
        one = self.dimension == 1
        self.min, self.max = (low[0], high[0]) if one else (low, high)

    @classmethod
    def GetUnion(cls: type[R], left: R, right: Any) -> R:
        return cls(left).UnionWith(right)

    @classmethod
    def GetIntersection(cls: type[R], left: R, right: Any) -> R:
        return cls(left).IntersectWith(right)

    def GetDistanceSquared(self, point: Any) -> float:
        gaps = (max(a - p, p - b, 0.0) for a, b, p, _ in self._pairs(point))
        return float(sum(gap * gap for gap in gaps))

    def GetCorner(self, index: int) -> Any:
        """A corner: bit i of the index chooses the maximum along axis i."""
        ends = self._pairs()
        return self._point([ends[i][index >> i & 1] for i in range(self.dimension)])

    def __add__(self: R, other: R) -> R:
        return type(self)(self._min + other._min, self._max + other._max)

    def __sub__(self: R, other: R) -> R:
        return type(self)(self._min - other._max, self._max - other._min)

    def __mul__(self: R, factor: float) -> R:
        ends = (self._min * factor, self._max * factor)
        return type(self)(*(ends if factor > 0 else ends[::-1]))

    __rmul__ = __mul__

    def __truediv__(self: R, factor: float) -> R:
        return self * (1.0 / factor)

    def __contains__(self, other: Any) -> bool:
        return self.Contains(other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and self._min == other._min and self._max == other._max

    def __hash__(self) -> int:
        return hash((self._min, self._max))

    def __repr__(self) -> str:
        return f"Gf.{type(self).__name__}({self._min!r}, {self._max!r})"

    def __str__(self) -> str:
        low, high = (
            text(end, self.letter) if self.dimension == 1 else str(end)
            for end in (self._min, self._max)
        )
        return f"[{low}...{high}]"


def _make(n: int, letter: str) -> type[Range]:
    scope = {"dimension": n, "letter": letter, "__slots__": (), "__module__": "stagedoor.pxr.Gf"}
    return type(f"Range{n}{letter}", (Range,), scope)


RANGES = {f"Range{n}{letter}": _make(n, letter) for n in (1, 2, 3) for letter in "df"}
Range1d, Range1f = RANGES["Range1d"], RANGES["Range1f"]
Range2d, Range2f = RANGES["Range2d"], RANGES["Range2f"]
Range3d, Range3f = RANGES["Range3d"], RANGES["Range3f"]


class BBox3d:
    """A box that need not be aligned to the axes: a range, and the matrix from its space."""

    _range: Range
    _matrix: Any

    def __init__(self, *values: Any) -> None:
        if len(values) == 1 and isinstance(values[0], BBox3d):
            values = (values[0]._range, values[0]._matrix)
        self._range = Range3d(values[0]) if values else Range3d()
        self._matrix = Matrix4d(values[1]) if len(values) > 1 else Matrix4d(1)
        self._flag = False

    @property
    def box(self) -> Range:
        return self._range

    @property
    def matrix(self) -> Any:
        return self._matrix

    @property
    def hasZeroAreaPrimitives(self) -> bool:
        return self._flag

    @hasZeroAreaPrimitives.setter
    def hasZeroAreaPrimitives(self, value: bool) -> None:
        self._flag = value

    def GetRange(self) -> Range:
        return self._range

    def GetBox(self) -> Range:
        return self._range

    def GetMatrix(self) -> Any:
        return self._matrix

    def GetInverseMatrix(self) -> Any:
        return self._matrix.GetInverse()

    def HasZeroAreaPrimitives(self) -> bool:
        return self._flag

    def SetHasZeroAreaPrimitives(self, value: bool) -> None:
        self._flag = value

    def Set(self, box: Range, matrix: Any) -> None:
        self._range, self._matrix = Range3d(box), Matrix4d(matrix)

    def SetRange(self, box: Range) -> None:
        self._range = Range3d(box)

    def SetMatrix(self, matrix: Any) -> None:
        self._matrix = Matrix4d(matrix)

    def Transform(self, matrix: Any) -> None:
        self._matrix = self._matrix * matrix

    def IsDegenerate(self) -> bool:
        return inverted(self._matrix._m, 1e-10) is None

    def GetVolume(self) -> float:
        if self._range.IsEmpty():
            return 0.0
        size = self._range.GetSize()
        return float(abs(self._matrix.GetDeterminant3() * size[0] * size[1] * size[2]))

    def ComputeAlignedRange(self) -> Range:
        """The range in the outer space that contains the box."""
        if self._range.IsEmpty():
            return Range3d()
        move = self._matrix._m.tolist()
        low, high = list(move[3][:3]), list(move[3][:3])
        for i in range(3):
            for j in range(3):
                a, b = self._range.min[i] * move[i][j], self._range.max[i] * move[i][j]
                low[j] += min(a, b)
                high[j] += max(a, b)
        return Range3d(low, high)

    ComputeAlignedBox = ComputeAlignedRange

    def ComputeCentroid(self) -> Vec:
        found: Vec = self._matrix.Transform(self._range.GetMidpoint())
        return found

    @staticmethod
    def Combine(left: BBox3d, right: BBox3d) -> BBox3d:
        """A box that contains both, in the space of one of them: the one where it is smaller."""
        if left._range.IsEmpty():
            return BBox3d(right)
        if right._range.IsEmpty():
            return BBox3d(left)
        if left._matrix == right._matrix:
            return BBox3d(Range3d.GetUnion(left._range, right._range), left._matrix)
        found = [_in_space_of(mine, other) for mine, other in ((left, right), (right, left))]
        return min(found, key=lambda box: box.GetVolume())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BBox3d)
            and self._range == other._range
            and self._matrix == other._matrix
        )

    def __hash__(self) -> int:
        return hash((self._range, self._matrix))

    def __repr__(self) -> str:
        return f"Gf.BBox3d({self._range!r}, {self._matrix!r})"

    def __str__(self) -> str:
        return f"[({self._range}) ({self._matrix}) {str(self._flag).lower()}]"


def _in_space_of(mine: BBox3d, other: BBox3d) -> BBox3d:
    moved = BBox3d(other._range, other._matrix * mine.GetInverseMatrix())
    return BBox3d(Range3d.GetUnion(mine._range, moved.ComputeAlignedRange()), mine._matrix)


class Interval:
    """An interval of numbers, each of whose ends may be open."""

    def __init__(
        self,
        min: float | None = None,
        max: float | None = None,
        minClosed: bool = True,
        maxClosed: bool = True,
    ) -> None:
        if min is None:
            min, max, minClosed, maxClosed = 0.0, 0.0, False, False
        self.min = float(min)
        self.max = float(min if max is None else max)
        self.minClosed = minClosed and math.isfinite(self.min)
        self.maxClosed = maxClosed and math.isfinite(self.max)

    @classmethod
    def GetFullInterval(cls) -> Interval:
        return cls(-math.inf, math.inf, False, False)

    @property
    def minOpen(self) -> bool:
        return not self.minClosed

    @property
    def maxOpen(self) -> bool:
        return not self.maxClosed

    @property
    def minFinite(self) -> bool:
        return math.isfinite(self.min)

    @property
    def maxFinite(self) -> bool:
        return math.isfinite(self.max)

    @property
    def finite(self) -> bool:
        return self.minFinite and self.maxFinite

    @property
    def isEmpty(self) -> bool:
        return self.IsEmpty()

    @property
    def size(self) -> float:
        return max(0.0, self.max - self.min)

    def GetMin(self) -> float:
        return self.min

    def GetMax(self) -> float:
        return self.max

    def GetSize(self) -> float:
        return self.size

    def IsMinOpen(self) -> bool:
        return self.minOpen

    def IsMaxOpen(self) -> bool:
        return self.maxOpen

    def IsMinClosed(self) -> bool:
        return self.minClosed

    def IsMaxClosed(self) -> bool:
        return self.maxClosed

    def IsMinFinite(self) -> bool:
        return self.minFinite

    def IsMaxFinite(self) -> bool:
        return self.maxFinite

    def IsFinite(self) -> bool:
        return self.finite

    def IsEmpty(self) -> bool:
        closed = self.minClosed and self.maxClosed
        return self.min > self.max or (self.min == self.max and not closed)

    def Contains(self, value: Any) -> bool:
        if isinstance(value, Interval):
            return (self & value) == value
        low = self.min <= value if self.minClosed else self.min < value
        high = value <= self.max if self.maxClosed else value < self.max
        return bool(low and high)

    def Intersects(self, other: Interval) -> bool:
        return not (self & other).IsEmpty()

    def __contains__(self, value: Any) -> bool:
        return self.Contains(value)

    def __and__(self, other: Interval) -> Interval:
        low, low_closed = max((self.min, not self.minClosed), (other.min, not other.minClosed))
        high, high_closed = min((self.max, self.maxClosed), (other.max, other.maxClosed))
        found = Interval(low, high, not low_closed, high_closed)
        return Interval() if found.IsEmpty() else found

    def __or__(self, other: Interval) -> Interval:
        if self.IsEmpty() or other.IsEmpty():
            return other if self.IsEmpty() else self
        low, low_open = min((self.min, not self.minClosed), (other.min, not other.minClosed))
        high, high_closed = max((self.max, self.maxClosed), (other.max, other.maxClosed))
        return Interval(low, high, not low_open, high_closed)

    def _key(self) -> tuple[Any, ...]:
        return self.min, self.max, self.minClosed, self.maxClosed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        if self.IsEmpty():
            return "Gf.Interval()"
        ends = [
            repr(end) if math.isfinite(end) else f"{'-' if end < 0 else ''}float('inf')"
            for end in (self.min, self.max)
        ]
        closed = [] if self.minClosed and self.maxClosed else [self.minClosed, self.maxClosed]
        return f"Gf.Interval({', '.join([*ends, *map(repr, closed)])})"

    def __str__(self) -> str:
        ends = ("[" if self.minClosed else "(", "]" if self.maxClosed else ")")
        return f"{ends[0]}{text(self.min)}, {text(self.max)}{ends[1]}"


__all__ = ["RANGES", "BBox3d", "Interval", "Range", "Vec3d", *RANGES]
