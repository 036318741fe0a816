from __future__ import annotations

import numpy as np
import pytest

import stagedoor

BODY = "/Shot/Characters/Actor/Body"


def test_transforms(stage):
    table = stage.transforms(["/World", "/World/Sizes", "/Nope"], [1, 2])
    assert table["/World/Sizes"].shape == (2, 4, 4) and table["/World"].dtype == np.float64
    assert table["/World/Sizes"][1, 3].tolist() == [1, 2, 3, 1]
    assert list(table) == ["/World", "/World/Sizes"] and "/Nope" not in table
    assert table.errors["/Nope"].reason == "PRIM_NOT_FOUND"
    with pytest.raises(stagedoor.NotFoundError):
        table["/Nope"]
    sizes = stage["/World/Sizes"]
    assert sizes.transform(1)[3].tolist() == [1, 2, 3, 1]
    assert sizes.local_transform(1)[3].tolist() == [0, 0, 0, 1]
    assert stage["/World"].local_transform()[3].tolist() == [1, 2, 3, 1]


def test_results_as_one_array(stage):
    paths = ["/World/Sizes", "/World"]
    table = stage.transforms(paths, [1, 2])
    assert table.stack().shape == (2, 2, 4, 4)
    assert np.array_equal(table.stack(), [table[path] for path in paths])
    assert [row.shape for row in table.values()] == [(2, 4, 4)] * 2
    assert [path for path, _ in table.items()] == paths
    # Without those that failed, and each path once.
    assert stage.transforms(["/Nope", *paths]).stack().shape == (2, 4, 4)
    assert stage.transforms([*paths, *paths]).stack().shape == (2, 4, 4)
    with pytest.raises(ValueError):
        stage.transforms(["/Nope"]).stack()


def test_bounds(stage):
    sphere = stage["/World/Sizes/S002"]
    assert sphere.bounds(1).tolist() == [[-1, 0, 1], [3, 4, 5]]
    assert sphere.bounds(1, space="local").tolist() == [[-2, -2, -2], [2, 2, 2]]
    assert sphere.bounds([1, 2, 3]).shape == (3, 2, 3)
    empty = sphere.bounds(1, purposes=["guide"])
    assert (empty[0] > empty[1]).all()
    with pytest.raises(ValueError, match="unknown space"):
        sphere.bounds(1, space="inner")


BOUNDED = """#usda 1.0
def Xform "A"
{
    float xformOp:rotateZ = 90
    uniform token[] xformOpOrder = ["xformOp:rotateZ"]
    def Cube "C"
    {
        double3 xformOp:translate = (5, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Cube "Hidden"
    {
        double size = 40
        token visibility = "invisible"
    }
    def Cube "Proxy"
    {
        double size = 4
        uniform token purpose = "proxy"
    }
}
def PointInstancer "I"
{
    rel prototypes = </I/P>
    int[] protoIndices = [0, 0]
    point3f[] positions = [(1, 0, 0), (2, 0, 0)]
    def Cube "P" {}
}
"""


def test_bounds_of_instances_and_of_other_spaces(client):
    with client.open("memory.usda", layers={"memory.usda": BOUNDED}) as stage:
        found = stage.bounds("/A/C", relative_to="/A")["/A/C"]
        assert found.round(6).tolist() == [[4, -1, -1], [6, 1, 1]]
        assert stage["/A"].bounds(ignore_visibility=True)[1, 0] > 19
        found = stage.bounds("/I", [1, 2], instances=[1, 0, 5])["/I"]
        assert found.shape == (2, 3, 2, 3)
        assert found[0, :2, 0, 0].tolist() == [1, 0] and found[1, 2, 0, 0] > found[1, 2, 1, 0]
        table = stage.bounds(["/I", "/A"], 1, instances=[0], base_time=1)
        assert table["/I"].shape == (1, 2, 3) and table.errors["/A"].reason == "WRONG_KIND"
        with pytest.raises(ValueError, match="leave out space"):
            stage.bounds("/A", relative_to="/", space="local")
        with pytest.raises(ValueError, match="at least one"):
            stage.bounds("/I", instances=[])
        with pytest.raises(stagedoor.NotFoundError):
            stage.bounds("/A", relative_to="/None")


def test_bounding_boxes(client):
    with client.open("memory.usda", layers={"memory.usda": BOUNDED}) as stage:
        box = stage.bounding_boxes("/A/C")["/A/C"]
        assert box.range.tolist() == [[-1, -1, -1], [1, 1, 1]]
        assert box.matrix.round(6)[3].tolist() == [0, 5, 0, 1]
        boxes = stage.bounding_boxes("/I", [1, 2], instances=[0, 1], space="local")["/I"]
        assert boxes.range.shape == (2, 2, 2, 3) and boxes.matrix.shape == (2, 2, 4, 4)


def test_extents_hints(client):
    with client.open("memory.usda", layers={"memory.usda": BOUNDED}) as stage:
        table = stage.extents_hints(["/A", "/A/C", "/None"])
        assert table["/A"].shape == (6, 3) and table["/A"].dtype == np.float32
        assert table["/A"][4].tolist() == [-2, -2, -2]
        assert table["/A/C"].tolist() == [[-1, -1, -1], [1, 1, 1]] * 4
        assert list(table.errors) == ["/None"]
        found = stage.extents_hints("/A", [1, 2], ignore_visibility=True)["/A"]
        assert len(found) == 2 and found[1][0].tolist() == [-20, -20, -20]


def test_models(client):
    layer = """#usda 1.0
def Xform "A" (
    kind = "component"
    apiSchemas = ["GeomModelAPI"]
)
{
    uniform token model:drawMode = "cards"
    uniform asset model:cardTextureYPos = @./y.png@
    matrix4d constraintTargets:hand = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1)) (
        constraintTargetIdentifier = "left"
    )
    double3 xformOp:translate.timeSamples = { 1: (1, 0, 0), 2: (2, 0, 0) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Xform "B" {}
}
"""
    with client.open("memory.usda", layers={"memory.usda": layer}) as stage:
        table = stage.models(["/A", "/A/B", "/None"])
        model = table["/A"]
        assert (model.draw_mode, model.is_model, model.apply_draw_mode) == ("cards", True, False)
        assert model.card_geometry == "cross"
        assert model.draw_mode_color == pytest.approx((0.18,) * 3)
        assert [*model.card_textures] == ["YPos"] and "y.png" in str(model.card_textures["YPos"])
        assert model.constraint_targets == {}
        assert table["/A/B"].draw_mode == "cards" and table["/A/B"].draw_mode_color is None
        assert list(table.errors) == ["/None"]
        hand = stage.models("/A", 2, constraint_targets=True)["/A"].constraint_targets["hand"]
        assert hand.identifier == "left" and hand.transform[3].tolist() == [3, 2, 3, 1]
        hand = stage.models("/A", [1, 2], constraint_targets=True)["/A"].constraint_targets["hand"]
        assert hand.transform[:, 3, 0].tolist() == [2, 3]


def test_visibility(stage):
    assert stage["/World/Static"].is_visible() and stage["/World/Static"].purpose == "default"
    stage.set_session_layer(
        '#usda 1.0\nover "World"\n{\n token visibility = "invisible"\n'
        ' over "Static"\n {\n  uniform token purpose = "mine"\n }\n}\n'
    )
    table = stage.visibility(["/World/Static", "/World/Moving"], [1, 2])
    assert table["/World/Static"].visible.tolist() == [False, False]
    assert table["/World/Static"].purpose == "mine"
    assert table["/World/Moving"].purpose == "default"


def test_skinned_points(stage_door):
    found = list(stage_door.skinned_points(times=[1, 12], normals=True, joints=True))
    assert [(prim.path, prim.time) for prim in found] == [(BODY, 1.0), (BODY, 12.0)]
    assert found[0].points.shape == (12, 3) and found[0].points.dtype == np.float32
    assert not np.array_equal(found[0].points, found[1].points)
    joints = found[0].joint_order
    assert joints == ("Hip", "Hip/Chest", "Hip/Chest/Head")
    assert found[0].joint_transforms.shape == (3, 4, 4)
    alone = stage_door[BODY].skinned_points(12)
    assert np.array_equal(alone.points, found[1].points) and alone.error is None
    assert alone.skeleton == "/Shot/Characters/Actor/Rig" and not alone.rigid
    with pytest.raises(stagedoor.InvalidArgumentError):
        stage_door["/Shot/Theatre/Floor"].skinned_points(1)


def test_skeletons(stage_door):
    binding = stage_door.skel_bindings()[0]
    assert (binding.path, binding.skel_root) == (BODY, "/Shot/Characters/Actor")
    assert binding.has_blend_shapes and len(binding.joint_order) == 3
    poses = stage_door.joint_transforms(binding.skeleton, [1, 12], space="local")
    assert [pose.time for pose in poses] == [1.0, 12.0]
    assert poses[1].joint_order == binding.joint_order
    assert poses[1].transforms.shape == (3, 4, 4)
    with pytest.raises(stagedoor.Error):
        stage_door.joint_transforms("/Shot/Camera", 1)


def test_primvars(stage_door):
    primvars = stage_door["/Shot/Theatre/Floor"].primvars()
    assert primvars["st"].interpolation == "vertex" and primvars["st"].value.shape == (4, 2)
    assert primvars["st"].source_path == "/Shot/Theatre/Floor"
    table = stage_door.primvars([BODY, "/Nope"], [1, 2])
    assert len(table[BODY]) == 2 and "/Nope" in table.errors


def test_instances(client):
    layer = """#usda 1.0
def PointInstancer "I"
{
    rel prototypes = </I/P>
    int[] protoIndices = [0, 0]
    point3f[] positions = [(1, 0, 0), (2, 0, 0)]
    def "P" {}
}
"""
    with client.open("memory.usda", layers={"memory.usda": layer}) as stage:
        found = stage.instances("/I", [1, 2])
        assert [item.time for item in found] == [1.0, 2.0]
        assert found[0].transforms[:, 3, 0].tolist() == [1, 2]
        assert found[0].prototype_indices.tolist() == [0, 0]
        assert found[0].prototypes == ("/I/P",)
        assert (found[0].indices.tolist(), found[0].count) == ([0, 1], 2)
        assert found[0].ids is None and found[0].mask is None


def test_points_in_motion(client):
    layer = """#usda 1.0
(
    timeCodesPerSecond = 1
)
def Mesh "M" (
    apiSchemas = ["MotionAPI"]
)
{
    point3f[] points.timeSamples = { 0: [(0, 0, 0)], 5: [(5, 0, 0)] }
    vector3f[] velocities.timeSamples = { 0: [(0, 1, 0)], 5: [(0, 1, 0)] }
    float motion:blurScale = 2
}
def Xform "X" {}
"""
    with client.open("memory.usda", layers={"memory.usda": layer}) as stage:
        found = stage.moving_points(["/M", "/X"], [2, 6])
        assert [item.time for item in found] == [2, 6, 2, 6]
        assert found[0].points.tolist() == [[0, 2, 0]]
        assert found[1].points.tolist() == [[5, 1, 0]]
        assert found[0].blur_scale == 2
        assert found[2].points is None
        assert (found[2].nonlinear_sample_count, found[2].velocity_scale) == (3, 1)
        [found] = stage.moving_points("/M", 2, base_time=5)
        assert found.points.tolist() == [[5, -3, 0]]


def test_subsets(client):
    layer = """#usda 1.0
def Mesh "M"
{
    int[] faceVertexCounts = [3, 3, 3]
    uniform token subsetFamily:looks:familyType = "nonOverlapping"
    def GeomSubset "A"
    {
        int[] indices.timeSamples = { 1: [0], 2: [0, 2] }
        uniform token familyName = "looks"
    }
    def GeomSubset "B"
    {
        int[] indices = [2]
        uniform token familyName = "looks"
    }
}
"""
    with client.open("memory.usda", layers={"memory.usda": layer}) as stage:
        found = stage.subsets("/M", [1, 2], unassigned=True, problems=True)
        assert [item.time for item in found] == [1, 2]
        assert [(s.path, s.indices.tolist()) for s in found[0].subsets] == [
            ("/M/A", [0]),
            ("/M/B", [2]),
        ]
        [family] = found[0].families
        assert (family.name, family.element_type, family.type) == (
            "looks",
            "face",
            "nonOverlapping",
        )
        assert family.unassigned.tolist() == [1] and "more than once at time 2" in family.problem
        [item] = stage.subsets("/M", 1, element_type="face", family="looks")
        assert item.families[0].unassigned is None and item.families[0].problem == ""
        assert stage.subsets("/M", 1, element_type="point")[0].subsets == ()
        with pytest.raises(stagedoor.NotFoundError):
            stage.subsets("/None", 1)


def test_instances_that_are_masked(client):
    layer = """#usda 1.0
def PointInstancer "I"
{
    rel prototypes = </I/P>
    int[] protoIndices = [0, 0, 0]
    int64[] ids = [7, 8, 9]
    int64[] invisibleIds = [8]
    point3f[] positions = [(1, 0, 0), (2, 0, 0), (3, 0, 0)]
    def "P" {}
}
"""
    with client.open("memory.usda", layers={"memory.usda": layer}) as stage:
        [found] = stage.instances("/I", 1, ids=True)
        assert found.transforms[:, 3, 0].tolist() == [1, 3]
        assert (found.indices.tolist(), found.count) == ([0, 2], 3)
        assert found.ids.tolist() == [7, 9]
        assert found.mask is None
        [found] = stage.instances("/I", 1, ignore_mask=True)
        assert found.indices.tolist() == [0, 1, 2]
        assert found.ids is None
        assert found.mask.tolist() == [True, False, True]


def test_collections(stage):
    found = stage["/World"].collections()["set"]
    assert (found.mode, found.members) == ("rules", ("/World/Moving", "/World/Static"))
    assert [c.path for c in stage.collections()] == ["/World.collection:set"]
