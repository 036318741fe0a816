"""Frames for the viewport of the inspector."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import REPOSITORY

pytest.importorskip("starlette")

from inspecting import Page, unpacked

from stagedoor.inspect import _packed, _viewport
from stagedoor.inspect._packed import Gathered

STAGE_DOOR = REPOSITORY / "tests/data/stage_door/root.usda"
SCENE = """#usda 1.0
(
    upAxis = "Z"
)
def Xform "World"
{
    def Sphere "Ball"
    {
        double radius.timeSamples = { 1: 1, 2: 2 }
        color3f[] primvars:displayColor = [(1, 0, 0)]
        double3 xformOp:translate = (1, 2, 3)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def PointInstancer "Many"
    {
        rel prototypes = [</World/Many/Cube>]
        int[] protoIndices = [0, 0, 0]
        point3f[] positions = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
        def Cube "Cube" {}
    }
    def Cube "Guide"
    {
        uniform token purpose = "guide"
    }
}
"""


@pytest.fixture
def page(daemon, folder):
    (folder / "viewport.usda").write_text(SCENE)
    with Page(daemon.address, folder / "viewport.usda") as page:
        yield page


@pytest.fixture
def door(daemon):
    with Page(daemon.address, STAGE_DOOR) as page:
        yield page


def frame(page, **parameters):
    """The blocks of a frame, by kind, and what to name as base of the next one."""
    answer = page.answer("frame", viewer="v", **parameters)
    assert answer.status_code == 200, answer.text
    content, found = answer.content, []
    while content:
        length = int.from_bytes(content[:4], "little")
        assert content[4:8] == bytes(4)
        found.append(unpacked(content[8 : 8 + length]))
        content = content[8 + length :]
    kinds: dict[str, list] = {}
    for header, arrays in found:
        kinds.setdefault(header["kind"], []).append((header, arrays))
    return kinds


def base_of(kinds):
    return kinds["end"][0][0]["base"]


def prims_of(kinds):
    return {
        path: (int(number), int(geometry), type_name)
        for header, arrays in kinds["prims"]
        for path, number, geometry, type_name in zip(
            header["paths"], arrays["numbers"], arrays["geometry"], header["types"]
        )
    }


def geometry_of(kinds, number):
    for header, arrays in kinds["geometry"]:
        for entry in header["geometry"]:
            if entry["number"] == number:
                return entry, arrays
    raise KeyError(number)


def test_a_frame_has_what_is_drawn(page):
    found = frame(page, time="1")
    begin = found["begin"][0][0]
    assert begin["complete"] and begin["upAxis"] == "Z" and begin["time"] == "1"
    prims = prims_of(found)
    assert set(prims) == {"/World/Ball", "/World/Many", "/World/Many/Cube"}
    number, geometry, type_name = prims["/World/Ball"]
    assert type_name == "Sphere"
    entry, arrays = geometry_of(found, geometry)
    assert entry["values"]["radius"]["number"] == 1
    color = entry["values"]["primvars:displayColor"]
    assert color["interpolation"] == "constant"
    assert arrays[color["array"]].tolist() == [[1, 0, 0]]
    (_, transforms), *_ = found["transforms"]
    row = transforms["numbers"].tolist().index(number)
    assert transforms["matrices"].dtype == np.float32
    assert transforms["matrices"][row][3].tolist() == [1, 2, 3, 1]


def test_instances_of_an_instancer(page):
    found = frame(page, time="1")
    prims = prims_of(found)
    entry, arrays = geometry_of(found, prims["/World/Many"][1])
    instances = entry["instances"]
    assert instances["total"] == 3
    assert arrays[instances["matrices"]][:, 3, 0].tolist() == [0, 1, 2]
    (header, columns), *_ = [
        block for block in found["prims"] if "/World/Many/Cube" in block[0]["paths"]
    ]
    part = header["paths"].index("/World/Many/Cube")
    assert columns["prototypes"][part] == instances["prototypes"][0] != 0


def test_the_next_frame_has_only_what_differs(page):
    first = frame(page, time="1")
    second = frame(page, time="2", base=base_of(first))
    assert not second["begin"][0][0]["complete"] and "prims" not in second
    number = prims_of(first)["/World/Ball"][1]
    entry, _ = geometry_of(second, number)
    assert list(entry["values"]) == ["radius"] and entry["values"]["radius"]["number"] == 2
    third = frame(page, time="2", base=base_of(second))
    assert set(third) == {"begin", "end"}
    # Another base, or another selection, begins anew.
    assert frame(page, time="1", base=base_of(first))["begin"][0][0]["complete"]
    assert frame(page, time="1", base=1, path="/World/Ball")["begin"][0][0]["complete"]


def test_small_parts_are_sent_together():
    gathered = Gathered()
    large = memoryview(bytes(_packed._SMALL))
    assert list(gathered.add([memoryview(b"a"), memoryview(b"b")])) == []
    assert list(gathered.add([memoryview(b"c"), large])) == [b"abc", large]
    half = large[: len(large) // 2]
    assert [len(part) for part in gathered.add([half, half, half])] == [_packed._SMALL]
    assert [len(part) for part in gathered.rest()] == [len(half)]
    assert list(gathered.rest()) == []


def test_purposes_and_parts_of_the_stage(page):
    assert "/World/Guide" in prims_of(frame(page, purposes="default,guide"))
    assert set(prims_of(frame(page, path="/World/Ball"))) == {"/World/Ball"}
    assert page.answer("frame", viewer="v", purposes="nope").status_code == 400


def test_deformed_points_materials_lights_and_the_camera(door):
    found = frame(door, time="12", camera="/Shot/Camera")
    body = prims_of(found)["/Shot/Characters/Actor/Body"]
    entry, arrays = geometry_of(found, body[1])
    assert arrays[entry["values"]["points"]["array"]].shape == (12, 3)
    wood = next(
        material
        for header, _ in found["materials"]
        for material in header["materials"]
        if material["path"].endswith("Wood")
    )
    assert wood["color"] == pytest.approx([0.45, 0.28, 0.15])
    lights = [light["path"] for header, _ in found["lights"] for light in header["lights"]]
    assert "/Shot/Lights/Spot" in lights
    (camera, _), *_ = found["camera"]
    assert camera["path"] == "/Shot/Camera" and len(camera["window"]) == 4
    moved = frame(door, time="13", camera="/Shot/Camera", base=base_of(found))
    assert "camera" in moved and "materials" not in moved


def test_while_the_time_moves_only_points_of_coarser_shapes_are_sent(door):
    first = frame(door, time="4")
    number = prims_of(first)["/Shot/Characters/Actor/Body"][1]
    sources = [0, 5, 11]
    shape = {"number": number, "points": 12, "sources": sources}
    assert door.change("coarse", viewer="v", shapes=[shape]) == {"known": True}
    second = frame(door, time="5", base=base_of(first), coarse="1")
    entry, arrays = geometry_of(second, number)
    assert entry["values"]["points"]["coarse"]
    few = arrays[entry["values"]["points"]["array"]]
    assert few.shape == (3, 3)
    # The others come when the time rests, and only once.
    third = frame(door, time="5", base=base_of(second))
    entry, arrays = geometry_of(third, number)
    assert "coarse" not in entry["values"]["points"]
    points = arrays[entry["values"]["points"]["array"]]
    assert points.shape == (12, 3) and np.array_equal(points[sources], few)
    assert set(frame(door, time="5", base=base_of(third))) == {"begin", "end"}


def test_coarser_shapes_of_another_topology_are_not_used(door):
    first = frame(door, time="4")
    number = prims_of(first)["/Shot/Characters/Actor/Body"][1]
    door.change("coarse", viewer="v", shapes=[{"number": number, "points": 9, "sources": [1]}])
    entry, arrays = geometry_of(frame(door, time="5", base=base_of(first), coarse="1"), number)
    assert len(arrays[entry["values"]["points"]["array"]]) == 12
    # All of a frame has all points, and what is known of coarser shapes is forgotten with it.
    entry, _ = geometry_of(frame(door, time="6", coarse="1"), number)
    assert "coarse" not in entry["values"]["points"]
    assert door.change("coarse", viewer="another", shapes=[]) == {"known": False}


def test_wrong_coarser_shapes_are_refused(door):
    base_of(frame(door, time="4"))
    for shapes, why in [
        ("all", "not a list of objects"),
        ([{"number": 1, "points": 3, "sources": [3]}], "numbers from 0 to 2"),
        ([{"number": 1, "points": 3, "sources": [True]}], "numbers from 0 to 2"),
        ([{"number": -1, "points": 3, "sources": []}], "whole number from 0"),
    ]:
        answer = door.post("coarse", viewer="v", shapes=shapes)
        assert answer.status_code == 400 and why in answer.text


def test_edits_of_a_session_are_sent_as_differences(page):
    page.session = page.change("session")["session"]
    first = frame(page, time="1")
    page.change("edit", kind="set", path="/World/Ball.radius", value="5")
    second = frame(page, time="1", base=base_of(first))
    entry, _ = geometry_of(second, prims_of(first)["/World/Ball"][1])
    assert entry["values"]["radius"]["number"] in (1, 5)
    page.change("edit", kind="active", path="/World/Ball", on=False)
    third = frame(page, time="1", base=base_of(second))
    (_, removed), *_ = third["removed"]
    assert prims_of(first)["/World/Ball"][0] in removed["numbers"]


def test_a_frame_that_is_too_large_is_cut(page, monkeypatch):
    monkeypatch.setattr(_viewport, "MAX_PRIMS", 2)
    found = frame(page, time="1")
    assert base_of(found) == 0
    assert "cut" in found or found["begin"]
    monkeypatch.setattr(_viewport, "MAX_PRIMS", 100)
    monkeypatch.setattr(_viewport, "MAX_BYTES", 1)
    assert base_of(frame(page, time="1")) == 0


def test_errors_are_blocks(page):
    found = frame(page, path="/World/Nobody")
    assert found["error"][0][0]["error"]["reason"] == "PRIM_NOT_FOUND"
    found = frame(page, camera="/World/Ball")
    assert found["error"][0][0]["error"]["reason"] == "WRONG_KIND"


def test_viewers_are_few(page):
    for number in range(_viewport._MAX_VIEWERS + 3):
        page.answer("frame", viewer=f"viewer {number}")
    held = page.server.stages.open_stages()[0]
    assert len(held.cache["viewers"]) == _viewport._MAX_VIEWERS


def test_cameras_and_boxes(door, page):
    (camera,) = door.ask("cameras", time="1")["cameras"]
    assert camera["path"] == "/Shot/Camera" and camera["matrix"][12:15] == [0, 1.6, 8]
    assert not camera["orthographic"]
    boxes = door.ask("boxes", path="/", time="1")["boxes"]
    assert len(boxes) > 3 and all(len(box) == 6 for box in boxes)
    assert page.ask("cameras")["cameras"] == []
