"""Plots depend on the run only."""

from __future__ import annotations

import pathlib

from farm.parameters import Farm
from farm.plots import NOTHING, compact, plot_run, thinned
from farm.scenarios import SCENARIOS


def test_the_same_run_gives_the_same_small_file(tmp_path: pathlib.Path) -> None:
    farm = Farm(nodes=60, replicas=3, shots=6, render_s=60.0)
    run, own = (SCENARIOS["publish"](farm, own) for own in (False, True))
    for name in ("first", "second"):
        plot_run(run, own, str(tmp_path / name))
    first = (tmp_path / "first").read_bytes()
    assert first == (tmp_path / "second").read_bytes()
    assert len(first) < 45_000 and first.count(b"\n") < 250
    assert b"publish: 60 nodes, 3 replicas, 6 shots" in first


def test_few_points_keep_the_highest_values() -> None:
    assert thinned([1.0, 5.0, 2.0, NOTHING, 3.0], 3) == [5.0, 2.0, 3.0]
    assert str(thinned([NOTHING, NOTHING, 1.0], 2)) == "[nan, 1.0]"
    assert thinned([1.0, 2.0], 2) == [1.0, 2.0]


def test_each_element_down_to_the_ticks_has_a_line() -> None:
    text = """<svg>
  <g>
    <g id="tick">
     <path d="M 1.25 2.345678
L 3 4
"/>
    </g>
   <g/>
</svg>
"""
    assert (
        compact(text)
        == """<svg>
  <g>
    <g id="tick"><path d="M 1.25 2.3 L 3 4 "/></g>
   <g/>
</svg>
"""
    )
