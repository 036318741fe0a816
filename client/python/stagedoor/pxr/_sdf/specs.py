"""Specs of a layer: Sdf.PrimSpec, Sdf.AttributeSpec and so on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._sdf.types import SPEC_TYPES, SPECIFIERS, VARIABILITIES, ListOp
from stagedoor.pxr._sdf.value_types import find
from stagedoor.pxr._usd.values import from_package, plain


class SpecList:
    """Specs by name or number, in order."""

    def __init__(self, specs: list[Any]) -> None:
        self._specs = specs

    def keys(self) -> list[str]:
        return [spec.name for spec in self._specs]

    def values(self) -> list[Any]:
        return list(self._specs)

    def items(self) -> list[tuple[str, Any]]:
        return [(spec.name, spec) for spec in self._specs]

    def get(self, name: str, default: Any = None) -> Any:
        return next((spec for spec in self._specs if spec.name == name), default)

    def __len__(self) -> int:
        return len(self._specs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._specs)

    def __contains__(self, key: Any) -> bool:
        return any(key in (spec.name, spec) for spec in self._specs)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (int, slice)):
            return self._specs[key]
        found = self.get(str(key))
        if found is None:
            raise KeyError(key)
        return found


class Spec:
    """A spec of a layer. Corresponds to Sdf.Spec."""

    def __init__(self, layer: Any, path: str) -> None:
        self.layer = layer
        self._path = path

    def _fields(self) -> dict[str, Any]:
        if self._path == "/":
            metadata: dict[str, Any] = self.layer._content().metadata
            return metadata
        found = self.layer._content().specs.get(self._path)
        return found.fields if found is not None else {}

    @property
    def path(self) -> Path:
        return Path(self._path)

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def specType(self) -> Any:
        if self._path == "/":
            return SPEC_TYPES["pseudo_root"]
        return SPEC_TYPES.get(self.layer._content().specs[self._path].type)

    @property
    def expired(self) -> bool:
        return False

    def ListInfoKeys(self) -> list[str]:
        return list(self._fields())

    def HasInfo(self, key: str) -> bool:
        return key in self._fields()

    def GetInfo(self, key: str) -> Any:
        value = self._fields().get(key)
        if key == "specifier" and isinstance(value, str):
            return SPECIFIERS.get(value, value)
        return plain(value)

    def _info(self, key: str, otherwise: Any) -> Any:
        value = self.GetInfo(key)
        return otherwise if value is None else value

    @property
    def customData(self) -> dict[str, Any]:
        return self._info("customData", {})

    @property
    def assetInfo(self) -> dict[str, Any]:
        return self._info("assetInfo", {})

    @property
    def documentation(self) -> str:
        return self._info("documentation", "")

    @property
    def comment(self) -> str:
        return self._info("comment", "")

    @property
    def hidden(self) -> bool:
        return self._info("hidden", False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and self.layer == other.layer and self._path == other._path

    def __hash__(self) -> int:
        return hash((self.layer, self._path))

    def __repr__(self) -> str:
        return f"Sdf.Find({self.layer.identifier!r}, {self._path!r})"


class PrimSpec(Spec):
    """Corresponds to Sdf.PrimSpec."""

    @property
    def specifier(self) -> Any:
        return self._info("specifier", SPECIFIERS["over"])

    @property
    def typeName(self) -> str:
        return self._info("typeName", "")

    @property
    def kind(self) -> str:
        return self._info("kind", "")

    @property
    def active(self) -> bool:
        return self._info("active", True)

    @property
    def instanceable(self) -> bool:
        return self._info("instanceable", False)

    @property
    def nameParent(self) -> Spec | None:
        return self.layer.GetObjectAtPath(self.path.GetParentPath())

    def _children(self, *kinds: str) -> SpecList:
        """The specs directly below this one, of some kinds."""
        found = []
        for path, spec in self.layer._content().specs.items():
            if spec.type in kinds and path != self._path and path.startswith(self._path):
                own = Path(path)
                if own.GetParentPath() == self.path or (
                    spec.type == "variant_set" and own.GetPrimPath() == self.path
                ):
                    found.append(self.layer.GetObjectAtPath(path))
        return SpecList(found)

    @property
    def nameChildren(self) -> SpecList:
        return self._children("prim")

    @property
    def properties(self) -> SpecList:
        return self._children("attribute", "relationship")

    @property
    def attributes(self) -> SpecList:
        return self._children("attribute")

    @property
    def relationships(self) -> SpecList:
        return self._children("relationship")

    @property
    def variantSelections(self) -> dict[str, str]:
        return self._info("variantSelection", {})

    @property
    def hasReferences(self) -> bool:
        return self.HasInfo("references")

    @property
    def hasPayloads(self) -> bool:
        return self.HasInfo("payload")

    @property
    def referenceList(self) -> ListOp:
        return self._info("references", ListOp())

    @property
    def payloadList(self) -> ListOp:
        return self._info("payload", ListOp())

    @property
    def inheritPathList(self) -> ListOp:
        return self._info("inheritPaths", ListOp())

    @property
    def specializesList(self) -> ListOp:
        return self._info("specializes", ListOp())

    @property
    def variantSetNameList(self) -> ListOp:
        return self._info("variantSetNames", ListOp())

    def GetPrimAtPath(self, path: Any) -> PrimSpec | None:
        return self.layer.GetPrimAtPath(Path(path).MakeAbsolutePath(self.path))

    def GetAttributeAtPath(self, path: Any) -> AttributeSpec | None:
        return self.layer.GetAttributeAtPath(Path(path).MakeAbsolutePath(self.path))


class PropertySpec(Spec):
    """Corresponds to Sdf.PropertySpec."""

    @property
    def custom(self) -> bool:
        return self._info("custom", False)

    @property
    def variability(self) -> Any:
        value = self._fields().get("variability")
        return VARIABILITIES.get(str(value), VARIABILITIES["varying"])

    @property
    def owner(self) -> Spec | None:
        return self.layer.GetObjectAtPath(self.path.GetParentPath())


class AttributeSpec(PropertySpec):
    """Corresponds to Sdf.AttributeSpec."""

    @property
    def typeName(self) -> Any:
        return find(self._type_text())

    def _type_text(self) -> str:
        return str(self._fields().get("typeName", ""))

    @property
    def default(self) -> Any:
        return from_package(self._fields().get("default"), self._type_text)

    def HasDefaultValue(self) -> bool:
        return self.HasInfo("default")

    def GetInfo(self, key: str) -> Any:
        if key == "default":
            return self.default
        if key == "timeSamples" and self.HasInfo(key):
            samples = self._fields()[key]
            return {t: from_package(value, self._type_text) for t, value in samples.items()}
        return super().GetInfo(key)

    @property
    def connectionPathList(self) -> ListOp:
        return self._info("connectionPaths", ListOp())


class RelationshipSpec(PropertySpec):
    """Corresponds to Sdf.RelationshipSpec."""

    @property
    def targetPathList(self) -> ListOp:
        return self._info("targetPaths", ListOp())


SPEC_CLASSES: dict[str, type[Spec]] = {
    "prim": PrimSpec,
    "variant": PrimSpec,
    "attribute": AttributeSpec,
    "relationship": RelationshipSpec,
}
