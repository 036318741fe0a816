"""The inspector with a role that may read only."""

from __future__ import annotations

import pytest
from conftest import REPOSITORY
from daemon import Daemon

pytest.importorskip("starlette")

from inspecting import Page

STAGE_DOOR = REPOSITORY / "tests/data/stage_door/root.usda"
READER = """
access:
  roles:
    - name: readers
      identities: [local]
      assets: "*"
      methods: [query]
"""
WIND = "/Shot/Curtain/Cloth.wind"


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reader")
    (folder / "daemon.yaml").write_text(READER)
    running = Daemon(folder, f"--config={folder / 'daemon.yaml'}")
    yield running
    running.stop()


@pytest.fixture
def page(reader):
    with Page(reader.address, STAGE_DOOR) as page:
        yield page


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("stage", {}),
        ("children", {"path": "/"}),
        ("errors", {}),
        ("prim", {"path": "/Shot/Curtain/Cloth"}),
        ("why", {"path": WIND, "time": "7"}),
        ("plottable", {"path": "/Shot/Curtain/Cloth"}),
        ("looks", {"path": "/Shot/Theatre/Wall"}),
        ("computed", {"path": "/Shot/Theatre/Wall"}),
        ("cameras", {"time": "1"}),
        ("boxes", {"path": "/"}),
    ],
)
def test_a_role_that_may_query_sees_the_stage(page, name, parameters):
    assert page.ask(name, **parameters)


def test_a_role_that_may_query_sees_frames_curves_and_what_it_searches(page):
    assert page.answer("frame", viewer="v", time="1").content.count(b'"kind":"end"') == 1
    curve = page.answer("curve", path=WIND, first=1, last=48)
    assert curve.status_code == 200
    *_, end = page.lines("search", find="type:Mesh")
    assert end["done"]
    other = {"other-stage": page.stage, "other-time": "24"}
    assert any(line.get("differences") for line in page.lines("compare", time="1", **other))


def test_the_text_of_layers_needs_another_group(page):
    layer = page.ask("stage")["layers"][0]["layer"]
    error = page.error("text", 403, layer=layer)
    assert error["reason"] == "METHOD_FORBIDDEN" and "operator" in error["hint"]


def test_edits_need_another_group(page):
    page.session = page.change("session")["session"]
    edit = {"kind": "active", "path": "/Shot/Camera", "on": False}
    answer = page.post("edit", **edit)
    assert answer.status_code == 403
    assert answer.json()["error"]["reason"] == "METHOD_FORBIDDEN"
