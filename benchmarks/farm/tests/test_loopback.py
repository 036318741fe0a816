"""The model that is compared with real daemons."""

from __future__ import annotations

import pathlib

import pytest

from farm.daemons import Latency, write_scene
from farm.loopback import Loopback, Measured
from farm.validate import joined, mean_core_s

ALONE = Latency(1, 1.0, 1e-3, 1e-3, 2e-3, 5e-3, 9e-3)
FAST = Measured("fast", 3.0, ALONE, 300e-6, 200e-6, 200e-6, 100e-6)
SLOW = Measured("slow", 1.0, ALONE, 300e-6, 200e-6, 700e-6, 100e-6)


def test_waiting_is_the_quantile_without_the_work() -> None:
    assert [FAST.waiting(at) for at in (0.0, 0.5, 0.9, 0.99, 1.0)] == pytest.approx(
        [0.3e-3, 0.5e-3, 1.5e-3, 4.5e-3, 8.5e-3]
    )
    assert FAST.waiting(0.7) == pytest.approx(
        1e-3
    )  # half way from the median to the 90th percentile


def test_a_saturated_machine_serves_what_its_cores_allow() -> None:
    model = Loopback([FAST, SLOW], 2.0, 3, seed=1)
    model.run((22, 21, 21), 5.0, rate=0)
    seen = model.latency("all", 5.0)
    assert model.host.done == pytest.approx(10.0, rel=0.01)
    assert seen.per_second == pytest.approx(2 / mean_core_s([FAST, SLOW]), rel=0.02)
    assert seen.mean * seen.per_second == pytest.approx(64, rel=0.02)  # Little's law
    assert model.core_s == pytest.approx(mean_core_s([FAST, SLOW]), rel=0.02)
    assert model.latency("slow", 5.0).calls == pytest.approx(seen.calls / 4, rel=0.05)


def test_other_programs_take_their_share_of_the_cores() -> None:
    model = Loopback([FAST], 1.5, 3, seed=1)
    model.run((22, 21, 21), 5.0, rate=0)
    assert model.latency("all", 5.0).per_second == pytest.approx(1.5 / 300e-6, rel=0.02)


def test_a_paced_load_has_its_rate_and_the_latency_of_single_calls() -> None:
    model = Loopback([FAST], 2.0, 3, seed=1)
    model.run((22, 21, 21), 10.0, rate=300)
    seen = model.latency("all", 10.0)
    assert seen.per_second == pytest.approx(300, rel=0.01)
    assert seen.p50 == pytest.approx(1e-3, rel=0.15)


def test_rows_of_several_daemons_are_joined_by_calls() -> None:
    rows = [Latency(3, 30.0, 1, 1, 1, 1, 5), Latency(1, 10.0, 5, 5, 5, 5, 6)]
    assert joined(rows) == Latency(4, 40.0, 2, 2, 2, 2, 6)


def test_the_scene_has_two_thousand_prims_with_four_attributes(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "scene.usda"
    write_scene(str(path))
    text = path.read_text()
    assert text.count('    def "Prim') == 2000
    assert text.count("double ") == 8000
