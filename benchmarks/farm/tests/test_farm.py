"""Whole farms: conservation, what is shared, and what happens in the scenarios."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Generator

import pytest

from farm.calls import Call, frame_calls, open_call
from farm.parameters import Client, Costs, Farm, Machine, Shot, Store
from farm.replica import Outcome
from farm.report import over_time, summary, table
from farm.scenarios import SCENARIOS
from farm.shared_rate import Event
from farm.simulation import Simulation, shots_of

FARM = Farm(nodes=60, replicas=3, shots=6, render_s=60.0)
OUTCOMES = [outcome.value for outcome in Outcome]
# A replica that is short of everything, so that all outcomes occur.
WEAK = dataclasses.replace(
    FARM,
    nodes=40,
    machine=Machine(cores=1, memory_bytes=0.12e9, network_bytes_s=0.1e9),
    shot=Shot(prims=40_000),
    client=Client(timeout_s=1.0),
)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize(
    "farm",
    [FARM, WEAK, dataclasses.replace(FARM, frames=True)],
    ids=["enough", "weak", "frames"],
)
def test_every_attempt_and_every_call_ends_once(name: str, farm: Farm) -> None:
    simulation = SCENARIOS[name](farm, False).simulation
    counts = simulation.recorder.counts
    ended = sum(counts[outcome] for outcome in OUTCOMES)
    assert counts["attempts"] == ended
    # A node has at most one call at a time, which may still be in flight at the end.
    open_calls = counts["calls"] - counts["answered calls"] - counts["failed calls"]
    assert 0 <= open_calls <= farm.nodes
    assert counts["answered"] == counts["answered calls"]
    assert sum(simulation.balancer.loads.values()) <= open_calls
    for replica in simulation.replicas:
        assert 0 <= replica.admission.calls <= simulation.balancer.loads[replica.name]
        assert replica.stages.bytes <= replica.stages.budget
        assert replica.assets.bytes <= replica.assets.budget


def test_a_weak_farm_refuses_and_is_late() -> None:
    seen: Counter[str] = Counter()
    for name in ("cold-start", "replica-lost"):
        seen += SCENARIOS[name](WEAK, False).simulation.recorder.counts
    assert all(seen[outcome] > 0 for outcome in OUTCOMES), seen
    assert seen["refused: stages"] > 0


def test_the_same_seed_gives_the_same_run_and_another_seed_another_one() -> None:
    runs = [
        SCENARIOS["replica-lost"](dataclasses.replace(FARM, seed=seed), False) for seed in (1, 1, 2)
    ]
    first, again, other = (over_time(run) for run in runs)
    assert first == again
    assert first != other


def test_a_stage_is_composed_once_however_many_ask() -> None:
    one = dataclasses.replace(FARM, replicas=1, shots=1)
    counts = SCENARIOS["cold-start"](one, False).simulation.recorder.counts
    assert counts["stage misses"] == 1
    # Each of the 30 frames once, for two passes; the static arrays once.
    assert counts["asset misses"] == 31
    assert counts["asset hits"] == 2 * 60 - 31


def test_what_replicas_send_is_what_the_calls_say() -> None:
    run = SCENARIOS["cold-start"](FARM, False)
    sent = sum(replica.network.done for replica in run.simulation.replicas)
    calls = frame_calls((0, 0), 0, True, FARM.shot, FARM.costs)
    frame = sum(call.reply_bytes for call in calls) + 500
    assert run.simulation.recorder.counts["frames"] == 60  # render times are longer than the start
    assert sent == pytest.approx(60 * frame)


def test_own_stages_read_everything_on_each_node() -> None:
    run = SCENARIOS["cold-start"](FARM, True)
    shot = FARM.shot
    each = shot.layer_bytes + shot.static_bytes + shot.frame_bytes
    assert run.simulation.store.bytes == pytest.approx(60 * each)
    figures = summary(run)
    assert figures["from the store [GB]"] == pytest.approx(45)
    assert figures["core hours of replicas"] == 0


def test_a_node_alone_waits_for_nothing_but_the_work() -> None:
    """The sum of latencies, work and transfers, by hand."""
    costs = Costs(call_s=1e-3, value_s=0, traversed_prim_s=0, skinned_point_s=0, array_byte_s=0)
    shot = Shot(
        prims=1000, layers=32, layer_bytes=1e6, values=0, skinned_points=0, skin_calls=0,
        static_bytes=2e6, frame_bytes=1e6, frame_files=1, array_call_bytes=1e6,
    )  # fmt: skip
    costs = dataclasses.replace(
        costs, composed_prim_s=1e-6, clip_open_s=0, traversed_prim_bytes=0, value_bytes=0
    )
    farm = Farm(
        nodes=1, replicas=1, shots=1, node_bytes_s=1e9, round_trip_s=1e-3, shot=shot, costs=costs,
        machine=Machine(compose_threads=1, network_bytes_s=2e9), store=Store(1e9, 1e-3, 16),
    )  # fmt: skip
    simulation = Simulation(farm, 5.0)
    simulation.start_together(0.0, simulation.nodes)
    simulation.run(5.0)
    # OpenStage, Traverse, a batch, a skinning call, two for static arrays, one for the frame.
    round_trips = cores = 7 * 1e-3
    # Latencies: 32 layers 16 at a time; 3 files; 1 file. Then 4 MB at 1 GB/s.
    store = (2 + 1 + 1) * 1e-3 + 4e6 / 1e9
    compose, sent = 1000 * 1e-6, (3e6 + 500) / 1e9
    expected = round_trips + cores + store + compose + sent
    assert simulation.recorder.latencies("frame") == [pytest.approx(expected)]


def test_groups_of_calls_give_the_frames_of_single_calls() -> None:
    farm = dataclasses.replace(FARM, nodes=40, shots=2)
    grouped = SCENARIOS["cold-start"](farm, False).simulation.recorder
    single = SCENARIOS["cold-start"](
        dataclasses.replace(farm, single_calls=True), False
    ).simulation.recorder
    assert grouped.percentiles("frame") == pytest.approx(single.percentiles("frame"), rel=0.03)
    assert single.counts["calls"] > 20 * grouped.counts["calls"]


def test_a_lost_replica_loses_its_calls_and_moves_only_its_stages() -> None:
    farm = dataclasses.replace(FARM, balance_factor=0.0, nodes=300)
    simulation = SCENARIOS["replica-lost"](farm, False).simulation
    lost, *others = simulation.replicas
    assert len(lost.stages) == 0
    assert simulation.recorder.counts["lost"] > 0
    assert simulation.recorder.counts["failed calls"] == 0
    # Each stage that moved was composed once at its new home.
    homes = {stage: simulation.balancer.order(stage[0])[0] for stage in simulation.stages()}
    assert sum(len(replica.stages) for replica in others) == len(homes)
    assert 0 < simulation.recorder.counts["stage misses"] < len(homes)


def test_a_restart_loses_no_call() -> None:
    counts = SCENARIOS["rolling-restart"](FARM, False).simulation.recorder.counts
    assert counts["lost"] == 0
    assert counts["failed calls"] == 0
    assert counts["stage misses"] > 0


def test_published_assets_are_read_again() -> None:
    plain = dataclasses.replace(FARM, balance_factor=0.0)
    simulation = SCENARIOS["publish"](plain, False).simulation
    assert simulation.production.version == 1
    assert simulation.recorder.counts["stage misses"] == FARM.shots  # they were warm before
    held = {stage for replica in simulation.replicas for stage in replica.stages}
    assert {(shot, 1) for shot in range(FARM.shots)} <= held


def test_a_process_stays_where_it_opened_its_stage_until_that_replica_leaves() -> None:
    balancer = Simulation(dataclasses.replace(FARM, balance_factor=1.25), 5.0).balancer
    call = open_call((0, 0), FARM.costs)
    first, second, third = balancer.order(0)
    assert balancer.choose(call, "") == first
    assert balancer.choose(call, third) == third
    balancer.leave(third)
    assert balancer.choose(call, third) == first
    balancer.loads[first] = 8
    assert balancer.choose(call, "") == second
    balancer.leave(first)
    balancer.leave(second)
    assert balancer.choose(call, second) == ""


def test_without_stickiness_each_call_is_placed_anew() -> None:
    balancer = Simulation(dataclasses.replace(FARM, sticky=False), 5.0).balancer
    first, second, _ = balancer.order(0)
    assert balancer.choose(open_call((0, 0), FARM.costs), second) == first


def test_half_of_the_nodes_are_on_the_hot_shot() -> None:
    shots = shots_of(dataclasses.replace(FARM, hot_share=0.5))
    assert (len(shots), shots.count(0), shots.count(5)) == (60, 35, 5)


def test_a_refused_call_is_repeated_up_to_the_attempts() -> None:
    full = dataclasses.replace(FARM, nodes=1, machine=Machine(memory_bytes=1.0))
    simulation = Simulation(full, 5.0)
    call = Call("open", (0, 0), 1, 1e-3, 1.0, 10.0)
    answers: list[bool] = []

    def ask() -> Generator[Event, object, None]:
        reader = simulation.nodes[0].reader
        answers.append((yield from reader.call(call)))  # type: ignore[attr-defined]

    simulation.env.process(ask())
    simulation.run(60.0)
    assert answers == [False]
    assert simulation.recorder.counts["refused: bytes"] == FARM.client.max_attempts
    assert simulation.recorder.counts["failed calls"] == 1


def test_tables_leave_out_what_is_zero_everywhere() -> None:
    rows = table([("a", {"x": 1.0, "y": 0.0}), ("b", {"x": 0.1234, "y": 0.0})])
    assert rows == "| | a | b |\n|---|---|---|\n| x | 1 | 0.123 |"
