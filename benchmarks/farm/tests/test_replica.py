"""One replica or one process at a time: budgets, ends, restarts, and what a process keeps."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import pytest

from farm.calls import Call, StageKey
from farm.model import load_of, sized
from farm.parameters import Farm, Machine, Shot
from farm.readers import ReplicaReader
from farm.recorder import Recorder
from farm.replica import Answer, Outcome, Replica
from farm.shared_rate import Event
from farm.simulation import Simulation

FARM = Farm(nodes=1, replicas=3, shots=6, render_s=60.0)


def asked(simulation: Simulation, replica: Replica, call: Call) -> list[tuple[float, Answer]]:
    """A list that gets the answer and its time while the simulation runs."""
    found: list[tuple[float, Answer]] = []

    def ask() -> Generator[Event, object, None]:
        answer = yield from replica.ask(call, None)
        found.append((simulation.env.now, answer))

    simulation.env.process(ask())
    return found


def call_of(stage: StageKey, core_s: float = 0.0, reply_bytes: float = 0.0) -> Call:
    return Call("values", stage, 1, core_s, reply_bytes, 0.0)


def test_a_full_budget_refuses_a_stage_before_it_is_composed() -> None:
    one_stage = 1.5 * 4 * FARM.shot.prims * FARM.costs.prim_bytes
    simulation = Simulation(dataclasses.replace(FARM, machine=Machine(memory_bytes=one_stage)), 5.0)
    replica = simulation.replicas[0]
    first = asked(simulation, replica, call_of((0, 0)))
    simulation.run(5.0)
    read = simulation.store.bytes
    second = asked(simulation, replica, call_of((1, 0)))
    simulation.run(10.0)
    assert first[0][1].outcome is Outcome.ANSWERED
    assert second == [(5.0, Answer(Outcome.REFUSED, "stages", 2.0))]
    assert simulation.store.bytes == read


@pytest.mark.parametrize("call", [call_of((0, 0), 100.0), call_of((0, 0), 0.0, 1e15)])
def test_calls_of_a_lost_replica_end_when_it_is_lost(call: Call) -> None:
    simulation = Simulation(FARM, 5.0)
    replica = simulation.replicas[0]
    replica.stages.insert((0, 0), 1.0, 0.0)
    found = asked(simulation, replica, call)
    simulation.at(7.0, lambda: simulation.lose(replica))
    simulation.run(20.0)
    assert found == [(7.0, Answer(Outcome.LOST))]


def test_a_composition_that_a_loss_interrupts_answers_nobody() -> None:
    simulation = Simulation(FARM, 5.0)
    replica = simulation.replicas[0]
    found = asked(simulation, replica, call_of((0, 0)))
    simulation.at(0.01, lambda: simulation.lose(replica))
    simulation.run(20.0)
    assert [answer.outcome for _, answer in found] == [Outcome.LOST]
    assert len(replica.stages) == 0


@pytest.mark.parametrize("warm", [True, False])
def test_a_warm_replica_opens_its_own_stages_before_it_joins(warm: bool) -> None:
    simulation = Simulation(dataclasses.replace(FARM, warm=warm, shots=30), 5.0)
    replica = simulation.replicas[0]
    homes = [s for s in simulation.stages() if simulation.balancer.order(s[0])[0] == replica.name]
    opened_before_joining: list[set[Any]] = []
    join = simulation.balancer.join

    def joins(name: str) -> None:
        opened_before_joining.append(set(replica.stages))
        join(name)

    simulation.balancer.join = joins  # type: ignore[method-assign]
    simulation.at(0.0, lambda: simulation.restart(replica))
    simulation.run(60.0)
    assert 0 < len(homes) < 30
    assert opened_before_joining == [set(homes) if warm else set()]


def test_a_new_process_gets_the_static_arrays_again_and_may_move() -> None:
    shot = Shot(frames_per_process=2)
    simulation = Simulation(dataclasses.replace(FARM, shot=shot, render_s=5.0), 5.0)
    node = simulation.nodes[0]
    simulation.start_together(0.0, simulation.nodes)
    reader = node.reader
    assert isinstance(reader, ReplicaReader)
    seen: list[tuple[bool, bool]] = []
    read = reader.read

    def reads(
        stage: StageKey, frame: int, new_process: bool, has_arrays: bool
    ) -> Generator[Event, object, bool]:
        seen.append((new_process, has_arrays))
        return read(stage, frame, new_process, has_arrays)

    reader.read = reads  # type: ignore[method-assign]
    simulation.run(60.0)
    assert seen[:4] == [(True, False), (False, True), (True, False), (False, True)]


def test_a_new_process_is_placed_anew() -> None:
    simulation = Simulation(FARM, 5.0)
    reader = simulation.nodes[0].reader
    assert isinstance(reader, ReplicaReader)
    first, _, third = simulation.balancer.order(0)

    def work() -> Generator[Event, object, None]:
        reader.at = third
        yield from reader.read((0, 0), 0, False, True)
        assert reader.at == third
        yield from reader.read((0, 0), 0, True, False)
        assert reader.at == first

    process = simulation.env.process(work())
    simulation.run(30.0)
    assert process.ok


def test_stages_need_room_for_two_copies_of_two_versions() -> None:
    farm = sized(Farm(nodes=1000))
    assert load_of(farm).stage_bytes == 20 * 2 * 2 * 500_000 * 663


def test_latencies_are_those_of_the_intervals_that_begin_in_the_time() -> None:
    simulation = Simulation(FARM, 5.0)
    recorder = Recorder(simulation.env, 10.0)
    for time in (5.0, 15.0, 25.0):
        simulation.run(time)
        recorder.latency("open", time)
    assert recorder.latencies("open") == [5.0, 15.0, 25.0]
    assert recorder.latencies("open", 10.0, 20.0) == [15.0]
    assert recorder.latencies("open", 10.0) == [15.0, 25.0]
    assert recorder.percentiles("open", 0.0, 10.0) == [5.0, 5.0, 5.0]
