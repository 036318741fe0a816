"""Plots depend on the run only."""

from __future__ import annotations

import pathlib

from farm.parameters import Farm
from farm.plots import plot_run
from farm.scenarios import SCENARIOS


def test_the_same_run_gives_the_same_small_file(tmp_path: pathlib.Path) -> None:
    farm = Farm(nodes=60, replicas=3, shots=6, render_s=60.0)
    run, own = (SCENARIOS["publish"](farm, own) for own in (False, True))
    for name in ("first", "second"):
        plot_run(run, own, str(tmp_path / name))
    first = (tmp_path / "first").read_bytes()
    assert first == (tmp_path / "second").read_bytes()
    assert len(first) < 100_000
    assert b"publish: 60 nodes, 3 replicas, 6 shots" in first
