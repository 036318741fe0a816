"""Comparing stages, times and snapshots in the inspector."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")

from inspecting import Page

from stagedoor.inspect import _compare

LEFT = """#usda 1.0
(
    defaultPrim = "A"
)
def Xform "A" ( kind = "group" )
{
    float size = 0.1
    float moving.timeSamples = { 1: 1, 2: 2 }
    double[] many = [1, 2]
    double blocked = 3
    def "Gone"
    {
        def "Below" {}
    }
}
"""
RIGHT = """#usda 1.0
(
    defaultPrim = "A"
    endTimeCode = 5
)
def Xform "A" ( kind = "component" )
{
    float size = 0.2
    float moving.timeSamples = { 1: 1, 2: 2 }
    double[] many = [1, 3]
    double blocked = None
    def Sphere "New" {}
}
"""


@pytest.fixture
def page(daemon, folder):
    (folder / "left.usda").write_text(LEFT)
    (folder / "right.usda").write_text(RIGHT)
    with Page(daemon.address, folder / "right.usda") as page:
        page.other = str(folder / "left.usda")
        yield page


def compared(page, **parameters):
    lines = page.lines("compare", **parameters)
    assert lines[-1]["done"], lines
    return [difference for line in lines for difference in line.get("differences", [])]


def texts(differences):
    return {
        (one["path"], one["aspect"]): (one["left"]["text"], one["right"]["text"])
        for one in differences
    }


def test_two_stages(page):
    found = texts(compared(page, **{"other-stage": page.other}))
    assert found == {
        ("/", "endTimeCode"): ("", "5"),
        ("/A/Gone", "prim"): ('""', ""),
        ("/A/New", "prim"): ("", '"Sphere"'),
        ("/A", "kind"): ('"group"', '"component"'),
        ("/A.size", "at default"): ("0.1", "0.2"),
        ("/A.many", "at default"): ("[1, 2]", "[1, 3]"),
        ("/A.blocked", "at default"): ("3", ""),
    }


def test_two_times_of_one_stage(page):
    found = compared(page, **{"other-stage": page.stage, "time": "2", "other-time": "1"})
    assert texts(found) == {("/A.moving", "at the times"): ("1", "2")}
    lines = page.lines("compare", **{"other-stage": page.stage, "time": "2", "other-time": "1"})
    assert (lines[0]["left"]["time"], lines[0]["right"]["time"]) == ("1", "2")


def test_a_stage_is_equal_to_itself(page):
    assert compared(page, **{"other-stage": page.stage}) == []


def test_a_part_of_a_stage(page):
    found = texts(compared(page, path="/A/New", **{"other-stage": page.stage}))
    assert found == {}
    lines = page.lines("compare", path="/A", **{"other-stage": page.other})
    assert lines[1]["read"] == 3 and all("endTimeCode" not in str(line) for line in lines)


def test_snapshots(page):
    before = page.ask("stage")["snapshot"]
    found = compared(page, **{"other-stage": page.stage, "other-snapshot": before})
    assert found == []
    lines = page.lines("compare", **{"other-stage": page.stage, "other-snapshot": "0" * 32})
    assert lines[-1]["error"]["hint"].startswith("the daemon does not hold it any more")


def test_more_than_the_limit(page, monkeypatch):
    monkeypatch.setattr(_compare, "MAX_DIFFERENCES", 3)
    lines = page.lines("compare", **{"other-stage": page.other})
    assert lines[-1] == {"done": True, "more": True}
    assert sum(len(line.get("differences", [])) for line in lines) == 3


def test_a_side_with_too_many_prims(page, monkeypatch):
    monkeypatch.setattr(_compare, "MAX_PRIMS", 1)
    lines = page.lines("compare", **{"other-stage": page.other})
    assert lines[-1]["error"]["hint"] == "compare a part of the stage"


def test_wrong_questions(page):
    assert "no stage" in page.lines("compare", **{"other-stage": ""})[-1]["error"]["message"]
    lines = page.lines("compare", **{"other-stage": "/nope.usda"})
    assert lines[-1]["error"]["reason"] == "LAYER_NOT_FOUND"
