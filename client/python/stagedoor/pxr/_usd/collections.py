"""Collections and model data: methods of Usd.CollectionAPI, Usd.ModelAPI and Usd.ClipsAPI."""

from __future__ import annotations

from typing import Any

from stagedoor.pxr._enum import Enum
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._sdf.types import AssetPath, AssetPathArray
from stagedoor.pxr._usd.predicates import PrimDefaultPredicate
from stagedoor.pxr._usd.prim_range import handles


class MembershipQuery:
    """Which paths a collection includes, as the daemon says."""

    def __init__(self, stage: Any, path: str) -> None:
        self._stage = stage
        self._path = path

    def IsPathIncluded(self, path: Any, *_: Any) -> bool:
        table = self._stage.memberships([str(path)], [self._path])
        return self._path in (table.get(str(path)) or ())

    def GetIncludedCollections(self) -> list[Path]:
        return []


class CollectionMethods:
    """The methods of Usd.CollectionAPI."""

    _prim: Any
    _name: str

    def _path(self) -> str:
        return f"{self._prim.GetPath()}.collection:{self._name}"

    def GetCollectionPath(self) -> Path:
        return Path._of(self._path())

    @staticmethod
    def GetNamedCollectionPath(prim: Any, collectionName: str) -> Path:
        return Path._of(f"{prim.GetPath()}.collection:{collectionName}")

    @classmethod
    def GetCollection(cls, where: Any, path: Any) -> Any:
        return cls.Get(where, path)  # type: ignore[attr-defined]

    @classmethod
    def GetAllCollections(cls, prim: Any) -> list[Any]:
        return cls.GetAll(prim)  # type: ignore[attr-defined]

    @staticmethod
    def IsCollectionAPIPath(path: Any) -> Any:
        found = Path(path)
        parts = found.name.split(":")
        known = ("includes", "excludes", "expansionRule", "includeRoot", "membershipExpression")
        good = found.IsPropertyPath() and parts[0] == "collection" and len(parts) > 1
        return ":".join(parts[1:]) if good and parts[-1] not in known else False

    @staticmethod
    def IsSchemaPropertyBaseName(name: str) -> bool:
        names = ("includes", "excludes", "expansionRule", "includeRoot", "membershipExpression")
        return name in names

    def ComputeMembershipQuery(self) -> MembershipQuery:
        return MembershipQuery(self._prim.GetStage()._stage, self._path())

    @staticmethod
    def ComputeIncludedPaths(query: Any, stage: Any, predicate: Any = None) -> list[Path]:
        """The members that pass a predicate; those of the default predicate without one."""
        return sorted(CollectionMethods._of_query(query, stage, predicate))

    @staticmethod
    def ComputeIncludedObjects(query: Any, stage: Any, predicate: Any = None) -> list[Any]:
        paths = sorted(CollectionMethods._of_query(query, stage, predicate))
        return [stage.GetObjectAtPath(path) for path in paths]

    @staticmethod
    def _of_query(query: Any, stage: Any, predicate: Any) -> list[Path]:
        prim = Path(query._path).GetPrimPath()
        found = stage._stage.collections([str(prim)])
        paths = next((entry.members for entry in found if entry.path == query._path), ())
        which = PrimDefaultPredicate if predicate is None else predicate
        passed = {handle.path for handle in handles(stage._stage.pseudo_root, which)}
        return [Path._of(path) for path in paths if path.partition(".")[0] in passed]

    def HasNoIncludedPaths(self) -> bool:
        rel = self._prim.GetRelationship(f"collection:{self._name}:includes")
        root = self._prim.GetAttribute(f"collection:{self._name}:includeRoot").Get()
        return not rel.GetTargets() and not root

    def IsInExpressionMode(self) -> bool:
        return not self.IsInRelationshipsMode()

    def IsInRelationshipsMode(self) -> bool:
        expression = self._prim.GetAttribute(f"collection:{self._name}:membershipExpression")
        return not self.HasNoIncludedPaths() or not expression.Get()


class ModelMethods:
    """The methods of Usd.ModelAPI."""

    _prim: Any

    def GetKind(self) -> str:
        return str(self._prim.GetKind())

    KindValidationNone = Enum("Usd.ModelAPI.KindValidationNone", 0)
    KindValidationModelHierarchy = Enum("Usd.ModelAPI.KindValidationModelHierarchy", 1)

    def IsKind(self, baseKind: str, validation: Enum = KindValidationModelHierarchy) -> bool:
        """Whether the kind is `baseKind` or derives from it; models must be where models may be."""
        from stagedoor.pxr.Kind import Registry

        checks = validation == self.KindValidationModelHierarchy and Registry.IsModel(baseKind)
        if checks and not self.IsModel():
            return False
        return Registry.IsA(self.GetKind(), baseKind)

    def IsModel(self) -> bool:
        return bool(self._prim.IsModel())

    def IsGroup(self) -> bool:
        return bool(self._prim.IsGroup())

    def GetAssetInfo(self) -> dict[str, Any]:
        return self._prim.GetAssetInfo()

    def GetAssetIdentifier(self) -> Any:
        return self._prim.GetAssetInfoByKey("identifier") or AssetPath("")

    def GetAssetName(self) -> Any:
        return self._prim.GetAssetInfoByKey("name") or ""

    def GetAssetVersion(self) -> Any:
        return self._prim.GetAssetInfoByKey("version") or ""

    def GetPayloadAssetDependencies(self) -> Any:
        found = self._prim.GetAssetInfoByKey("payloadAssetDependencies")
        return AssetPathArray() if found is None else found


class ClipsMethods:
    """The methods of Usd.ClipsAPI: the entries of the metadata `clips`."""

    _prim: Any

    def GetClips(self) -> dict[str, Any]:
        return self._prim.GetMetadata("clips") or {}

    def GetClipSets(self) -> Any:
        return self._prim.GetMetadata("clipSets")

    def _entry(self, name: str, clipSet: str) -> Any:
        return (self.GetClips().get(clipSet) or {}).get(name)

    def GetClipAssetPaths(self, clipSet: str = "default") -> Any:
        return self._entry("assetPaths", clipSet)

    def GetClipPrimPath(self, clipSet: str = "default") -> Any:
        return self._entry("primPath", clipSet)

    def GetClipActive(self, clipSet: str = "default") -> Any:
        return self._entry("active", clipSet)

    def GetClipTimes(self, clipSet: str = "default") -> Any:
        return self._entry("times", clipSet)

    def GetClipManifestAssetPath(self, clipSet: str = "default") -> Any:
        return self._entry("manifestAssetPath", clipSet)

    def GetClipTemplateAssetPath(self, clipSet: str = "default") -> Any:
        return self._entry("templateAssetPath", clipSet)

    def GetClipTemplateStride(self, clipSet: str = "default") -> Any:
        return self._entry("templateStride", clipSet)

    def GetClipTemplateStartTime(self, clipSet: str = "default") -> Any:
        return self._entry("templateStartTime", clipSet)

    def GetClipTemplateEndTime(self, clipSet: str = "default") -> Any:
        return self._entry("templateEndTime", clipSet)


METHODS: dict[str, type] = {
    "CollectionAPI": CollectionMethods,
    "ModelAPI": ModelMethods,
    "ClipsAPI": ClipsMethods,
}
