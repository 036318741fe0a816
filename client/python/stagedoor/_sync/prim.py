# Generated from ../_async/prim.py by tools/python_client.py: ./dev python_client.
"""The calls of prims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from stagedoor import _geom, _prims, _shade, _times
from stagedoor._authoring import PrimEdits
from stagedoor._calls import Plan
from stagedoor._handles import PrimHandle
from stagedoor._prims import BASIC, PRIM, Group, PrimData
from stagedoor._proto import v1
from stagedoor.attribute import Attribute, Relationship
from stagedoor.batch import Values
from stagedoor.errors import NotFoundError
from stagedoor.results import (
    BindingCandidate,
    BoundMaterial,
    Collection,
    MaterialNetwork,
    Primvar,
    ProxyPrim,
    SiteList,
    SkinnedPrim,
    Skinning,
    VariantSet,
)
from stagedoor.types import Array, Time

if TYPE_CHECKING:
    from stagedoor.prim import Prim
    from stagedoor.stage import Stage

T = TypeVar("T")
Times = _times.Times


class PrimCalls(PrimEdits, PrimHandle):
    """The calls of a prim."""

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

    # ------------------------------------------------------------------------------- description

    def exists(self) -> bool:
        try:
            self._describe(BASIC)
        except NotFoundError:
            return False
        return True

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

    @property
    def children(self) -> list[Prim]:
        """The children that are active, loaded, defined and not abstract, in stage order."""
        session = self._session
        paths = _prims.child_paths(self._path, self._describe(PRIM).message.children)
        group = Group(session, session.snapshot, paths)
        return [self._beside(path, group) for path in paths]

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
        found: Array = self.stage.transforms(self._path, times)[self._path]
        return found

    def local_transform(self, times: Times = None) -> Array:
        """The matrix of the prim's own xformOps."""
        found: Array = self.stage.transforms(self._path, times, local=True)[self._path]
        return found

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

    def proxy(self) -> ProxyPrim | None:
        """The proxy to draw in its place, if its purpose is "render": see Stage.proxy_prims."""
        table = self.stage.proxy_prims(self._path)
        found: ProxyPrim | None = table[self._path]
        return found

    def material(self, purpose: str = "") -> BoundMaterial | None:
        """The material that the prim is bound to, with what binds it: see Stage.bound_materials."""
        table = self.stage.bound_materials(self._path, purpose)
        found: BoundMaterial | None = table[self._path]
        return found

    def explain_material(self, purpose: str = "") -> list[BindingCandidate]:
        """All relationships that may bind the prim to a material, and why each but one does not."""
        return self._run(_shade.explain_binding(self._session, self._path, purpose))

    def material_network(
        self, render_contexts: Sequence[str] = (), times: Times = None, **options: Any
    ) -> MaterialNetwork:
        """The shaders of this material; the options are those of Stage.material_networks."""
        table = self.stage.material_networks(
            self._path, times, render_contexts=render_contexts, **options
        )
        found: MaterialNetwork = table[self._path]
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

    def skinning(self, times: Times = None, **options: Any) -> Skinning:
        """The skinning data of this prim; the options are those of Stage.skinning."""
        table = self.stage.skinning(self._path, times, **options)
        found: Skinning = table[self._path]
        return found

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
