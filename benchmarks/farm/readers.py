"""How a render process gets its scene: from replicas, or by opening the stage itself."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Generator, Iterator

import simpy

from farm.asset_store import AssetStore
from farm.balancer import Balancer
from farm.calls import Call, StageKey, calls_of, open_call
from farm.parameters import Farm
from farm.recorder import Recorder
from farm.replica import Answer, Outcome
from farm.shared_rate import Event


class ReplicaReader:
    """Asks replicas, and repeats calls as the client libraries do."""

    def __init__(
        self, env: simpy.Environment, farm: Farm, balancer: Balancer, recorder: Recorder, seed: str
    ) -> None:
        self._env = env
        self._farm = farm
        self._balancer = balancer
        self._recorder = recorder
        self._random = random.Random(seed)
        self.at = ""  # the replica of the process; empty before its first call

    def read(
        self, stage: StageKey, frame: int, new_process: bool, has_arrays: bool
    ) -> Generator[Event, object, bool]:
        if new_process:
            self.at = ""
        if not (yield from self.call(open_call(stage, self._farm.costs))):
            return False
        for group in calls_of(self._farm, stage, frame, not has_arrays):
            for call in self._parts(group):
                if not (yield from self.call(call)):
                    return False
        return True

    def _parts(self, group: Call) -> Iterator[Call]:
        if not self._farm.single_calls:
            yield group
            return
        one = dataclasses.replace(
            group,
            count=1,
            core_s=group.core_s / group.count,
            reply_bytes=group.reply_bytes / group.count,
        )
        for _ in range(group.count):
            yield one

    def call(self, call: Call) -> Generator[Event, object, bool]:
        """Makes a call with the client's retries; whether it was answered in the end."""
        client, begun = self._farm.client, self._env.now
        self._recorder.count("calls")
        backoff, rejections = client.first_backoff_s, client.max_attempts - 1
        while True:
            answer = yield from self._once(call)
            self._recorder.count("attempts")
            self._recorder.count(answer.outcome.value)
            if answer.reason:
                self._recorder.count(f"refused: {answer.reason}")
            if answer.outcome is Outcome.ANSWERED:
                self._answered(call, (self._env.now - begun) / call.count)
                return True
            rejections -= answer.outcome is Outcome.REFUSED
            wait = backoff * (0.5 + 0.5 * self._random.random()) + answer.retry_s
            over = self._env.now + wait - begun >= self._timeout(call)
            if answer.outcome is Outcome.LATE or rejections < 0 or over:
                self._recorder.count("failed calls")
                return False
            backoff = min(2 * backoff, client.last_backoff_s)
            yield self._env.timeout(wait)

    def _timeout(self, call: Call) -> float:
        return call.timeout_s or self._farm.client.timeout_s * call.count

    def _answered(self, call: Call, seconds: float) -> None:
        self._recorder.latency(call.kind, seconds)
        self._recorder.count("answered calls")
        self._recorder.node_core_s += (
            call.count * self._farm.costs.client_call_s
            + call.reply_bytes * self._farm.costs.client_byte_s
        )

    def _once(self, call: Call) -> Generator[Event, object, Answer]:
        begun = self._env.now
        yield self._env.timeout(call.count * self._farm.round_trip_s)
        self.at = self._balancer.choose(call, self.at)
        answer = yield from self._balancer.ask(call, self.at)
        if self._env.now - begun > self._timeout(call):
            return Answer(Outcome.LATE)
        return answer


class OwnReader:
    """Opens the stage in the render process, with usd-core, from the same asset store."""

    def __init__(
        self, env: simpy.Environment, farm: Farm, store: AssetStore, recorder: Recorder
    ) -> None:
        self._env = env
        self._farm = farm
        self._store = store
        self._recorder = recorder

    def read(
        self, stage: StageKey, frame: int, new_process: bool, has_arrays: bool
    ) -> Generator[Event, object, bool]:
        shot, peer = self._farm.shot, self._farm.peer
        if new_process:
            yield from self._store.read(shot.layer_bytes, shot.layers)
            compose = shot.prims * peer.composed_prim_s
            self._recorder.node_core_s += compose
            yield self._env.timeout(compose / peer.compose_speedup)
            yield from self._store.read(shot.static_bytes, max(1, shot.layers // 10))
        yield from self._store.read(shot.frame_bytes, shot.frame_files)
        evaluate = (
            shot.prims * peer.traversed_prim_s
            + shot.values * peer.value_s
            + shot.skinned_points * peer.skinned_point_s
        )
        self._recorder.node_core_s += evaluate
        yield self._env.timeout(evaluate)
        return True
