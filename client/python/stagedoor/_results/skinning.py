"""Results of queries about skeletons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stagedoor._results.brief import Brief
from stagedoor._results.geometry import MotionSample
from stagedoor.errors import Error
from stagedoor.types import Array, TimeCode


@dataclass(frozen=True, repr=False)
class SkinnedPrim(Brief):
    """A deformed prim at one time.

    points, normals: N × 3 float32, after blend shapes and skinning; None if there are none.
    xform: of a rigid prim, the matrix that replaces its own local transform.
    joint_transforms: J × 4 × 4 float64 skinning transforms, if they were asked for.
    sample: with a shutter, which sample it is.
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
    sample: MotionSample | None = None


@dataclass(frozen=True, repr=False)
class JointInfluences(Brief):
    """Which joints move the points of a prim, and with which weights.

    interpolation: "vertex", or "constant" if the prim moves as a whole.
    indices: N × influences int32, for each point, or 1 × influences for the whole prim.
    weights: as many float32; they may be 0, and need not add up to 1.
    out_of_range: whether an index is not one of a joint. OpenUSD does not skin such a prim.
    """

    interpolation: str
    indices: Array
    weights: Array
    out_of_range: bool


@dataclass(frozen=True, repr=False)
class SubShape(Brief):
    """A blend shape at one weight: 1 for the full shape, 0 for the null shape, or an in-between.

    inbetween: the name of the attribute, such as "inbetweens:half".
    point_offsets, normal_offsets: N × 3 float32; None if there are none.
    """

    weight: float
    inbetween: str
    point_offsets: Array | None
    normal_offsets: Array | None


@dataclass(frozen=True, repr=False)
class BlendShape(Brief):
    """A target of skel:blendShapeTargets.

    point_indices: the points that the offsets belong to, ascending; None for all points.
    sub_shapes: ascending by weight; none if the target is not an active blend shape.
    """

    path: str
    point_indices: Array | None
    sub_shapes: tuple[SubShape, ...]


@dataclass(frozen=True, repr=False)
class SkinningPose(Brief):
    """The pose that deforms a prim at one time.

    skinning_transforms: J × 4 × 4 float64, in the order of Skinning.skeleton_joints, which prims
      of a skeleton share; None if the skeleton has no pose.
    skeleton_to_prim: 4 × 4, from the skeleton's own space to that of the prim.
    influences, geom_bind_transform: of this time, though they seldom vary.
    blend_shape_weights: float32, in the order of Skinning.blend_shape_order; None if nothing has
      weights.
    sub_shape_weights: float32, of the sub-shapes that these put into effect; None if that fails.
    blend_shape_indices: for each of them, the index of the blend shape, whose points it moves.
    sub_shape_indices: the number of the sub-shape among those of all blend shapes.
    sample: with a shutter, which sample it is.
    """

    time: TimeCode
    skinning_transforms: Array | None
    skeleton_to_prim: Array
    influences: JointInfluences | None
    geom_bind_transform: Array
    blend_shape_weights: Array | None
    sub_shape_weights: Array | None
    blend_shape_indices: Array | None
    sub_shape_indices: Array | None
    sample: MotionSample | None = None


@dataclass(frozen=True, repr=False)
class Skinning(Brief):
    """The data of a skinned prim for programs that deform it themselves, on a GPU for example.

    A point is moved by the offsets of sub-shapes, then by geom_bind_transform, then by the skinning
    transforms of its joints, blended by its influences, and then by skeleton_to_prim. Corresponds
    to UsdSkel.SkinningQuery and UsdSkel.BlendShapeQuery.

    method: "classicLinear", "dualQuaternion" or another that is authored.
    rigid: whether the influences are constant, so that the prim moves as a whole.
    joint_order: the joints that the indices of the influences refer to.
    joint_mapping: for each of them, the index of the skeleton's joint, or -1 if it has none; None
      if they are the skeleton's joints.
    inverse_bind_transforms: J × 4 × 4, of the skeleton's joints; None if it has no bind pose.
    blend_shape_order: the names of the blend shapes.
    packed_offsets: with packed=True, K × 4 float32 instead of the point_offsets of sub-shapes: an
      offset and the number of its sub-shape, point by point.
    packed_ranges: for each point, the first of its packed_offsets and the one after the last.
    poses: for each time, or each sample of it.
    """

    path: str
    skeleton: str
    animation_source: str
    method: str
    rigid: bool
    joint_order: tuple[str, ...]
    joint_mapping: Array | None
    skeleton_joints: tuple[str, ...]
    inverse_bind_transforms: Array | None
    blend_shape_order: tuple[str, ...]
    blend_shapes: tuple[BlendShape, ...]
    packed_offsets: Array | None
    packed_ranges: Array | None
    poses: tuple[SkinningPose, ...]

    @property
    def sub_shapes(self) -> tuple[SubShape, ...]:
        """The sub-shapes of all blend shapes, by number."""
        return tuple(sub for shape in self.blend_shapes for sub in shape.sub_shapes)

    def joint_transforms(self, pose: SkinningPose) -> Array | None:
        """The skinning transforms of a pose in joint_order; None if there are none."""
        joints = pose.skinning_transforms
        if joints is None or self.joint_mapping is None:
            return joints
        found: Array = np.broadcast_to(np.eye(4), (len(self.joint_mapping), 4, 4)).copy()
        known = self.joint_mapping >= 0
        found[known] = joints[self.joint_mapping[known]]
        return found


@dataclass(frozen=True, repr=False)
class SkelBinding(Brief):
    """A skinnable prim and the skeleton it is bound to; `skeleton` is empty if it is not bound."""

    path: str
    skel_root: str
    skeleton: str
    animation_source: str
    joint_order: tuple[str, ...]
    rigid: bool
    has_blend_shapes: bool


@dataclass(frozen=True, repr=False)
class JointTransforms(Brief):
    """The joints of a skeleton at one time; `transforms` is J × 4 × 4, None without a pose."""

    path: str
    time: TimeCode
    joint_order: tuple[str, ...]
    transforms: Array | None
