"""The notebook farm_frame.ipynb."""

from __future__ import annotations

import ast

import pytest
from conftest import REPOSITORY
from notebooks import check_stored_notebook, run_notebook

SCENE = REPOSITORY / "tests/data/stage_door"

# Added at the end, to see what cannot be seen in a picture.
PROBE = """
print([text.get_text() for text in axes.texts])
print(axes.lines[0].get_ydata()[6])
print([mark.get_offsets().shape for mark in side.collections])
"""


@pytest.fixture(scope="module")
def outputs(daemon, tmp_path_factory):
    return run_notebook(
        "farm_frame.ipynb", daemon.address, tmp_path_factory.mktemp("kernel"), PROBE
    )


def test_notebook_is_stored_without_outputs():
    check_stored_notebook("farm_frame.ipynb", cells=13)


def test_stage_and_layers(outputs):
    assert outputs["open"].value.startswith(f"<Stage '{SCENE}/root.usda', snapshot ")
    assert "<td>1 to 48, 24 per second</td>" in outputs["open"].html
    assert outputs["layers"].value.splitlines() == [
        f"@{SCENE}/root.usda@</> (root)",
        f"@{SCENE}/shot/animation.usda@</> (root)",
        f"@{SCENE}/shot/lighting.usda@</> (root, offset 4, scale 1)",
        f"@{SCENE}/shot/layout.usda@</> (root)",
    ]


def test_frame(outputs):
    assert outputs["meshes"].printed.splitlines() == [
        "/Shot/Theatre/Floor default",
        "/Shot/Theatre/Wall default",
        "/Shot/Characters/Actor/Body default",
        "/Shot/Curtain/Cloth default",
    ]
    row = "<tr><td>12</td><td>42.173912</td><td>2.87025</td><td>0</td></tr>"
    assert row in outputs["values"].html
    assert "<td>9</td><td>2.997</td>" in outputs["shutter"].html
    assert "<td>13</td><td>2.828</td>" in outputs["shutter"].html
    assert "<img src=" in outputs["shutter"].html
    assert outputs["camera"].value == "array([0.229, 1.6  , 7.083, 1.   ])"
    assert outputs["skin"].value == "array([0.3  , 1.554, 2.276], dtype=float32)"


@pytest.mark.parametrize("cell", ["bow", "plot", "block"])
def test_plots(outputs, cell):
    assert outputs[cell].kinds == ["text/plain", "image/png"]


def test_active_clips(outputs):
    numbers = range(1, 49, 8)
    rows = [line.split() for line in outputs["clips"].value.splitlines()]
    assert rows[0] == ["clip", "start", "end"]
    assert rows[1:] == [
        [str(i), f"curtain.{number:03}.usda", f"{number}.0", f"{min(number + 8, 48)}.0"]
        for i, number in enumerate(numbers)
    ]
    labels, value, poses = outputs["probe"].printed.splitlines()
    assert ast.literal_eval(labels) == [f"curtain.{number:03}.usda" for number in numbers]
    assert float(value) == 2.8685
    assert ast.literal_eval(poses) == [(12, 2)] * 3


def test_explanation(outputs):
    lines = outputs["why"].value.splitlines()
    assert lines[0] == "/Shot/Curtain/Cloth.wind at TimeCode(7): value_clips"
    assert "  interpolated between 5 and 9" in lines
    assert "<tr><td>value</td><td>2.8685</td></tr>" in outputs["why"].html


def test_tables(outputs):
    rows = [line.split() for line in outputs["table"].value.splitlines()]
    assert rows == [
        ["/Shot/Camera.focalLength", "/Shot/Curtain/Cloth.wind"],
        ["min", "35.0", "1.007"],
        ["max", "85.0", "2.997"],
    ]
    assert "large_list<item: fixed_size_list<item: float>[3]>), 48)" in outputs["arrow"].value


def test_edits_and_watching(outputs):
    lines = outputs["edit"].printed.splitlines()
    assert lines[:2] == ["50.0", "#usda 1.0"]
    assert "            48: 50," in lines
    assert "<td>/Shot/Camera.focalLength</td><td>timeSamples</td>" in outputs["watch"].html
    assert outputs["after"].value == "85.0"
    assert outputs["close"].kinds == []
