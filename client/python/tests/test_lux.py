"""Lights, and what they are linked to."""

from __future__ import annotations

import pytest

import stagedoor

LIGHTS = """#usda 1.0
def SphereLight "Key"
{
    rel collection:lightLink:excludes = </World/Moving>
    rel light:filters = </Barn>
    token ri:light:shaderId = "PxrSphereLight"
}
def DomeLight "Sky"
{
    rel collection:shadowLink:excludes = </World>
}
def LightFilter "Barn" {}
over "World" (kind = "group")
{
    rel lightList = </Key>
    token lightList:cacheBehavior = "consumeAndHalt"
}
"""


def test_lights(stage):
    stage.set_session_layer(LIGHTS)
    found = {light.path: light for light in stage.lights(render_contexts=["ri"])}
    assert list(found) == ["/Barn", "/Key", "/Sky"]
    assert found["/Key"] == stagedoor.results.Light(
        "/Key", "SphereLight", "PxrSphereLight", False, ["/Barn"], []
    )
    assert found["/Barn"].is_filter
    assert [light.path for light in stage.lights("/Sky")] == ["/Sky"]
    assert stage.lights("/World") == []
    assert [light.path for light in stage.lights("/World", consult_cache=True)] == ["/Key"]


def test_light_sets(stage):
    stage.set_session_layer(LIGHTS)
    found = stage.light_sets(["/World/Moving", "/World/Static", "/World", "/None"])
    assert found["/World/Moving"] == ("/Sky",)
    assert found["/World/Static"] == ("/Key", "/Sky")
    assert found["/World"] is found["/World/Static"]
    with pytest.raises(stagedoor.NotFoundError):
        found["/None"]
    assert stage.light_sets("/World", "shadow")["/World"] == ("/Key",)
    assert stage.light_sets("/World", "filter")["/World"] == ("/Barn",)
    assert stage.light_sets("/World", lights=["/Key", "/World"])["/World"] == ("/Key",)
    with pytest.raises(stagedoor.InvalidArgumentError, match="shadow"):
        stage.light_sets("/World", "shadows")


def test_explain_light_link(stage):
    stage.set_session_layer(LIGHTS)
    Rule = stagedoor.results.LightLinkRule
    assert stage.explain_light_link("/Key", "/World/Moving") == (
        stagedoor.results.LightLinkExplanation(
            linked=False,
            reason="rule",
            rules=[
                Rule("/World/Moving", "exclude", "decides"),
                Rule("/", "expand_prims", "closer_decides"),
            ],
            expression="",
        )
    )
    assert stage.explain_light_link("/Key", "/World").reason == "include_root"
    found = stage.explain_light_link("/Key", "/World/Moving", "shadow")
    assert (found.linked, found.reason) == (True, "default")
    assert stage.explain_light_link("/Barn", "/World", "filter").linked
    assert stage.explain_light_link("/Barn", "/World").reason == "not_a_light"
    with pytest.raises(stagedoor.NotFoundError):
        stage.explain_light_link("/Key", "/None")
    with pytest.raises(stagedoor.InvalidArgumentError, match="shadow"):
        stage.explain_light_link("/Key", "/World", "shadows")
