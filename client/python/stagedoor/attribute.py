"""Attributes and relationships, as the synchronous client has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stagedoor import _names
from stagedoor._names import PropertyNames
from stagedoor._prims import FULL, PRIM
from stagedoor._proto import v1
from stagedoor._sync.attribute import AttributeCalls, PropertyCalls, RelationshipCalls
from stagedoor.results import Explanation, SiteList
from stagedoor.types import Time

if TYPE_CHECKING:
    from stagedoor.prim import Prim


class _Property(PropertyCalls, PropertyNames):
    """The common part of attributes and relationships."""

    def __bool__(self) -> bool:
        return self.exists()

    IsValid = PropertyCalls.exists
    IsDefined = PropertyCalls.exists

    def GetName(self) -> str:
        return self.name

    def GetPath(self) -> str:
        return self.path

    def GetPrim(self) -> Prim:
        return self.prim

    def IsAuthored(self) -> bool:
        return self.is_authored

    def IsCustom(self) -> bool:
        return self.is_custom

    def GetPropertyStack(self, time: Time = None) -> SiteList:
        return self.stack(time)

    def _own_fields(self) -> dict[str, Any]:
        uniform = v1.Variability.Value("VARIABILITY_UNIFORM")
        found = self._describe(PRIM)
        is_uniform = found.kind != v1.Property.KIND_ATTRIBUTE or found.variability == uniform
        fields = {
            "custom": bool(found.custom),
            "variability": "uniform" if is_uniform else "varying",
        }
        return {**fields, "typeName": str(found.type_name)} if found.type_name else fields


class Attribute(AttributeCalls, _Property):
    """An attribute of a prim. Corresponds to Usd.Attribute."""

    Get = AttributeCalls.get

    def GetTimeSamplesInInterval(self, start: Any, end: float | None = None) -> list[float]:
        """The two ends, both included, or a Gf.Interval, whose ends may be open."""
        found = _names.ends_of(start, end)
        if found is None:
            return []
        (first, last), left_out = found
        return _names.without(self.time_samples_in(first, last), left_out)

    def GetBracketingTimeSamples(self, time: float) -> tuple[float, ...]:
        return self.bracket(time) or ()

    def GetTimeSamples(self) -> list[float]:
        return [float(time) for time in self.time_samples]

    def GetNumTimeSamples(self) -> int:
        return self.num_time_samples

    def ValueMightBeTimeVarying(self) -> bool:
        return self.might_be_time_varying

    def GetTypeName(self) -> str:
        return self.type_name

    def GetVariability(self) -> str:
        return "uniform" if self.is_uniform else "varying"

    def GetConnections(self) -> list[str]:
        return self.connections

    def GetResolveInfo(self, time: Time = "earliest") -> Explanation:
        """Without a time, that of any time but the default time."""
        return self.why(time)

    def HasValue(self) -> bool:
        return self.source not in ("none", "unspecified") and not self._describe(FULL).blocked

    def HasAuthoredValue(self) -> bool:
        return self.HasValue() and self.source != "fallback"


class Relationship(RelationshipCalls, _Property):
    """A relationship of a prim. Corresponds to Usd.Relationship."""

    def GetTargets(self) -> list[str]:
        return self.targets

    def GetForwardedTargets(self) -> list[str]:
        return self.forwarded_targets
