"""Attributes and relationships: Usd.Property, Usd.Attribute and Usd.Relationship."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stagedoor import attribute as package
from stagedoor import types
from stagedoor._decode import enum_text, unpack
from stagedoor._prims import SAMPLES, SOURCES
from stagedoor._proto import v1
from stagedoor.errors import NotFoundError
from stagedoor.pxr._errors import add_authoring
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._sdf.types import VARIABILITIES
from stagedoor.pxr._sdf.value_types import ValueTypeName, find
from stagedoor.pxr._usd.objects import Object
from stagedoor.pxr._usd.resolve_info import ResolveInfo
from stagedoor.pxr._usd.time_code import code
from stagedoor.pxr._usd.values import from_package, plain

if TYPE_CHECKING:
    from stagedoor.pxr._usd.prim import Prim

# Why a property has no answer, without this being an error in OpenUSD.
_MISSING = ("ATTRIBUTE_NOT_FOUND", "PRIM_NOT_FOUND", "PROPERTY_NOT_FOUND")


class Property(Object):
    """Corresponds to Usd.Property."""

    _kind = "property"

    def __init__(self, handle: Any = None, prim: Prim | None = None) -> None:
        self._handle = handle
        self._prim = prim

    @property
    def _invalid(self) -> str:  # type: ignore[override]
        return f"invalid {self._kind}"

    def GetPrim(self) -> Prim:
        from stagedoor.pxr._usd.prim import Prim

        if self._prim is None:
            self._prim = Prim(self._handle.prim if self._handle is not None else None)
        return self._prim

    def GetStage(self) -> Any:
        return self.GetPrim().GetStage()

    def IsDefined(self) -> bool:
        return self.IsValid()

    def GetBaseName(self) -> str:
        return self.GetName().rpartition(":")[2]

    def GetNamespace(self) -> str:
        return self.GetName().rpartition(":")[0]

    def SplitName(self) -> list[str]:
        return self.GetName().split(":")

    def IsCustom(self) -> bool:
        return bool(self._of_known("is_custom", False))

    def IsAuthored(self) -> bool:
        return bool(self._of_known("is_authored", False))

    def IsAuthoredAt(self, editTarget: Any) -> bool:
        return self.IsAuthored()

    def GetDisplayGroup(self) -> str:
        return self.GetMetadata("displayGroup") or ""

    def HasAuthoredDisplayGroup(self) -> bool:
        return self.HasMetadata("displayGroup")

    def GetNestedDisplayGroups(self) -> list[str]:
        return self.GetDisplayGroup().split(":") if self.GetDisplayGroup() else []

    def GetPropertyStack(self, time: Any = None) -> list[Any]:
        from stagedoor.pxr._sdf.layer import spec_at

        sites = self._checked().stack(code(time))
        return [spec_at(self.GetStage()._client, site.layer, site.path) for site in sites]

    def GetPropertyStackWithLayerOffsets(self, time: Any = None) -> list[Any]:
        offsets = [plain(site.layer_offset) for site in self._checked().stack(code(time))]
        return list(zip(self.GetPropertyStack(time), offsets))

    def _of_known(self, name: str, otherwise: Any) -> Any:
        """A property of the handle; `otherwise` if there is no such property in the scene."""
        try:
            return getattr(self._checked(), name)
        except NotFoundError:
            return otherwise

    def _fields(self) -> dict[str, Any]:
        try:
            return super()._fields()
        except NotFoundError:
            return {}

    def GetMetadata(self, key: str) -> Any:
        try:
            return super().GetMetadata(key)
        except NotFoundError:
            return None

    def __repr__(self) -> str:
        name = self._handle.name if self._handle is not None else ""
        if not self.IsValid():
            return f"invalid {self._kind} {name!r}" if name else f"invalid null {self._kind}"
        return f"{self.GetPrim()!r}.Get{self._kind.capitalize()}('{name}')"


class Attribute(Property):
    """Corresponds to Usd.Attribute."""

    _kind = "attribute"
    _handle: package.Attribute | None

    # ------------------------------------------------------------------------------------- values

    def Get(self, time: Any = None) -> Any:
        handle = self._handle
        if handle is None:
            raise RuntimeError("Accessed invalid null attribute")
        try:
            value = handle.get(code(time))
        except NotFoundError as error:
            if error.reason in _MISSING:
                return None
            raise
        return from_package(value, self._type_text)

    def _type_text(self) -> str:
        return str(self._of_known("type_name", ""))

    def GetTypeName(self) -> ValueTypeName:
        return find(self._type_text())

    def GetRoleName(self) -> str:
        return self.GetTypeName().role

    def GetVariability(self) -> Any:
        return VARIABILITIES["uniform" if self._of_known("is_uniform", False) else "varying"]

    def GetColorSpace(self) -> str:
        return self.GetMetadata("colorSpace") or ""

    def HasColorSpace(self) -> bool:
        return self.HasMetadata("colorSpace")

    def GetArraySizeConstraint(self) -> int:
        return self.GetMetadata("arraySizeConstraint") or 0

    def _fields(self) -> dict[str, Any]:
        found = super()._fields()
        default = self.Get() if found else None
        return (
            dict(sorted([*found.items(), ("default", default)])) if default is not None else found
        )

    def GetMetadata(self, key: str) -> Any:
        return self.Get() if key == "default" else super().GetMetadata(key)

    # --------------------------------------------------------------------------- times and sources

    def _full(self, level: int = SOURCES) -> Any:
        """The description of the attribute; None if it does not exist."""
        try:
            return self._checked()._describe(level)
        except NotFoundError:
            return None

    def _sample_times(self) -> list[float]:
        found = self._full(SAMPLES)
        if found is None or not found.time_samples.count:
            return []
        times: list[float] = unpack(found.time_samples).tolist()
        return times

    def GetTimeSamples(self) -> list[float]:
        return sorted(self._sample_times())

    def GetNumTimeSamples(self) -> int:
        return len(self._sample_times())

    def GetTimeSamplesInInterval(self, interval: Any) -> list[float]:
        return [time for time in self.GetTimeSamples() if interval.Contains(time)]

    def GetBracketingTimeSamples(self, time: float) -> tuple[float, ...]:
        found = self._checked().GetBracketingTimeSamples(float(time))
        return tuple(float(end) for end in found)

    @staticmethod
    def GetUnionedTimeSamples(attributes: Any) -> list[float]:
        return sorted({time for found in attributes for time in found.GetTimeSamples()})

    @staticmethod
    def GetUnionedTimeSamplesInInterval(attributes: Any, interval: Any) -> list[float]:
        found = Attribute.GetUnionedTimeSamples(attributes)
        return [time for time in found if interval.Contains(time)]

    def ValueMightBeTimeVarying(self) -> bool:
        found = self._full()
        return bool(found is not None and found.might_be_time_varying)

    def _source(self) -> str:
        found = self._full()
        if found is None:
            return "none"
        return enum_text(v1.ValueSource, "VALUE_SOURCE_", found.source)

    def HasValue(self) -> bool:
        found = self._full()
        return found is not None and not found.blocked and self._source() not in _NO_VALUE

    def HasAuthoredValue(self) -> bool:
        return self.HasValue() and self._source() != "fallback"

    def HasAuthoredValueOpinion(self) -> bool:
        found = self._full()
        return found is not None and (found.blocked or self.HasAuthoredValue())

    def HasFallbackValue(self) -> bool:
        from stagedoor.pxr._usd.schema_table import fallback_known

        return self._source() == "fallback" or fallback_known(self)

    def HasSpline(self) -> bool:
        return self._source() == "spline"

    def GetResolveInfo(self, time: Any = "earliest") -> ResolveInfo:
        return ResolveInfo(self._checked().why(code(time)), self.GetStage())

    # -------------------------------------------------------------------------------- connections

    def GetConnections(self) -> list[Path]:
        return [Path._of(path) for path in self._of_known("connections", [])]

    def HasAuthoredConnections(self) -> bool:
        return bool(self.GetConnections()) or self.HasMetadata("connectionPaths")


_NO_VALUE = ("none", "unspecified")

add_authoring(
    Attribute,
    *("Set", "Clear", "ClearAtTime", "ClearDefault", "Block", "BlockAnimation", "SetTypeName"),
    *("SetVariability", "SetColorSpace", "ClearColorSpace", "AddConnection", "RemoveConnection"),
    *("SetConnections", "ClearConnections", "SetSpline", "SetRoleName"),
)
add_authoring(Property, "SetCustom", "SetDisplayGroup", "ClearDisplayGroup", "FlattenTo")
add_authoring(Property, "SetNestedDisplayGroups")


class Relationship(Property):
    """Corresponds to Usd.Relationship."""

    _kind = "relationship"
    _handle: package.Relationship | None

    def GetTargets(self) -> list[Path]:
        return [Path._of(path) for path in self._of_known("targets", [])]

    def GetForwardedTargets(self) -> list[Path]:
        return [Path._of(path) for path in self._of_known("forwarded_targets", [])]

    def HasAuthoredTargets(self) -> bool:
        return bool(self.GetTargets()) or self.IsAuthored()


add_authoring(Relationship, "AddTarget", "RemoveTarget", "SetTargets", "ClearTargets")


class AttributeQuery:
    """Values of one attribute. Corresponds to Usd.AttributeQuery."""

    def __init__(self, attribute: Any = None, name: str | None = None) -> None:
        self._attribute = attribute.GetAttribute(name) if name is not None else attribute

    @staticmethod
    def CreateQueries(prim: Any, names: Any) -> list[AttributeQuery]:
        return [AttributeQuery(prim, name) for name in names]

    def GetAttribute(self) -> Any:
        return self._attribute

    def IsValid(self) -> bool:
        return bool(self._attribute)

    def __bool__(self) -> bool:
        return self.IsValid()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._attribute, name)

    @staticmethod
    def GetUnionedTimeSamples(queries: Any) -> list[float]:
        return Attribute.GetUnionedTimeSamples(queries)

    @staticmethod
    def GetUnionedTimeSamplesInInterval(queries: Any, interval: Any) -> list[float]:
        return Attribute.GetUnionedTimeSamplesInInterval(queries, interval)


def time_of(value: Any) -> types.TimeCode | float | None:
    found: types.TimeCode | float | None = code(value)
    return found
