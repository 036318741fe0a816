"""The model of the validation: daemons and clients that share the cores of one machine.

The daemons are the Replica of the farm, with calls instead of groups of calls, so that cores serve
what comes first. Each call also takes time of its client, on the same cores.
A call that finds an idle core pays for waking it up, as calls of a single client do.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import simpy

from farm.asset_store import AssetStore
from farm.calls import Call
from farm.daemons import Latency
from farm.first_come import FirstComeCores
from farm.parameters import Farm, Machine
from farm.recorder import Recorder, percentile
from farm.replica import Replica
from farm.shared_rate import Event

STAGE = (0, 0)


@dataclass(frozen=True)
class Measured:
    """One kind of call. Seconds of a core, for one client alone and under load."""

    kind: str
    weight: float
    alone: Latency
    daemon_alone_s: float
    client_alone_s: float
    daemon_loaded_s: float
    client_loaded_s: float

    def waiting(self, uniform: float) -> float:
        """What a call of a single client takes beyond the work, at a place of its quantiles."""
        alone = self.alone
        points = [
            (0.0, alone.p50 * 0.8),
            (0.5, alone.p50),
            (0.9, alone.p90),
            (0.99, alone.p99),
            (1.0, alone.most),
        ]
        for (low, a), (high, b) in itertools.pairwise(points):
            if uniform <= high:
                took = a + (b - a) * (uniform - low) / (high - low)
                return max(0.0, took - self.daemon_alone_s - self.client_alone_s)
        return 0.0


class Loopback:
    """Daemons with a group of clients each."""

    def __init__(self, calls: Sequence[Measured], cores: float, daemons: int, seed: int) -> None:
        self._env = env = simpy.Environment()
        self._calls = calls
        self._cores = math.ceil(cores)
        self._random = random.Random(f"loopback {seed}")
        self.recorder = Recorder(env, 1e9)  # one interval
        count = max(1, math.ceil(cores))
        self.host = FirstComeCores(env, count, cores / count)
        farm = dataclasses.replace(
            Farm(), machine=Machine(network_bytes_s=1e12), node_bytes_s=1e12, shots=1
        )
        store = AssetStore(env, farm.store, 1e12)
        self._replicas = [
            Replica(env, f"daemon-{i}", farm, store, self.recorder, self.host)
            for i in range(daemons)
        ]
        for replica in self._replicas:
            replica.stages.insert(STAGE, 1.0, 0.0)

    def run(self, clients: Sequence[int], seconds: float, rate: float) -> None:
        """clients: of each daemon. rate: calls per second of all; 0: as fast as possible."""
        for replica, count in zip(self._replicas, clients, strict=True):
            schedule = iter(range(1 << 60))  # one for the clients of a daemon, as in stagedoor perf
            for _ in range(count):
                step = len(clients) / rate if rate else 0.0
                self._env.process(self._client(replica, schedule, step))
        self._env.run(seconds)

    def _client(
        self, replica: Replica, schedule: Sequence[int] | object, step: float
    ) -> Generator[Event, object, None]:
        weights = [call.weight for call in self._calls]
        while True:
            due = self._env.now
            if step:
                due = next(schedule) * step  # type: ignore[call-overload]
                yield self._env.timeout(max(0.0, due - self._env.now))
            (call,) = self._random.choices(self._calls, weights)
            yield from self._make(replica, call)
            for name in (call.kind, "all"):
                self.recorder.latency(name, self._env.now - due)

    def _make(self, replica: Replica, call: Measured) -> Generator[Event, object, None]:
        idle = len(self.host) < self._cores
        daemon_s = call.daemon_alone_s if idle else call.daemon_loaded_s
        client_s = call.client_alone_s if idle else call.client_loaded_s
        yield self.host.serve(client_s / 2)
        yield self._env.timeout(call.waiting(self._random.random()))
        yield from replica.ask(Call(call.kind, STAGE, 1, daemon_s, 1.0, 0.0), None)
        yield self.host.serve(client_s / 2)

    @property
    def core_s(self) -> float:
        """The processor time of a call, on average."""
        return self.host.done / max(1, len(self.recorder.latencies("all")))

    def latency(self, kind: str, seconds: float) -> Latency:
        found = self.recorder.latencies(kind)
        times = [percentile(found, percent) for percent in (50, 90, 99, 100)]
        mean = sum(found) / max(1, len(found))
        return Latency(len(found), len(found) / seconds, mean, *times)
