"""Scenes that were reported as bugs of renderers and their bridges, with the answers that the
reporters want. Those about motion samples are in server/queries/motion_samples_test.cc; the table
of all is in docs/motion_samples.md.
"""

from __future__ import annotations

import pytest


@pytest.fixture
def load(client, tmp_path):
    """Opens a scene that is given as text."""
    opened = []

    def open_text(text):
        path = tmp_path / f"scene{len(opened)}.usda"
        path.write_text(f"#usda 1.0\n{text}")
        opened.append(client.open(path))
        return opened[-1]

    yield open_text
    for stage in opened:
        stage.close()


# OpenUSD issue 3484: a collection of the shot reaches one prim below one instance.
CONES = """
def Material "Red" {
}
def Material "Blue" {
}
class Xform "Asset"
{
    def Xform "Root"
    {
        rel material:binding = </Red>
        def Cone "Cone"
        {
        }
    }
}
def Xform "Shot" (
    prepend apiSchemas = ["MaterialBindingAPI", "CollectionAPI:hero"]
)
{
    rel collection:hero:includes = </Shot/C/Root/Cone>
    rel material:binding:collection:hero = [</Shot.collection:hero>, </Blue>] (
        bindMaterialAs = "strongerThanDescendants"
    )
    def "A" (
        instanceable = true
        references = </Asset>
    )
    {
    }
    def "C" (
        instanceable = true
        references = </Asset>
    )
    {
    }
}
"""


def test_a_collection_binds_a_prim_of_one_instance(load):
    found = load(CONES).bound_materials(["/Shot/A/Root/Cone", "/Shot/C/Root/Cone"])
    assert [bound.material for bound in found.values()] == ["/Red", "/Blue"]
    assert found["/Shot/C/Root/Cone"].collection == "/Shot.collection:hero"


# OpenUSD issue 3388: the prototypes of an instancer are instances, each with primvars of its own.
BOXES = """
class Xform "Box"
{
    def Cube "Shape"
    {
    }
}
def Xform "Set"
{
    def "Red" (
        instanceable = true
        references = </Box>
    )
    {
        color3f[] primvars:displayColor = [(1, 0, 0)]
    }
    def "Blue" (
        instanceable = true
        references = </Box>
    )
    {
        color3f[] primvars:displayColor = [(0, 0, 1)]
    }
}
def PointInstancer "Many"
{
    point3f[] positions = [(0, -2, 0), (4, -2, 0)]
    int[] protoIndices = [0, 0]
    rel prototypes = </Set>
}
"""


def test_prototypes_that_are_instances_have_their_primvars(load):
    stage = load(BOXES)
    [instances] = stage.instances("/Many")
    assert instances.prototypes == ("/Set",) and len(instances.transforms) == 2
    found = stage.primvars(["/Set/Red/Shape", "/Set/Blue/Shape"], names=["displayColor"])
    colors = [primvars["displayColor"] for primvars in found.values()]
    assert [color.value.tolist() for color in colors] == [[[1, 0, 0]], [[0, 0, 1]]]
    assert [color.source_path for color in colors] == ["/Set/Red", "/Set/Blue"]


# OpenUSD issue 2998: one of several instances of an asset with an instancer is hidden, in a shot
# that references the assembly.
TREES = """
class Xform "Tree"
{
    def PointInstancer "Leaves"
    {
        point3f[] positions = [(0, 0, 0), (1, 0, 0)]
        int[] protoIndices = [0, 0]
        rel prototypes = </Tree/Leaves/Leaf>
        def Sphere "Leaf"
        {
        }
    }
}
class Xform "Wood"
{
    def "A" (
        instanceable = true
        references = </Tree>
    )
    {
    }
    def "B" (
        instanceable = true
        references = </Tree>
    )
    {
    }
}
def "Shot" (
    references = </Wood>
)
{
    over "A"
    {
        token visibility = "invisible"
    }
}
"""


def test_hiding_one_instance_leaves_the_instancers_of_others(load):
    stage = load(TREES)
    paths = ["/Shot/A/Leaves", "/Shot/A/Leaves/Leaf", "/Shot/B/Leaves", "/Shot/B/Leaves/Leaf"]
    found = stage.visibility(paths, 1)
    assert [bool(seen.visible) for seen in found.values()] == [False, False, True, True]
    [hidden, shown] = stage.instances(["/Shot/A/Leaves", "/Shot/B/Leaves"], 1)
    assert len(hidden.transforms) == len(shown.transforms) == 2
    assert shown.prototypes == ("/Shot/B/Leaves/Leaf",)


# OpenUSD issue 3748: a prototype that is invisible itself is not drawn at its instances.
SPHERES = """
def PointInstancer "Many"
{
    point3f[] positions = [(0, 0, 0), (1, 0, 0)]
    int[] protoIndices = [0, 1]
    rel prototypes = [</Many/Prototypes/Hidden>, </Many/Prototypes/Shown>]
    def Scope "Prototypes"
    {
        def Sphere "Hidden"
        {
            token visibility = "invisible"
        }
        def Sphere "Shown"
        {
        }
    }
}
"""


def test_invisible_prototypes_stay_invisible(load):
    stage = load(SPHERES)
    [instances] = stage.instances("/Many", 1)
    found = stage.visibility(instances.prototypes, 1)
    assert [bool(seen.visible) for seen in found.values()] == [False, True]


# arnold-usd pull request 839, and issues 1010 and 1012: links are lists of prims at the lights, and
# renderers want lists of lights at the prims; lights without links shine on all, and a link to a
# prim is for what is below it.
LINKS = """
def Xform "Set"
{
    def Xform "Left"
    {
        def Mesh "A"
        {
        }
    }
    def Mesh "B"
    {
    }
}
def SphereLight "Left"
{
    uniform bool collection:lightLink:includeRoot = 0
    rel collection:lightLink:includes = </Set/Left>
}
def SphereLight "NotLeft"
{
    rel collection:lightLink:excludes = </Set/Left>
    rel collection:shadowLink:excludes = </Set/B>
}
def SphereLight "Everything"
{
}
"""


def test_prims_have_the_lights_that_are_linked_to_them(load):
    stage = load(LINKS)
    paths = ["/Set/Left", "/Set/Left/A", "/Set/B"]
    lights = stage.light_sets(paths)
    assert list(lights.values()) == [
        ("/Everything", "/Left"),
        ("/Everything", "/Left"),
        ("/Everything", "/NotLeft"),
    ]
    shadows = stage.light_sets(paths, link="shadow")
    assert shadows["/Set/B"] == ("/Everything", "/Left")
    assert shadows["/Set/Left/A"] == ("/Everything", "/Left", "/NotLeft")
