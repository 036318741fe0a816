"""Prims, as the synchronous client has them.

Like attributes, they are handles: they name an object of a stage, and ask the daemon about it when
they have to. What they have learnt they keep until the stage has another snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from stagedoor import _geom, _html, _prims, _times
from stagedoor._authoring import PrimEdits
from stagedoor._calls import Plan
from stagedoor._handles import PrimHandle
from stagedoor._names import PrimNames, VariantSetHandle
from stagedoor._prims import BASIC, PRIM, Group, PrimData
from stagedoor._proto import v1
from stagedoor._suggest import is_like_method, unknown_name
from stagedoor.attribute import Attribute, Relationship
from stagedoor.batch import Values
from stagedoor.errors import Error, NotFoundError
from stagedoor.results import (
    BoundMaterial,
    Collection,
    Primvar,
    SiteList,
    SkinnedPrim,
    VariantSet,
)
from stagedoor.types import Array, Time

if TYPE_CHECKING:
    from stagedoor.stage import Stage

T = TypeVar("T")
Times = _times.Times


class Prim(PrimEdits, PrimHandle, PrimNames):
    """A prim of a stage. Corresponds to Usd.Prim.

    `prim["size"]` and `prim.size` are its attribute of that name, whether it exists or not. Of
    names that look like those of methods, such as `prim.childern`, only attributes that exist.
    """

    # ------------------------------------------------------------------------------------- names

    @property
    def stage(self) -> Stage:
        stage: Stage = self._stage
        return stage

    def attribute(self, name: str) -> Attribute:
        """The attribute of a name, whether it exists or not."""
        return Attribute(self, name)

    def relationship(self, name: str) -> Relationship:
        """The relationship of a name, whether it exists or not."""
        return Relationship(self, name)

    def __getitem__(self, name: str) -> Attribute:
        return Attribute(self, name)

    def __getattr__(self, name: str) -> Attribute:
        if not name[:1].islower():  # names of Python, and of methods of Usd.Prim that are missing
            raise unknown_name(type(self), name)
        if is_like_method(type(self), name) and not self._has(name):
            raise unknown_name(type(self), name)
        return Attribute(self, name)

    # ------------------------------------------------------------------------------- description

    def exists(self) -> bool:
        try:
            self._describe(BASIC)
        except NotFoundError:
            return False
        return True

    def __bool__(self) -> bool:
        return self.exists()

    @property
    def type_name(self) -> str:
        """The schema type, for example "Mesh"; empty for an untyped prim."""
        return str(self._describe(BASIC).message.type_name)

    @property
    def specifier(self) -> str:
        """ "def", "over" or "class"."""
        return self._describe(BASIC).specifier()

    @property
    def is_active(self) -> bool:
        return not self._describe(BASIC).message.inactive

    @property
    def is_loaded(self) -> bool:
        return not self._describe(BASIC).message.unloaded

    @property
    def is_defined(self) -> bool:
        return not self._describe(BASIC).message.undefined

    @property
    def is_abstract(self) -> bool:
        return bool(self._describe(BASIC).message.abstract)

    @property
    def is_model(self) -> bool:
        return bool(self._describe(BASIC).message.model)

    @property
    def is_group(self) -> bool:
        return bool(self._describe(BASIC).message.group)

    @property
    def is_instance(self) -> bool:
        return bool(self._describe(BASIC).message.instance)

    @property
    def is_instanceable(self) -> bool:
        return bool(self._describe(BASIC).message.instanceable)

    @property
    def is_instance_proxy(self) -> bool:
        return bool(self._describe(BASIC).message.instance_proxy)

    @property
    def has_payload(self) -> bool:
        return bool(self._describe(BASIC).message.has_payload)

    @property
    def kind(self) -> str:
        """The model kind, for example "component"; empty if none is authored."""
        return str(self._describe(PRIM).message.kind)

    @property
    def api_schemas(self) -> list[str]:
        """The applied API schemas, in order."""
        return list(self._describe(PRIM).message.api_schemas)

    @property
    def schema_ancestors(self) -> list[str]:
        """The schema type and its base types, most derived first."""
        return list(self._describe(PRIM).message.schema_ancestors)

    def is_a(self, type_name: str) -> bool:
        """Whether the schema type is `type_name` or derives from it."""
        return type_name in self.schema_ancestors

    def has_api(self, name: str) -> bool:
        """Whether an API schema is applied; `name` may leave out the name of an instance."""
        return any(name in (api, api.partition(":")[0]) for api in self.api_schemas)

    @property
    def metadata(self) -> dict[str, Any]:
        return self._describe(PRIM).metadata()

    @property
    def variant_sets(self) -> dict[str, VariantSet]:
        return self._describe(PRIM).variant_sets()

    def variant_set(self, name: str) -> VariantSetHandle:
        """The variant set of a name, whether it exists or not."""
        return VariantSetHandle(self, name)

    @property
    def children(self) -> list[Prim]:
        """The children that are active, loaded, defined and not abstract, in stage order."""
        session = self._session
        paths = _prims.child_paths(self._path, self._describe(PRIM).message.children)
        group = Group(session, session.snapshot, paths)
        return [Prim(self._stage, path, group=group) for path in paths]

    def __iter__(self) -> Iterator[Prim]:
        return iter(self.children)

    def traverse(self, **options: Any) -> Iterator[Prim]:
        """This prim and those below it; the options are those of Stage.traverse."""
        return self.stage.traverse(self._path, **options)

    @property
    def property_names(self) -> list[str]:
        """The names of attributes and relationships, in the prim's property order."""
        return list(self._describe(PRIM).properties)

    @property
    def attributes(self) -> list[Attribute]:
        names = self._describe(PRIM).names(v1.Property.KIND_ATTRIBUTE)
        return [Attribute(self, name) for name in names]

    @property
    def relationships(self) -> list[Relationship]:
        names = self._describe(PRIM).names(v1.Property.KIND_RELATIONSHIP)
        return [Relationship(self, name) for name in names]

    def __contains__(self, name: str) -> bool:
        return name in self._describe(PRIM).properties

    @property
    def stack(self) -> SiteList:
        """The sites of the prim's specs, strongest first."""
        return self._run(_prims.prim_stack(self._session, self._path))

    # ---------------------------------------------------------------------------------- queries

    def values(self, times: Times = None, *, names: Sequence[str] | None = None) -> Values:
        """The values of all attributes, or of those that `names` lists, in one call."""
        return self._run(_prims.prim_values(self._session, self._path, times, names))

    def transform(self, times: Times = None) -> Array:
        """The local-to-world matrix, which acts on row vectors."""
        return self.stage.transforms(self._path, times)[self._path]

    def local_transform(self, times: Times = None) -> Array:
        """The matrix of the prim's own xformOps."""
        return self.stage.transforms(self._path, times, local=True)[self._path]

    def bounds(self, times: Times = None, **options: Any) -> Array:
        """Minimum and maximum, 2 × 3; the options are those of Stage.bounds."""
        return self.stage.bounds(self._path, times, **options)[self._path]

    def is_visible(self, time: Time = None) -> bool:
        """Whether neither the prim nor an ancestor is invisible."""
        return bool(self.stage.visibility(self._path, time)[self._path].visible)

    @property
    def purpose(self) -> str:
        """The purpose, which may be inherited."""
        return self.stage.visibility(self._path)[self._path].purpose

    def material(self, purpose: str = "") -> BoundMaterial | None:
        """The material that the prim is bound to, with what binds it: see Stage.bound_materials."""
        found: BoundMaterial | None = self.stage.bound_materials(self._path, purpose)[self._path]
        return found

    def primvars(self, time: Time = None, *, flatten: bool = False) -> dict[str, Primvar]:
        """The primvars by name, own and inherited ones."""
        table = self.stage.primvars(self._path, time, flatten=flatten)
        found: dict[str, Primvar] = table[self._path]
        return found

    def skinned_points(
        self,
        time: Time = None,
        *,
        world_space: bool = False,
        normals: bool = False,
        joints: bool = False,
    ) -> SkinnedPrim:
        """The points after blend shapes and skinning."""
        stream = _geom.skinned_points(self._session, self._path, time, world_space, normals, joints)
        return _geom.only_skinned(self.stage._client.run(stream.collect()), self._path)

    def collections(self) -> dict[str, Collection]:
        """The collections by name."""
        return {found.name: found for found in self.stage.collections(self._path)}

    # ----------------------------------------------------------------------------------- details

    def _describe(self, level: int) -> PrimData:
        data = self._known(level)
        if data is None:
            data = self._run(_prims.data_of(self._session, self._group, self._path, level))
            self._data = data
        return data

    def _run(self, plan: Plan[T]) -> T:
        return self.stage._client.run(plan)

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

    GetAttribute = attribute
    GetRelationship = relationship
    GetVariantSet = variant_set
    IsValid = exists
    IsA = is_a
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
