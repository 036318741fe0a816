"""What programs need to deform prims themselves."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import stagedoor
from stagedoor.types import TimeCode

BODY = "/Shot/Characters/Actor/Body"


def blended(skinning, pose, points):
    points = points.astype(np.float64)
    if pose.sub_shape_weights is None:
        return points
    subs = skinning.sub_shapes
    for weight, shape, sub in zip(
        pose.sub_shape_weights, pose.blend_shape_indices, pose.sub_shape_indices
    ):
        if subs[sub].point_offsets is not None:
            at = skinning.blend_shapes[shape].point_indices
            np.add.at(points, slice(None) if at is None else at, weight * subs[sub].point_offsets)
    return points


def blended_by_point(skinning, pose, points):
    """Blended points, from the table of offsets by point."""
    weights = np.zeros(len(skinning.sub_shapes))
    weights[pose.sub_shape_indices] = pose.sub_shape_weights
    moved = points.astype(np.float64)
    for point, (begin, end) in enumerate(skinning.packed_ranges):
        offsets = skinning.packed_offsets[begin:end]
        moved[point] += (weights[offsets[:, 3].astype(int)][:, None] * offsets[:, :3]).sum(axis=0)
    return moved


def skinned(skinning, pose, points):
    """Points after classic linear skinning."""
    points = np.hstack([points, np.ones((len(points), 1))]) @ pose.geom_bind_transform
    joints = skinning.joint_transforms(pose)[pose.influences.indices]
    moved = np.einsum("pi,pk,pikl->pl", pose.influences.weights, points, joints)
    return (moved @ pose.skeleton_to_prim)[:, :3]


def test_points_can_be_computed_from_the_data(stage_door):
    skinning = stage_door[BODY].skinning([1, 12])
    assert skinning.method == "classicLinear" and not skinning.rigid
    assert [pose.time for pose in skinning.poses] == [TimeCode(1), TimeCode(12)]
    expected = list(stage_door.skinned_points(BODY, [1, 12]))
    rest = stage_door[BODY].attribute("points").get()
    packed = stage_door[BODY].skinning([1, 12], packed=True)
    for pose, item in zip(skinning.poses, expected):
        points = blended(skinning, pose, rest)
        assert np.allclose(skinned(skinning, pose, points), item.points, atol=1e-5)
        assert np.allclose(blended_by_point(packed, pose, rest), points, atol=1e-6)
    assert all(sub.point_offsets is None for sub in packed.sub_shapes)


def test_what_does_not_vary_is_shared(stage_door):
    skinning = stage_door.skinning(BODY, [1, 12])[BODY]
    one, other = skinning.poses
    assert one.influences is other.influences
    assert one.geom_bind_transform is other.geom_bind_transform
    assert skinning.skeleton == "/Shot/Characters/Actor/Rig"
    assert skinning.skeleton_joints == ("Hip", "Hip/Chest", "Hip/Chest/Head")
    assert skinning.inverse_bind_transforms.shape == (3, 4, 4)
    assert one.influences.interpolation == "vertex" and not one.influences.out_of_range
    assert len(skinning.blend_shapes) == len(skinning.blend_shape_order)
    for shape in skinning.blend_shapes:
        weights = [sub.weight for sub in shape.sub_shapes]
        assert weights == sorted(weights) and 0 in weights and 1 in weights


def test_paths_that_fail_have_errors(stage_door):
    table = stage_door.skinning([BODY, "/Shot/Camera", "/None"], 1)
    assert list(table) == [BODY]
    assert table.errors["/Shot/Camera"].reason == "WRONG_KIND"
    assert table.errors["/None"].reason == "PRIM_NOT_FOUND"
    with pytest.raises(stagedoor.InvalidArgumentError):
        stage_door["/Shot/Camera"].skinning(1)


def test_without_paths_all_skinned_prims_are_found(stage_door):
    assert list(stage_door.skinning(times=1)) == [BODY]
    assert list(stage_door.skinning([], 1)) == []


def test_poses_within_a_shutter(stage_door):
    skinning = stage_door.skinning(BODY, 12, shutter=(-0.25, 0.25))[BODY]
    assert len(skinning.poses) > 1
    assert [pose.sample.index for pose in skinning.poses] == list(range(len(skinning.poses)))
    assert all(pose.sample.frame == TimeCode(12) for pose in skinning.poses)


OWN_JOINTS = """#usda 1.0
def SkelRoot "C" (
    prepend apiSchemas = ["SkelBindingAPI"]
)
{
    rel skel:skeleton = </C/Skel>
    def Skeleton "Skel"
    {
        uniform token[] joints = ["a", "b"]
        uniform matrix4d[] bindTransforms = [
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))]
        uniform matrix4d[] restTransforms = [
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 0, 0, 1))]
    }
    def Mesh "M" (
        prepend apiSchemas = ["SkelBindingAPI"]
    )
    {
        uniform token[] skel:joints = ["b", "gone"]
        int[] primvars:skel:jointIndices = [0] (
            elementSize = 1
            interpolation = "constant"
        )
        float[] primvars:skel:jointWeights = [1] (
            elementSize = 1
            interpolation = "constant"
        )
        matrix4d primvars:skel:geomBindTransform.timeSamples = {
            0: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
            1: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (8, 0, 0, 1)),
        }
    }
}
"""


def test_a_prim_may_have_joints_of_its_own(stage):
    stage.set_session_layer(OWN_JOINTS)
    skinning = stage["/C/M"].skinning([0, 1])
    assert skinning.rigid and skinning.joint_order == ("b", "gone")
    assert skinning.joint_mapping.tolist() == [1, -1]
    joints = skinning.joint_transforms(skinning.poses[0])
    assert joints[:, 3, 0].tolist() == [5, 0]
    assert skinning.poses[0].skinning_transforms[:, 3, 0].tolist() == [0, 5]
    binds = [pose.geom_bind_transform[3, 0] for pose in skinning.poses]
    assert binds == [0, 8]


def test_asynchronous_clients_can_ask_too(daemon, folder):
    async def ask():
        async with await stagedoor.aio.open(folder / "shot.usda", daemon.address) as stage:
            await stage.set_session_layer(OWN_JOINTS)
            return await stage.skinning("/C/M", 0)

    assert asyncio.run(ask())["/C/M"].poses[0].influences.indices.tolist() == [[0]]
