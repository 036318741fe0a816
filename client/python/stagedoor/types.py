"""Values that are not numbers, strings or arrays, and the enums of the package."""

from __future__ import annotations

import enum
import functools
import os
import sys
from dataclasses import dataclass, field
from typing import Any, Union

import numpy.typing as npt

# A NumPy array. Those of replies are read-only views of the bytes of the reply.
Array = npt.NDArray[Any]


class State(enum.Enum):
    """Whether an attribute has a value at a time."""

    VALUE = "value"
    NONE = "none"  # nothing is authored, and the schema has no fallback
    BLOCKED = "blocked"  # a layer blocks the value
    ERROR = "error"  # the value cannot be read; asking for it raises the error


@functools.total_ordering
class TimeCode:
    """A time at which values are read. Corresponds to Usd.TimeCode.

    TimeCode(12): a numeric time, in time codes of the stage.
    TimeCode.Default(): only default values, no time samples, splines or value clips.
    TimeCode.EarliestTime(): the first sample, or the default value if there are none.
    TimeCode.PreTime(12): the limit from the left at a time.
    """

    __slots__ = ("kind", "value")

    def __init__(self, value: float | TimeCode = 0.0, kind: str = "numeric") -> None:
        if isinstance(value, TimeCode):
            kind = value.kind
        if kind not in ("numeric", "default", "earliest", "pre"):
            raise ValueError(f"unknown kind of time {kind!r}")
        self.value: float = value.value if isinstance(value, TimeCode) else float(value)
        self.kind: str = kind

    @classmethod
    def Default(cls) -> TimeCode:
        return cls(kind="default")

    @classmethod
    def EarliestTime(cls) -> TimeCode:
        return cls(kind="earliest")

    @classmethod
    def PreTime(cls, value: float) -> TimeCode:
        return cls(value, kind="pre")

    def __repr__(self) -> str:
        if self.kind in ("numeric", "pre"):
            return (
                f"TimeCode({self.value:g})"
                if self.kind == "numeric"
                else (f"TimeCode.PreTime({self.value:g})")
            )
        return "TimeCode.Default()" if self.kind == "default" else "TimeCode.EarliestTime()"

    def GetValue(self) -> float:
        """The time; of the earliest time, the least that there is."""
        if self.kind == "default":
            raise ValueError("the default time has no value")
        return -sys.float_info.max if self.kind == "earliest" else self.value

    def IsDefault(self) -> bool:
        return self.kind == "default"

    def IsNumeric(self) -> bool:
        return self.kind != "default"

    def IsEarliestTime(self) -> bool:
        return self.kind == "earliest"

    def IsPreTime(self) -> bool:
        return self.kind == "pre"

    def _order(self) -> tuple[int, float, bool]:
        """The default time is before all others, a limit from the left before its time."""
        place = {"default": 0, "earliest": 1}.get(self.kind, 2)
        return place, self.value if place == 2 else 0.0, self.kind != "pre"

    def __lt__(self, other: TimeCode | float) -> bool:
        if not isinstance(other, (TimeCode, int, float)):
            return NotImplemented
        return self._order() < (other if isinstance(other, TimeCode) else TimeCode(other))._order()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TimeCode):
            return (self.kind, self.value) == (other.kind, other.value)
        return self.kind == "numeric" and isinstance(other, (int, float)) and self.value == other

    def __hash__(self) -> int:
        return hash(self.value) if self.kind == "numeric" else hash((self.kind, self.value))


# A single time: None is the default time; strings are "default", "earliest" and "pre:12". A
# Usd.TimeCode of OpenUSD works as well.
Time = Union[None, int, float, str, TimeCode, Any]


@dataclass(frozen=True)
class AssetPath:
    """An asset path. `str()` is the resolved path if there is one, else the authored path."""

    authored: str = ""
    evaluated: str = ""  # after evaluation of its variable expression
    resolved: str = ""  # empty if the asset is missing or was not resolved

    @property
    def path(self) -> str:
        """The path as Sdf.AssetPath.path has it: evaluated if it is an expression."""
        return self.evaluated or self.authored

    @property
    def resolvedPath(self) -> str:
        return self.resolved

    def __str__(self) -> str:
        return self.resolved or self.path

    def __fspath__(self) -> str:
        return os.fspath(str(self))


class ValueBlock:
    """A value block in a layer or a dictionary: the opinion that the value is missing."""

    def __repr__(self) -> str:
        return "ValueBlock()"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


class AnimationBlock(ValueBlock):
    """A block of animation: hides weaker samples, splines and clips, but not their defaults."""

    def __repr__(self) -> str:
        return "AnimationBlock()"


@dataclass(frozen=True)
class InvalidValue:
    """Stands for a value that could not be decoded; says why."""

    message: str


@dataclass(frozen=True)
class LayerOffset:
    """outer time = inner time × scale + offset."""

    offset: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True)
class Reference:
    """A reference, or without custom data a payload, as it is authored."""

    asset_path: str = ""
    prim_path: str = ""  # empty for the default prim
    layer_offset: LayerOffset = LayerOffset()
    custom_data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Payload:
    asset_path: str = ""
    prim_path: str = ""
    layer_offset: LayerOffset = LayerOffset()


@dataclass(frozen=True)
class ListOp:
    """A list edit. Corresponds to Sdf's list operations."""

    is_explicit: bool = False
    explicit: tuple[Any, ...] = ()
    prepended: tuple[Any, ...] = ()
    appended: tuple[Any, ...] = ()
    deleted: tuple[Any, ...] = ()
    added: tuple[Any, ...] = ()
    ordered: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Knot:
    """A knot of a spline. `pre_value` is the limit from the left, if the value jumps here."""

    time: float
    value: float
    pre_value: float | None
    next: str  # "value_block", "held", "linear" or "curve": the segment after the knot
    pre_tangent: tuple[float, float]  # width in time codes, slope
    post_tangent: tuple[float, float]


@dataclass(frozen=True)
class Spline:
    """An animation curve. Corresponds to Ts.Spline."""

    curve_type: str  # "bezier" or "hermite"
    value_type: str
    knots: tuple[Knot, ...]
    pre_extrapolation: str
    post_extrapolation: str


@dataclass(frozen=True)
class Site:
    """The location of an opinion: a spec in a layer."""

    layer: str
    path: str
    arc: str  # "root", "reference", "payload", "variant", …; "clip" for a value clip
    layer_offset: LayerOffset = LayerOffset()

    def __str__(self) -> str:
        offset = ""
        if self.layer_offset != LayerOffset():
            offset = f", offset {self.layer_offset.offset:g}, scale {self.layer_offset.scale:g}"
        return f"@{self.layer}@<{self.path}> ({self.arc}{offset})"


@dataclass(frozen=True)
class Warning:
    """A problem that did not fail a call, but may explain its result."""

    kind: str  # for example "missing_asset"
    asset: str
    path: str
    message: str

    def __str__(self) -> str:
        return self.message
