"""Layers without composition, and their specs: Sdf.Layer, Sdf.PrimSpec and so on."""

from __future__ import annotations

import itertools
import os
import pathlib
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from stagedoor.errors import Error
from stagedoor.pxr import _connection
from stagedoor.pxr._errors import ErrorException, add_authoring
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._sdf.types import SPEC_TYPES, SPECIFIERS, VARIABILITIES, ListOp
from stagedoor.pxr._sdf.value_types import find
from stagedoor.pxr._usd.values import from_package, plain

_numbers = itertools.count(1)


class Layer:
    """A layer that a daemon reads when it is asked for the first time. Corresponds to Sdf.Layer."""

    def __init__(self, client: Any, identifier: str, text: str | None = None) -> None:
        self._client = client
        self.identifier = identifier
        self._text = text
        self._read: Any = None

    # ------------------------------------------------------------------------------------- opening

    @staticmethod
    def FindOrOpen(identifier: Any, args: Any = None) -> Layer | None:
        """The layer of an identifier; None if it does not exist."""
        made = Layer(_connection.client(), os.fspath(identifier))
        try:
            made._content()
        except Error as error:
            if error.code == "NOT_FOUND":
                return None
            raise ErrorException(str(error)) from error
        made.identifier = made._content().identifier
        return made

    OpenAsAnonymous = FindOrOpen
    Find = FindOrOpen

    @staticmethod
    def CreateAnonymous(tag: str = "", *_: Any) -> Layer:
        """A layer for `ImportFromString`, of which a stage can be opened."""
        name = tag if tag.endswith(".usda") else f"{tag}.usda"
        return Layer(None, f"anon{next(_numbers)}-{name}", "#usda 1.0\n")

    def ImportFromString(self, text: str) -> bool:
        self._text = text
        return True

    def _content(self) -> Any:
        if self._read is None:
            if self._text is not None:
                raise ErrorException(
                    f"cannot read specs of {self.identifier!r}: only a stage can be opened of a "
                    "layer in memory; write it to a file"
                )
            self._read = self._client.layer(self.identifier)
        return self._read

    # --------------------------------------------------------------------------------- description

    @property
    def realPath(self) -> str:
        return self.identifier if self.identifier.startswith("/") else ""

    @property
    def resolvedPath(self) -> str:
        return self.identifier

    @property
    def anonymous(self) -> bool:
        return self._text is not None

    @property
    def fileExtension(self) -> str:
        return self.identifier.rpartition(".")[2]

    @property
    def expired(self) -> bool:
        return False

    @property
    def dirty(self) -> bool:
        return False

    @property
    def permissionToEdit(self) -> bool:
        return False

    @property
    def permissionToSave(self) -> bool:
        return False

    @property
    def empty(self) -> bool:
        return len(self._content().specs) == 0

    def GetDisplayName(self) -> str:
        return self.identifier.rpartition("/")[2]

    def GetAssetName(self) -> str:
        return ""

    def ComputeAbsolutePath(self, path: str) -> str:
        if path.startswith("/") or "://" in path:
            return path
        folder = self.identifier.rpartition("/")[0]
        return os.path.normpath(f"{folder}/{path}")

    def _field(self, name: str, otherwise: Any = None) -> Any:
        value = self._content().metadata.get(name)
        return plain(value) if value is not None else otherwise

    @property
    def defaultPrim(self) -> str:
        return self._field("defaultPrim", "")

    @property
    def startTimeCode(self) -> float:
        return self._field("startTimeCode", 0.0)

    @property
    def endTimeCode(self) -> float:
        return self._field("endTimeCode", 0.0)

    @property
    def timeCodesPerSecond(self) -> float:
        return self._field("timeCodesPerSecond", self._field("framesPerSecond", 24.0))

    @property
    def framesPerSecond(self) -> float:
        return self._field("framesPerSecond", 24.0)

    @property
    def documentation(self) -> str:
        return self._field("documentation", "")

    @property
    def comment(self) -> str:
        return self._field("comment", "")

    @property
    def owner(self) -> str:
        return self._field("owner", "")

    @property
    def customLayerData(self) -> dict[str, Any]:
        return self._field("customLayerData", {})

    @property
    def expressionVariables(self) -> dict[str, Any]:
        return self._field("expressionVariables", {})

    @property
    def subLayerPaths(self) -> list[str]:
        return list(self._field("subLayers", []))

    @property
    def subLayerOffsets(self) -> list[Any]:
        return list(self._field("subLayerOffsets", []))

    def HasDefaultPrim(self) -> bool:
        return bool(self.defaultPrim)

    def HasStartTimeCode(self) -> bool:
        return "startTimeCode" in self._content().metadata

    def HasEndTimeCode(self) -> bool:
        return "endTimeCode" in self._content().metadata

    def HasTimeCodesPerSecond(self) -> bool:
        return "timeCodesPerSecond" in self._content().metadata

    def HasFramesPerSecond(self) -> bool:
        return "framesPerSecond" in self._content().metadata

    def HasCustomLayerData(self) -> bool:
        return bool(self.customLayerData)

    def GetDefaultPrimAsPath(self) -> Path:
        return Path(self.defaultPrim).MakeAbsolutePath("/") if self.defaultPrim else Path.emptyPath

    # --------------------------------------------------------------------------------------- specs

    @property
    def pseudoRoot(self) -> PrimSpec:
        return PrimSpec(self, "/")

    @property
    def rootPrims(self) -> SpecList:
        return self.pseudoRoot.nameChildren

    def GetObjectAtPath(self, path: Any) -> Spec | None:
        text = str(path)
        if text == "/":
            return self.pseudoRoot
        found = self._content().specs.get(text)
        if found is None:
            return None
        return _SPEC_CLASSES.get(found.type, Spec)(self, text)

    def GetPrimAtPath(self, path: Any) -> PrimSpec | None:
        found = self.GetObjectAtPath(path)
        return found if isinstance(found, PrimSpec) else None

    def GetPropertyAtPath(self, path: Any) -> PropertySpec | None:
        found = self.GetObjectAtPath(path)
        return found if isinstance(found, PropertySpec) else None

    def GetAttributeAtPath(self, path: Any) -> AttributeSpec | None:
        found = self.GetObjectAtPath(path)
        return found if isinstance(found, AttributeSpec) else None

    def GetRelationshipAtPath(self, path: Any) -> RelationshipSpec | None:
        found = self.GetObjectAtPath(path)
        return found if isinstance(found, RelationshipSpec) else None

    def Traverse(self, path: Any, function: Callable[[Path], object]) -> None:
        """Calls a function for the paths of all specs at and below a path, children first."""
        prefix = Path(path)
        inside = [own for own in self._content().specs if Path(own).HasPrefix(prefix)]
        for own in reversed(inside):
            function(Path(own))
        if str(prefix) == "/":
            function(prefix)

    def ListAllTimeSamples(self) -> list[float]:
        samples = (spec.fields.get("timeSamples") or {} for spec in self._content())
        return sorted({float(time) for found in samples for time in found})

    def ListTimeSamplesForPath(self, path: Any) -> list[float]:
        found = self.GetObjectAtPath(path)
        return sorted(found.GetInfo("timeSamples") or {}) if found is not None else []

    def GetNumTimeSamplesForPath(self, path: Any) -> int:
        return len(self.ListTimeSamplesForPath(path))

    def QueryTimeSample(self, path: Any, time: float) -> Any:
        found = self.GetObjectAtPath(path)
        return (found.GetInfo("timeSamples") or {}).get(time) if found is not None else None

    def GetCompositionAssetDependencies(self) -> list[str]:
        """The asset paths of sublayers, references and payloads."""
        found = list(self.subLayerPaths)
        for spec in self._content():
            for name in ("references", "payload"):
                arcs = plain(spec.fields.get(name))
                items = arcs.GetAddedOrExplicitItems() if isinstance(arcs, ListOp) else ()
                found += [arc.assetPath for arc in items if arc.assetPath]
        return sorted(set(found))

    GetExternalReferences = GetCompositionAssetDependencies

    def ExportToString(self) -> str:
        """The text of the layer as usda."""
        if self._text is not None:
            return self._text
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "layer.usda"
            self._client.convert(self.identifier, str(target))
            return target.read_text(encoding="utf-8")

    def Export(self, filename: str, *_: Any, **__: Any) -> bool:
        if self._text is not None:
            pathlib.Path(filename).write_text(self._text, encoding="utf-8")
        else:
            self._client.convert(self.identifier, filename)
        return True

    def Reload(self, *_: Any) -> bool:
        self._read = None
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layer) and self.identifier == other.identifier

    def __hash__(self) -> int:
        return hash(self.identifier)

    def __repr__(self) -> str:
        return f"Sdf.Find({self.identifier!r})"


add_authoring(
    Layer,
    *("Save", "Clear", "TransferContent", "Import", "SetTimeSample", "EraseTimeSample", "Apply"),
    *("SetPermissionToEdit", "ScheduleRemoveIfInert", "RemoveInertSceneDescription"),
    *("CreateNew", "SetMuted", "UpdateExternalReference", "UpdateCompositionAssetDependency"),
)


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

    def __init__(self, layer: Layer, path: str) -> None:
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


_SPEC_CLASSES: dict[str, type[Spec]] = {
    "prim": PrimSpec,
    "variant": PrimSpec,
    "attribute": AttributeSpec,
    "relationship": RelationshipSpec,
}


def spec_at(client: Any, layer: str, path: str) -> Spec:
    """The spec at a site; only read when it is asked for something."""
    kind = AttributeSpec if "." in path.rpartition("/")[2] else PrimSpec
    return kind(Layer(client, layer), path)
