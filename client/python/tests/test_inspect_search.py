"""Searching a stage in the inspector: by names, types, properties and values."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import REPOSITORY

pytest.importorskip("starlette")

from inspecting import Page

from stagedoor.inspect import _index, _query, _search
from stagedoor.inspect._ask import Refused

STAGE_DOOR = REPOSITORY / "tests/data/stage_door/root.usda"


@pytest.fixture
def page(daemon, folder):
    with Page(daemon.address, folder / "shot.usda") as page:
        yield page


@pytest.fixture
def door(daemon):
    with Page(daemon.address, STAGE_DOOR) as page:
        yield page


def found(page, text, **parameters):
    lines = page.lines("search", find=text, **parameters)
    assert lines[-1]["done"]
    return [hit for line in lines for hit in line.get("found", [])]


def paths(page, text, **parameters):
    return [
        hit["path"] + ("." + hit["property"] if "property" in hit else "")
        for hit in found(page, text, **parameters)
    ]


def test_words_are_parts_of_names(page):
    assert paths(page, "stat") == ["/World/Static"]
    assert paths(page, "s00") == [f"/World/Sizes/S00{i}" for i in range(10)]
    assert paths(page, "S 7 09") == ["/World/Sizes/S097"]
    assert paths(page, "nothing") == []


def test_patterns_are_whole_names(page):
    assert paths(page, "s?9*") == [
        f"/World/Sizes/S{i:03}" for i in [*range(90, 100), *range(190, 200)]
    ]
    assert paths(page, "*ing") == ["/World/Moving"]
    assert paths(page, "[ms]*ing") == ["/World/Moving"]
    assert paths(page, "ovin") == ["/World/Moving"] and paths(page, "?ovin") == []
    assert paths(page, "[") == []


def test_words_with_slashes_are_parts_of_paths(page):
    assert paths(page, "/Sizes s199") == ["/World/Sizes/S199"]
    assert paths(page, "/sizes s199") == []  # paths have an upper and a lower case


def test_types_kinds_and_schemas(page, door):
    assert paths(page, "type:Mesh") == ["/World/Static", "/World/Moving"]
    assert "/World/Sizes/S000" in paths(page, "type:Gprim type:Mesh")
    assert paths(page, "type:Mesh mov") == ["/World/Moving"]
    assert paths(page, "kind:gr*") == ["/World"]
    assert paths(page, "api:CollectionAPI") == paths(page, "api:CollectionAPI:set") == ["/World"]
    assert paths(page, "api:CollectionAPI:other") == []
    # Prims below instances are found, too.
    assert "/Shot/Props/LampA/Bulb" in paths(door, "type:SphereLight")


def test_properties_and_values(page):
    assert paths(page, "prop:ra*us s007") == ["/World/Sizes/S007.radius"]
    hit = found(page, "value:=199 prop:radius")[0]
    assert (hit["path"], hit["value"]["text"]) == ("/World/Sizes/S199", "199")
    assert len(found(page, "prop:radius value:>=190 value:<195")) == 5
    assert paths(page, "value:hällo") == ["/World/Types.text"]
    assert paths(page, "value:~h*o") == ["/World/Types.text"]
    assert paths(page, "prop:vector value:[1,2,3]") == ["/World/Types.vector"]
    assert paths(page, "prop:wave value:=4", time="3") == ["/World/Types.wave"]
    assert paths(page, "prop:wave value:=4") == []
    assert paths(page, "prop:numbers") == ["/World/Types.numbers"]
    assert paths(page, "prop:numbers value:=1") == []  # arrays are not compared


def test_more_than_the_limit(page):
    lines = page.lines("search", find="s", limit=7)
    assert sum(len(line.get("found", [])) for line in lines) == 7
    assert lines[-1] == {"done": True, "more": True}
    assert page.lines("search", find="stat", limit=1)[-1]["more"] is False


def test_nothing_is_searched_for_nothing(page):
    assert page.lines("search", find="  ") == [{"done": True, "more": False}]


def test_progress_is_reported(page):
    lines = page.lines("search", find="prop:radius value:=3")
    assert max(line.get("examined", 0) for line in lines) >= 200


def test_the_index_is_kept_for_a_snapshot(page):
    found(page, "stat")
    held = page.server.stages.open_stages()[0]
    snapshot, index = held.cache["index defined"]
    assert snapshot == held.session.snapshot and len(index) == 205
    found(page, "mov")
    assert held.cache["index defined"][1] is index


def test_a_stage_too_large_for_an_index_is_read(page, monkeypatch):
    monkeypatch.setattr(_index, "MAX_CHARACTERS", 10)
    assert paths(page, "stat") == ["/World/Static"]
    assert "index defined" not in page.server.stages.open_stages()[0].cache


def test_wrong_searches_say_what_to_write(page):
    lines = page.lines("search", find="value:>x")
    assert lines[-1]["error"]["hint"] == "write, say, value:>0.5"
    assert "up to 20" in page.lines("search", find="a " * 21)[-1]["error"]["message"]


@pytest.mark.parametrize(
    ("test", "value", "type_name", "holds"),
    [
        ("1.5", 1.5, "double", True),
        ("=1.5", np.float32(1.5), "float", True),
        ("==2", 1, "int", False),
        ("!=2", 1, "int", True),
        ("<2", 1, "int", True),
        (">=1", True, "bool", False),
        ("true", True, "bool", True),
        ("<2", "1", "string", False),
        ("!=off", "on", "token", True),
        ("[0,1]", np.array([0.0, 1.0]), "double2", True),
        ("~[0*", np.array([0.0, 1.0]), "double2", True),
        ("~*1*", np.array([0.0, 1.0]), "double2", True),
        ("=1", np.array([1]), "int[]", False),
        ("!=1", None, "int", False),
    ],
)
def test_conditions_of_values(test, value, type_name, holds):
    assert _query.value_test(test).holds(value, type_name) is holds


def test_what_people_write():
    query = _query.parse("Chair 'two words' type:Mesh prop:a:b* value:>1 other:x type:")
    assert query.words == ["chair", "two words", "other:x"]
    assert (query.types, query.properties) == (["Mesh"], ["a:b*"])
    assert query.values == [_query.ValueTest(">", "1")]
    assert _query.parse("it's").words == ["it", "s"]
    with pytest.raises(Refused):
        _query.value_test("<nan")


def test_properties_are_compared_some_at_a_time(page, monkeypatch):
    monkeypatch.setattr(_search, "_VALUES_AT_ONCE", 7)
    assert len(found(page, "prop:radius value:>=0")) == 200
