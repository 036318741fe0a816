"""Values as the inspector shows them: short, whatever they are."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("starlette")

from stagedoor.inspect._shown import MAX_TEXT, finite, number_text, shown, shown_state, time_text
from stagedoor.types import AssetPath, LayerOffset, ListOp, Reference, State, TimeCode, ValueBlock


@pytest.mark.parametrize(
    ("value", "type_name", "text"),
    [
        (True, "bool", "true"),
        (3, "int", "3"),
        (-9_000_000_000_000_000_001, "int64", "-9000000000000000001"),
        (1.0, "double", "1"),
        (0.1, "double", "0.1"),
        (np.float32(0.1), "float", "0.1"),
        (float("nan"), "double", '"nan"'),
        (float("-inf"), "double", '"-inf"'),
        ("a\n<b>\u202e", "string", '"a\\n<b>\u202e"'),
        (np.array([1, 2.5, 3], np.float32), "float3", "[1, 2.5, 3]"),
        (np.eye(2), "matrix2d", "[[1, 0], [0, 1]]"),
        (np.arange(10), "int[]", "[0, 1, 2, 3, 4, 5, 6, 7, …]"),
        (np.array([[0.1, 0.2, 0.3]], np.float32), "point3f[]", "[[0.1, 0.2, 0.3]]"),
        (["x", "y"], "token[]", '["x", "y"]'),
        (AssetPath("a.png", "", "/r/a.png"), "asset", '"a.png" → "/r/a.png"'),
        (AssetPath("a.png"), "asset", '"a.png"'),
        (ValueBlock(), "", "blocked"),
        ({"a": {"b": 1}}, "dictionary", '{"a": {"b": 1}}'),
        (ListOp(prepended=("x",)), "", '{"prepended": ["x"]}'),
        (
            Reference("a.usda", "/A", LayerOffset(2, 1)),
            "",
            '{"asset_path": "a.usda", "prim_path": "/A", '
            '"layer_offset": {"offset": 2, "scale": 1}, "custom_data": {}}',
        ),
        (None, "double", ""),
    ],
)
def test_texts(value, type_name, text):
    assert shown(value, type_name)["text"] == text


def test_arrays_have_counts():
    assert shown(np.zeros((5000, 3)), "point3f[]")["count"] == 5000
    assert "count" not in shown(np.zeros(3), "float3")
    assert shown([], "token[]") == {"text": "[]", "count": 0}


def test_colors():
    assert shown(np.array([1, 0, 0], np.float32), "color3f")["color"] == "#ff0000"
    assert shown(np.array([0.2140411, np.nan, 9], np.float32), "color3f")["color"] == "#7f00ff"
    assert "color" not in shown(np.zeros((2, 3)), "color3f[]")
    assert "color" not in shown(np.zeros(3), "float3")


@pytest.mark.parametrize(
    "value",
    [
        "x" * 10_000_000,
        ["y" * 1000] * 100_000,
        {str(i): "z" * 100 for i in range(100_000)},
        np.zeros((10_000_000, 3)),
        {"a": {"b": {"c": ["w" * 5000] * 50}}},
    ],
)
def test_long_values_are_cut(value):
    found = shown(value, "string[]" if isinstance(value, (list, np.ndarray)) else "")
    assert found["cut"] and len(found["text"]) <= 2 * MAX_TEXT and "…" in found["text"]


def test_deep_values_are_cut():
    deep: dict[str, object] = {}
    for _ in range(5000):
        deep = {"a": deep}
    assert shown(deep)["cut"]


def test_states():
    assert shown_state(State.BLOCKED, None) == {"text": "", "state": "blocked"}
    assert shown_state(State.VALUE, 1, "int") == {"text": "1"}


def test_numbers_and_times():
    assert [number_text(x) for x in (1e300, -0.0, 12.5)] == ["1e+300", "-0", "12.5"]
    assert finite(float("nan")) is None and finite(2) == 2
    times = (TimeCode(12), TimeCode.PreTime(1.5), TimeCode.Default(), TimeCode.EarliestTime())
    assert [time_text(time) for time in times] == ["12", "pre:1.5", "default", "earliest"]
    json.dumps(shown(float("nan")), allow_nan=False)
