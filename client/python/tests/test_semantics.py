"""The labels of prims."""

from __future__ import annotations

import pytest

import stagedoor
from stagedoor.results import Labels

SCENE = """#usda 1.0
def "A" (
    prepend apiSchemas = ["SemanticsLabelsAPI:kind", "SemanticsLabelsAPI:color"]
)
{
    token[] semantics:labels:kind.timeSamples = { 1: ["toy", "ball"], 3: ["egg"] }
    token[] semantics:labels:color = ["red"]
    def "B"
    {
    }
    def "C" (
        prepend apiSchemas = ["SemanticsLabelsAPI:kind"]
    )
    {
        token[] semantics:labels:kind = ["round"]
    }
}
def "Bare"
{
}
"""


@pytest.fixture
def scene(stage):
    stage.set_session_layer(SCENE)
    return stage


def test_labels_of_all_taxonomies(scene):
    found = scene.labels(["/A/B", "/A", "/Bare", "/None"], 1)
    assert found["/A"] == {
        "color": Labels(True, ("red",), ("red",)),
        "kind": Labels(True, ("ball", "toy"), ("ball", "toy")),
    }
    assert found["/A/B"]["kind"] == Labels(False, (), ("ball", "toy"))
    assert found["/Bare"] == {}
    with pytest.raises(stagedoor.NotFoundError):
        found["/None"]


def test_labels_at_times_and_in_intervals(scene):
    found = scene.labels("/A/C", [1, 3], taxonomies=["kind"])
    assert found["/A/C"] == [
        {"kind": Labels(True, ("round",), ("ball", "round", "toy"))},
        {"kind": Labels(True, ("round",), ("egg", "round"))},
    ]
    found = scene.labels("/A", taxonomies="kind", interval=(1, None))
    assert found["/A"]["kind"].direct == ("ball", "egg", "toy")
    assert scene.labels("/A", interval=(3, 4))["/A"]["kind"].direct == ("egg",)
    with pytest.raises(ValueError, match="interval"):
        scene.labels("/A", 1, interval=(3, 4))


def test_labels_at_default_time(scene):
    found = scene.labels(["/A"])["/A"]
    assert found["color"].direct == ("red",)
    assert found["kind"].direct == ()
