"""Names of pxr.Usd that are answered by what the handles of the synchronous client have anyway.

The asyncio client has no names of pxr.Usd, because they would have to be awaited there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from stagedoor._authoring import VariantSetEdits
from stagedoor.types import Array, Site


def by_key_path(fields: Any, key_path: str) -> Any:
    """The entry of nested dictionaries that "a:b" names; None if there is none."""
    for key in key_path.split(":"):
        if not isinstance(fields, dict) or key not in fields:
            return None
        fields = fields[key]
    return fields


class ObjectNames:
    """Metadata, as Usd.Object has them."""

    @property
    def metadata(self) -> dict[str, Any]:
        raise NotImplementedError

    def _own_fields(self) -> dict[str, Any]:
        """The fields that are properties of the handle, and so are not in `metadata`."""
        raise NotImplementedError

    def GetAllMetadata(self) -> dict[str, Any]:
        return dict(sorted({**self._own_fields(), **self.metadata}.items()))

    def GetMetadata(self, key: str) -> Any:
        # Most are asked for what is in `metadata`, which may be known already.
        found = self.metadata.get(key)
        return self._own_fields().get(key) if found is None else found

    def HasMetadata(self, key: str) -> bool:
        return self.GetMetadata(key) is not None

    def GetMetadataByDictKey(self, key: str, keyPath: str) -> Any:
        return by_key_path(self.GetMetadata(key), keyPath)

    def GetCustomData(self) -> dict[str, Any]:
        return self.metadata.get("customData") or {}

    def GetCustomDataByKey(self, keyPath: str) -> Any:
        return by_key_path(self.GetCustomData(), keyPath)

    def HasCustomData(self) -> bool:
        return "customData" in self.metadata

    def GetAssetInfo(self) -> dict[str, Any]:
        return self.metadata.get("assetInfo") or {}

    def GetAssetInfoByKey(self, keyPath: str) -> Any:
        return by_key_path(self.GetAssetInfo(), keyPath)

    def GetDocumentation(self) -> str:
        return self.metadata.get("documentation") or ""

    def GetDisplayName(self) -> str:
        return self.metadata.get("displayName") or ""

    def IsHidden(self) -> bool:
        return bool(self.metadata.get("hidden"))


class PropertyNames(ObjectNames):
    """The names of a property and of its namespaces, as in Usd.Property."""

    @property
    def prim(self) -> Any:
        raise NotImplementedError

    @property
    def name(self) -> str:
        raise NotImplementedError

    def GetStage(self) -> Any:
        return self.prim.stage

    def GetPrimPath(self) -> str:
        return str(self.prim.path)

    def SplitName(self) -> list[str]:
        return self.name.split(":")

    def GetBaseName(self) -> str:
        return self.name.rpartition(":")[2]

    def GetNamespace(self) -> str:
        return self.name.rpartition(":")[0]

    def GetDisplayGroup(self) -> str:
        return self.metadata.get("displayGroup") or ""


class PrimNames(ObjectNames):
    """Properties and opinions of a prim, as Usd.Prim has them."""

    @property
    def path(self) -> str:
        raise NotImplementedError

    @property
    def specifier(self) -> str:
        raise NotImplementedError

    @property
    def stack(self) -> list[Site]:
        raise NotImplementedError

    @property
    def variant_sets(self) -> dict[str, Any]:
        raise NotImplementedError

    def _properties(self, *, authored: bool = False) -> Sequence[Any]:
        """Handles of all properties, or of those that a layer has a spec for."""
        raise NotImplementedError

    @property
    def api_schemas(self) -> list[str]:
        raise NotImplementedError

    @property
    def type_name(self) -> str:
        raise NotImplementedError

    def has_api(self, name: str) -> bool:
        raise NotImplementedError

    def HasAPI(self, schemaIdentifier: str, instanceName: str = "") -> bool:
        if instanceName:
            return f"{schemaIdentifier}:{instanceName}" in self.api_schemas
        return self.has_api(schemaIdentifier)

    def HasAuthoredTypeName(self) -> bool:
        return bool(self.type_name)

    def GetPrimPath(self) -> str:
        return self.path

    def IsPseudoRoot(self) -> bool:
        return self.path == "/"

    def HasDefiningSpecifier(self) -> bool:
        return self.specifier in ("def", "class")

    def GetPrimStack(self) -> list[Site]:
        return self.stack

    def HasVariantSets(self) -> bool:
        return bool(self.variant_sets)

    def GetVariantSets(self) -> VariantSetsHandle:
        return VariantSetsHandle(self)

    def GetProperties(self) -> list[Any]:
        return list(self._properties())

    def GetPropertiesInNamespace(self, namespaces: str) -> list[Any]:
        prefix = f"{namespaces.rstrip(':')}:"
        return [found for found in self._properties() if found.name.startswith(prefix)]

    def GetAuthoredProperties(self) -> list[Any]:
        return list(self._properties(authored=True))

    def GetAuthoredPropertyNames(self) -> list[str]:
        return [found.name for found in self._properties(authored=True)]


class VariantSetHandle(VariantSetEdits):
    """A variant set of a prim, whether it exists or not. Corresponds to Usd.VariantSet."""

    def GetName(self) -> str:
        return self._name

    def GetPrim(self) -> Any:
        return self._prim

    def GetVariantNames(self) -> list[str]:
        found = self._prim.variant_sets.get(self._name)
        return [] if found is None else list(found.choices)

    def GetVariantSelection(self) -> str:
        found = self._prim.variant_sets.get(self._name)
        return "" if found is None else str(found.selection)

    def HasAuthoredVariant(self, variantName: str) -> bool:
        return variantName in self.GetVariantNames()


class VariantSetsHandle:
    """The variant sets of a prim. Corresponds to Usd.VariantSets."""

    def __init__(self, prim: Any) -> None:
        self._prim = prim

    def GetNames(self) -> list[str]:
        return list(self._prim.variant_sets)

    def HasVariantSet(self, variantSetName: str) -> bool:
        return variantSetName in self._prim.variant_sets

    def GetVariantSet(self, variantSetName: str) -> VariantSetHandle:
        return VariantSetHandle(self._prim, variantSetName)

    def GetVariantSelection(self, variantSetName: str) -> str:
        return self.GetVariantSet(variantSetName).GetVariantSelection()

    def SetSelection(self, variantSetName: str, variantName: str) -> Any:
        return self.GetVariantSet(variantSetName).SetVariantSelection(variantName)


Ends = tuple[Optional[float], Optional[float]]


def ends_of(start: Any, end: float | None) -> tuple[Ends, tuple[Any, ...]] | None:
    """The two ends, or those of a Gf.Interval, and which of them are left out.

    None for an empty interval.
    """
    if not hasattr(start, "IsMinFinite"):
        return (start, end), ()
    if start.IsEmpty():
        return None
    low = start.GetMin() if start.IsMinFinite() else None
    high = start.GetMax() if start.IsMaxFinite() else None
    left_out = [low] if start.IsMinOpen() else []
    left_out += [high] if start.IsMaxOpen() else []
    return (low, high), tuple(left_out)


def without(times: Array, left_out: tuple[Any, ...]) -> list[float]:
    return [float(time) for time in times if time not in left_out]
