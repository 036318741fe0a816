"""Materials of prims."""

from __future__ import annotations

import pytest

import stagedoor

LOOKS = """#usda 1.0
def Scope "Looks"
{
    def Material "red" {}
    def Material "blue" {}
}
over "World" (
    prepend apiSchemas = ["CollectionAPI:c"]
)
{
    rel collection:c:includes = </World/Moving>
    rel material:binding = </Looks/red>
    rel material:binding:collection:full:c = [</World.collection:c>, </Looks/blue>] (
        bindMaterialAs = "strongerThanDescendants"
    )
}
"""


def test_bound_materials(stage):
    stage.set_session_layer(LOOKS)
    found = stage.bound_materials(["/World/Static", "/Looks", "/None"])
    assert found["/World/Static"].material == "/Looks/red"
    assert found["/Looks"] is None
    with pytest.raises(stagedoor.NotFoundError):
        found["/None"]


def test_bound_materials_without_what_binds_them(stage):
    stage.set_session_layer(LOOKS)
    found = stage.bound_materials(["/World/Moving", "/Looks"], "full", bindings=False)
    assert [bound and bound.material for bound in found.values()] == ["/Looks/blue", None]
    assert found["/World/Moving"].relationship == ""


def test_equal_results_are_numbered(stage):
    stage.set_session_layer(LOOKS)
    paths = ["/World/Moving", "/Looks", "/World/Static", "/None"]
    for bindings in (False, True):
        table = stage.bound_materials(paths, bindings=bindings)
        numbers, materials = table.factorize()
        assert [materials[number] for number in numbers] == list(table.values())
        assert {bound and bound.material for bound in materials} == {None, "/Looks/red"}
        assert len(materials) == len(set(materials)) == 2
    twice = stage.bound_materials(["/World/Moving", "/World/Static", "/World/Moving"])
    numbers, materials = twice.factorize()
    assert numbers.tolist() == [0, 0] and [bound.material for bound in materials] == ["/Looks/red"]
    numbers, sets = stage.light_sets(["/World", "/Looks"]).factorize()
    assert numbers.tolist() == [0, 0] and sets == [()]
    with pytest.raises(TypeError):
        stage.transforms(["/World"]).factorize()


def test_material_of_a_prim(stage):
    stage.set_session_layer(LOOKS)
    plain = stage["/World/Moving"].material()
    assert plain == stagedoor.results.BoundMaterial(
        "/Looks/red", "/World.material:binding", "", False
    )
    full = stage["/World/Moving"].material("full")
    assert full.material == "/Looks/blue" and full.collection == "/World.collection:c"
    assert full.relationship == "/World.material:binding:collection:full:c"
    assert full.stronger_than_descendants
    assert stage["/Looks"].material() is None


def test_explain_material(stage):
    stage.set_session_layer(LOOKS)
    found = stage["/World/Moving"].explain_material("full")
    assert [(c.binding.relationship, c.outcome) for c in found] == [
        ("/World.material:binding:collection:full:c", "wins"),
        ("/World.material:binding", "other_purpose"),
    ]
    assert found[0].binding.material == "/Looks/blue"
    assert stage["/Looks"].explain_material() == []


SHADERS = """#usda 1.0
def Material "Look" (specializes = </Base>)
{
    color3f inputs:tint = (1, 0, 0)
    token outputs:ri:surface.connect = </Look/Paint.outputs:out>
    def Shader "Paint"
    {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor.connect = </Look.inputs:tint>
        float inputs:roughness.connect = </Look/Noise.outputs:out>
        float inputs:lost.connect = </Look/Gone.outputs:out>
        token outputs:out
    }
    def Shader "Noise"
    {
        uniform token info:implementationSource = "sourceCode"
        uniform string info:glslfx:sourceCode = "void main() {}"
        float inputs:scale.timeSamples = { 1: 1, 5: 2 }
        float outputs:out
    }
}
def Material "Base" {}
"""


def test_material_network(stage):
    stage.set_session_layer(SHADERS)
    network = stage["/Look"].material_network(["ri"], [1, 5])
    surface = network.terminals["surface"]
    assert (surface.render_context, surface.source.name) == ("ri", "out")
    paint = network.nodes[surface.source.node]
    assert (paint.id, paint.type_name, paint.outputs) == ("UsdPreviewSurface", "Shader", {})
    tint = paint.inputs["diffuseColor"]
    assert tuple(tint.value) == (1, 0, 0) and tint.value_source == "/Look.inputs:tint"
    (noise,) = paint.inputs["roughness"].connections
    assert (noise.node, noise.name, noise.is_input) == ("/Look/Noise", "out", False)
    scale = network.nodes[noise.node].inputs["scale"]
    assert scale.values == [1, 2]
    assert network.nodes[noise.node].code["glslfx"].text == "void main() {}"
    assert network.base_material == "/Base"
    (broken,) = network.broken
    assert broken == stagedoor.results.BrokenConnection(
        "/Look/Paint.inputs:lost", "no_source", "/Look/Gone.outputs:out"
    )


def test_networks_as_graphs_and_their_errors(stage):
    stage.set_session_layer(SHADERS)
    found = stage.material_networks(["/Look", "/Look/Paint", "/Base"], as_graph=True)
    assert list(found["/Look"].nodes) == ["/Look", "/Look/Paint", "/Look/Noise"]
    assert found["/Look"].terminals == {}, "none for all renderers"
    assert found["/Look"].nodes["/Look"].outputs["ri:surface"].connections[0].name == "out"
    assert found["/Look"].nodes["/Look/Paint"].inputs["diffuseColor"].connections[0].is_input
    with pytest.raises(stagedoor.Error, match="is not a Material"):
        found["/Look/Paint"]
    assert list(found["/Base"].nodes) == ["/Base"]
