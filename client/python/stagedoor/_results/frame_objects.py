"""The objects of frames."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass
from typing import Any

from stagedoor._lazy import Lazy
from stagedoor._results.brief import Brief
from stagedoor._results.rendering import MaterialNetwork, VolumeField
from stagedoor.errors import Error
from stagedoor.types import Array


class FrameObject:
    """An object of a frame. Its ID is the same in all frames, snapshots and replicas."""

    id: int


@dataclass(frozen=True)
class FramePrim(FrameObject):
    """A prim to draw. The IDs are 0 for no object.

    type_name: its schema type, such as "Mesh".
    purpose: "default", "render", "proxy" or "guide".
    material: the ID of its material.
    light_set, shadow_set: of the lights that illuminate it, and that it casts shadows from.
    geometry: of its arrays, which prims may have in common.
    prototype: of the root of the prototype that it is a part of. Then point instancers draw it, and
      its transform is relative to that root.
    pass_members: the collections of the render pass that it is in, as of RenderPass.members.
    draw_mode: "cards", "bounds" or "origin" if that is drawn instead of the geometry; else empty.
    """

    id: int
    path: str
    type_name: str
    purpose: str
    material: int
    light_set: int
    shadow_set: int
    geometry: int
    prototype: int
    pass_members: frozenset[str]
    draw_mode: str


@dataclass(frozen=True, repr=False)
class FrameValue(Brief):
    """A value of a geometry or a light: what an attribute has, or what was computed from it.

    interpolation: of primvars, points and the like: "constant", "uniform", "varying", "vertex" or
      "faceVarying"; empty for values that are not for elements.
    element_size: of primvars, the number of values for an element.
    times: of the values, in time codes of the stage; NaN for a single one, which does not vary
      within the shutter.
    values: arrays of NumPy, and other values as `Attribute.get` returns them; None for a sample
      without a value.
    indices: of indexed primvars, for each of the values; otherwise None.
    """

    name: str
    type_name: str
    interpolation: str
    element_size: int
    times: Array
    values: list[Any]
    indices: list[Array] | None

    @property
    def value(self) -> Any:
        """The first of the values; None if there is none."""
        return self.values[0] if self.values else None

    @property
    def varies(self) -> bool:
        """Whether there is more than one."""
        return len(self.values) > 1


class FrameValues(Mapping[str, FrameValue]):
    """Values by name: that of the attribute, such as "points" or "primvars:st"."""

    # A renderer loops over the values of every geometry, so views look nothing up.

    def __init__(self, values: Lazy[dict[str, Lazy[FrameValue]]]) -> None:
        self._values = values

    def values(self) -> ValuesView[FrameValue]:
        return _Values(self)

    def items(self) -> ItemsView[str, FrameValue]:
        return _Items(self)

    def __getitem__(self, name: str) -> FrameValue:
        return self._values.get()[name].get()

    def __contains__(self, name: object) -> bool:
        return name in self._values.get()

    def __iter__(self) -> Iterator[str]:
        return iter(self._values.get())

    def __len__(self) -> int:
        return len(self._values.get())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self)}>"


class _Values(ValuesView[FrameValue]):
    _mapping: FrameValues

    def __iter__(self) -> Iterator[FrameValue]:
        return map(_made, self._mapping._values.get().values())


class _Items(ItemsView[str, FrameValue]):
    _mapping: FrameValues

    def __iter__(self) -> Iterator[tuple[str, FrameValue]]:
        values = self._mapping._values.get()
        return zip(values, map(_made, values.values()))


_made = Lazy[FrameValue].get


@dataclass(frozen=True, repr=False)
class FrameInstances(Brief):
    """The instances of a point instancer: N that are not masked; none if they have an error.

    Instance i draws the prims of its prototype at their transforms @ transforms[s][i] @ the
    transform of the instancer. Primvars for instances are among the values of the geometry.

    prototypes: the IDs of the prototypes' roots, as of FramePrim.prototype; 0 for one without a
      prim. prototype_paths: their paths.
    prototype_indices: N uint32, into `prototypes`.
    instance_indices: N uint32, the places of the instances in the arrays of the instancer.
    ids: N int64; None if the instancer has none.
    times: of the samples, in time codes of the stage; NaN for a single one.
    transforms: for each sample, N × 4 × 4 float64.
    """

    prototypes: tuple[int, ...]
    prototype_paths: tuple[str, ...]
    prototype_indices: Array
    instance_indices: Array
    ids: Array | None
    times: Array
    transforms: tuple[Array, ...]


class FrameGeometry(FrameObject, FrameValues):
    """The geometry of one prim, or of several that are instances: a mapping to FrameValue by name.

    Points and normals are deformed by skeletons and blend shapes, and primvars are those of the
    prim with those that it inherits.

    removed: the names of values that the frame before the last change had, and that are gone.
    instances: those of a point instancer; None for others.
    """

    def __init__(
        self,
        id: int,
        values: Lazy[dict[str, Lazy[FrameValue]]],
        changed: frozenset[str] | None,
        removed: frozenset[str],
        fields: Lazy[tuple[VolumeField, ...]],
        instances: FrameInstances | None,
    ) -> None:
        super().__init__(values)
        self.id = id
        self.removed = removed
        self.instances = instances
        self._changed = changed
        self._fields = fields

    @property
    def changed(self) -> frozenset[str]:
        """The names of the values that came with the last frame in which the geometry changed."""
        return self._changed if self._changed is not None else frozenset(self)

    @property
    def fields(self) -> tuple[VolumeField, ...]:
        """Those of a volume, with one sample each."""
        return self._fields.get()


class FrameMaterial(FrameObject):
    """A material that prims or subsets are bound to.

    path: its path.
    error: why it has no network; None if it has one.
    """

    def __init__(
        self, id: int, path: str, network: Lazy[MaterialNetwork] | None, error: Error | None
    ) -> None:
        self.id = id
        self.path = path
        self.error = error
        self._network = network

    @property
    def network(self) -> MaterialNetwork | None:
        """Its shaders at the time of the frame; their inputs have one value each."""
        return None if self._network is None else self._network.get()

    def __repr__(self) -> str:
        return f"<FrameMaterial {self.path}>"


@dataclass(frozen=True, repr=False)
class FrameLight(FrameObject, Brief):
    """A light or light filter. Its transform is among those of the frame.

    shader_id: for the render contexts that were asked for.
    filters, portals: the IDs of the light's filters, and of the portals of a dome light.
    values: its attributes that have a value, by name: "inputs:intensity" and so on.
    material, prim: of a mesh or volume light, the IDs of its material, and of the prim that it
      illuminates from; 0 if there is none.
    """

    id: int
    path: str
    type_name: str
    shader_id: str
    is_filter: bool
    filters: tuple[int, ...]
    portals: tuple[int, ...]
    values: FrameValues
    material: int
    prim: int


@dataclass(frozen=True, repr=False)
class FrameSubset(FrameObject, Brief):
    """A part of a prim. Corresponds to UsdGeom.Subset.

    prim: the ID of the prim. material: of what is bound to the subset; 0 if there is none.
    indices: N int32, at the frame; two numbers for each edge or segment.
    """

    id: int
    prim: int
    path: str
    element_type: str
    family: str
    material: int
    indices: Array
