"""Prims, as the synchronous client has them.

Like attributes, they are handles: they name an object of a stage, and ask the daemon about it when
they have to. What they have learnt they keep until the stage has another snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from stagedoor import _html
from stagedoor._names import PrimNames, VariantSetHandle
from stagedoor._prims import PRIM
from stagedoor._proto import v1
from stagedoor._suggest import is_like_method, unknown_name
from stagedoor._sync.prim import PrimCalls
from stagedoor.attribute import Attribute, Relationship
from stagedoor.errors import Error, NotFoundError

if TYPE_CHECKING:
    from stagedoor.stage import Stage


class Prim(PrimCalls, PrimNames):
    """A prim of a stage. Corresponds to Usd.Prim.

    `prim["size"]` and `prim.size` are its attribute of that name, whether it exists or not. Of
    names that look like those of methods, such as `prim.childern`, only attributes that exist.
    """

    def __getattr__(self, name: str) -> Attribute:
        if not name[:1].islower():  # names of Python, and of methods of Usd.Prim that are missing
            raise unknown_name(type(self), name)
        if is_like_method(type(self), name) and not self._has(name):
            raise unknown_name(type(self), name)
        return Attribute(self, name)

    def __bool__(self) -> bool:
        return self.exists()

    def __iter__(self) -> Iterator[Prim]:
        return iter(self.children)

    def __contains__(self, name: str) -> bool:
        return name in self._describe(PRIM).properties

    def variant_set(self, name: str) -> VariantSetHandle:
        """The variant set of a name, whether it exists or not."""
        return VariantSetHandle(self, name)

    def _has(self, name: str) -> bool:
        """Whether the prim has a property; false if the prim does not exist."""
        try:
            return name in self
        except NotFoundError:
            return False

    def _properties(self, *, authored: bool = False) -> list[Attribute | Relationship]:
        return [
            Attribute(self, found.name)
            if found.kind == v1.Property.KIND_ATTRIBUTE
            else Relationship(self, found.name)
            for found in self._describe(PRIM).properties.values()
            if found.authored or not authored
        ]

    def _own_fields(self) -> dict[str, Any]:
        if self._path == "/":
            return {}
        message = self._describe(PRIM).message
        fields = {
            "active": False if message.inactive else None,
            "apiSchemas": list(message.api_schemas) or None,
            "instanceable": message.instanceable or None,
            "kind": message.kind or None,
            "specifier": self.specifier,
            "typeName": message.type_name or None,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def _repr_html_(self) -> str | None:
        try:
            return _html.prim(self)
        except (Error, ValueError):  # notebooks show __repr__ then
            return None

    # ------------------------------------------------------------------------ names of Usd.Prim

    GetAttribute = PrimCalls.attribute
    GetRelationship = PrimCalls.relationship
    GetVariantSet = variant_set
    IsValid = PrimCalls.exists
    IsA = PrimCalls.is_a
    HasProperty = __contains__

    def GetChild(self, name: str) -> Prim:
        return self.child(name)

    def GetPath(self) -> str:
        return self.path

    def GetName(self) -> str:
        return self.name

    def GetStage(self) -> Stage:
        return self.stage

    def GetParent(self) -> Prim | None:
        return self.parent

    def GetTypeName(self) -> str:
        return self.type_name

    def GetSpecifier(self) -> str:
        return self.specifier

    def GetKind(self) -> str:
        return self.kind

    def GetChildren(self) -> list[Prim]:
        return self.children

    def GetChildrenNames(self) -> list[str]:
        return list(self._describe(PRIM).message.children)

    def GetAllChildren(self) -> list[Prim]:
        """Also those that are inactive, unloaded, undefined or abstract."""
        found = self.traverse(all=True, depth=1, instance_proxies=self.is_instance_proxy)
        return [prim for prim in found if prim.path != self._path]

    def GetAllChildrenNames(self) -> list[str]:
        return [prim.name for prim in self.GetAllChildren()]

    def GetAttributes(self) -> list[Attribute]:
        return self.attributes

    def GetRelationships(self) -> list[Relationship]:
        return self.relationships

    def GetPropertyNames(self) -> list[str]:
        return self.property_names

    def GetAppliedSchemas(self) -> list[str]:
        return self.api_schemas

    def GetAuthoredAttributes(self) -> list[Attribute]:
        return [p for p in self._properties(authored=True) if isinstance(p, Attribute)]

    def GetAuthoredRelationships(self) -> list[Relationship]:
        return [p for p in self._properties(authored=True) if isinstance(p, Relationship)]

    def HasAttribute(self, name: str) -> bool:
        return name in self._describe(PRIM).names(v1.Property.KIND_ATTRIBUTE)

    def HasRelationship(self, name: str) -> bool:
        return name in self._describe(PRIM).names(v1.Property.KIND_RELATIONSHIP)

    def IsActive(self) -> bool:
        return self.is_active

    def IsLoaded(self) -> bool:
        return self.is_loaded

    def IsDefined(self) -> bool:
        return self.is_defined

    def IsAbstract(self) -> bool:
        return self.is_abstract

    def IsModel(self) -> bool:
        return self.is_model

    def IsGroup(self) -> bool:
        return self.is_group

    def IsInstance(self) -> bool:
        return self.is_instance

    def IsInstanceable(self) -> bool:
        return self.is_instanceable

    def IsInstanceProxy(self) -> bool:
        return self.is_instance_proxy

    def HasPayload(self) -> bool:
        return self.has_payload
