"""Layers without composition: Sdf.Layer."""

from __future__ import annotations

import itertools
import os
import pathlib
import tempfile
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from stagedoor.errors import Error
from stagedoor.pxr import _connection
from stagedoor.pxr._errors import ErrorException, add_authoring
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._sdf.specs import (
    SPEC_CLASSES,
    AttributeSpec,
    PrimSpec,
    PropertySpec,
    RelationshipSpec,
    Spec,
    SpecList,
)
from stagedoor.pxr._sdf.types import ListOp
from stagedoor.pxr._usd.values import plain

_numbers = itertools.count(1)


# Layers that were read last, because each spec of a stack has a Layer of its own.
_kept: OrderedDict[tuple[int, str, bool], tuple[Any, Any]] = OrderedDict()
_MAX_KEPT = 32


def _read(client: Any, identifier: str, values: bool = True) -> Any:
    """The content of a layer, which may have been read before."""
    key = (id(client), identifier, values)
    found = _kept.get(key)
    if found is None or found[0]() is not client:
        found = _kept[key] = (weakref.ref(client), client.layer(identifier, values=values))
    while len(_kept) > _MAX_KEPT:
        _kept.popitem(last=False)
    return found[1]


def forget_layers() -> None:
    """Reads all layers again when they are asked for something."""
    _kept.clear()


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
            self._read = _read(self._client, self.identifier)
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

    def _header(self) -> dict[str, Any]:
        """The metadata of the layer, for which values of attributes need not be read."""
        if self._read is not None or self._text is not None:
            return dict(self._content().metadata)
        return dict(_read(self._client, self.identifier, values=False).metadata)

    def _field(self, name: str, otherwise: Any = None) -> Any:
        value = self._header().get(name)
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
        return "startTimeCode" in self._header()

    def HasEndTimeCode(self) -> bool:
        return "endTimeCode" in self._header()

    def HasTimeCodesPerSecond(self) -> bool:
        return "timeCodesPerSecond" in self._header()

    def HasFramesPerSecond(self) -> bool:
        return "framesPerSecond" in self._header()

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
        return SPEC_CLASSES.get(found.type, Spec)(self, text)

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
        """Reads the layer again when it is asked for something."""
        for values in (False, True):
            _kept.pop((id(self._client), self.identifier, values), None)
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


def spec_at(client: Any, layer: str, path: str) -> Spec:
    """The spec at a site; only read when it is asked for something."""
    kind = AttributeSpec if "." in path.rpartition("/")[2] else PrimSpec
    return kind(Layer(client, layer), path)
