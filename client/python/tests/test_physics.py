"""Rigid bodies and collision groups."""

from __future__ import annotations

import numpy as np
import pytest

SCENE = """#usda 1.0
(
    metersPerUnit = 1
)
def PhysicsCollisionGroup "A"
{
    rel collection:colliders:includes = </Body>
    rel physics:filteredGroups = </B>
}
def PhysicsCollisionGroup "B"
{
    rel physics:filteredGroups = </B>
    string physics:mergeGroup = "m"
}
def PhysicsCollisionGroup "C"
{
    bool physics:invertFilteredGroups = 1
    rel physics:filteredGroups = [</A>, </B>, </C>]
    string physics:mergeGroup = "m"
}
def Xform "Body" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI"]
)
{
    def Cube "Box" (
        prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI", "PhysicsFilteredPairsAPI"]
    )
    {
        float physics:density = 3
        rel physics:filteredPairs = </Body>
    }
}
"""


@pytest.fixture
def scene(stage):
    stage.set_session_layer(SCENE)
    return stage


def test_which_groups_collide(scene):
    found = scene.collision_groups()
    assert [group.path for group in found.groups] == ["/A", "/B", "/C"]
    assert [group.merge_group for group in found.groups] == [None, "m", "m"]
    assert [group.inverted for group in found.groups] == [False, False, True]
    assert found.enabled.tolist() == [[True, False, False], [False] * 3, [False] * 3]
    assert found.collide("/A", "/A")
    assert not found.collide("/C", "/A")
    with pytest.raises(KeyError):
        found.collide("/A", "/Body")


def test_groups_of_colliders(scene):
    found = scene.collider_groups(["/Body/Box", "/A", "/None"])
    assert found["/Body/Box"].groups == ("/A",)
    assert found["/Body/Box"].filtered_pairs == ("/Body",)
    assert found["/A"].groups == ()
    assert list(found.errors) == ["/None"]


def test_stages_without_groups(stage):
    found = stage.collision_groups()
    assert found.groups == ()
    assert found.enabled.shape == (0, 0)


def test_masses(scene):
    found = scene.mass_properties(colliders=True)
    body = found["/Body"]
    assert body.mass == 24
    np.testing.assert_allclose(body.diagonal_inertia, [16, 16, 16])
    np.testing.assert_array_equal(body.center_of_mass, [0, 0, 0])
    np.testing.assert_array_equal(body.principal_axes, [1, 0, 0, 0])
    [box] = body.colliders
    assert (box.path, box.volume, box.density, box.mass) == ("/Body/Box", 8, 3, 24)
    assert box.material == ""
    assert scene.mass_properties("/Body")["/Body"].colliders == ()


def test_masses_of_other_prims(scene):
    found = scene.mass_properties(["/Body", "/A"])
    assert list(found) == ["/Body"]
    assert list(found.errors) == ["/A"]
    assert len(scene.mass_properties([])) == 0
