"""Attributes over time in the inspector."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import REPOSITORY

pytest.importorskip("starlette")

from inspecting import Page, unpacked

from stagedoor.inspect import _plots
from stagedoor.inspect._packed import packed

STAGE_DOOR = REPOSITORY / "tests/data/stage_door"
CURTAIN = "/Shot/Curtain/Cloth"
SPLINES = """#usda 1.0
(
    subLayers = [
        @./splines_below.usda@ (offset = 10; scale = 2)
    ]
)
"""
BELOW = """#usda 1.0
def "A"
{
    double curve.spline = {
        bezier,
        0: 0; post curve (1, 0.5),
        4: 2 & 1.5; pre (1, 0.25); post curve (0.5, 1),
        10: 1; pre (1, 2); post held,
    }
    double wild.timeSamples = { 0: nan, 1: 1e308, 2: 1, 3: inf }
    int steps.timeSamples = { 0: 1, 5: 3, 7: None, 9: 4 }
    float3 vector.timeSamples = { 0: (0, 1, 2), 5: (1, 2, 3) }
    token word.timeSamples = { 0: "a", 5: "b" }
    double[] many.timeSamples = { 0: [1], 5: [2] }
    double still = 3
    string text = "x"
}
"""


@pytest.fixture
def page(daemon, folder):
    (folder / "splines.usda").write_text(SPLINES)
    (folder / "splines_below.usda").write_text(BELOW)
    with Page(daemon.address, folder / "splines.usda") as page:
        yield page


def curve(page, path, first=10, last=30, **more):
    answer = page.answer("curve", path=path, first=first, last=last, **more)
    assert answer.status_code == 200, answer.text
    return unpacked(answer.content)


def test_curves_have_values_and_samples(page):
    header, arrays = curve(page, "/A.vector", count=11)
    assert header["type"] == "float3" and not header["held"]
    assert arrays["values"].shape == (len(arrays["times"]), 3)
    assert arrays["knots"].tolist() == [10, 20]
    assert arrays["knotValues"].tolist() == [[0, 1, 2], [1, 2, 3]]
    at = np.searchsorted(arrays["times"], 14)
    assert arrays["values"][at].tolist() == pytest.approx([0.4, 1.4, 2.4])


def test_held_and_blocked_spans(page):
    header, _ = curve(page, "/A.steps", last=40)
    assert header["held"] and header["blocked"] == [[24, 28]]


def test_numbers_that_cannot_be_drawn_are_gaps(page):
    _, arrays = curve(page, "/A.wild")
    assert np.isnan(arrays["knotValues"]).tolist() == [[True], [True], [False], [True]]


def test_splines_have_tangents_in_stage_time(page):
    header, _ = curve(page, "/A.curve")
    knots = header["spline"]["knots"]
    assert header["spline"]["curve"] == "bezier"
    assert [(knot["time"], knot["value"], knot["before"]) for knot in knots] == [
        (10, 0, None),
        (18, 1.5, 2),
        (30, 1, None),
    ]
    assert knots[0]["post"] == [2, 0.25] and knots[1]["pre"] == [2, 0.125]
    assert knots[2]["next"] == "held"
    assert curve(page, "/A.still")[0]["spline"] is None


@pytest.mark.parametrize("name", ["word", "many"])
def test_of_other_types_there_are_samples_only(page, name):
    _, arrays = curve(page, f"/A.{name}")
    assert arrays["knots"].tolist() == [10, 20] and "values" not in arrays


def test_which_attributes_can_be_plotted(page):
    found = {one["name"]: one for one in page.ask("plottable", path="/A")["attributes"]}
    assert list(found)[-1] == "still" and not found["still"]["varies"]
    assert found["many"]["varies"] and not found["many"]["numbers"]
    assert "text" not in found


def test_value_clips_and_which_the_daemon_has_open(daemon):
    with Page(daemon.address, STAGE_DOOR / "root.usda") as page:
        header, _ = curve(page, f"{CURTAIN}.wind", 1, 20)
        spans = [(clip["start"], clip["end"]) for clip in header["clips"]]
        assert spans == [(1, 9), (9, 17), (17, 20)]
        layers = [clip["layer"] for clip in header["clips"]]
        found = page.change("residency", layers=[*layers, "/nope.usda"])["clips"]
        assert set(found) == set(layers) and found[layers[0]]["opens"] >= 1


def test_wrong_questions(page, monkeypatch):
    assert "before the last" in page.error("curve", path="/A.still", first=2, last=1)["message"]
    assert "finite" in page.error("curve", path="/A.still", first="inf", last=1)["message"]
    assert page.error("curve", 404, path="/A.nope", first=1, last=2)["reason"]
    monkeypatch.setattr(_plots, "MAX_SAMPLES", 1)
    assert "shorter range" in page.error("curve", path="/A.vector", first=1, last=99)["hint"]


def test_packed_arrays_are_aligned_and_not_copied():
    numbers = np.arange(6, dtype=np.float32).reshape(2, 3)
    flags = np.array([True])
    parts = packed({"a": "é"}, {"numbers": numbers, "flags": flags, "none": np.zeros((0, 3))})
    assert np.shares_memory(np.frombuffer(parts[1], np.float32), numbers)
    header, arrays = unpacked(b"".join(parts))
    assert header["a"] == "é" and arrays["numbers"].tolist() == numbers.tolist()
    assert arrays["flags"].tolist() == [True] and arrays["none"].shape == (0, 3)
    big_endian = packed({}, {"x": np.array([1.5], ">f8")})
    assert unpacked(b"".join(big_endian))[1]["x"].tolist() == [1.5]
