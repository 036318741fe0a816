"""Primvars: UsdGeom.Primvar, and methods of UsdGeom.PrimvarsAPI."""

from __future__ import annotations

from typing import Any

import numpy as np

from stagedoor.pxr._errors import add_authoring
from stagedoor.pxr._usd.values import array_class_of
from stagedoor.pxr._vt.arrays import NumberArray

PREFIX = "primvars:"
INDICES = ":indices"
_INTERPOLATIONS = ("constant", "uniform", "varying", "vertex", "faceVarying")


class Primvar:
    """An attribute whose name begins with "primvars:". Corresponds to UsdGeom.Primvar."""

    def __init__(self, attr: Any = None) -> None:
        self._attr = attr

    def GetAttr(self) -> Any:
        return self._attr

    def IsDefined(self) -> bool:
        return bool(self._attr) and Primvar.IsPrimvar(self._attr)

    def __bool__(self) -> bool:
        return self._attr is not None and self.IsDefined()

    @staticmethod
    def IsPrimvar(attr: Any) -> bool:
        return bool(attr) and Primvar.IsValidPrimvarName(attr.GetName())

    @staticmethod
    def IsValidPrimvarName(name: str) -> bool:
        return name.startswith(PREFIX) and not name.endswith(INDICES)

    @staticmethod
    def IsValidInterpolation(interpolation: str) -> bool:
        return interpolation in _INTERPOLATIONS

    @staticmethod
    def StripPrimvarsName(name: str) -> str:
        return name[len(PREFIX) :] if name.startswith(PREFIX) else name

    # --------------------------------------------------------------------------------- description

    def GetName(self) -> str:
        return str(self._attr.GetName())

    def GetPrimvarName(self) -> str:
        return Primvar.StripPrimvarsName(self.GetName())

    def GetBaseName(self) -> str:
        return self.GetName().rpartition(":")[2]

    def GetNamespace(self) -> str:
        return self.GetName().rpartition(":")[0]

    def SplitName(self) -> list[str]:
        return self.GetName().split(":")

    def NameContainsNamespaces(self) -> bool:
        return ":" in self.GetPrimvarName()

    def GetTypeName(self) -> Any:
        return self._attr.GetTypeName()

    def GetInterpolation(self) -> str:
        return self._attr.GetMetadata("interpolation") or "constant"

    def HasAuthoredInterpolation(self) -> bool:
        return bool(self._attr.HasMetadata("interpolation"))

    def GetElementSize(self) -> int:
        return self._attr.GetMetadata("elementSize") or 1

    def HasAuthoredElementSize(self) -> bool:
        return bool(self._attr.HasMetadata("elementSize"))

    def GetUnauthoredValuesIndex(self) -> int:
        found = self._attr.GetMetadata("unauthoredValuesIndex")
        return -1 if found is None else found

    def GetDeclarationInfo(self) -> tuple[Any, ...]:
        return (
            self.GetBaseName() if not self.NameContainsNamespaces() else self.GetPrimvarName(),
            self.GetTypeName(),
            self.GetInterpolation(),
            self.GetElementSize(),
        )

    # -------------------------------------------------------------------------------------- values

    def HasValue(self) -> bool:
        return bool(self._attr.HasValue())

    def HasAuthoredValue(self) -> bool:
        return bool(self._attr.HasAuthoredValue())

    def IsIdTarget(self) -> bool:
        return bool(self._attr.GetPrim().HasRelationship(f"{self.GetName()}:idFrom"))

    def Get(self, time: Any = None) -> Any:
        """The value; the path of the target of a primvar that is an ID."""
        if str(self.GetTypeName()) in ("string", "string[]") and self.IsIdTarget():
            rel = self._attr.GetPrim().GetRelationship(f"{self.GetName()}:idFrom")
            targets = rel.GetForwardedTargets()
            if len(targets) == 1:
                return str(targets[0])
        return self._attr.Get(time)

    def GetTimeSamples(self) -> list[float]:
        times = set(self._attr.GetTimeSamples())
        if self.IsIndexed():
            times |= set(self.GetIndicesAttr().GetTimeSamples())
        return sorted(times)

    def GetTimeSamplesInInterval(self, interval: Any) -> list[float]:
        return [time for time in self.GetTimeSamples() if interval.Contains(time)]

    def ValueMightBeTimeVarying(self) -> bool:
        indexed = self.IsIndexed() and self.GetIndicesAttr().ValueMightBeTimeVarying()
        return bool(self._attr.ValueMightBeTimeVarying() or indexed)

    def GetIndicesAttr(self) -> Any:
        return self._attr.GetPrim().GetAttribute(f"{self.GetName()}{INDICES}")

    def GetIndices(self, time: Any = None) -> Any:
        found = self.GetIndicesAttr().Get(time)
        return array_class_of("int[]")() if found is None else found

    def IsIndexed(self) -> bool:
        return bool(self.GetIndicesAttr().HasAuthoredValue())

    def ComputeFlattened(self, time: Any = None) -> Any:
        """The value, with the elements in place of indices; None if these are out of range."""
        value = self.Get(time)
        if value is None or not self.GetTypeName().isArray or not self.IsIndexed():
            return value
        indices = np.asarray(self.GetIndices(time))
        size = self.GetElementSize()
        count = len(value) // size
        if len(indices) and (indices.min() < 0 or indices.max() >= count):
            return None
        places = (indices[:, None] * size + np.arange(size)).reshape(-1)
        if isinstance(value, NumberArray):
            return type(value)._of(np.asarray(value)[places])
        return type(value)([value[int(place)] for place in places])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Primvar) and self._attr == other._attr

    def __hash__(self) -> int:
        return hash(self._attr)

    def __repr__(self) -> str:
        return f"UsdGeom.Primvar({self._attr!r})"


add_authoring(
    Primvar,
    *("Set", "SetInterpolation", "SetElementSize", "SetIndices", "BlockIndices", "SetIdTarget"),
    *("CreateIndicesAttr", "SetUnauthoredValuesIndex"),
)


class PrimvarsMethods:
    """The methods of UsdGeom.PrimvarsAPI."""

    _prim: Any

    @staticmethod
    def CanContainPropertyName(name: str) -> bool:
        return name.startswith(PREFIX)

    def _named(self, name: str) -> Primvar:
        full = name if name.startswith(PREFIX) else f"{PREFIX}{name}"
        return Primvar(self._prim.GetAttribute(full))

    def GetPrimvar(self, name: str) -> Primvar:
        return self._named(name)

    def HasPrimvar(self, name: str) -> bool:
        return bool(self._named(name))

    def GetPrimvars(self) -> list[Primvar]:
        found = self._prim.GetPropertiesInNamespace("primvars")
        return [Primvar(attribute) for attribute in found if _can_be(attribute)]

    def GetAuthoredPrimvars(self) -> list[Primvar]:
        found = self._prim.GetAuthoredPropertiesInNamespace("primvars")
        return [Primvar(attribute) for attribute in found if _can_be(attribute)]

    def GetPrimvarsWithValues(self) -> list[Primvar]:
        return [primvar for primvar in self.GetAuthoredPrimvars() if primvar.HasValue()]

    def GetPrimvarsWithAuthoredValues(self) -> list[Primvar]:
        return [primvar for primvar in self.GetAuthoredPrimvars() if primvar.HasAuthoredValue()]

    def FindInheritablePrimvars(self) -> list[Primvar]:
        """Those with constant interpolation and a value, of the prim and those above it."""
        found: list[Primvar] = []
        prim = self._prim
        while prim and not prim.IsPseudoRoot():
            own = PrimvarsMethods.GetPrimvarsWithAuthoredValues(_View(prim))  # type: ignore[arg-type]
            names = {primvar.GetName() for primvar in found}
            found += [
                primvar
                for primvar in own
                if primvar.GetName() not in names and primvar.GetInterpolation() == "constant"
            ]
            prim = prim.GetParent()
        return sorted(found, key=lambda primvar: primvar.GetName())

    def FindPrimvarsWithInheritance(self, *_: Any) -> list[Primvar]:
        own = self.GetPrimvarsWithAuthoredValues()
        names = {primvar.GetName() for primvar in own}
        inherited = PrimvarsMethods.FindInheritablePrimvars(_View(self._prim.GetParent()))  # type: ignore[arg-type]
        return own + [primvar for primvar in inherited if primvar.GetName() not in names]

    def FindPrimvarWithInheritance(self, name: str, *_: Any) -> Primvar:
        own = self._named(name)
        if own and own.HasAuthoredValue():
            return own
        prim = self._prim.GetParent()
        while prim and not prim.IsPseudoRoot():
            above = PrimvarsMethods._named(_View(prim), name)  # type: ignore[arg-type]
            if above and above.HasAuthoredValue():
                return above if above.GetInterpolation() == "constant" else own
            prim = prim.GetParent()
        return own

    def FindIncrementallyInheritablePrimvars(self, inherited: list[Primvar]) -> list[Primvar]:
        own = self.GetPrimvarsWithAuthoredValues()
        if not own:
            return []
        kept = {primvar.GetName(): primvar for primvar in inherited}
        before = dict(kept)
        for primvar in own:
            if primvar.GetInterpolation() == "constant":
                kept[primvar.GetName()] = primvar
            else:
                kept.pop(primvar.GetName(), None)
        return [] if kept == before else list(kept.values())

    def HasPossiblyInheritedPrimvar(self, name: str) -> bool:
        found = self.FindPrimvarWithInheritance(name)
        own = found.GetAttr().GetPrim() == self._prim if found else False
        return (
            bool(found)
            and found.HasAuthoredValue()
            and (own or found.GetInterpolation() == "constant")
        )


class _View:
    """A prim, as the methods of the schema see it."""

    def __init__(self, prim: Any) -> None:
        self._prim = prim

    def __getattr__(self, name: str) -> Any:
        return getattr(PrimvarsMethods, name).__get__(self)


def _can_be(attribute: Any) -> bool:
    """Whether a property of the namespace is a primvar itself."""
    name = attribute.GetName()
    return hasattr(attribute, "GetTypeName") and Primvar.IsValidPrimvarName(name)
