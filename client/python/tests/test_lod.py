"""Levels of detail."""

from __future__ import annotations

import numpy as np
import pytest

import stagedoor
from stagedoor.results import LodChoice

SCENE = """#usda 1.0
def Scope "H"
{
    def LODDistanceHeuristic "Distance"
    {
        uniform token lod:domain = "imaging"
        uniform float[] thresholds = [10, 20]
        uniform float[] blendThresholds = [12]
    }
    def LODScreenSizeHeuristic "Size"
    {
        uniform token lod:domain = "physics"
        uniform token projectionMethod = "projectedExtent"
        uniform float[] thresholds = [0.5, 0.1]
    }
}
def Xform "A" (
    prepend apiSchemas = ["LODRootAPI", "LODOverrideAPI"]
)
{
    rel lod:heuristics = [</H/Size>, </H/Distance>]
    token lod:override:mode.timeSamples = { 1: "inherited", 7: "allLOD", 8: "noLOD" }
    def "High"
    {
    }
    def Xform "Low" (
        prepend apiSchemas = ["LODRootAPI"]
    )
    {
        def "One"
        {
        }
    }
}
def Camera "Cam"
{
    float focalLength = 10
    float horizontalAperture = 20
    float verticalAperture = 20
    double3 xformOp:translate.timeSamples = { 1: (0, 0, 3), 2: (0, 0, 11) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
"""


@pytest.fixture
def scene(stage):
    stage.set_session_layer(SCENE)
    return stage


def test_levels_of_the_whole_stage(scene):
    found = scene.levels_of_detail(times=[1, 2, 7, 8], camera="/Cam")
    assert set(found) == {"/A", "/A/Low"}
    root = found["/A"]
    assert root.levels == ("High", "Low")
    assert root.choices[0] == LodChoice({"High": 1.0}, "distance", "/H/Distance", 3.0, "", "")
    assert root.choices[1].shown == {"High": 0.5, "Low": 0.5}
    assert root.choices[2].shown == {"High": 1.0, "Low": 1.0}
    assert root.choices[3] == LodChoice({}, "override", "", None, "/A", "noLOD")
    assert found["/A/Low"].choices[0].reason == "default"


def test_views_without_a_camera(scene):
    by_point = scene.levels_of_detail("/A", 1, viewpoint=(0, 0, 30))["/A"]
    assert by_point.choices.shown == {"Low": 1.0}
    assert by_point.choices.measure == 30
    frustum = scene.camera("/Cam").frustum(1)
    by_frustum = scene.levels_of_detail("/A", 1, frustum=frustum, domain="physics")["/A"].choices
    by_camera = scene.levels_of_detail("/A", 1, camera="/Cam", domain="physics")["/A"].choices
    assert by_frustum.reason == "screen_size"
    assert by_frustum.measure == pytest.approx(0.0625 * 4)
    assert np.isclose(by_frustum.measure, by_camera.measure)
    wide = scene.levels_of_detail("/A", 1, camera="/Cam", domain="physics", aspect_ratio=2)
    assert wide["/A"].choices.measure == pytest.approx(0.125)


def test_hysteresis(scene):
    found = scene.levels_of_detail("/A", [2, 1], camera="/Cam", distance_hysteresis=2)["/A"]
    assert [choice.measure for choice in found.choices] == [11, 5]


def test_paths_that_are_no_roots(scene):
    found = scene.levels_of_detail(["/A", "/H"], camera="/Cam")
    assert list(found) == ["/A"]
    with pytest.raises(stagedoor.Error, match="LODRootAPI"):
        found["/H"]
    assert len(scene.levels_of_detail([], camera="/Cam")) == 0


def test_one_view_is_needed(scene):
    with pytest.raises(ValueError, match="one of camera"):
        scene.levels_of_detail("/A")
    with pytest.raises(ValueError, match="unknown policy"):
        scene.levels_of_detail("/A", camera="/Cam", conform="odd")
    with pytest.raises(stagedoor.NotFoundError):
        scene.levels_of_detail("/A", camera="/None")
