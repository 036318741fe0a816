"""What the processes of a machine share."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator

import simpy

from farm.calls import Call
from farm.model import sized
from farm.node import Production
from farm.node_daemon import NodeDaemon
from farm.parameters import Farm, Shot
from farm.recorder import Recorder
from farm.scenarios import cold_start
from farm.shared_rate import Event

CALL = Call("values", (0, 0), 1, 0.0, 1e6, 0.0)


def test_equal_calls_are_fetched_once() -> None:
    env = simpy.Environment()
    recorder = Recorder(env, 1.0)
    daemon = NodeDaemon(env, Farm(), recorder)
    asked = []

    def ask(call: Call) -> Generator[Event, object, bool]:
        asked.append(env.now)
        yield env.timeout(1.0)
        return True

    for key in ("a", "a", "b"):
        env.process(daemon.get(key, CALL, ask))
    env.run()
    env.process(daemon.get("a", CALL, ask))
    env.run()
    assert asked == [0.0, 0.0]
    assert recorder.counts["node: MB from replicas"] == 2


def test_a_call_that_waited_in_vain_asks_itself() -> None:
    env = simpy.Environment()
    daemon = NodeDaemon(env, Farm(), Recorder(env, 1.0))
    outcomes = iter([False, True])
    results = []

    def ask(call: Call) -> Generator[Event, object, bool]:
        yield env.timeout(1.0)
        return next(outcomes)

    def process() -> Generator[Event, object, None]:
        results.append((yield from daemon.get("a", CALL, ask)))

    env.process(process())
    env.process(process())
    env.run()
    assert results == [False, True]


def test_passes_of_a_frame_are_taken_by_one_machine() -> None:
    production = Production(passes=2)
    assert [production.next_frame(0, "m"), production.next_frame(0, "n")] == [0, 1]
    assert [production.next_frame(0, "m"), production.next_frame(0, "m")] == [0, 2]
    assert [production.next_frame(1), production.next_frame(1)] == [0, 0]


def test_fewer_bytes_leave_the_replicas() -> None:
    alone = sized(Farm(nodes=64, shots=2, shot=Shot(passes=2)))
    shared = dataclasses.replace(alone, processes=16)
    first = cold_start(shared).simulation
    assert first.everyone_has_a_frame()
    sent = [sum(replica.network.done for replica in cold_start(farm).simulation.replicas)
            for farm in (alone, shared)]  # fmt: skip
    assert sent[1] < sent[0] / 3
