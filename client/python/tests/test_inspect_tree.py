"""The tree of the inspector: rows, a page at a time."""

from __future__ import annotations

import pytest
from conftest import REPOSITORY

pytest.importorskip("starlette")

from inspecting import Page

from stagedoor.inspect import _tree

STAGE_DOOR = REPOSITORY / "tests/data/stage_door/root.usda"
FLAGS = """#usda 1.0
def Xform "Off" ( active = false ) {}
class "Class" {}
over "Over" {}
def Xform "Loaded" ( payload = @./payload.usda@ ) {}
def Xform "Hidden"
{
    token visibility = "invisible"
    def Xform "Below" {}
}
def Xform "Variants" (
    variants = { string look = "red" }
    prepend variantSets = ["look"]
)
{
    variantSet "look" = {
        "red" {
            def "InRed" {}
        }
        "blue" {
        }
    }
}
def "Broken" ( references = [@./missing1.usda@, @./missing2.usda@] ) {}
"""


@pytest.fixture
def page(daemon, folder):
    with Page(daemon.address, folder / "shot.usda") as page:
        yield page


@pytest.fixture
def flags(daemon, folder):
    (folder / "flags.usda").write_text(FLAGS)
    with Page(daemon.address, folder / "flags.usda") as page:
        yield page


def rows(page, **parameters):
    return {row["path"]: row for row in page.ask("children", **parameters)["rows"]}


def test_pages_of_children(page):
    first = page.ask("children", path="/World/Sizes", offset=0, limit=150)
    assert first["total"] == 200 and len(first["rows"]) == 150
    second = page.ask("children", path="/World/Sizes", offset=150, limit=150)
    assert [row["path"] for row in second["rows"]][-1] == "/World/Sizes/S199"
    assert first["snapshot"] == second["snapshot"] != ""
    assert page.ask("children", path="/World/Sizes", offset=1000)["rows"] == []


def test_rows_describe_prims(flags):
    found = rows(flags, path="/", show="all")
    assert "inactive" in found["/Off"]["flags"]
    assert found["/Class"]["specifier"] == "class"
    assert found["/Over"]["specifier"] == "over"
    assert "has_payload" in found["/Loaded"]["flags"]
    assert found["/Variants"]["variants"] == [["look", "red"]]
    assert found["/Variants"]["children"] == 1
    assert found["/Hidden"]["invisible"] and "invisible" not in found["/Off"]
    assert rows(flags, path="/Hidden")["/Hidden/Below"]["invisible"]
    assert not {"/Class", "/Over"} & set(rows(flags, path="/"))


def test_payloads_that_are_not_loaded(flags):
    found = rows(flags, path="/", load="none")["/Loaded"]
    assert "unloaded" in found["flags"] and found["children"] == 0
    assert rows(flags, path="/")["/Loaded"]["children"] == 1


def test_rows_below_instances(daemon):
    with Page(daemon.address, STAGE_DOOR) as page:
        lamp = rows(page, path="/Shot/Props")["/Shot/Props/LampA"]
        assert "instance" in lamp["flags"] and lamp["prototype"]
        below = rows(page, path="/Shot/Props/LampA")
        assert all("instance_proxy" in row["flags"] for row in below.values()) and below


def test_where_a_prim_is(page):
    found = page.ask("position", path="/World/Sizes/S007")["positions"]
    assert [step["path"] for step in found] == ["/World", "/World/Sizes", "/World/Sizes/S007"]
    assert found[-1]["index"] == 7 and found[-1]["total"] == 200
    assert len(page.ask("position", path="/World/Nope/Below")["positions"]) == 1
    assert page.ask("position", path="/")["positions"] == []


def test_rows_of_named_prims(page):
    found = page.change("rows", paths=["/World", "/World/Static"])["rows"]
    assert [row["path"] for row in found] == ["/World", "/World/Static"]


def test_numbers_of_children_are_left_out_if_their_names_are_too_large(
    daemon, folder, page, monkeypatch
):
    prims = "".join(f'def "{"A" * 300}{i:03}" {{}}\n' for i in range(400))
    (folder / "long.usda").write_text("#usda 1.0\n" + prims)
    monkeypatch.setattr(_tree, "_CHUNK_BYTES", 65536)
    monkeypatch.setattr(_tree, "_MAX_REPLY_BYTES", 1)
    found = rows(page, stage=folder / "long.usda", limit=400)
    counts = [row["children"] for row in found.values()]
    assert len(found) == 400 and counts[0] == 0 and counts[-1] is None
    assert len(rows(page, path="/World")) == 4  # in one message


def test_names_are_kept_for_one_snapshot_and_up_to_a_size(monkeypatch):
    monkeypatch.setattr(_tree, "_MAX_KEPT_BYTES", 150)
    names = _tree.Names("s")
    names.put(("/a", "all"), ["x"])
    names.put(("/b", "all"), ["y"])
    assert names.get(("/a", "all")) == ["x"]
    names.put(("/c", "all"), ["z"])
    assert names.get(("/b", "all")) is None and names.get(("/a", "all")) == ["x"]


def test_composition_errors(flags):
    found = flags.ask("errors", limit=1)
    assert found["total"] == 2 and len(found["errors"]) == 1
    assert found["counts"] == {"/Broken": 2}
    assert "missing" in found["errors"][0]["message"]
    assert flags.ask("errors", offset=2)["errors"] == []


def test_wrong_questions_say_what_to_do(page):
    assert page.error("children", 404, path="/Nope")["reason"] == "PRIM_NOT_FOUND"
    assert "absolute prim path" in page.error("children", path="World")["message"]
    assert "from 1 to 500" in page.error("children", limit=501)["message"]
    assert "use one of defined, all" in page.error("children", show="some")["message"]
    assert "is not a time" in page.error("children", time="noon")["message"]
    assert "finite" in page.error("children", time="nan")["message"]
    assert page.error("children", 404, stage="/nope.usda")["reason"] == "LAYER_NOT_FOUND"
    assert "no stage" in page.error("children", stage="")["message"]
    assert page.error("stage", 404, session="private:guessed")["hint"]


def test_description_of_the_stage(page):
    found = page.ask("stage")
    assert (found["start"], found["end"], found["defaultPrim"]) == (1, 48, "/World")
    assert found["layers"][0]["layer"] == page.stage and found["layerCount"] == 1
    assert {"name": "upAxis", "text": '"Y"'} in found["metadata"]


def test_stages_of_the_daemon(page):
    page.ask("stage")
    found = page.ask("stages")
    assert page.stage in [stage["root"] for stage in found["stages"]]
    assert {"root": page.stage, "session": "", "load": "all"} in found["here"]
