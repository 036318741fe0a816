"""The prim panel of the inspector: properties, values, and why."""

from __future__ import annotations

import pytest
from conftest import REPOSITORY

pytest.importorskip("starlette")

from inspecting import Page

from stagedoor.inspect import _layer_text, _prim
from stagedoor.inspect._layer_text import LayerText

STAGE_DOOR = REPOSITORY / "tests/data/stage_door"
LAYERS = {
    "strong.usda": """#usda 1.0
(
    subLayers = [@./weak.usda@]
)
over "A"
{
    double blocked = None
    rel targets = </A>
    custom double only = 3
}
""",
    "weak.usda": """#usda 1.0
def "A" ( references = </B> )
{
    double size.timeSamples = { 1: 1, 3: 5 }
    double blocked = 7
}
def "B"
{
    double size = 9
    float shade = 0.6
    color3f tint = (1, 0, 0)
    float3 many.timeSamples = { 1: (1, 2, 3) }
}
""",
}


@pytest.fixture
def page(daemon, folder):
    for name, text in LAYERS.items():
        (folder / name).write_text(text)
    with Page(daemon.address, folder / "strong.usda") as page:
        yield page


@pytest.fixture
def door(daemon):
    with Page(daemon.address, STAGE_DOOR / "root.usda") as page:
        yield page


def test_description(door):
    found = door.ask("prim", path="/Shot/Props/LampB")
    assert (found["type"], found["kind"]) == ("Xform", "component")
    assert found["variants"][0]["selection"] == "cold"
    assert "warm" in found["variants"][0]["choices"]
    assert [site["arc"] for site in found["stack"]][:2] == ["root", "root"]
    assert found["stackCount"] == len(found["stack"])
    assert "Imageable" in found["ancestors"]
    cloth = door.ask("prim", path="/Shot/Curtain/Cloth")
    by_name = {found["name"]: found for found in cloth["properties"]}
    assert by_name["wind"] == {
        "name": "wind",
        "authored": True,
        "custom": True,
        "type": "double",
        "source": "value_clips",
        "varying": True,
    }
    assert by_name["material:binding"]["targets"] == ["/Shot/Curtain/Looks/Velvet"]
    assert door.ask("prim", path="/")["type"] == ""


def test_arcs_are_a_tree_in_order_of_strength(page):
    found = page.ask("arcs", path="/A")
    arcs = found["arcs"]
    assert found["total"] == len(arcs) == 2
    assert [(arc["type"], arc["path"], arc["parent"]) for arc in arcs] == [
        ("root", "/A", 0),
        ("reference", "/B", 0),
    ]
    assert [arc["specs"] for arc in arcs] == [2, 1]
    stack = page.ask("prim", path="/A")["stack"]
    assert len(stack) == sum(arc["specs"] for arc in arcs)
    assert arcs[1]["layer"].endswith("weak.usda") or arcs[1]["layer"].endswith("strong.usda")


def test_connections(door):
    found = door.ask("prim", path="/Shot/Theatre/Looks/Wood/Surface")
    by_name = {found["name"]: found for found in found["properties"]}
    assert by_name["inputs:diffuseColor"]["connections"] == ["/Shot/Theatre/Looks/Wood.inputs:tint"]


def test_pages_of_properties(page, monkeypatch):
    monkeypatch.setattr(_prim, "MAX_PROPERTIES", 3)
    first = page.ask("prim", path="/A")
    second = page.ask("properties", path="/A", offset=3)
    page.ask("prim", path="/B")
    assert page.ask("properties", path="/A", offset=3) == second  # read again
    names = [found["name"] for found in first["properties"] + second["properties"]]
    assert first["propertyCount"] == 7 and len(names) == 6 == len(set(names))
    assert page.ask("properties", path="/A", offset=100)["properties"] == []


def test_values_at_a_time(page):
    names, types = (
        ["size", "blocked", "tint", "shade", "nope"],
        ["double", "double", "color3f", "float", ""],
    )
    found = page.change("values", path="/A", names=names, types=types, time="2")["values"]
    assert found["size"] == {"text": "3"} and found["blocked"] == {"text": "", "state": "blocked"}
    assert found["tint"]["color"] == "#ff0000" and found["shade"] == {"text": "0.6"}
    assert found["nope"]["state"] == "error" and "nope" in found["nope"]["message"]
    default = page.change("values", path="/A", names=["size"], types=["double"])["values"]
    assert default["size"] == {"text": "9"}
    assert page.change("values", path="/A", names=[], types=[])["values"] == {}
    assert page.post("values", path="/A", names=["size"], types=[]).status_code == 400


def outcomes(found):
    return [(o["site"]["path"], o["outcome"]) for o in found["opinions"]]


def test_why(page):
    found = page.ask("why", path="/A.size", time="2")
    assert (found["value"], found["source"]) == ({"text": "3"}, "time_samples")
    assert (found["lower"], found["upper"], found["interpolated"]) == (1, 3, True)
    assert outcomes(found) == [("/A.size", "wins"), ("/B.size", "weaker")]
    assert [o["value"]["text"] for o in found["opinions"]] == ["3", "9"]
    # At the default time, samples say nothing.
    default = page.ask("why", path="/A.size", time="default")
    assert outcomes(default) == [("/A.size", "nothing"), ("/B.size", "wins")]
    blocked = page.ask("why", path="/A.blocked")
    assert blocked["blocked"] and outcomes(blocked) == [
        ("/A.blocked", "blocks"),
        ("/A.blocked", "weaker"),
    ]
    shade = page.ask("why", path="/A.shade")
    assert shade["value"] == {"text": "0.6"} == shade["opinions"][0]["value"]


def test_why_of_clips_and_fallbacks(door):
    found = door.ask("why", path="/Shot/Curtain/Cloth.wind", time="7")
    assert [o["outcome"] for o in found["opinions"]] == ["nothing", "wins"]
    assert found["opinions"][1]["site"]["arc"] == "clip" and any(
        "clip 0" in n for n in found["notes"]
    )
    fallback = door.ask("why", path="/Shot/Curtain/Cloth.purpose")
    assert (fallback["source"], fallback["opinions"]) == ("fallback", [])


def test_why_of_relationships(page):
    found = page.ask("why", path="/A.targets")
    assert found["relationship"] and outcomes(found) == [("/A.targets", "counts")]


def test_wrong_paths(page):
    assert page.error("why", 404, path="/A.nope")["reason"] == "ATTRIBUTE_NOT_FOUND"
    assert "path of an attribute" in page.error("why", path="/A")["message"]
    assert page.error("prim", 404, path="/Nope")["hint"].startswith("look for it in the tree")


# ------------------------------------------------------------------------------------ layer text


def test_lines_of_a_spec(page, folder):
    found = page.ask("text", layer=str(folder / "weak.usda"), path="/A.size")
    marked = [found["lines"][mark - found["first"]] for mark in found["marks"]]
    assert marked == ["    double size.timeSamples = {"]
    assert page.ask("text", layer=str(folder / "weak.usda"), path="/A.nope")["marks"] == []
    second = page.ask("text", layer=str(folder / "weak.usda"), first=2, count=1)
    assert second["first"] == 2 and len(second["lines"]) == 1 and second["total"] > 10
    assert page.error("text", 404, layer="/nope.usda")["reason"] == "LAYER_NOT_FOUND"


def test_text_of_a_binary_layer(page, folder, client):
    client.convert(str(folder / "weak.usda"), str(folder / "weak.usdc"))
    found = page.ask("text", layer=str(folder / "weak.usdc"), path="/B.tint")
    assert found["lines"][found["marks"][0] - found["first"]] == "    color3f tint = (1, 0, 0)"


def test_a_layer_is_read_up_to_a_limit(page, folder, monkeypatch):
    monkeypatch.setattr(_layer_text, "MAX_READ", 10)
    found = page.ask("text", layer=str(folder / "weak.usda"), path="/nope")
    assert found["cut"]


TEXT = """#usda 1.0
(
    doc = '''several
def "NotThis" {
'''
)

def Xform "W" (
    doc = "it's \\"quoted\\" '''"
    kind = "group"
    variants = {
        string look = "red"
    }
)
{
    reorder nameChildren = "B"
    custom string s = '''multi
    def "NorThis"
    {
'''
    double z = 1 (
        doc = "d"
    )
    double z.connect = </W.x>
    double z.timeSamples = {
        1: 2,
    }
    asset[] tex = [@a.png@, @@@b'''@.png@@@]
    prepend rel r = [
        </W>,
    ]
    custom float ns:ä = 1

    def "B"
    {
        int b = 1
    }
    variantSet "look" = {
        "red" (
            doc = "v"
        ) {
            int inRed = 3

            def "R"
            {
                variantSet "sub" = {
                    "a" {
                        int inA = 1

                    }
                }
            }
        }
        "blue" {
        }
    }
}

over "X"
{
}
"""


def places(text, sizes=(10**9,)):
    made = LayerText()
    data, i = text.encode(), 0
    while data:
        size = sizes[i % len(sizes)]
        made.feed(data[:size])
        data, i = data[size:], i + 1
    made.finish()
    return made


@pytest.mark.parametrize("sizes", [(10**9,), (1,), (7, 64, 3)])
def test_places_of_specs(sizes):
    found = places(TEXT, sizes)
    lines = TEXT.split("\n")
    at = {path: [lines[n - 1].strip() for n in numbers] for path, numbers in found.places.items()}
    assert at == {
        "/W": ['def Xform "W" ('],
        "/W.s": ["custom string s = '''multi"],
        "/W.z": ["double z = 1 (", "double z.connect = </W.x>", "double z.timeSamples = {"],
        "/W.tex": ["asset[] tex = [@a.png@, @@@b'''@.png@@@]"],
        "/W.r": ["prepend rel r = ["],
        "/W.ns:ä": ["custom float ns:ä = 1"],
        "/W/B": ['def "B"'],
        "/W/B.b": ["int b = 1"],
        "/W{look=red}": ['"red" ('],
        "/W{look=red}.inRed": ["int inRed = 3"],
        "/W{look=red}R": ['def "R"'],
        "/W{look=red}R{sub=a}": ['"a" {'],
        "/W{look=red}R{sub=a}.inA": ["int inA = 1"],
        "/W{look=blue}": ['"blue" {'],
        "/X": ['over "X"'],
    }
    assert found.lines == lines[:-1]


def test_long_lines_and_many_lines_are_cut(monkeypatch):
    monkeypatch.setattr(_layer_text, "MAX_LINES", 3)
    found = places("a" * 10_000 + "\nb\nc\nd\n")
    assert len(found.lines[0]) < 500 and found.lines[1:] == ["b", "c"] and found.is_cut


def test_bytes_that_are_no_text_do_no_harm():
    assert places("x\n").lines == ["x"]
    made = LayerText()
    made.feed(b"\xff\xfe\x00\n")
    assert len(made.lines) == 1 and made.lines[0].encode()


# ------------------------------------------------------------------------ materials, lights, place


def test_materials_and_lights(door):
    found = door.ask("looks", path="/Shot/Theatre/Wall")
    assert [one["purpose"] for one in found["materials"]] == ["", "full", "preview"]
    best = found["materials"][0]["candidates"][0]
    assert (best["material"], best["outcome"]) == ("/Shot/Theatre/Looks/Plaster", "wins")
    assert "/Shot/Lights/Spot" not in found["lights"] and found["lightCount"] == len(
        found["lights"]
    )
    link = door.ask("light-link", path="/Shot/Curtain/Cloth", light="/Shot/Lights/Spot")
    assert link["linked"] and link["rules"][0]["outcome"] == "decides"
    assert not door.ask("light-link", path="/Shot/Theatre/Wall", light="/Shot/Lights/Spot")[
        "linked"
    ]


def test_shaders_of_a_material(door):
    found = door.ask("network", path="/Shot/Theatre/Looks/Wood")
    (node,) = found["nodes"]
    assert node["id"] == "UsdPreviewSurface" and found["nodeCount"] == 1
    tint = next(port for port in node["inputs"] if port["name"] == "diffuseColor")
    assert tint["valueSource"] == "/Shot/Theatre/Looks/Wood.inputs:tint" and tint["value"]["color"]
    assert door.error("network", path="/Shot")["reason"] == "WRONG_KIND"


def test_place_and_visibility(door):
    found = door.ask("computed", path="/Shot/Theatre", time="1")
    assert found["visible"] and found["purpose"] == "default"
    assert found["bounds"][0] == pytest.approx([-5, 0, -3])
    assert found["transform"][0] == ["1", "0", "0", "0"]
    assert "bounds" not in door.ask("computed", path="/Shot/Theatre/Looks/Wood/Surface")
