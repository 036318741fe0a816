"""Where the value of an attribute comes from: Usd.ResolveInfo."""

from __future__ import annotations

from typing import Any

from stagedoor.pxr._enum import Enum
from stagedoor.results import Explanation

_SOURCES = {
    "none": Enum("Usd.ResolveInfoSourceNone", 0),
    "fallback": Enum("Usd.ResolveInfoSourceFallback", 1),
    "default": Enum("Usd.ResolveInfoSourceDefault", 2),
    "time_samples": Enum("Usd.ResolveInfoSourceTimeSamples", 3),
    "value_clips": Enum("Usd.ResolveInfoSourceValueClips", 4),
    "spline": Enum("Usd.ResolveInfoSourceSpline", 5),
}
SOURCES = {value.name: value for value in _SOURCES.values()}


class ResolveInfo:
    """Corresponds to Usd.ResolveInfo."""

    def __init__(self, explanation: Explanation, stage: Any) -> None:
        self._explanation = explanation
        self._stage = stage

    def GetSource(self) -> Enum:
        return _SOURCES[self._explanation.source]

    def HasAuthoredValue(self) -> bool:
        return self._explanation.source not in ("none", "fallback") and not self.ValueIsBlocked()

    def HasAuthoredValueOpinion(self) -> bool:
        return self._explanation.source not in ("none", "fallback")

    def ValueIsBlocked(self) -> bool:
        return self._explanation.blocked

    def ValueSourceMightBeTimeVarying(self) -> bool:
        return self._explanation.source in ("time_samples", "value_clips", "spline")

    def GetNode(self) -> Any:
        return self._explanation.site

    def GetLayer(self) -> Any:
        """The layer whose opinion supplies the value; None without one."""
        from stagedoor.pxr._sdf.layer import Layer

        site = self._explanation.site
        return Layer(self._stage._client, site.layer) if site is not None else None
