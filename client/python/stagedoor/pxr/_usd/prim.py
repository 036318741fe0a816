"""Prims: Usd.Prim."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stagedoor import attribute as package
from stagedoor import prim as package_prim
from stagedoor._prims import BASIC, PRIM
from stagedoor._proto import Message, v1
from stagedoor.errors import NotFoundError
from stagedoor.pxr._errors import add_authoring
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._sdf.types import SPECIFIERS
from stagedoor.pxr._usd import schema_table
from stagedoor.pxr._usd.objects import Object
from stagedoor.pxr._usd.predicates import Predicate, PrimDefaultPredicate
from stagedoor.pxr._usd.properties import Attribute, Property, Relationship
from stagedoor.pxr._usd.values import plain
from stagedoor.pxr._usd.variants import VariantSet, VariantSets

if TYPE_CHECKING:
    from stagedoor.pxr._usd.stage import Stage


def type_name_of(schema: Any) -> str:
    """The schema type that a class, a Tf.Type or a name stands for."""
    if isinstance(schema, str):
        return schema
    if hasattr(schema, "_schema_type"):
        return str(schema._schema_type)
    return schema_table.type_of_cpp(str(getattr(schema, "typeName", schema)))


class Prim(Object):
    """A prim of a stage; without a handle it is invalid. Corresponds to Usd.Prim."""

    _handle: package_prim.Prim | None
    _invalid = "invalid null prim"

    def __init__(self, handle: package_prim.Prim | Prim | None = None) -> None:
        self._handle = handle._handle if isinstance(handle, Prim) else handle

    @classmethod
    def _at(cls, stage: Any, path: str) -> Prim:
        """The prim of a stage of the package at a path; invalid if there is none."""
        try:
            handle = stage.prim(path)
            handle._describe(PRIM)
        except (NotFoundError, ValueError):
            return cls()
        return cls(handle)

    def IsValid(self) -> bool:
        handle = self._handle
        return handle is not None and (handle._known(BASIC) is not None or handle.exists())

    def _message(self) -> Message:
        return self._checked()._describe(BASIC).message

    def _details(self) -> Message:
        return self._checked()._describe(PRIM).message

    def GetStage(self) -> Stage:
        from stagedoor.pxr._usd.stage import Stage

        return Stage._of(self._checked().stage)

    def GetPrim(self) -> Prim:
        return self

    def GetName(self) -> str:
        path: str = self._checked().path
        return "/" if path == "/" else path.rpartition("/")[2]

    # ------------------------------------------------------------------------------- description

    def GetTypeName(self) -> str:
        return str(self._message().type_name)

    def GetSpecifier(self) -> Any:
        return SPECIFIERS[self._checked().specifier]

    def GetKind(self) -> str:
        return str(self._details().kind)

    def IsActive(self) -> bool:
        return not self._message().inactive

    def IsLoaded(self) -> bool:
        return not self._message().unloaded

    def IsDefined(self) -> bool:
        return not self._message().undefined

    def IsAbstract(self) -> bool:
        return bool(self._message().abstract)

    def IsModel(self) -> bool:
        return bool(self._message().model)

    def IsGroup(self) -> bool:
        return bool(self._message().group)

    def IsComponent(self) -> bool:
        return self.IsModel() and self.GetKind() == "component"

    def IsSubComponent(self) -> bool:
        return self.GetKind() == "subcomponent"

    def IsInstance(self) -> bool:
        return bool(self._message().instance)

    def IsInstanceable(self) -> bool:
        return bool(self._message().instanceable)

    def IsInstanceProxy(self) -> bool:
        return bool(self._message().instance_proxy)

    def IsPrototype(self) -> bool:
        return False

    def IsInPrototype(self) -> bool:
        return False

    def GetPrototype(self) -> Prim:
        """Invalid: a daemon has no paths for prototypes, only instance proxies."""
        return Prim()

    GetPrimInPrototype = GetPrototype

    def GetInstances(self) -> list[Prim]:
        return []

    def IsPseudoRoot(self) -> bool:
        return bool(self._checked().path == "/")

    def HasDefiningSpecifier(self) -> bool:
        return self._checked().specifier in ("def", "class")

    def HasClassSpecifier(self) -> bool:
        return bool(self._checked().specifier == "class")

    def HasPayload(self) -> bool:
        return bool(self._message().has_payload)

    HasAuthoredPayloads = HasPayload

    def HasAuthoredTypeName(self) -> bool:
        return bool(self.GetTypeName())

    def HasAuthoredActive(self) -> bool:
        return not self.IsActive() or self._has_info("active")

    def HasAuthoredInstanceable(self) -> bool:
        return self.IsInstanceable() or self._has_info("instanceable")

    def HasAuthoredReferences(self) -> bool:
        return self._has_info("references")

    def HasAuthoredInherits(self) -> bool:
        return self._has_info("inheritPaths")

    def HasAuthoredSpecializes(self) -> bool:
        return self._has_info("specializes")

    def _has_info(self, key: str) -> bool:
        """Whether a spec of the prim has a field."""
        return any(spec.HasInfo(key) for spec in self.GetPrimStack())

    def IsA(self, schemaType: Any) -> bool:
        wanted, type_name = type_name_of(schemaType), self.GetTypeName()
        known = schema_table.ancestors(type_name)
        if known is not None:
            return wanted in known
        return bool(type_name) and wanted in self._details().schema_ancestors

    def IsInFamily(self, schemaFamily: Any, *_: Any) -> bool:
        family = type_name_of(schemaFamily).partition("_")[0]
        names = [self.GetTypeName(), *self._details().schema_ancestors]
        return any(name.partition("_")[0] == family for name in names)

    def HasAPI(self, schemaType: Any, instanceName: str = "") -> bool:
        name = type_name_of(schemaType)
        if instanceName:
            return f"{name}:{instanceName}" in self._details().api_schemas
        return any(api.partition(":")[0] == name for api in self._details().api_schemas)

    def CanApplyAPI(self, schemaType: Any, *_: Any) -> bool:
        name = type_name_of(schemaType)
        if not schema_table.kind_of_type(name).endswith("ApplyAPI"):
            return False
        allowed = schema_table.types_to_apply_to(name)
        return not allowed or any(self.IsA(type_name) for type_name in allowed)

    def GetAppliedSchemas(self) -> list[str]:
        return list(self._details().api_schemas)

    def GetPrimTypeInfo(self) -> Any:
        from stagedoor.pxr._usd.registry import PrimTypeInfo

        return PrimTypeInfo(self.GetTypeName(), self.GetAppliedSchemas())

    # ----------------------------------------------------------------------------------- hierarchy

    def GetParent(self) -> Prim:
        handle = self._checked()
        return Prim(handle.parent) if handle.path != "/" else Prim()

    def GetChild(self, name: str) -> Prim:
        return Prim._at(self._checked().stage, f"{self._checked().path.rstrip('/')}/{name}")

    def GetChildren(self) -> list[Prim]:
        return [Prim(handle) for handle in self._checked().children]

    def GetChildrenNames(self) -> list[str]:
        return list(self._details().children)

    def GetAllChildren(self) -> list[Prim]:
        return [Prim(handle) for handle in self._checked().GetAllChildren()]

    def GetAllChildrenNames(self) -> list[str]:
        return [child.GetName() for child in self.GetAllChildren()]

    def GetFilteredChildren(self, predicate: Predicate) -> list[Prim]:
        if predicate == PrimDefaultPredicate:
            return self.GetChildren()
        proxies = predicate.instance_proxies or self.IsInstanceProxy()
        found = self._checked().traverse(all=True, depth=1, instance_proxies=proxies)
        prims = [Prim(handle) for handle in found if handle.path != self._checked().path]
        return [prim for prim in prims if predicate(prim)]

    def GetFilteredChildrenNames(self, predicate: Predicate) -> list[str]:
        return [child.GetName() for child in self.GetFilteredChildren(predicate)]

    def GetNextSibling(self) -> Prim:
        return self.GetFilteredNextSibling(PrimDefaultPredicate)

    def GetFilteredNextSibling(self, predicate: Predicate) -> Prim:
        siblings = self.GetParent().GetFilteredChildren(predicate)
        return next((b for a, b in zip(siblings, siblings[1:]) if a == self), Prim())

    def _absolute(self, path: Any) -> Path:
        return Path(path).MakeAbsolutePath(self.GetPath())

    def GetPrimAtPath(self, path: Any) -> Prim:
        return self.GetStage().GetPrimAtPath(self._absolute(path))

    def GetObjectAtPath(self, path: Any) -> Any:
        return self.GetStage().GetObjectAtPath(self._absolute(path))

    def GetPropertyAtPath(self, path: Any) -> Any:
        return self.GetStage().GetPropertyAtPath(self._absolute(path))

    def GetAttributeAtPath(self, path: Any) -> Attribute:
        return self.GetStage().GetAttributeAtPath(self._absolute(path))

    def GetRelationshipAtPath(self, path: Any) -> Relationship:
        return self.GetStage().GetRelationshipAtPath(self._absolute(path))

    # ---------------------------------------------------------------------------------- properties

    def GetAttribute(self, name: str) -> Attribute:
        return Attribute(package.Attribute(self._checked(), str(name)), self)

    def GetRelationship(self, name: str) -> Relationship:
        return Relationship(package.Relationship(self._checked(), str(name)), self)

    def GetProperty(self, name: str) -> Property:
        found = self._checked()._describe(PRIM).properties.get(str(name))
        if found is None:
            return Property(None, self)
        return self._property(found)

    def _property(self, message: Message) -> Property:
        attribute = message.kind == v1.Property.KIND_ATTRIBUTE
        return self.GetAttribute(message.name) if attribute else self.GetRelationship(message.name)

    def _properties(self, passes: Callable[[Message], bool], predicate: Any = None) -> list[Any]:
        """The properties that pass, in the prim's property order; `predicate` is about names."""
        return [
            self._property(found)
            for found in self._checked()._describe(PRIM).properties.values()
            if passes(found) and (predicate is None or predicate(found.name))
        ]

    def GetProperties(self, predicate: Any = None) -> list[Any]:
        return self._properties(lambda _: True, predicate)

    def GetAuthoredProperties(self, predicate: Any = None) -> list[Any]:
        return self._properties(lambda found: bool(found.authored), predicate)

    def GetAttributes(self) -> list[Attribute]:
        return self._properties(_is_attribute)

    def GetAuthoredAttributes(self) -> list[Attribute]:
        return self._properties(lambda found: bool(found.authored) and _is_attribute(found))

    def GetRelationships(self) -> list[Relationship]:
        return self._properties(lambda found: not _is_attribute(found))

    def GetAuthoredRelationships(self) -> list[Relationship]:
        return self._properties(lambda found: bool(found.authored) and not _is_attribute(found))

    def GetPropertyNames(self, predicate: Any = None) -> list[str]:
        names = list(self._checked()._describe(PRIM).properties)
        return [name for name in names if predicate is None or predicate(name)]

    def GetAuthoredPropertyNames(self, predicate: Any = None) -> list[str]:
        return [found.GetName() for found in self.GetAuthoredProperties(predicate)]

    def GetPropertiesInNamespace(self, namespaces: Any) -> list[Any]:
        prefix = _namespace(namespaces)
        return self._properties(lambda found: found.name.startswith(prefix))

    def GetAuthoredPropertiesInNamespace(self, namespaces: Any) -> list[Any]:
        prefix = _namespace(namespaces)
        return self._properties(lambda found: found.authored and found.name.startswith(prefix))

    def GetPropertyOrder(self) -> list[str]:
        return list(self.GetMetadata("propertyOrder") or [])

    def GetChildrenReorder(self) -> list[str]:
        return list(self.GetMetadata("primOrder") or [])

    def HasProperty(self, name: str) -> bool:
        return str(name) in self._checked()._describe(PRIM).properties

    def HasAttribute(self, name: str) -> bool:
        found = self._checked()._describe(PRIM).properties.get(str(name))
        return found is not None and _is_attribute(found)

    def HasRelationship(self, name: str) -> bool:
        found = self._checked()._describe(PRIM).properties.get(str(name))
        return found is not None and not _is_attribute(found)

    def FindAllRelationshipTargetPaths(
        self,
        traversalPredicate: Predicate = PrimDefaultPredicate,
        predicate: Any = None,
        recurseOnTargets: bool = False,
    ) -> list[Path]:
        """The targets of the relationships at and below the prim, or of those that pass."""
        return self._find_all(
            lambda prim: [
                path
                for rel in prim.GetRelationships()
                if predicate is None or predicate(rel)
                for path in rel.GetTargets()
            ],
            traversalPredicate,
            recurseOnTargets,
        )

    def FindAllAttributeConnectionPaths(
        self,
        traversalPredicate: Predicate = PrimDefaultPredicate,
        predicate: Any = None,
        recurseOnSources: bool = False,
    ) -> list[Path]:
        return self._find_all(
            lambda prim: [
                path
                for found in prim.GetAttributes()
                if predicate is None or predicate(found)
                for path in found.GetConnections()
            ],
            traversalPredicate,
            recurseOnSources,
        )

    def _find_all(
        self, paths_of: Callable[[Prim], list[Path]], which: Predicate, recurses: bool
    ) -> list[Path]:
        """The paths of all prims of the subtree; with `recurses`, of the subtrees they lead to."""
        found: set[Path] = set()
        seen: set[str] = set()
        roots = [self]
        while roots:
            for prim in roots.pop()._subtree(which):
                if prim._checked().path in seen:
                    continue
                seen.add(prim._checked().path)
                paths = paths_of(prim)
                found.update(paths)
                if recurses:
                    targets = (self.GetStage().GetPrimAtPath(p.GetPrimPath()) for p in paths)
                    roots += [target for target in targets if target]
        return sorted(found)

    def _subtree(self, which: Predicate = PrimDefaultPredicate) -> list[Prim]:
        from stagedoor.pxr._usd.prim_range import handles

        return [Prim(handle) for handle in handles(self._checked(), which)]

    # --------------------------------------------------------------------------------- composition

    def GetVariantSets(self) -> VariantSets:
        return VariantSets(self)

    def GetVariantSet(self, name: str) -> VariantSet:
        return VariantSet(self, name)

    def HasVariantSets(self) -> bool:
        return bool(self._checked().variant_sets)

    def GetPrimStack(self) -> list[Any]:
        from stagedoor.pxr._sdf.layer import spec_at

        client = self.GetStage()._client
        return [spec_at(client, site.layer, site.path) for site in self._checked().stack]

    def GetPrimStackWithLayerOffsets(self) -> list[Any]:
        offsets = [plain(site.layer_offset) for site in self._checked().stack]
        return list(zip(self.GetPrimStack(), offsets))

    def Load(self, *_: Any) -> None:
        self._checked().stage.load(self._checked().path)

    def Unload(self) -> None:
        self._checked().stage.unload(self._checked().path)

    def __repr__(self) -> str:
        if self._handle is None:
            return "invalid null prim"
        return f"Usd.Prim(<{self._handle.path}>)"


def _is_attribute(message: Message) -> bool:
    return bool(message.kind == v1.Property.KIND_ATTRIBUTE)


def _namespace(namespaces: Any) -> str:
    joined = namespaces if isinstance(namespaces, str) else ":".join(namespaces)
    return joined if not joined or joined.endswith(":") else f"{joined}:"


add_authoring(
    Prim,
    *("SetActive", "ClearActive", "SetInstanceable", "ClearInstanceable", "SetKind", "SetTypeName"),
    *("SetSpecifier", "ClearTypeName", "CreateAttribute", "CreateRelationship", "RemoveProperty"),
    *("ApplyAPI", "RemoveAPI", "AddAppliedSchema", "RemoveAppliedSchema", "SetPayload"),
    *("ClearPayload", "SetPropertyOrder", "ClearPropertyOrder", "SetChildrenReorder"),
    *("ClearChildrenReorder", "GetReferences", "GetPayloads", "GetInherits", "GetSpecializes"),
)
