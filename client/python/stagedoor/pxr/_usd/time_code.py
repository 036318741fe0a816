"""Times: Usd.TimeCode."""

from __future__ import annotations

from typing import Any

from stagedoor import types


class TimeCode(types.TimeCode):
    """A time at which values are read. Corresponds to Usd.TimeCode."""

    __slots__ = ()

    def __init__(self, value: Any = 0.0, kind: str = "numeric") -> None:
        super().__init__(value if isinstance(value, types.TimeCode) else float(value), kind)

    @staticmethod
    def SafeStep(maxValue: float = 1e6, maxCompression: float = 10.0) -> float:
        return maxValue * 2.220446049250313e-16 * 2.0 * maxCompression

    def __repr__(self) -> str:
        if self.kind == "default":
            return "Usd.TimeCode.Default()"
        if self.kind == "earliest":
            return "Usd.TimeCode.EarliestTime()"
        if self.kind == "pre":
            return f"Usd.TimeCode.PreTime({self.value!r})"
        return "Usd.TimeCode()" if self.value == 0 else f"Usd.TimeCode({self.value!r})"

    def __str__(self) -> str:
        words = {"default": "DEFAULT", "earliest": "EARLIEST", "pre": f"PRE_TIME:{self.value:g}"}
        return words.get(self.kind, f"{self.value:g}")

    def __float__(self) -> float:
        return self.GetValue()


def code(time: Any) -> Any:
    """A time as the package takes it."""
    if time is None or isinstance(time, (int, float, types.TimeCode)):
        return time
    return time.GetValue() if hasattr(time, "GetValue") else time
