"""What queries return, besides arrays and handles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Optional, TypeVar

import numpy as np

from stagedoor import _html, _plot, _tables
from stagedoor.errors import Error
from stagedoor.types import Array, Site, State, TimeCode, Warning

T = TypeVar("T")


class _Brief:
    """Shows the sizes of arrays and long tuples instead of their items, and only what there is."""

    def __repr__(self) -> str:
        shown = [
            f"{name}={_brief(value)}"
            for name, value in vars(self).items()
            if value is not None and not (isinstance(value, (str, tuple)) and not value)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def _brief(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return _html.short(value)
    return f"tuple of {len(value)}" if isinstance(value, tuple) and len(value) > 16 else repr(value)


def _path_text(path: Any) -> str:
    """The text of a path: of a string, of a handle, or of an Sdf.Path."""
    return path if isinstance(path, str) else str(getattr(path, "path", path))


# The samples at or around a time; None without samples.
Bracket = Optional[tuple[float, float]]


@dataclass(frozen=True, repr=False)
class Samples:
    """The samples of an attribute that determine its values in an interval.

    Iterates over (time, value); the time of a value that is the same at all times is None.

    variation: "constant", "sampled" or "spline".
    codes: the times; that of a limit from the left is TimeCode.PreTime(t).
    states: what there is at each time.
    """

    path: str
    type_name: str
    interval: Any
    variation: str
    codes: tuple[TimeCode, ...]
    states: tuple[State, ...]
    values: tuple[Any, ...]
    error: Error | None
    warnings: tuple[Warning, ...]

    @property
    def times(self) -> Array:
        """The times as float64; NaN for a value that is the same at all times."""
        return np.array([np.nan if c.kind == "default" else c.value for c in self.codes])

    def array(self) -> Array:
        """All values in one array, whose first axis is the sample. They must be of one shape."""
        self.check()
        return np.stack([np.asarray(value) for value in self.values])

    def check(self) -> None:
        """Raises the error of the samples, if there is one."""
        if self.error is not None:
            raise self.error

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[tuple[float | None, Any]]:
        self.check()
        for code, value in zip(self.codes, self.values):
            yield (None if code.kind == "default" else code.value), value

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each sample; components of tuples are columns."""
        self.check()
        return _tables.pandas_of_samples(self)

    def to_arrow(self) -> Any:
        """A pyarrow Table with the columns "time" and that of the attribute, of its own type.

        Vectors are FixedSizeList, arrays LargeList, asset paths their resolved paths. The time of a
        value that is the same at all times is null, and so is a value that does not exist.
        """
        self.check()
        return _tables.arrow_of_samples(self)

    def plot(self, axes: Any = None, *, clips: Iterable[ClipSpan] = ()) -> Any:
        """Draws the samples and the spans in which the value is blocked; returns the axes.

        axes: of matplotlib; by default those of a new figure. clips: what `active_clips` returns.
        """
        return _plot.draw(_plot.curve_of_samples(self, clips), axes)

    def __repr__(self) -> str:
        if self.error is not None:
            return f"<Samples of {self.path}: {self.error.message}>"
        return f"<Samples of {self.path} ({self.type_name}): {len(self)}, {self.variation}>"

    def _repr_html_(self) -> str:
        return _html.samples(self)


class SiteList(list[Site]):
    """Sites, strongest first: of a layer stack, or of the specs of a prim or property."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "[]"

    def _repr_html_(self) -> str:
        return _html.sites(self)


@dataclass(frozen=True)
class ClipSpan:
    """A span of time in which a layer of a clip set supplies the value of an attribute.

    From `start`, to `end` exclusively if another one follows there. layer: the clip that is active;
    the manifest, where that clip has no samples.
    """

    start: float
    end: float
    layer: str

    @property
    def name(self) -> str:
        """The name of the layer's file."""
        return self.layer.rpartition("/")[2]


@dataclass(frozen=True)
class Opinion:
    """What one spec, or the active value clip, says about an attribute's value at a time.

    source: as of an Explanation; "none" if the spec holds no value.
    value: None if there is none, or if it is a block; only the first 16 elements of an array.
    element_count: the number of elements if the value has only the first of them; otherwise 0.
    """

    site: Site
    source: str
    value: Any
    blocked: bool
    element_count: int

    def __str__(self) -> str:
        what = "blocked" if self.blocked else str(self.value)
        more = f" … {self.element_count} in all" if self.element_count else ""
        says = "no value" if self.source == "none" else f"{what}{more} ({self.source})"
        return f"{self.site}: {says}"


@dataclass(frozen=True, repr=False)
class Explanation:
    """How the value of an attribute at one time is resolved. Corresponds to Usd.ResolveInfo.

    source: "none", "fallback", "default", "time_samples", "value_clips" or "spline".
    site: the spec that supplies the value; None for a fallback and without a value.
    layer_time: the time, mapped to that of the layer or clip set that supplies the value.
    lower_sample, upper_sample: the samples that the value is computed from, in stage time.
    notes: why there is no value; of value clips, which clip is active, and how times are mapped.
    stack: the sites of all opinions, strongest first.
    opinions: what each of them says by itself, in the same order.
    """

    path: str
    time: TimeCode
    value: Any
    blocked: bool
    source: str
    site: Site | None
    layer_time: float | None
    lower_sample: float | None
    upper_sample: float | None
    interpolated: bool
    notes: tuple[str, ...]
    stack: tuple[Site, ...]
    warnings: tuple[Warning, ...]
    opinions: tuple[Opinion, ...] = ()

    def __str__(self) -> str:
        what = "blocked" if self.blocked else self.source
        lines = [f"{self.path} at {self.time}: {what}"]
        if self.site is not None:
            lines.append(f"  from {self.site}")
        if self.lower_sample is not None:
            verb = "interpolated between" if self.interpolated else "of the sample at"
            ends = f"{self.lower_sample:g}"
            ends += f" and {self.upper_sample:g}" if self.interpolated else ""
            lines.append(f"  {verb} {ends}")
        lines += [f"  {note}" for note in self.notes]
        lines += [f"  opinion: {opinion}" for opinion in self.opinions]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html.explanation(self)


@dataclass(frozen=True, repr=False, eq=False)
class PathTable(Mapping[str, T], Generic[T]):
    """Results by path: a mapping of the paths that have one.

    Asking for a path that failed raises its error, `get` returns the default for it, and `errors`
    has the errors of all paths that failed.
    """

    results: Mapping[str, T]
    errors: Mapping[str, Error]
    snapshot: str

    def __getitem__(self, path: str | Any) -> T:
        text = _path_text(path)
        if text in self.errors:
            raise self.errors[text]
        return self.results[text]

    def __contains__(self, path: object) -> bool:
        return _path_text(path) in self.results

    def get(self, path: str | Any, default: Any = None) -> Any:
        """The result of a path; `default` if it failed or was not asked for."""
        return self.results.get(_path_text(path), default)

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        return f"<PathTable of {len(self.results)} paths, {len(self.errors)} errors>"


@dataclass(frozen=True, repr=False)
class Visibility(_Brief):
    """What a prim inherits: `visible` for each time, and its purpose."""

    visible: Array
    purpose: str


@dataclass(frozen=True, repr=False)
class MovingPoints(_Brief):
    """The points of a prim at one time, N × 3 float32; None if it is not a PointBased prim.

    blur_scale, nonlinear_sample_count, velocity_scale: what UsdGeom.MotionAPI computes.
    """

    path: str
    time: TimeCode
    points: Array | None
    blur_scale: float
    nonlinear_sample_count: int
    velocity_scale: float


@dataclass(frozen=True)
class ProxyPrim:
    """What may be drawn in place of a prim whose purpose is "render"."""

    path: str  # of the proxy
    render_prim: str  # the path of the root of what it replaces, whose `proxyPrim` names it


@dataclass(frozen=True, repr=False)
class Frustum(_Brief):
    """What a camera sees. Corresponds to Gf.Frustum.

    window: 2 × 2, the minimum and the maximum of the visible rectangle in the space of the camera,
      which looks along -z; of a perspective camera at the distance of 1.
    field_of_view: the horizontal and the vertical angle of the aperture in degrees.
    view: 4 × 4, from world space to the camera's, without its scale and shear.
    projection: 4 × 4, from the camera's space to the cube from -1 to 1.
    """

    orthographic: bool
    window: Array
    near: float
    far: float
    field_of_view: tuple[float, float]
    view: Array
    projection: Array

    @property
    def position(self) -> Array:
        """Where the camera is, in world space."""
        found: Array = -self.view[3, :3] @ self.view[:3, :3].T
        return found

    @property
    def view_direction(self) -> Array:
        """Where it looks, in world space."""
        return -self.view[:3, 2]

    @property
    def view_projection(self) -> Array:
        """From world space to the cube from -1 to 1: view @ projection."""
        return self.view @ self.projection


@dataclass(frozen=True, repr=False)
class CameraSample(_Brief):
    """A camera at one time. Corresponds to Gf.Camera.

    transform: 4 × 4, from the camera's space to world space.
    projection: "perspective" or "orthographic".
    focal_length, horizontal_aperture and so on: in tenths of the stage's unit.
    clipping_planes: N × 4; (a, b, c, d) clips the points of the camera's space with
      ax + by + cz + d < 0.
    shutter_open, shutter_close: in time codes, from the time on.
    linear_exposure_scale: the factor that exposure and the attributes exposure:* amount to.
    frustum: fitted to the aspect ratio of the image, if one was given.
    """

    transform: Array
    projection: str
    focal_length: float
    horizontal_aperture: float
    vertical_aperture: float
    horizontal_aperture_offset: float
    vertical_aperture_offset: float
    clipping_planes: Array
    f_stop: float
    focus_distance: float
    shutter_open: float
    shutter_close: float
    exposure: float
    linear_exposure_scale: float
    stereo_role: str
    frustum: Frustum


@dataclass(frozen=True)
class BoundMaterial:
    """What binds a prim to its material."""

    material: str  # the path of the material; empty if the target is missing or no Material
    relationship: str  # the path of the relationship: "/A.material:binding:full"
    collection: str  # the collection whose members it binds; empty for a direct binding
    stronger_than_descendants: bool


@dataclass(frozen=True)
class BindingCandidate:
    """A relationship that may bind a prim, and what becomes of it.

    outcome: "wins"; "other_purpose": it is for all purposes, and one for the purpose wins;
    "closer_wins": one closer to the prim; "stronger_above_wins": one above that is stronger than
    descendants; "collection_wins": one of a collection, on the same prim; "earlier_wins": one of an
    earlier collection there; "no_member": the prim is not in its collection; "broken": it binds
    nothing because of its targets.
    """

    binding: BoundMaterial
    outcome: str
    wrong_target: str  # the target that is missing or of another kind; empty if there is none


@dataclass(frozen=True)
class ShaderSource:
    """What something is connected to."""

    node: str  # the path of the node
    name: str  # of its output, without "outputs:"; or of its input
    is_input: bool = False  # of a node graph or material: only in a graph


@dataclass(frozen=True)
class MaterialTerminal:
    """Where a renderer begins."""

    source: ShaderSource
    render_context: str  # of the material's output; empty for the one for all renderers


@dataclass(frozen=True)
class ShaderCode:
    """A file or the code that makes a shader."""

    asset: str  # the resolved path, or the authored one if the file is missing
    text: str  # the code itself; empty if it is in a file
    sub_identifier: str  # of one of several definitions in the file


@dataclass(frozen=True, repr=False)
class ShaderPort(_Brief):
    """An input or output of a shader.

    values: one for each time that was asked for; a single one if it is the same at all times.
    connections: what it is connected to; a value does not count then, for most renderers.
    value_source: the path of the attribute that has the values, unless it is that of the port.
    """

    name: str
    type_name: str
    values: list[Any]
    connections: list[ShaderSource]
    value_source: str
    color_space: str

    @property
    def value(self) -> Any:
        """The value at the first time; None if there is none."""
        return self.values[0] if self.values else None


@dataclass(frozen=True, repr=False)
class ShaderNode(_Brief):
    """A shader; in a graph, also a node graph or material.

    id: the name in the shader registry, such as "UsdPreviewSurface"; empty if it has `code`.
    code: by kind of renderer, such as "osl"; that of all others has the key "".
    """

    path: str
    type_name: str
    id: str
    code: dict[str, ShaderCode]
    inputs: dict[str, ShaderPort]
    outputs: dict[str, ShaderPort]  # only in a graph


@dataclass(frozen=True)
class BrokenConnection:
    """A connection that leads nowhere: `reason` is "no_source", "cycle" or "too_large"."""

    attribute: str
    reason: str
    source: str  # empty unless the reason is "no_source"


@dataclass(frozen=True, repr=False)
class MaterialNetwork(_Brief):
    """The shaders of a material.

    terminals: by name: "surface", "displacement", "volume".
    nodes: by path, breadth first from the terminals; in a graph, from the material.
    base_material: the path of the material that this one specializes; empty if there is none.
    broken: connections that lead nowhere, at most 1,000.
    """

    terminals: dict[str, MaterialTerminal]
    nodes: dict[str, ShaderNode]
    base_material: str
    broken: list[BrokenConnection]


@dataclass(frozen=True)
class Light:
    """A light or light filter. One of a cached list need not exist; it has a path only then."""

    path: str
    type_name: str
    shader_id: str  # for the render contexts that were asked for; empty if it has none
    is_filter: bool
    filters: list[str]  # the paths of the light's filters
    portals: list[str]  # the paths of the portals of a dome light


@dataclass(frozen=True, repr=False)
class Primvar(_Brief):
    """A primvar of a prim at one time. Corresponds to UsdGeom.Primvar."""

    name: str
    type_name: str
    interpolation: str
    element_size: int
    value: Any
    indices: Array | None  # into the elements of `value`; None if it is not indexed
    source_path: str  # the prim that has the attribute: the prim itself or an ancestor


@dataclass(frozen=True, repr=False)
class SkinnedPrim(_Brief):
    """A deformed prim at one time.

    points, normals: N × 3 float32, after blend shapes and skinning; None if there are none.
    xform: of a rigid prim, the matrix that replaces its own local transform.
    joint_transforms: J × 4 × 4 float64 skinning transforms, if they were asked for.
    """

    path: str
    time: TimeCode
    points: Array | None
    normals: Array | None
    skeleton: str
    animation_source: str
    rigid: bool
    xform: Array | None
    joint_order: tuple[str, ...]
    joint_transforms: Array | None
    error: Error | None


@dataclass(frozen=True, repr=False)
class SkelBinding(_Brief):
    """A skinnable prim and the skeleton it is bound to; `skeleton` is empty if it is not bound."""

    path: str
    skel_root: str
    skeleton: str
    animation_source: str
    joint_order: tuple[str, ...]
    rigid: bool
    has_blend_shapes: bool


@dataclass(frozen=True, repr=False)
class JointTransforms(_Brief):
    """The joints of a skeleton at one time; `transforms` is J × 4 × 4, None without a pose."""

    path: str
    time: TimeCode
    joint_order: tuple[str, ...]
    transforms: Array | None


@dataclass(frozen=True, repr=False)
class Instances(_Brief):
    """The instances of a point instancer at one time: N × 4 × 4 transforms to its space.

    indices: which instances they are, by their place in the arrays of the instancer.
    count: how many there are, including those that are left out.
    ids: the ids of these instances; None if they have none, or if they were not asked for.
    mask: with `ignore_mask`, which of the instances are visible and active.
    """

    path: str
    time: TimeCode
    transforms: Array
    prototype_indices: Array
    prototypes: tuple[str, ...]
    indices: Array
    count: int
    ids: Array | None
    mask: Array | None


@dataclass(frozen=True, repr=False)
class Collection(_Brief):
    """A collection with the paths of its members, sorted."""

    path: str
    mode: str  # "rules" or "expression"
    members: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.path.rpartition(".collection:")[2]


@dataclass(frozen=True)
class VariantSet:
    name: str
    selection: str  # empty if none is selected
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Dependency:
    """An asset that a layer names. `resolved_path` is empty if it is missing."""

    kind: str  # "layer", "clip" or "asset"
    authored_path: str
    resolved_path: str
    layer: str


@dataclass(frozen=True)
class CompositionError:
    type: str  # the name of the PcpErrorType without its prefix
    prim_path: str
    message: str


@dataclass(frozen=True)
class Diagnostic:
    """Something wrong with a layer."""

    severity: str  # "warning" or "error"
    message: str
    file: str
    line: int  # from 1; 0 if unknown
    column: int
    path: str


@dataclass(frozen=True)
class Spec:
    """A spec of a layer, as it is authored. Corresponds to Sdf.Spec."""

    path: str
    type: str  # "prim", "attribute", "relationship", "variant_set" or "variant"
    fields: dict[str, Any]


@dataclass(frozen=True, repr=False)
class Layer:
    """A layer without composition. Corresponds to Sdf.Layer."""

    identifier: str
    format: str
    metadata: dict[str, Any]
    specs: dict[str, Spec]

    def __getitem__(self, path: str) -> Spec:
        return self.specs[path]

    def __iter__(self) -> Iterator[Spec]:
        return iter(self.specs.values())

    def __len__(self) -> int:
        return len(self.specs)

    def __repr__(self) -> str:
        return f"<Layer {self.identifier!r} ({self.format}): {len(self.specs)} specs>"

    def _repr_html_(self) -> str:
        return _html.layer(self)


@dataclass(frozen=True)
class Difference:
    """Something about a prim or property that two stages say differently.

    path: of the prim or property; "/" for the metadata of the stage.
    aspect: "prim" for a prim that one stage lacks, whose types are `left` or `right`; "at 12" for a
      value; else "type", "kind", "targets", "declaration", or the name of a metadata field.
    time: of a value.
    left, right: what the stages say; None for nothing, State.BLOCKED for a blocked value.
    left_layers, right_layers: the layer that makes it so. For a value that is the layer of the
      opinion that supplies it, and none if it is the schema's; for anything else, all layers that
      have a spec of the prim or property, strongest first.
    """

    path: str
    aspect: str
    time: TimeCode | None = None
    left: Any = None
    right: Any = None
    left_layers: tuple[str, ...] = ()
    right_layers: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [
            f"{sign} {self.path} {self.aspect}: {_brief(value)}"
            + (f"  # {' or '.join(layers)}" if layers else "")
            for sign, value, layers in (
                ("-", self.left, self.left_layers),
                ("+", self.right, self.right_layers),
            )
            if value is not None
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Progress:
    """How far a long call is. `total` is 0 if it is not known."""

    phase: str
    done: int
    total: int


@dataclass(frozen=True)
class WarmResult:
    """What was prepared, and what did not fit into the caches of the daemon."""

    prims: int
    attributes: int
    skipped_attributes: int
    clips: int
    skipped_clips: int
    errors: tuple[Error, ...]


@dataclass(frozen=True)
class StageSummary:
    """A stage that a daemon holds, as operators see it."""

    id: str
    root_layer: str
    snapshot: str
    lease_count: int
    client_names: tuple[str, ...]
