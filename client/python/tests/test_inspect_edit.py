"""Edits in sessions of the inspector."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")

from inspecting import Page

import stagedoor
from stagedoor.inspect import _edit, _held
from stagedoor.inspect._ask import Refused

SHOT = """#usda 1.0
(
    subLayers = [@./edit_below.usda@]
)
def Xform "A" (
    variants = { string look = "red" }
    prepend variantSets = "look"
)
{
    double size = 1
    float3 vector = (1, 2, 3)
    string text = "old"
    asset file = @./a.png@
    variantSet "look" = {
        "red" {
            int color = 1
        }
        "blue" {
            int color = 2
        }
    }
}
def "P" ( payload = @./edit_payload.usda@ )
{
}
"""
BELOW = '#usda 1.0\nover "A"\n{\n    custom double below = 5\n}\n'
PAYLOAD = '#usda 1.0\n(\n    defaultPrim = "P"\n)\ndef "P"\n{\n    def "Inside"\n    {\n    }\n}\n'


@pytest.fixture
def page(daemon, folder):
    (folder / "edit.usda").write_text(SHOT)
    (folder / "edit_below.usda").write_text(BELOW)
    (folder / "edit_payload.usda").write_text(PAYLOAD)
    with Page(daemon.address, folder / "edit.usda") as page:
        page.session = page.change("session")["session"]
        yield page


def value(page, path, time="default"):
    return page.ask("why", path=path, time=time)["value"]["text"]


def test_a_stage_that_is_only_looked_at_is_not_edited(page):
    page.session = ""
    answer = page.post("edit", kind="set", path="/A.size", value="2")
    assert answer.status_code == 400 and "begin a session" in answer.json()["error"]["hint"]


def test_values_are_set_and_undone(page):
    made = page.change("edit", kind="set", path="/A.size", value="2.5")
    assert value(page, "/A.size") == "2.5" and made["undo"] == 1 and made["last"] == "set size"
    page.change("edit", kind="set", path="/A.size", value="7", at="time", time="3")
    assert value(page, "/A.size", "3") == "7"
    page.change("edit", kind="block", path="/A.text")
    assert page.ask("why", path="/A.text")["blocked"]
    page.change("undo")
    page.change("undo")
    assert value(page, "/A.size", "3") == "2.5" and value(page, "/A.text") == '"old"'
    assert page.change("undo")["undo"] == 0
    assert value(page, "/A.size") == "1"
    assert page.post("undo").status_code == 409


def test_others_do_not_see_the_edits_of_a_private_session(page):
    page.change("edit", kind="set", path="/A.size", value="2")
    page.session = ""
    assert value(page, "/A.size") == "1"


def test_a_named_session_is_shared(page, daemon):
    page.session = page.change("session", name="review 12")["session"]
    page.change("edit", kind="set", path="/A.size", value="3")
    with stagedoor.connect(daemon.address) as client:
        other = client.open(page.stage, session="review 12", on_change="follow")
        assert other["/A.size"].get() == 3
        other["/A.text"].set("theirs")
        # Undo keeps the edits that somebody else has made since.
        answer = page.post("undo")
        assert answer.status_code == 409 and "elsewhere" in answer.json()["error"]["message"]
        assert other["/A.text"].get() == "theirs" and other["/A.size"].get() == 3


def test_undo_is_possible_after_files_have_changed(page, folder):
    page.change("edit", kind="set", path="/A.size", value="2")
    (folder / "edit_below.usda").write_text(BELOW.replace("5", "6789"))
    page.server.stages.open_stages()  # the session follows files
    for _ in range(200):
        if value(page, "/A.below") == "6789":
            break
    page.change("undo")
    assert value(page, "/A.size") == "1"


def test_variants_active_load_and_mute(page):
    page.change("edit", kind="variant", path="/A", set="look", choice="blue")
    assert value(page, "/A.color") == "2"
    page.change("undo")
    assert value(page, "/A.color") == "1"
    page.change("edit", kind="active", path="/A", on=False)
    rows = {row["path"]: row for row in page.ask("children", path="/")["rows"]}
    assert "inactive" in rows["/A"]["flags"]
    page.change("undo")
    page.change("edit", kind="load", path="/P", on=False)
    assert page.ask("children", path="/P")["total"] == 0
    page.change("undo")
    assert page.ask("children", path="/P")["total"] == 1
    layer = page.ask("stage")["layers"][-1]["layer"]
    assert layer.endswith("edit_below.usda")
    page.change("edit", kind="mute", layer=layer, on=True)
    assert page.ask("stage")["muted"] == [layer]
    assert page.error("why", 404, path="/A.below")["reason"] == "ATTRIBUTE_NOT_FOUND"
    page.change("undo")
    assert page.ask("stage")["muted"] == []


def test_what_is_set_is_cleared_and_reverted(page):
    page.change("edit", kind="set", path="/A.size", value="2")
    page.change("edit", kind="clear", path="/A.size")
    assert value(page, "/A.size") == "1"
    page.change("edit", kind="set", path="/A.size", value="2")
    page.change("edit", kind="revert", path="/A")
    assert value(page, "/A.size") == "1"


def test_the_session_is_exported(page):
    page.change("edit", kind="set", path="/A.size", value="2.5")
    answer = page.answer("export")
    assert answer.headers["content-disposition"] == 'attachment; filename="edit.session.usda"'
    assert "double size = 2.5" in answer.text and answer.text.startswith("#usda 1.0")


def test_a_private_session_ends(page):
    page.change("edit", kind="set", path="/A.size", value="2")
    page.change("end")
    assert "ended" in page.error("stage", 404)["message"]
    page.session = ""
    assert page.post("end").status_code == 400


def test_sessions_with_edits_are_kept_when_there_are_many(page, folder, monkeypatch):
    page.change("edit", kind="set", path="/A.size", value="2")
    monkeypatch.setattr(page.server.stages, "_most", 2)
    kept = page.session
    for name in ("one", "two", "three"):
        page.session = name
        page.ask("stage")
    page.session = kept
    assert value(page, "/A.size") == "2"
    monkeypatch.setattr(page.server.stages, "_most", 1)
    page.session = "four"
    page.server.stages.open_stages()[0].watchers = 1
    assert "close pages" in page.error("stage", 429)["hint"]


def test_steps_of_undo_are_bounded(page, monkeypatch):
    monkeypatch.setattr(_held, "_MAX_UNDO_BYTES", 400)
    for number in range(12):
        made = page.change("edit", kind="set", path="/A.size", value=str(number))
    assert 1 <= made["undo"] < 12
    monkeypatch.setattr(_edit, "MAX_LAYER", 1)
    assert page.change("edit", kind="set", path="/A.size", value="1")["undo"] == 0


def test_wrong_edits_say_what_to_write(page):
    def message(**edit):
        answer = page.post("edit", **edit)
        assert answer.status_code >= 400
        return answer.json()["error"]

    assert message(kind="set", path="/A.size", value="big")["hint"].startswith("write it as")
    assert message(kind="set", path="/A.vector", value="[1, 2]")["message"]
    assert message(kind="set", path="/A.nope", value="1")["reason"] == "ATTRIBUTE_NOT_FOUND"
    assert "use one of set" in message(kind="paint")["message"]
    assert "characters" in message(kind="set", path="/A.text", value="x" * (1 << 21))["message"]
    assert "must not begin" in page.post("session", name="private:x").json()["error"]["message"]


@pytest.mark.parametrize(
    ("text", "type_name", "value"),
    [
        ("1.5", "double", 1.5),
        ("nan", "double", pytest.approx(float("nan"), nan_ok=True)),
        ('"-inf"', "double", float("-inf")),
        ("true", "bool", True),
        ("[1, 2]", "int[]", [1, 2]),
        ('[1, "nan"]', "double[]", [1, pytest.approx(float("nan"), nan_ok=True)]),
        ("hello", "string", "hello"),
        ('"hello"', "token", "hello"),
        ("12", "string", "12"),
        ("@a", "asset", "@a"),
    ],
)
def test_values_that_people_write(text, type_name, value):
    assert _edit.parsed(text, type_name) == value


def test_values_that_make_no_sense():
    for text in ("", "[1, ", "1 2", "[" * 100_000):
        with pytest.raises(Refused):
            _edit.parsed(text, "double")


def test_whole_values_are_shown_to_be_changed(page):
    assert page.ask("editable", path="/A.vector")["text"] == "[1, 2, 3]"
    assert page.ask("editable", path="/A.file")["text"] == '"./a.png"'
    found = page.ask("editable", path="/A.text")
    assert found == {"type": "string", "text": '"old"', "cut": False}
