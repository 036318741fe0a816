"""Materials and their bindings: methods of UsdShade.Material, Shader, MaterialBindingAPI …"""

from __future__ import annotations

from typing import Any

from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._shade.connections import (
    OUTPUTS,
    AttributeType,
    Output,
    PortMethods,
    type_and_name,
    value_attributes,
)
from stagedoor.pxr._usd.ahead import ask

_BINDING = "material:binding"


def _shade(name: str) -> Any:
    from stagedoor.pxr import UsdShade

    return getattr(UsdShade, name)


class NodeGraphMethods(PortMethods):
    """The methods of UsdShade.NodeGraph."""

    def GetInterfaceInputs(self) -> list[Any]:
        return self.GetInputs()

    def ComputeOutputSource(self, outputName: str) -> tuple[Any, str, Any]:
        return _source(self.GetOutput(outputName))

    def ComputeInterfaceInputConsumersMap(self, *_: Any) -> dict[Any, list[Any]]:
        """For each input, those of the nodes inside that are connected to it."""
        found: dict[Any, list[Any]] = {port: [] for port in self.GetInputs()}
        by_path = {str(port.GetAttr().GetPath()): port for port in found}
        for prim in self._prim._subtree()[1:]:
            for port in _shade("ConnectableAPI")(prim).GetInputs():
                for path in port.GetRawConnectedSourcePaths():
                    if str(path) in by_path:
                        found[by_path[str(path)]].append(port)
        return found


def _source(output: Output) -> tuple[Any, str, Any]:
    """(shader, name, type) of what supplies an output; an invalid shader without one."""
    shader = _shade("Shader")
    if output:
        for attribute in value_attributes(output, True):
            name, kind = type_and_name(attribute.GetName())
            return shader(attribute.GetPrim()), name, kind
    return shader(), "", AttributeType.Invalid


class MaterialMethods(NodeGraphMethods):
    """The methods of UsdShade.Material."""

    def _terminal(self, name: str, context: str) -> Output:
        return Output(
            self._prim.GetAttribute(f"{OUTPUTS}{context}:{name}" if context else f"{OUTPUTS}{name}")
        )

    def _terminals(self, name: str) -> list[Output]:
        """The terminals of a name: that for all renderers, then those of contexts."""
        found = [
            output
            for output in self.GetOutputs()
            if output.GetBaseName().rpartition(":")[2] == name != output.GetBaseName()
        ]
        return [self._terminal(name, ""), *found]

    def _compute(self, name: str, contexts: Any) -> tuple[Any, str, Any]:
        """The source of the first terminal that has one, of the contexts and then of all."""
        wanted = [contexts] if isinstance(contexts, str) else list(contexts or ())
        for context in [*wanted, ""] if "" not in wanted else wanted:
            found = _source(self._terminal(name, context))
            if found[0]:
                return found
        return _shade("Shader")(), "", AttributeType.Invalid

    def GetSurfaceOutput(self, renderContext: str = "") -> Output:
        return self._terminal("surface", renderContext)

    def GetSurfaceOutputs(self) -> list[Output]:
        return self._terminals("surface")

    def ComputeSurfaceSource(self, renderContext: Any = ()) -> tuple[Any, str, Any]:
        return self._compute("surface", renderContext)

    def GetDisplacementOutput(self, renderContext: str = "") -> Output:
        return self._terminal("displacement", renderContext)

    def GetDisplacementOutputs(self) -> list[Output]:
        return self._terminals("displacement")

    def ComputeDisplacementSource(self, renderContext: Any = ()) -> tuple[Any, str, Any]:
        return self._compute("displacement", renderContext)

    def GetVolumeOutput(self, renderContext: str = "") -> Output:
        return self._terminal("volume", renderContext)

    def GetVolumeOutputs(self) -> list[Output]:
        return self._terminals("volume")

    def ComputeVolumeSource(self, renderContext: Any = ()) -> tuple[Any, str, Any]:
        return self._compute("volume", renderContext)

    def GetMaterialVariant(self) -> Any:
        return self._prim.GetVariantSet("materialVariant")

    def GetBaseMaterialPath(self) -> Path:
        """The material that this one specializes; empty without one."""
        for spec in self._prim.GetPrimStack():
            found = spec.GetInfo("specializes")
            items = found.GetAddedOrExplicitItems() if found is not None else ()
            for item in items:
                return Path(str(item))
        return Path.emptyPath

    def GetBaseMaterial(self) -> Any:
        path = self.GetBaseMaterialPath()
        prim = self._prim.GetStage().GetPrimAtPath(path) if path else None
        return _shade("Material")(prim)

    def HasBaseMaterial(self) -> bool:
        return bool(self.GetBaseMaterialPath())


class NodeDefMethods:
    """The methods of UsdShade.NodeDefAPI, which shaders have as well."""

    _prim: Any

    def GetImplementationSource(self) -> str:
        return self._prim.GetAttribute("info:implementationSource").Get() or "id"

    def GetShaderId(self) -> str | None:
        if self.GetImplementationSource() != "id":
            return None
        found: str | None = self._prim.GetAttribute("info:id").Get()
        return found

    def _of_type(self, source: str, source_type: str, kind: str) -> Any:
        if self.GetImplementationSource() != kind:
            return None
        names = [f"info:{source_type}:{source}"] if source_type else []
        for name in [*names, f"info:{source}"]:
            value = self._prim.GetAttribute(name).Get()
            if value is not None:
                return value
        return None

    def GetSourceAsset(self, sourceType: str = "") -> Any:
        return self._of_type("sourceAsset", sourceType, "sourceAsset")

    def GetSourceAssetSubIdentifier(self, sourceType: str = "") -> Any:
        return self._of_type("sourceAsset:subIdentifier", sourceType, "sourceAsset")

    def GetSourceCode(self, sourceType: str = "") -> Any:
        return self._of_type("sourceCode", sourceType, "sourceCode")

    def GetSourceTypes(self) -> list[str]:
        """The source types that the node has assets or code for."""
        kind = self.GetImplementationSource()
        found = []
        for name in self._prim.GetPropertyNames():
            parts = name.split(":")
            if parts[0] == "info" and len(parts) >= 3 and parts[-1] == kind:
                found.append(":".join(parts[1:-1]))
        return found


class ShaderMethods(PortMethods, NodeDefMethods):
    """The methods of UsdShade.Shader."""

    def GetSdrMetadata(self) -> dict[str, str]:
        return self._prim.GetMetadata("sdrMetadata") or {}

    def GetSdrMetadataByKey(self, key: str) -> str:
        return self.GetSdrMetadata().get(key, "")

    def HasSdrMetadata(self) -> bool:
        return bool(self.GetSdrMetadata())

    def HasSdrMetadataByKey(self, key: str) -> bool:
        return key in self.GetSdrMetadata()


class DirectBinding:
    """A relationship to a material. Corresponds to MaterialBindingAPI.DirectBinding."""

    def __init__(self, rel: Any = None) -> None:
        self._rel = rel

    def GetBindingRel(self) -> Any:
        return self._rel

    def GetMaterialPath(self) -> Path:
        targets = self._rel.GetForwardedTargets() if self._rel is not None else []
        return targets[0] if targets else Path.emptyPath

    def GetMaterial(self) -> Any:
        path = self.GetMaterialPath()
        return _shade("Material")(self._rel.GetStage().GetPrimAtPath(path) if path else None)

    def GetMaterialPurpose(self) -> str:
        return _purpose(self._rel.GetName())


class CollectionBinding:
    """A relationship to a collection and a material."""

    def __init__(self, rel: Any = None) -> None:
        self._rel = rel

    def _target(self, properties: bool) -> Path:
        targets = self._rel.GetForwardedTargets() if self._rel is not None else []
        found = (path for path in targets if path.IsPropertyPath() == properties)
        return next(found, Path.emptyPath)

    def IsValid(self) -> bool:
        return bool(self._target(True) and self._target(False))

    def GetBindingRel(self) -> Any:
        return self._rel

    def GetCollectionPath(self) -> Path:
        return self._target(True)

    def GetCollection(self) -> Any:
        from stagedoor.pxr import Usd

        kind: Any = Usd.CollectionAPI  # type: ignore[attr-defined]
        return kind.Get(self._rel.GetStage(), self.GetCollectionPath())

    def GetMaterialPath(self) -> Path:
        return self._target(False)

    def GetMaterial(self) -> Any:
        path = self.GetMaterialPath()
        return _shade("Material")(self._rel.GetStage().GetPrimAtPath(path) if path else None)

    @staticmethod
    def IsCollectionBindingRel(rel: Any) -> bool:
        return str(rel.GetName()).startswith(f"{_BINDING}:collection")


def _purpose(name: str) -> str:
    rest = name[len(_BINDING) + 1 :]
    return rest if ":" not in rest and rest not in ("collection",) else ""


class BindingMethods:
    """The methods of UsdShade.MaterialBindingAPI."""

    _prim: Any
    DirectBinding = DirectBinding
    CollectionBinding = CollectionBinding

    @staticmethod
    def CanContainPropertyName(name: str) -> bool:
        return name.startswith(_BINDING)

    @staticmethod
    def GetMaterialPurposes() -> list[str]:
        return ["", "preview", "full"]

    @staticmethod
    def GetMaterialBindingStrength(bindingRel: Any) -> str:
        return bindingRel.GetMetadata("bindMaterialAs") or "weakerThanDescendants"

    @staticmethod
    def GetResolvedTargetPathFromBindingRel(bindingRel: Any) -> Path:
        return DirectBinding(bindingRel).GetMaterialPath()

    def GetDirectBindingRel(self, materialPurpose: str = "") -> Any:
        name = f"{_BINDING}:{materialPurpose}" if materialPurpose else _BINDING
        return self._prim.GetRelationship(name)

    def GetDirectBinding(self, materialPurpose: str = "") -> Any:
        return DirectBinding(self.GetDirectBindingRel(materialPurpose))

    def GetCollectionBindingRel(self, bindingName: str, materialPurpose: str = "") -> Any:
        purpose = f":{materialPurpose}" if materialPurpose else ""
        return self._prim.GetRelationship(f"{_BINDING}:collection{purpose}:{bindingName}")

    def GetCollectionBindingRels(self, materialPurpose: str = "") -> list[Any]:
        prefix = f"{_BINDING}:collection"
        found = self._prim.GetAuthoredPropertiesInNamespace(prefix)
        rels = []
        for rel in found:
            parts = rel.GetName()[len(prefix) + 1 :].split(":")
            purpose = parts[0] if len(parts) > 1 else ""
            if purpose == materialPurpose:
                rels.append(rel)
        return rels

    def GetCollectionBindings(self, materialPurpose: str = "") -> list[Any]:
        made = map(CollectionBinding, self.GetCollectionBindingRels(materialPurpose))
        return [binding for binding in made if binding.IsValid()]

    def ComputeBoundMaterial(self, materialPurpose: str = "", *_: Any) -> tuple[Any, Any]:
        """The material, and the relationship that binds it."""
        return _bound(self._prim, materialPurpose)

    @staticmethod
    def ComputeBoundMaterials(
        prims: Any, materialPurpose: str = "", *_: Any
    ) -> tuple[list[Any], list[Any]]:
        given = list(prims)
        if not given:
            return [], []
        stage = given[0].GetPrim()._checked().stage
        paths = [str(prim.GetPath()) for prim in given]
        table = stage.bound_materials(paths, materialPurpose)
        pairs = [_pair(prim.GetPrim(), table.get(str(prim.GetPath()))) for prim in given]
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs]

    def GetMaterialBindSubsets(self) -> list[Any]:
        from stagedoor.pxr import UsdGeom

        kind: Any = UsdGeom.Subset  # type: ignore[attr-defined]
        found: list[Any] = kind.GetGeomSubsets(self._prim, "", "materialBind")
        return found

    def GetMaterialBindSubsetsFamilyType(self) -> str:
        from stagedoor.pxr import UsdGeom

        kind: Any = UsdGeom.Subset  # type: ignore[attr-defined]
        return str(kind.GetFamilyType(self._prim, "materialBind"))


def _bound(prim: Any, purpose: str) -> tuple[Any, Any]:
    handle = prim._checked()
    stage = handle.stage
    found = ask(handle, ("bound", purpose), lambda paths: stage.bound_materials(paths, purpose))
    return _pair(prim, found)


def _pair(prim: Any, found: Any) -> tuple[Any, Any]:
    from stagedoor.pxr._usd.properties import Relationship

    if found is None:
        return _shade("Material")(), Relationship()
    stage = prim.GetStage()
    rel = stage.GetRelationshipAtPath(found.relationship)
    return _shade("Material")(stage.GetPrimAtPath(found.material)), rel


class CoordSysMethods:
    """The methods of UsdShade.CoordSysAPI."""

    _prim: Any
    _name: str

    class Binding:
        """The name of a coordinate system, the relationship, and the prim it stands for."""

        def __init__(self, name: str, binding: Any, target: Any) -> None:
            self.name = name
            self.bindingRelPath = binding
            self.coordSysPrimPath = target

    def GetLocalBinding(self) -> Any:
        rel = self._prim.GetRelationship(f"coordSys:{self._name}:binding")
        targets = rel.GetForwardedTargets()
        path = targets[0] if targets else Path.emptyPath
        return CoordSysMethods.Binding(self._name, rel.GetPath(), path)

    @staticmethod
    def HasLocalBindingsForPrim(prim: Any) -> bool:
        return any(name.startswith("CoordSysAPI:") for name in prim.GetAppliedSchemas())

    @classmethod
    def GetLocalBindingsForPrim(cls, prim: Any) -> list[Any]:
        return [api.GetLocalBinding() for api in cls.GetAll(prim)]  # type: ignore[attr-defined]

    @staticmethod
    def FindBindingsWithInheritanceForPrim(prim: Any) -> list[Any]:
        path = str(prim.GetPath())
        table = prim._checked().stage.coordinate_systems([path])
        return [
            CoordSysMethods.Binding(found.name, Path(found.relationship), Path(found.target))
            for found in table[path]
        ]

    @staticmethod
    def GetCoordSysRelationshipName(coordSysName: str) -> str:
        return f"coordSys:{coordSysName}:binding"

    @staticmethod
    def CanContainPropertyName(name: str) -> bool:
        return name.startswith("coordSys:")
