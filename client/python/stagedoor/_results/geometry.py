"""Results of queries about geometry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stagedoor._results.brief import Brief
from stagedoor.types import Array, TimeCode


@dataclass(frozen=True, repr=False)
class Visibility(Brief):
    """The inherited visibility of a prim, `visible` for each time, and its purpose."""

    visible: Array
    purpose: str


@dataclass(frozen=True)
class Shutter:
    """When a shutter opens and closes around a time, and how motion is sampled in between.

    open, close: in time codes from the time on, as the attributes shutter:open and shutter:close.
    segments: the number of equal parts; 0 for the samples that are authored, with those before and
      after the shutter.
    max_samples: the most authored samples; if there are more, as many are chosen. 0: 64.
    at_ends: whether samples before and after the shutter are replaced by some at its ends.
    sources: whether to tell which attribute has each sample.
    """

    open: float
    close: float
    segments: int = 0
    max_samples: int = 0
    at_ends: bool = False
    sources: bool = False


@dataclass(frozen=True, repr=False)
class Motion(Brief):
    """The samples of something in a shutter.

    times: ascending; a single one if it cannot vary while the shutter is open.
    values: for each time, what is returned without a shutter.
    thinned: whether authored samples were left out, because there are more than max_samples.
    sources: with Shutter(sources=True), for each time the path of an attribute that has a sample
      then; empty for times of the shutter.
    """

    times: Array
    values: Any
    thinned: bool
    sources: tuple[str, ...]

    @property
    def varies(self) -> bool:
        """Whether there is more than one sample."""
        return len(self.times) > 1


@dataclass(frozen=True)
class MotionSample:
    """Which of the samples in the shutter of a frame a result is: see Motion."""

    frame: TimeCode
    index: int
    count: int
    thinned: bool
    source: str


@dataclass(frozen=True, repr=False)
class BBox(Brief):
    """A box that need not be aligned to the axes. Corresponds to Gf.BBox3d.

    range: 2 × 3, minimum and maximum in a space of its own; of an empty box, the minimum is
      greater. For several times or instances, with axes of these before.
    matrix: 4 × 4, from there to the space that was asked for.
    """

    range: Array
    matrix: Array


@dataclass(frozen=True, repr=False)
class ConstraintTarget(Brief):
    """A space that other prims may be attached to. Corresponds to UsdGeom.ConstraintTarget.

    transform: T × 4 × 4, 4 × 4 for one time, from its space to world space; zeros where it has no
      value.
    """

    identifier: str
    transform: Array


@dataclass(frozen=True, repr=False)
class ModelDrawing(Brief):
    """How a model is drawn in place of its geometry. Corresponds to UsdGeom.ModelAPI.

    draw_mode: "default", "origin", "bounds", "cards" or another token, which may be inherited.
    apply_draw_mode: whether to apply it here, although the prim is not a component.
    card_geometry: "cross", "box", "fromTexture" or another token; empty if there is none.
    card_textures: by face: "XPos", "YPos", "ZPos", "XNeg", "YNeg" and "ZNeg".
    constraint_targets: by name, if they were asked for.
    """

    draw_mode: str
    is_model: bool
    apply_draw_mode: bool
    draw_mode_color: tuple[float, ...] | None
    card_geometry: str
    card_textures: dict[str, Any]
    constraint_targets: dict[str, ConstraintTarget]


@dataclass(frozen=True, repr=False)
class GeomSubset(Brief):
    """A part of a prim. Corresponds to UsdGeom.Subset.

    indices: N int32; two numbers for each edge or segment.
    """

    path: str
    element_type: str
    family: str
    indices: Array


@dataclass(frozen=True, repr=False)
class SubsetFamily(Brief):
    """The subsets of a prim with the same family and element type.

    type: "partition", "nonOverlapping", "unrestricted" or another token.
    unassigned: the elements that are in none of the subsets, if they were asked for and the prim
      has elements of this type.
    problem: the first thing that is wrong, if problems were asked for; otherwise empty.
    """

    name: str
    element_type: str
    type: str
    unassigned: Array | None
    problem: str


@dataclass(frozen=True, repr=False)
class Subsets(Brief):
    """The subsets of a prim at one time, and their families."""

    path: str
    time: TimeCode
    subsets: tuple[GeomSubset, ...]
    families: tuple[SubsetFamily, ...]


@dataclass(frozen=True)
class CurveDataSizes:
    """How many values BasisCurves need for each interpolation.

    As in OpenUSD, the numbers are meaningless if a curve has too few vertices.

    varying: None if the curves are cubic and their basis is unknown.
    interpolations: those that fit the sizes that were asked for: "constant", "uniform", "varying",
      "vertex", or empty.
    """

    uniform: int
    varying: int | None
    vertex: int
    interpolations: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Topology(Brief):
    """How the points of a prim at one time make up a mesh, curves and so on.

    schema_type: "Mesh", "TetMesh", "BasisCurves", "HermiteCurves", "NurbsCurves", "NurbsPatch",
      "Points" or "PointInstancer"; empty for other prims, which have nothing else.
    element_count: the number of faces, tetrahedra, curves, points or instances.
    problem: the first thing that is wrong, if problems were asked for; otherwise empty.
    surface_faces: N × 3 int32, the triangles that only one tetrahedron of a TetMesh has.
    inverted_elements: the indices of tetrahedra that are inside out.
    segment_counts: the number of segments of each of the BasisCurves.
    data_sizes: only of BasisCurves.
    points, tangents: N × 3 float32, of HermiteCurves; empty if there are not as many of both.
    """

    path: str
    time: TimeCode
    schema_type: str
    element_count: int
    point_count: int
    problem: str
    surface_faces: Array | None
    inverted_elements: Array | None
    segment_counts: Array | None
    data_sizes: CurveDataSizes | None
    points: Array | None
    tangents: Array | None

    def interleaved(self) -> Array:
        """A point, its tangent, the next point and so on: 2N × 3 float32.

        Of HermiteCurves whose tangents were asked for; otherwise empty.
        """
        if self.points is None or self.tangents is None:
            return np.empty((0, 3), np.float32)
        return np.stack([self.points, self.tangents], axis=1).reshape(-1, 3)


@dataclass(frozen=True, repr=False)
class MovingPoints(Brief):
    """The points of a prim at one time, N × 3 float32; None if it is not a PointBased prim.

    blur_scale, nonlinear_sample_count, velocity_scale: what UsdGeom.MotionAPI computes.
    sample: with a shutter, which sample it is.
    """

    path: str
    time: TimeCode
    points: Array | None
    blur_scale: float
    nonlinear_sample_count: int
    velocity_scale: float
    sample: MotionSample | None = None


@dataclass(frozen=True)
class ProxyPrim:
    """The proxy to draw in place of a prim whose purpose is "render"."""

    path: str  # of the proxy
    render_prim: str  # the path of the root of what it replaces, whose `proxyPrim` names it


@dataclass(frozen=True, repr=False)
class Frustum(Brief):
    """A camera at one time. Corresponds to Gf.Frustum.

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
class CameraSample(Brief):
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


@dataclass(frozen=True, repr=False)
class Primvar(Brief):
    """A primvar of a prim at one time. Corresponds to UsdGeom.Primvar."""

    name: str
    type_name: str
    interpolation: str
    element_size: int
    value: Any
    indices: Array | None  # into the elements of `value`; None if it is not indexed
    source_path: str  # the prim that has the attribute: the prim itself or an ancestor


@dataclass(frozen=True, repr=False)
class Instances(Brief):
    """The instances of a point instancer at one time: N × 4 × 4 transforms to its space.

    indices: which instances they are, by their place in the arrays of the instancer.
    count: how many there are, including those that are left out.
    ids: the ids of these instances; None if they have none, or if they were not asked for.
    mask: with `ignore_mask`, which of the instances are visible and active.
    sample: with a shutter, which sample it is.
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
    sample: MotionSample | None = None
