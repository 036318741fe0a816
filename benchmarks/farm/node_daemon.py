"""A node daemon (docs/node_daemon.md): the processes of a machine share what it has fetched."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable

import simpy

from farm.balancer import Balancer
from farm.calls import Call, StageKey, calls_of, open_call
from farm.lru import LruCache
from farm.parameters import Farm
from farm.readers import ReplicaReader
from farm.recorder import Recorder
from farm.shared_rate import Event, SharedRate

OF_A_STAGE = ("open", "traverse", "static")  # the same request for all frames


class NodeDaemon:
    """The replies of one machine. Calls for one that is being fetched wait for it."""

    def __init__(self, env: simpy.Environment, farm: Farm, recorder: Recorder) -> None:
        self._env = env
        self._farm = farm
        self._recorder = recorder
        self._kept = LruCache(farm.reply_cache_bytes)
        self._flights: dict[Hashable, Event] = {}
        self._link = SharedRate(env, farm.node_bytes_s, farm.node_bytes_s)

    def get(
        self, key: Hashable, call: Call, ask: Callable[[Call], Generator[Event, object, bool]]
    ) -> Generator[Event, object, bool]:
        """Gets the reply to a call for a process; whether there was one in the end."""
        while not self._kept.touch(key, self._env.now):
            flight = self._flights.get(key)
            if flight is None:
                if not (yield from self._fetch(key, call, ask)):
                    return False
                break
            yield flight  # a reply that could not be fetched is asked for again
        yield self._env.timeout(call.reply_bytes / self._farm.local_bytes_s)
        self._recorder.node_core_s += (
            call.count * self._farm.costs.client_call_s
            + call.reply_bytes * self._farm.costs.client_byte_s
        )
        return True

    def _fetch(
        self, key: Hashable, call: Call, ask: Callable[[Call], Generator[Event, object, bool]]
    ) -> Generator[Event, object, bool]:
        self._recorder.count("node: misses")
        self._recorder.count("node: MB from replicas", round(call.reply_bytes / 1e6))
        flight = self._flights[key] = self._env.event()
        fetched = yield from ask(call)
        if fetched:
            yield self._link.serve(call.reply_bytes)
            self._kept.insert(key, call.reply_bytes, self._env.now)
        del self._flights[key]
        flight.succeed(fetched)
        return fetched


class NodeReader(ReplicaReader):
    """A process that asks the node daemon of its machine."""

    def __init__(
        self, env: simpy.Environment, farm: Farm, balancer: Balancer, recorder: Recorder,
        seed: str, daemon: NodeDaemon,
    ) -> None:  # fmt: skip
        super().__init__(env, farm, balancer, recorder, seed)
        self._daemon = daemon

    def read(
        self, stage: StageKey, frame: int, new_process: bool, has_arrays: bool
    ) -> Generator[Event, object, bool]:
        if new_process:
            self.at = ""
        calls = [open_call(stage, self._farm.costs)]
        calls += calls_of(self._farm, stage, frame, not has_arrays)
        for call in calls:
            key: tuple[Hashable, ...] = (call.kind, stage, has_arrays)
            if call.kind not in OF_A_STAGE:
                key = (*key, frame)
            if not (yield from self._daemon.get(key, call, self.call)):
                return False
        return True
