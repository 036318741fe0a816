"""Variant sets: Usd.VariantSet and Usd.VariantSets."""

from __future__ import annotations

from typing import Any

from stagedoor.pxr._errors import add_authoring


class VariantSet:
    """A variant set of a prim, whether it exists or not. Corresponds to Usd.VariantSet."""

    def __init__(self, prim: Any, name: str) -> None:
        self._prim = prim
        self._name = name

    def _found(self) -> Any:
        return self._prim._checked().variant_sets.get(self._name)

    def IsValid(self) -> bool:
        return bool(self._prim)

    def __bool__(self) -> bool:
        return self.IsValid()

    def GetName(self) -> str:
        return self._name

    def GetPrim(self) -> Any:
        return self._prim

    def GetVariantNames(self) -> list[str]:
        found = self._found()
        return sorted(found.choices) if found is not None else []

    def HasVariant(self, variantName: str) -> bool:
        return variantName in self.GetVariantNames()

    HasAuthoredVariant = HasVariant

    def GetVariantSelection(self) -> str:
        found = self._found()
        return str(found.selection) if found is not None else ""

    def HasAuthoredVariantSelection(self) -> bool:
        return bool(self.GetVariantSelection())


class VariantSets:
    """The variant sets of a prim. Corresponds to Usd.VariantSets."""

    def __init__(self, prim: Any) -> None:
        self._prim = prim

    def GetNames(self) -> list[str]:
        return list(self._prim._checked().variant_sets)

    def HasVariantSet(self, variantSetName: str) -> bool:
        return variantSetName in self.GetNames()

    def GetVariantSet(self, variantSetName: str) -> VariantSet:
        return VariantSet(self._prim, variantSetName)

    def GetVariantSelection(self, variantSetName: str) -> str:
        return self.GetVariantSet(variantSetName).GetVariantSelection()

    def GetAllVariantSelections(self) -> dict[str, str]:
        found = {name: self.GetVariantSelection(name) for name in self.GetNames()}
        return {name: selection for name, selection in found.items() if selection}

    def __getitem__(self, name: str) -> VariantSet:
        return self.GetVariantSet(name)


add_authoring(
    VariantSet,
    *("SetVariantSelection", "ClearVariantSelection", "BlockVariantSelection", "AddVariant"),
    *("GetVariantEditContext", "GetVariantEditTarget"),
)
add_authoring(VariantSets, "AddVariantSet", "SetSelection")
