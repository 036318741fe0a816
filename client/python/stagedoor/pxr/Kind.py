"""Kind: the kinds of models."""

from __future__ import annotations


class Tokens:
    assembly = "assembly"
    component = "component"
    group = "group"
    model = "model"
    subcomponent = "subcomponent"


_BASES = {
    "model": "",
    "component": "model",
    "group": "model",
    "assembly": "group",
    "subcomponent": "",
}


class Registry:
    """Corresponds to Kind.Registry, with the kinds that OpenUSD itself has."""

    @staticmethod
    def HasKind(kind: str) -> bool:
        return kind in _BASES

    @staticmethod
    def GetBaseKind(kind: str) -> str:
        return _BASES.get(kind, "")

    @staticmethod
    def GetAllKinds() -> list[str]:
        return sorted(_BASES)

    @staticmethod
    def IsA(derivedKind: str, baseKind: str) -> bool:
        kind = derivedKind
        while kind and kind != baseKind:
            kind = _BASES.get(kind, "")
        return bool(kind) and kind == baseKind

    @staticmethod
    def IsModel(kind: str) -> bool:
        return Registry.IsA(kind, "model")

    @staticmethod
    def IsGroup(kind: str) -> bool:
        return Registry.IsA(kind, "group")

    @staticmethod
    def IsAssembly(kind: str) -> bool:
        return Registry.IsA(kind, "assembly")

    @staticmethod
    def IsComponent(kind: str) -> bool:
        return Registry.IsA(kind, "component")

    @staticmethod
    def IsSubComponent(kind: str) -> bool:
        return Registry.IsA(kind, "subcomponent")
