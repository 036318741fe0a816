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
