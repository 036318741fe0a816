"""What notebooks and terminals show."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import REPOSITORY

import stagedoor
from stagedoor import _html, results
from stagedoor.types import LayerOffset, Site, State, TimeCode

HOSTILE = '<script>alert("1")</script>&<img src=x onerror=alert(2)>'


def cells(html: str) -> list[list[str]]:
    """The texts of the rows of a table."""
    rows = re.findall(r"<tr>(.*?)</tr>", html, flags=re.S)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, flags=re.S) for row in rows]


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, attributes))

    def handle_data(self, data):
        self.text += data


def check_escaped(html: str) -> None:
    """That hostile texts are shown, and are texts only."""
    parsed = Tags(html)
    assert HOSTILE in parsed.text
    for tag, attributes in parsed.found:
        assert tag in ("table", "tr", "th", "td", "p", "img"), tag
        for name, value in attributes:
            assert name == "colspan" or (tag, name) == ("img", "src"), (tag, name)
            assert name != "src" or value.startswith("data:image/png;base64,")


def samples(count: int, **fields) -> results.Samples:
    """`count` samples of a double at 1, 2, …"""
    given = {
        "path": "/A.x",
        "type_name": "double",
        "interval": None,
        "variation": "sampled",
        "codes": tuple(TimeCode(1 + i) for i in range(count)),
        "states": (State.VALUE,) * count,
        "values": tuple(float(i) for i in range(count)),
        "error": None,
        "warnings": (),
    }
    return results.Samples(**{**given, **fields})


def test_stage(stage):
    assert cells(stage._repr_html_()) == [
        ["Stage", ""],
        ["root layer", stage.root_layer],
        ["snapshot", stage.snapshot],
        ["default prim", "/World"],
        ["time codes", "1 to 48, 24 per second"],
        ["up axis", "Y, 0.01 m per unit"],
    ]


def test_prim(stage):
    rows = cells(stage["/World"]._repr_html_())
    assert rows[0] == ["/World", "Xform"] and ["proxyPrim", "rel"] in rows
    assert ["double", "double"] in cells(stage["/World/Types"]._repr_html_())


def test_what_cannot_be_read_has_only_a_plain_representation(client, folder):
    stage = client.open(folder / "shot.usda")
    assert stage["/Nope"]._repr_html_() is None
    stage.close()
    assert stage["/World"]._repr_html_() is None


def test_layer_stack(stage_door):
    stage_door["/Shot/Camera.focalLength"].set(20.0)
    folder = REPOSITORY / "tests/data/stage_door"
    assert cells(stage_door.layer_stack._repr_html_()) == [
        ["layer", "path", "arc", "offset"],
        ["anon:session.usda", "/", "root", ""],
        [f"{folder}/root.usda", "/", "root", ""],
        [f"{folder}/shot/animation.usda", "/", "root", ""],
        [f"{folder}/shot/lighting.usda", "/", "root", "4"],
        [f"{folder}/shot/layout.usda", "/", "root", ""],
    ]
    assert stage_door.GetLayerStack()[2] == f"{folder}/shot/animation.usda"
    lines = repr(stage_door.layer_stack).splitlines()
    assert lines[3] == f"@{folder}/shot/lighting.usda@</> (root, offset 4, scale 1)"
    assert lines[4] == f"@{folder}/shot/layout.usda@</> (root)"


def test_stacks_of_prims_and_properties_are_tables_too(stage_door):
    actor = stage_door["/Shot/Characters/Actor/Rig/Bow"]
    rows = cells(actor.stack._repr_html_())
    assert [row[3] for row in rows] == ["offset", "1 scale 2", "1 scale 2"]
    rows = cells(actor["rotations"].stack()._repr_html_())
    assert [row[1:] for row in rows[1:]] == [["/Bow.rotations", "reference", "1 scale 2"]]


def test_samples(stage):
    wave = stage["/World/Types.wave"].samples()
    assert cells(wave._repr_html_()) == [
        ["/World/Types.wave", "double"],
        ["1", "0"],
        ["5", "8"],
        ["9", "blocked"],
    ]
    points = stage["/World/Static.points"].samples()
    assert cells(points._repr_html_())[1:] == [["always", "float32 array of shape (400, 3)"]]
    assert repr(wave) == "<Samples of /World/Types.wave (double): 3, sampled>"


def test_limits_from_the_left_are_named():
    codes = (TimeCode.PreTime(100000.25), TimeCode(100000.25))
    html = samples(2, codes=codes)._repr_html_()
    assert [row[0] for row in cells(html)[1:]] == ["before 100000.25", "100000.25"]


def test_long_tables_are_limited():
    html = samples(53)._repr_html_()
    assert len(cells(html)) == 1 + 50 + 1 and cells(html)[-1] == ["and 3 more"]
    assert "more" not in samples(50)._repr_html_()


def test_samples_have_a_plot_if_matplotlib_is_installed(monkeypatch):
    pytest.importorskip("matplotlib")
    with_plot = [samples(2), samples(10_000), samples(2, type_name="int")]
    assert all("<img src=" in found._repr_html_() for found in with_plot)
    texts = samples(2, type_name="string", values=("a", "b"))
    for found in (samples(1), samples(10_001), texts):
        assert "<img" not in found._repr_html_()
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    assert "<img" not in samples(2)._repr_html_()


def test_values(stage):
    values = stage.values(["/World/Types.wave", "/Nope.x"], [3, "default", 9])
    assert cells(values._repr_html_()) == [
        ["time", "/World/Types.wave", "/Nope.x"],
        ["3", "4", "PRIM_NOT_FOUND: no prim at &#x27;/Nope&#x27;"],
        ["default", "no value", "PRIM_NOT_FOUND: no prim at &#x27;/Nope&#x27;"],
        ["9", "blocked", "PRIM_NOT_FOUND: no prim at &#x27;/Nope&#x27;"],
    ]
    many = stage.values([f"/World/Sizes/S{i:03}.radius" for i in range(11)], 1)
    rows = cells(many._repr_html_())
    assert rows[0][-2:] == ["/World/Sizes/S007.radius", "and 3 more paths"]
    assert rows[1] == ["1", *(str(i) for i in range(8))]


def test_explanation(stage_door):
    rows = cells(stage_door["/Shot/Curtain/Cloth.wind"].why(7)._repr_html_())
    assert rows[0] == ["/Shot/Curtain/Cloth.wind", "7"]
    assert ["value", "2.8685"] in rows and ["source", "value_clips"] in rows
    assert ["samples", "5 and 9"] in rows
    assert rows[-1][1:] == ["/Curtain/Cloth.wind", "clip", "", "2.8685"]


def test_layer(client, tmp_path):
    file = tmp_path / "layer.usda"
    file.write_text('#usda 1.0\ndef Xform "A"\n{\n double x = 1\n}\n')
    assert cells(client.layer(str(file))._repr_html_()) == [
        [str(file), "usda", "fields"],
        ["/A", "prim", "specifier, typeName"],
        ["/A.x", "attribute", "custom, typeName, variability, default"],
    ]


def test_changes():
    changed = stagedoor.Changes("s1", "s2", ("/A",), {"/B.x": ("default", "timeSamples")})
    rows = [["changed", "s2"], ["/A", "resynced"], ["/B.x", "default, timeSamples"]]
    assert cells(changed._repr_html_()) == rows


def test_short_values():
    assert _html.short(np.zeros((6, 3), "f4")) == "float32 array of shape (6, 3)"
    assert _html.short(np.eye(2)) == "[[1. 0.] [0. 1.]]"
    assert _html.short(["a"] * 17) == "list of 17" and _html.short(["a"]) == "['a']"
    assert _html.short(None) == "no value" and _html.short(42.173912048339844) == "42.173912"
    assert _html.short("x" * 121) == "x" * 117 + "…" and _html.short("x" * 120) == "x" * 120


@pytest.mark.parametrize(
    "html",
    [
        samples(2, path=HOSTILE)._repr_html_(),
        samples(2, type_name=HOSTILE, values=("a", "b"))._repr_html_(),
        samples(1, type_name="string", values=(HOSTILE,))._repr_html_(),
        samples(0, error=stagedoor.Error(HOSTILE))._repr_html_(),
        results.SiteList([Site(HOSTILE, "/A", "root")])._repr_html_(),
        results.SiteList([Site("/a.usda", HOSTILE, "root")])._repr_html_(),
        results.SiteList([Site("/a.usda", "/A", HOSTILE)])._repr_html_(),
        results.Layer(HOSTILE, "usda", {}, {})._repr_html_(),
        results.Layer("a", "usda", {}, {"/A": results.Spec(HOSTILE, "", {})})._repr_html_(),
        results.Layer("a", "", {}, {"/A": results.Spec("/A", "", {HOSTILE: 1})})._repr_html_(),
        stagedoor.Changes("s1", "s2", (HOSTILE,))._repr_html_(),
        stagedoor.Changes("s1", "s2", (), {"/A": (HOSTILE,)})._repr_html_(),
    ],
)
def test_texts_are_escaped(html):
    check_escaped(html)


def test_texts_of_stages_and_prims_are_escaped():
    settings = {"start_time_code": None, "end_time_code": 1.0, "default_prim": None}
    numbers = {"time_codes_per_second": 24.0, "meters_per_unit": 1.0}
    for name in ("root_layer", "snapshot", "up_axis"):
        texts = {"root_layer": "/a.usda", "snapshot": "s", "up_axis": "Y", name: HOSTILE}
        check_escaped(_html.stage(SimpleNamespace(**settings, **numbers, **texts)))
    attribute = SimpleNamespace(name="x", type_name=HOSTILE)
    relationship = SimpleNamespace(name=HOSTILE)
    for given in (
        {"path": HOSTILE, "type_name": "", "attributes": [], "relationships": []},
        {"path": "/A", "type_name": HOSTILE, "attributes": [], "relationships": []},
        {"path": "/A", "type_name": "", "attributes": [attribute], "relationships": []},
        {"path": "/A", "type_name": "", "attributes": [], "relationships": [relationship]},
    ):
        check_escaped(_html.prim(SimpleNamespace(**given)))


def test_texts_of_explanations_and_values_are_escaped(client):
    layer = f"#usda 1.0\ndef \"A\"\n{{\n string x = '''{HOSTILE}'''\n}}\n"
    with client.open("/a.usda", layers={"/a.usda": layer}) as stage:
        check_escaped(stage["/A.x"].why()._repr_html_())
        check_escaped(stage.values("/A.x")._repr_html_())
        check_escaped(stage["/A.x"].samples()._repr_html_())


# ------------------------------------------------------------------------- terminals


def test_sites_of_terminals():
    site = Site("/a.usda", "/A", "reference", LayerOffset(10, 0.5))
    assert str(site) == "@/a.usda@</A> (reference, offset 10, scale 0.5)"
    assert repr(results.SiteList([site, site])) == f"{site}\n{site}"
    assert repr(results.SiteList()) == "[]"


def test_results_with_arrays_show_their_shapes(stage_door):
    body = stage_door["/Shot/Characters/Actor/Body"].skinned_points(12)
    assert repr(body) == (
        "SkinnedPrim(path='/Shot/Characters/Actor/Body', time=TimeCode(12), "
        "points=float32 array of shape (12, 3), skeleton='/Shot/Characters/Actor/Rig', "
        "animation_source='/Shot/Characters/Actor/Rig/Bow', rigid=False)"
    )
    many = results.Collection("/A.collection:all", "rules", tuple(map(str, range(17))))
    assert repr(many) == ("Collection(path='/A.collection:all', mode='rules', members=tuple of 17)")
    joints = stage_door.joint_transforms("/Shot/Characters/Actor/Rig", 1)
    assert "transforms=float64 array of shape (3, 4, 4))" in repr(joints)
