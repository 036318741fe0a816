"""Processor sharing: who gets what, and what queueing theory expects."""

from __future__ import annotations

import math
import random
from collections.abc import Generator
from typing import Any

import pytest
import simpy

from farm.first_come import FirstComeCores
from farm.shared_rate import SharedRate


def ends(works: list[tuple[float, float]], capacity: float, most: float) -> list[float]:
    """When jobs of (start, work) end."""
    env = simpy.Environment()
    shared = SharedRate(env, capacity, most)
    found = [0.0] * len(works)

    def job(i: int, start: float, work: float) -> Generator[Any, Any, None]:
        yield env.timeout(start)
        assert (yield shared.serve(work)) is True
        found[i] = env.now

    for i, (start, work) in enumerate(works):
        env.process(job(i, start, work))
    env.run()
    assert shared.done == pytest.approx(sum(work for _, work in works))
    return found


def test_a_job_alone_is_limited_by_its_own_rate() -> None:
    assert ends([(0, 6)], capacity=8, most=2) == [3]


def test_jobs_share_the_capacity_equally() -> None:
    # Both at rate 1 until the shorter one ends at 2; the other then has 2 left, at rate 2.
    assert ends([(0, 2), (0, 4)], capacity=2, most=2) == pytest.approx([2, 3])


def test_a_late_job_slows_the_others_down_from_its_arrival_on() -> None:
    # Alone until 1 (2 done); then each at rate 1: 2 more until 3, when the second one has 1 left.
    assert ends([(0, 4), (1, 3)], capacity=2, most=2) == pytest.approx([3, 3.5])


def test_work_of_zero_ends_at_once() -> None:
    assert ends([(5, 0)], capacity=1, most=1) == [5]


def test_aborted_jobs_end_with_false_and_free_the_capacity() -> None:
    env = simpy.Environment()
    shared = SharedRate(env, 1, 1)
    answers: list[tuple[float, object]] = []

    def job(start: float, work: float) -> Generator[Any, Any, None]:
        yield env.timeout(start)
        done = yield shared.serve(work)
        answers.append((env.now, done))

    def abort() -> Generator[Any, Any, None]:
        yield env.timeout(2)
        shared.abort()

    env.process(job(0, 10))
    env.process(abort())
    env.process(job(3, 4))
    env.run()
    assert answers == [(2, False), (7, True)]
    assert shared.done == 6


def test_rates_must_be_positive() -> None:
    with pytest.raises(ValueError, match="must be positive, not 0 and 1"):
        SharedRate(simpy.Environment(), 0, 1)


def test_first_come_cores_finish_in_turn() -> None:
    env = simpy.Environment()
    cores = FirstComeCores(env, 2, speed=0.5)
    ended: list[tuple[str, float]] = []

    def job(name: str, start: float, work: float) -> Generator[Any, Any, None]:
        yield env.timeout(start)
        yield cores.serve(work)
        ended.append((name, env.now))

    for job_of in (job("a", 0, 2), job("b", 0, 1), job("c", 1, 1), job("d", 9, 1)):
        env.process(job_of)
    env.run()
    assert ended == [("b", 2), ("a", 4), ("c", 4), ("d", 11)]  # c waits for b
    assert (cores.done, len(cores)) == (5, 0)


def erlang_c(servers: int, offered: float) -> float:
    """The probability that an arrival has to wait."""
    top = offered**servers / math.factorial(servers) * servers / (servers - offered)
    return top / (sum(offered**k / math.factorial(k) for k in range(servers)) + top)


@pytest.mark.parametrize("sizes", ["exponential", "constant"])
def test_mean_response_is_that_of_erlang_c(sizes: str) -> None:
    """The mean of M/M/c holds whatever the distribution of the work is (insensitivity)."""
    servers, rate, jobs = 4, 2.4, 60_000
    env = simpy.Environment()
    shared = SharedRate(env, servers, 1)
    numbers = random.Random(7)
    times: list[float] = []

    def job() -> Generator[Any, Any, None]:
        begun = env.now
        yield shared.serve(numbers.expovariate(1) if sizes == "exponential" else 1.0)
        times.append(env.now - begun)

    def arrivals() -> Generator[Any, Any, None]:
        for _ in range(jobs):
            yield env.timeout(numbers.expovariate(rate))
            env.process(job())

    env.process(arrivals())
    env.run()
    expected = 1 + erlang_c(servers, rate) / (servers - rate)
    assert len(times) == jobs
    assert sum(times) / jobs == pytest.approx(expected, rel=0.03)
