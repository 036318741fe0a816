"""Stages: Usd.Stage."""

from __future__ import annotations

import os
import weakref
from typing import Any

import stagedoor
from stagedoor import _names
from stagedoor import stage as package
from stagedoor.errors import Error
from stagedoor.pxr import _connection
from stagedoor.pxr._enum import Enum
from stagedoor.pxr._errors import ErrorException, ReadOnlyError, add_authoring
from stagedoor.pxr._sdf.layer import Layer, forget_layers
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._usd.predicates import Predicate, PrimAllPrimsPredicate, PrimDefaultPredicate
from stagedoor.pxr._usd.prim import Prim
from stagedoor.pxr._usd.prim_range import PrimRange
from stagedoor.pxr._usd.properties import Attribute, Property, Relationship
from stagedoor.pxr._usd.values import plain

_INTERPOLATIONS = {
    "linear": Enum("Usd.InterpolationTypeLinear", 1),
    "held": Enum("Usd.InterpolationTypeHeld", 0),
}
LoadWithDescendants = Enum("Usd.LoadWithDescendants", 0)
LoadWithoutDescendants = Enum("Usd.LoadWithoutDescendants", 1)
# Of fields without an opinion.
_EMPTY_METADATA: dict[str, Any] = {"documentation": "", "comment": "", "customLayerData": {}}
_TIME_CODES = ("startTimeCode", "endTimeCode")
# The one Usd.Stage for each stage of the package, by the identity of the latter, which it keeps.
_stages: weakref.WeakValueDictionary[int, Stage] = weakref.WeakValueDictionary()
_fallbacks: dict[str, list[str]] = {}


class StagePopulationMask:
    """The prims to populate, with what is above and below them."""

    def __init__(self, paths: Any = ()) -> None:
        self._paths = sorted({Path(path) for path in paths})

    @classmethod
    def All(cls) -> StagePopulationMask:
        return cls(["/"])

    def Add(self, path: Any) -> StagePopulationMask:
        added = path._paths if isinstance(path, StagePopulationMask) else [Path(path)]
        self._paths = sorted({*self._paths, *added})
        return self

    def GetPaths(self) -> list[Path]:
        return [
            path
            for path in self._paths
            if not any(other != path and path.HasPrefix(other) for other in self._paths)
        ]

    def IsEmpty(self) -> bool:
        return not self._paths

    def Includes(self, path: Any) -> bool:
        wanted = Path(path)
        return any(wanted.HasPrefix(p) or p.HasPrefix(wanted) for p in self._paths)

    def IncludesSubtree(self, path: Any) -> bool:
        return any(Path(path).HasPrefix(own) for own in self._paths)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StagePopulationMask) and self.GetPaths() == other.GetPaths()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Usd.StagePopulationMask({self.GetPaths()!r})"


class Stage:
    """A stage that a daemon composes. Corresponds to Usd.Stage."""

    LoadAll = Enum("Usd.Stage.LoadAll", 0)
    LoadNone = Enum("Usd.Stage.LoadNone", 1)

    def __init__(self, stage: package.Stage, mask: StagePopulationMask | None = None) -> None:
        self._stage = stage
        self._mask = mask or StagePopulationMask.All()
        _stages[id(stage)] = self

    @classmethod
    def _of(cls, stage: package.Stage) -> Stage:
        return _stages.get(id(stage)) or cls(stage)

    @property
    def _client(self) -> stagedoor.Client:
        client: Any = self._stage._client
        return client

    # ------------------------------------------------------------------------------------- opening

    @classmethod
    def Open(cls, *arguments: Any, **named: Any) -> Stage:
        """Of a file or layer; then perhaps a session layer, a resolver context and what to load."""
        return cls._open(None, arguments, named)

    @classmethod
    def OpenMasked(cls, *arguments: Any, **named: Any) -> Stage:
        first, mask, *rest = arguments
        return cls._open(mask, (first, *rest), named)

    @classmethod
    def _open(cls, mask: Any, arguments: Any, named: dict[str, Any]) -> Stage:
        root = arguments[0] if arguments else named.get("filePath", named.get("rootLayer"))
        given = [*arguments[1:], *named.values()]
        options: dict[str, Any] = {}
        if Stage.LoadNone in given:
            options["load"] = "none"
        if mask is not None:
            options["mask"] = [str(path) for path in mask.GetPaths()]
        if _fallbacks:
            options["variant_fallbacks"] = _fallbacks
        session = next((layer for layer in given if isinstance(layer, Layer)), None)
        if session is not None:
            options["session_layer"] = session._text or session.identifier
        if isinstance(root, Layer):
            if root._text is not None:
                options["layers"] = {root.identifier: root._text}
            root = root.identifier
        if root is None:
            raise ErrorException("cannot open a stage without a root layer")
        try:
            return cls(_connection.client().open(os.fspath(root), **options), mask)
        except Error as error:
            if error.code == "NOT_FOUND":
                message = f"Failed to open layer @{root}@: {error.message}"
                raise ErrorException(message) from error
            raise ErrorException(str(error)) from error

    @staticmethod
    def CreateNew(*_: Any, **__: Any) -> Stage:
        raise ReadOnlyError("Usd.Stage.CreateNew")

    @staticmethod
    def CreateInMemory(*_: Any, **__: Any) -> Stage:
        raise ReadOnlyError("Usd.Stage.CreateInMemory")

    @staticmethod
    def IsSupportedFile(filePath: str) -> bool:
        return os.fspath(filePath).rpartition(".")[2] in ("usd", "usda", "usdc", "usdz")

    @staticmethod
    def SetGlobalVariantFallbacks(fallbacks: dict[str, list[str]]) -> None:
        _fallbacks.clear()
        _fallbacks.update(fallbacks)

    @staticmethod
    def GetGlobalVariantFallbacks() -> dict[str, list[str]]:
        return dict(_fallbacks)

    @property
    def expired(self) -> bool:
        return self._stage._session.closed

    def Reload(self) -> None:
        forget_layers()
        self._stage.reload()

    def Save(self) -> None:
        """Nothing to do: the shim reads only."""

    SaveSessionLayers = Save

    def Close(self) -> None:
        """Ends the lease at once, which the end of the program does as well."""
        self._stage.close()

    # --------------------------------------------------------------------------------------- prims

    def GetPseudoRoot(self) -> Prim:
        return Prim(self._stage.pseudo_root)

    def GetDefaultPrim(self) -> Prim:
        found = self._stage.default_prim
        return Prim._at(self._stage, found.path) if found is not None else Prim()

    def HasDefaultPrim(self) -> bool:
        """Whether the root layer names one, which need not exist."""
        return bool(self._stage.default_prim or self.GetRootLayer().HasDefaultPrim())

    def GetPrimAtPath(self, path: Any) -> Prim:
        wanted = path if isinstance(path, Path) else Path(path)
        if not wanted.IsAbsoluteRootOrPrimPath() or not wanted.IsAbsolutePath():
            return Prim()
        return Prim._at(self._stage, str(wanted))

    def _owner(self, path: Any) -> tuple[Prim, str]:
        """The prim of a property path, and the name of the property."""
        wanted = path if isinstance(path, Path) else Path(path)
        if not wanted.IsPrimPropertyPath():
            return Prim(), ""
        return self.GetPrimAtPath(wanted.GetPrimPath()), wanted.name

    def GetPropertyAtPath(self, path: Any) -> Property:
        prim, name = self._owner(path)
        return prim.GetProperty(name) if prim else Property()

    def GetAttributeAtPath(self, path: Any) -> Attribute:
        prim, name = self._owner(path)
        return prim.GetAttribute(name) if prim else Attribute()

    def GetRelationshipAtPath(self, path: Any) -> Relationship:
        prim, name = self._owner(path)
        return prim.GetRelationship(name) if prim else Relationship()

    def GetObjectAtPath(self, path: Any) -> Any:
        wanted = path if isinstance(path, Path) else Path(path)
        found = self.GetPropertyAtPath if wanted.IsPropertyPath() else self.GetPrimAtPath
        return found(wanted)

    def Traverse(self, predicate: Predicate = PrimDefaultPredicate) -> PrimRange:
        return PrimRange.Stage(self, predicate)

    def TraverseAll(self) -> PrimRange:
        return PrimRange.Stage(self, PrimAllPrimsPredicate)

    def GetPrototypes(self) -> list[Prim]:
        """None: a daemon has no paths for prototypes, only instance proxies."""
        return []

    # ------------------------------------------------------------------------------- time and units

    def GetStartTimeCode(self) -> float:
        return self._stage.start_time_code or 0.0

    def GetEndTimeCode(self) -> float:
        return self._stage.end_time_code or 0.0

    def HasAuthoredTimeCodeRange(self) -> bool:
        return self._stage.HasAuthoredTimeCodeRange()

    def GetTimeCodesPerSecond(self) -> float:
        return self._stage.time_codes_per_second

    def GetFramesPerSecond(self) -> float:
        return self._stage.frames_per_second

    def GetInterpolationType(self) -> Enum:
        held = self._stage._session.request.interpolation == 2
        return _INTERPOLATIONS["held" if held else "linear"]

    # ------------------------------------------------------------------------------------- metadata

    def GetMetadata(self, key: str) -> Any:
        value = plain(self._stage.GetMetadata(key))
        if key == "defaultPrim":
            name = value or self.GetRootLayer().defaultPrim
            return name[1:] if name.count("/") == 1 else name
        if key in _TIME_CODES and self.GetSessionLayer() is None:
            return self.GetRootLayer()._field(key, 0.0)  # also where old fields have the range
        return _EMPTY_METADATA.get(key) if value is None else value

    def HasMetadata(self, key: str) -> bool:
        return self.GetMetadata(key) is not None

    def HasAuthoredMetadata(self, key: str) -> bool:
        if key in self._stage.metadata:
            return True
        layers = (self.GetRootLayer(), self.GetSessionLayer())
        return any(layer.pseudoRoot.HasInfo(key) for layer in layers if layer is not None)

    def GetMetadataByDictKey(self, key: str, keyPath: str) -> Any:
        return _names.by_key_path(self.GetMetadata(key), keyPath)

    def HasMetadataDictKey(self, key: str, keyPath: str) -> bool:
        return self.GetMetadataByDictKey(key, keyPath) is not None

    HasAuthoredMetadataDictKey = HasMetadataDictKey

    # --------------------------------------------------------------------------------------- layers

    def GetRootLayer(self) -> Layer:
        return Layer(self._client, self._stage.root_layer)

    def GetSessionLayer(self) -> Layer | None:
        root = self._stage.root_layer
        for site in self._stage.layer_stack:
            if site.layer == root:
                return None
            return Layer(self._client, site.layer)
        return None

    def GetLayerStack(self, includeSessionLayers: bool = True) -> list[Layer]:
        layers = [site.layer for site in self._stage.layer_stack]
        root = self._stage.root_layer
        if not includeSessionLayers and root in layers:
            layers = layers[layers.index(root) :]
        return [Layer(self._client, layer) for layer in layers]

    def GetUsedLayers(self, includeClipLayers: bool = True) -> list[Layer]:
        return [Layer(self._client, layer) for layer in self._stage.used_layers]

    def HasLocalLayer(self, layer: Any) -> bool:
        return layer in self.GetLayerStack()

    def MuteLayer(self, layerIdentifier: str) -> None:
        self._stage.mute(layerIdentifier)

    def UnmuteLayer(self, layerIdentifier: str) -> None:
        self._stage.unmute(layerIdentifier)

    def MuteAndUnmuteLayers(self, mute: Any, unmute: Any) -> None:
        if unmute:
            self._stage.unmute(*unmute)
        if mute:
            self._stage.mute(*mute)

    def GetCompositionErrors(self) -> list[Any]:
        return list(self._stage.composition_errors)

    def Export(self, filename: str, *_: Any, **__: Any) -> bool:
        self._stage.export(filename)
        return True

    def ExportToString(self, addSourceFileComment: bool = True) -> str:
        return self._stage.flatten().decode("utf-8")

    def Flatten(self, addSourceFileComment: bool = True) -> Layer:
        made = Layer.CreateAnonymous("flattened.usda")
        made.ImportFromString(self.ExportToString())
        return made

    # -------------------------------------------------------------------------------------- loading

    def Load(self, path: Any = "/", policy: Enum = LoadWithDescendants) -> Prim:
        self._stage.load(str(path), descendants=policy == LoadWithDescendants)
        return self.GetPrimAtPath(path)

    def Unload(self, path: Any = "/") -> None:
        self._stage.unload(str(path))

    def LoadAndUnload(self, load: Any, unload: Any, policy: Enum = LoadWithDescendants) -> None:
        for path in unload:
            self.Unload(path)
        for path in load:
            self.Load(path, policy)

    def FindLoadable(self, rootPath: Any = "/") -> list[Path]:
        return [path for path, _ in self._payloads(rootPath)]

    def GetLoadSet(self) -> list[Path]:
        return [path for path, loaded in self._payloads("/") if loaded]

    def _payloads(self, root: Any) -> list[tuple[Path, bool]]:
        found = self._stage.traverse(str(root), all=True, instance_proxies=True)
        return [(Path._of(prim.path), prim.is_loaded) for prim in found if prim.has_payload]

    def GetPopulationMask(self) -> StagePopulationMask:
        return self._mask

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stage) and self._stage is other._stage

    def __hash__(self) -> int:
        return hash(self._stage)

    def __repr__(self) -> str:
        return f"Usd.Stage.Open(rootLayer=Sdf.Find({self._stage.root_layer!r}))"


add_authoring(
    Stage,
    *("DefinePrim", "OverridePrim", "CreateClassPrim", "RemovePrim", "SetDefaultPrim"),
    *("ClearDefaultPrim", "SetMetadata", "SetMetadataByDictKey", "ClearMetadata", "SetEditTarget"),
    *("ClearMetadataByDictKey", "SetStartTimeCode", "SetEndTimeCode", "SetTimeCodesPerSecond"),
    *("SetFramesPerSecond", "SetColorConfiguration", "SetColorManagementSystem"),
    *("SetInterpolationType", "SetPopulationMask", "SetLoadRules", "GetEditTarget"),
)
