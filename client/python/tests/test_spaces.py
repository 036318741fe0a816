"""Coordinate systems, color spaces, membership of collections, and the fields of volumes."""

from __future__ import annotations

import pytest

import stagedoor

SCENE = """#usda 1.0
def "A" (
    prepend apiSchemas = ["CoordSysAPI:model", "ColorSpaceAPI", "ColorSpaceDefinitionAPI:own",
        "CollectionAPI:lit", "CollectionAPI:rest"]
)
{
    rel coordSys:model:binding = </World>
    uniform token colorSpace:name = "mine"
    token colorSpaceDefinition:own:name = "mine"
    float colorSpaceDefinition:own:gamma = 2
    rel collection:lit:includes = </A/B>
    uniform pathExpression collection:rest:membershipExpression = "//B + //C"
    color3f tint (colorSpace = "raw")
    def "B"
    {
        double size
    }
    def "C"
    {
    }
}
def Volume "Smoke"
{
    rel field:density = </Smoke/Density>
    rel field:heat = </Smoke/Gone>
    def OpenVDBAsset "Density"
    {
        asset filePath = @shot.usda@
        token fieldName = "density"
        int fieldIndex.timeSamples = { 1: 3, 2: 4 }
    }
}
"""


@pytest.fixture
def scene(stage):
    stage.set_session_layer(SCENE)
    return stage


def test_coordinate_systems(scene):
    found = scene.coordinate_systems(["/A/B", "/A", "/World", "/None"])
    assert found["/A/B"] == (
        stagedoor.results.CoordSysBinding("model", "/World", "/A.coordSys:model:binding"),
    )
    assert found["/A"] is found["/A/B"]
    assert found["/World"] == ()
    with pytest.raises(stagedoor.NotFoundError):
        found["/None"]


def test_color_spaces(scene):
    found = scene.color_spaces(["/A/B", "/A.tint", "/World", "/A.none"])
    assert found["/A/B"].name == "mine"
    definition = found["/A/B"].definition
    assert (definition.prim, definition.gamma, definition.linear_bias) == ("/A", 2, 0)
    assert (definition.red, definition.green, definition.blue) == ((1, 0), (0, 1), (0, 0))
    assert definition.white == pytest.approx((1 / 3, 1 / 3))
    assert found["/A.tint"] == stagedoor.results.ColorSpace("raw", None)
    assert found["/World"] is None
    with pytest.raises(stagedoor.NotFoundError):
        found["/A.none"]


def test_memberships(scene):
    lit, rest = "/A.collection:lit", "/A.collection:rest"
    found = scene.memberships(["/A", "/A/B", "/A/B.size", "/A/C", "/None"], [lit, rest])
    assert found["/A"] == ()
    assert found["/A/B"] == (lit, rest)
    assert found["/A/B.size"] == ()
    assert found["/A/C"] == (rest,)
    with pytest.raises(stagedoor.NotFoundError):
        found["/None"]
    many = ["/A", "/A/C"] * 600
    assert [scene.memberships(many, rest)["/A/C"] for _ in range(3)] == [(rest,)] * 3
    with pytest.raises(stagedoor.InvalidArgumentError, match="collection"):
        scene.memberships("/A", "/A")


def test_volume_fields(scene):
    found = scene.volume_fields(["/Smoke", "/A"], [1, 2])
    density = found["/Smoke"]["density"]
    assert (density.path, density.type_name) == ("/Smoke/Density", "OpenVDBAsset")
    assert [sample.field_index for sample in density.samples] == [3, 4]
    assert density.samples[0].field_name == "density"
    assert str(density.samples[0].file).endswith("shot.usda")
    assert found["/Smoke"]["heat"].samples == []
    with pytest.raises(stagedoor.InvalidArgumentError, match="Volume"):
        found["/A"]
