"""The comparison of stages."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import stagedoor
import stagedoor.aio
from stagedoor.results import Difference

LEFT = """#usda 1.0
( upAxis = "Y" )
def Xform "World" ( kind = "group" )
{
    double x = 1
    double moving.timeSamples = { 1: 10, 3: 30 }
    double[] sizes = [1, 2, 3]
    double blocked = None
    rel r = </World>
    def Cube "Old"
    {
        def "Below" {}
    }
    def Sphere "Same" {}
}
"""
WEAK = """#usda 1.0
over "World" ( kind = "assembly" )
{
    double x = 2
    double moving.timeSamples = { 1: 10, 3: 50 }
    double[] sizes = [1, 2, 4]
}
"""
RIGHT = """#usda 1.0
(
    subLayers = [@./weak.usda@]
    upAxis = "Z"
)
def Xform "World"
{
    double x ( doc = "a note" )
    double blocked
    rel r = </World/Same>
    string added = "s"
    def Sphere "Same" { double radius = 2; }
    def Mesh "New" {}
}
"""


@pytest.fixture
def sides(client, tmp_path):
    for name, content in {"left": LEFT, "right": RIGHT, "weak": WEAK}.items():
        (tmp_path / f"{name}.usda").write_text(content, encoding="utf-8")
    with client.open(tmp_path / "left.usda") as left, client.open(tmp_path / "right.usda") as right:
        yield left, right


def by_place(differences: list[Difference]) -> dict[tuple[str, str], Difference]:
    found = {(d.path, d.aspect): d for d in differences}
    assert len(found) == len(differences)
    return found


def test_equal_stages_have_no_differences(sides):
    assert sides[0].diff(sides[0], "1:3") == []


def test_differences_name_both_sides_and_their_layers(sides, tmp_path):
    left, right, weak = (str(tmp_path / f"{name}.usda") for name in ("left", "right", "weak"))
    found = by_place(sides[0].diff(sides[1], [None, 2]))
    assert found["/", "upAxis"] == Difference("/", "upAxis", left="Y", right="Z")
    assert found["/World/Old", "prim"] == Difference(
        "/World/Old", "prim", left="Cube", left_layers=(left,)
    )
    assert ("/World/Old/Below", "prim") not in found
    assert found["/World/New", "prim"].right_layers == (right,)
    kind = found["/World", "kind"]
    assert (kind.left, kind.right) == ("group", "assembly")
    assert (kind.left_layers, kind.right_layers) == ((left,), (right, weak))
    x = found["/World.x", "at default"]
    assert (x.left, x.right, x.time) == (1.0, 2.0, stagedoor.TimeCode.Default())
    assert (x.left_layers, x.right_layers) == ((left,), (weak,)), "not that of the note"
    moving = found["/World.moving", "at 2.0"]
    assert (moving.left, moving.right, moving.time) == (20.0, 30.0, stagedoor.TimeCode(2))
    assert ("/World.moving", "at default") not in found
    sizes = found["/World.sizes", "at default"]
    assert np.array_equal(sizes.left, [1, 2, 3]) and np.array_equal(sizes.right, [1, 2, 4])
    blocked = found["/World.blocked", "at default"]
    assert (blocked.left, blocked.right) == (stagedoor.State.BLOCKED, None)
    assert found["/World.r", "targets"].right == ["/World/Same"]
    assert found["/World.added", "declaration"].left is None
    assert found["/World.added", "at default"].right == "s"
    radius = found["/World/Same.radius", "at default"]
    assert (radius.left, radius.left_layers) == (1.0, ()), "of the schema"
    assert radius.right_layers == (right,)
    assert repr(x) == f"- /World.x at default: 1.0  # {left}\n+ /World.x at default: 2.0  # {weak}"


def test_layers_are_only_asked_for_if_wanted(sides, calls):
    calls.take()
    found = sides[0].diff(sides[1], layers=False)
    assert set(calls.take()) == {"GetStage", "Traverse"}
    assert all(not d.left_layers and not d.right_layers for d in found)


def test_many_differing_prims(client, tmp_path):
    for name, value in (("a", 1), ("b", 2)):
        prims = "".join(f'def "P{i}" {{ double x = {value}; }}\n' for i in range(600))
        (tmp_path / f"{name}.usda").write_text(f"#usda 1.0\n{prims}", encoding="utf-8")
    with client.open(tmp_path / "a.usda") as a, client.open(tmp_path / "b.usda") as b:
        found = a.diff(b, layers=False)
    assert [d.path for d in found] == [f"/P{i}.x" for i in range(600)]


def test_asyncio(daemon, sides, tmp_path):
    async def main() -> list[Difference]:
        async with await stagedoor.aio.open(tmp_path / "left.usda", daemon.address) as left:
            async with await stagedoor.aio.open(tmp_path / "right.usda", daemon.address) as right:
                return await left.diff(right)

    found = asyncio.run(main())
    expected = sides[0].diff(sides[1])
    assert list(map(repr, found)) == list(map(repr, expected)) and found
