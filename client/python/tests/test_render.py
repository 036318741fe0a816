"""What to render."""

from __future__ import annotations

import pytest

import stagedoor

RENDER = """#usda 1.0
(
    renderSettingsPrimPath = "/Render"
)
def Camera "Cam"
{
    float horizontalAperture = 20
    float verticalAperture = 10
}
def RenderSettings "Render"
{
    rel camera = </Cam>
    rel products = [</Beauty>, </Gone>]
    int2 resolution = (200, 100)
    token[] includedPurposes = ["default"]
    token renderingColorSpace = "acescg"
    int ri:samples = 5
    int karma:samples = 6
}
def RenderProduct "Beauty"
{
    token productName = "b.exr"
    int2 resolution = (100, 100)
    bool disableMotionBlur = 1
    rel orderedVars = [</Ci>]
}
def RenderVar "Ci"
{
    string sourceName = "Ci"
    int ri:filter = 3
}
def RenderPass "First"
{
    token passType = "prman"
    string[] command = ["prman", "{fileName}"]
    rel renderSource = </Render>
    rel collection:prune:includes = </Cam>
}
def RenderPass "Second"
{
    rel inputPasses = </First>
    asset fileName = @shot.usda@
    bool collection:renderVisibility:includeRoot = 0
}
"""


def test_settings(stage):
    assert stage.render_settings() is None
    stage.set_session_layer(RENDER)
    settings = stage.render_settings(namespaces=["ri"])
    assert settings.path == "/Render"
    assert settings.included_purposes == ["default"]
    assert settings.material_binding_purposes == ["full", ""]
    assert settings.rendering_color_space == "acescg"
    assert settings.settings == {
        "camera": ["/Cam"],
        "products": ["/Beauty", "/Gone"],
        "ri:samples": 5,
    }
    assert settings.problems == [stagedoor.results.RenderProblem("no_product", "/Render", "/Gone")]
    assert settings.defaults.path == ""
    assert settings.defaults.resolution == (200, 100)
    assert settings.defaults.aperture == (20, 10)
    assert "karma:samples" in stage.render_settings("/Render").settings
    with pytest.raises(stagedoor.InvalidArgumentError, match="RenderSettings"):
        stage.render_settings("/Cam")
    with pytest.raises(stagedoor.NotFoundError):
        stage.render_settings("/None")


def test_products(stage):
    stage.set_session_layer(RENDER)
    settings = stage.render_settings()
    (product,) = settings.products
    assert (product.path, product.type, product.name) == ("/Beauty", "raster", "b.exr")
    assert product.camera == "/Cam"
    assert product.resolution == (100, 100)
    assert product.aspect_ratio_conform_policy == "expandAperture"
    assert product.aperture == (20, 20)
    assert product.pixel_aspect_ratio == 1
    assert product.data_window == (0, 0, 1, 1)
    assert product.disable_motion_blur
    assert not product.disable_depth_of_field
    assert not product.instantaneous_shutter
    assert product.settings == {"orderedVars": ["/Ci"]}
    assert product.vars == [
        stagedoor.results.RenderVar("/Ci", "color3f", "Ci", "raw", {"ri:filter": 3})
    ]


def test_passes(stage):
    assert stage.render_passes() == []
    stage.set_session_layer(RENDER)
    first, second = stage.render_passes(paths=["/Cam", "/Render"])
    assert (first.path, first.type) == ("/First", "prman")
    assert first.command == ["prman", "{fileName}"]
    assert first.sources == ["/Render"]
    assert first.file_name is None
    assert first.members == {
        "/Cam": {"renderVisibility", "cameraVisibility", "prune"},
        "/Render": {"renderVisibility", "cameraVisibility"},
    }
    assert second.input_passes == ["/First"]
    assert str(second.file_name).endswith("shot.usda")
    assert second.members["/Cam"] == {"cameraVisibility"}
    assert [found.path for found in stage.render_passes("/Second")] == ["/Second"]
    with pytest.raises(stagedoor.NotFoundError):
        stage.render_passes(paths="/None")
    with pytest.raises(stagedoor.InvalidArgumentError, match="RenderPass"):
        stage.render_passes("/Cam")
