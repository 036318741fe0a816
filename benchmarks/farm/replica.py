"""One stagedoord: admission, stages, clips, cores and a network card."""

from __future__ import annotations

import enum
from collections.abc import Generator, Hashable
from dataclasses import dataclass

import simpy

from farm.admission import Admission
from farm.asset_store import AssetStore
from farm.calls import Asset, Call, StageKey
from farm.lru import LruCache
from farm.parameters import Farm
from farm.recorder import Recorder
from farm.shared_rate import Cores, Event, SharedRate

STAGES_FULL_RETRY_S = 2.0  # server/stages/stage_budget.cc


class Outcome(enum.Enum):
    ANSWERED = "answered"
    REFUSED = "refused"
    LOST = "lost"  # the connection broke
    LATE = "late"  # after the deadline


@dataclass(frozen=True)
class Answer:
    outcome: Outcome
    reason: str = ""
    retry_s: float = 0.0


class Replica:
    def __init__(
        self,
        env: simpy.Environment,
        name: str,
        farm: Farm,
        store: AssetStore,
        recorder: Recorder,
        cores: Cores | None = None,
    ) -> None:
        """cores: of a machine that others use too; None: of its own."""
        self.name = name
        self._env = env
        self._farm = farm
        self._store = store
        self._recorder = recorder
        machine = farm.machine
        self.cores: Cores = SharedRate(env, machine.cores, 1.0) if cores is None else cores
        self.network = SharedRate(env, machine.network_bytes_s, farm.node_bytes_s)
        self.stages = LruCache(machine.stage_budget, farm.lease_s)
        self.assets = LruCache(machine.clip_budget)
        self.admission = Admission(machine.limits)
        self.alive = True
        self._life = 0  # counts starts, so that work of an earlier life is noticed
        self._flights: dict[Hashable, Event] = {}
        self._mean_call_s = farm.costs.call_s
        self._stage_bytes = farm.shot.prims * farm.costs.prim_bytes

    @property
    def memory_bytes(self) -> float:
        """The memory for stages and calls in flight; clips are mapped files."""
        return self.stages.bytes + self.admission.bytes

    def turn_wait(self) -> float:
        """The expected wait for a thread: one call of each other client, over all threads."""
        return max(0.0, len(self.cores) / self._farm.machine.cores - 1) * self._mean_call_s

    def stop(self) -> None:
        """The process ends; whatever it held is lost."""
        self.alive = False
        self._life += 1
        self.cores.abort()
        self.network.abort()
        flights, self._flights = self._flights, {}
        for event in flights.values():
            event.succeed(False)
        self.stages.clear()
        self.assets.clear()
        self.admission = Admission(self._farm.machine.limits)

    def start(self) -> None:
        self.alive = True

    def ask(self, call: Call, proxy: SharedRate | None) -> Generator[Event, object, Answer]:
        """Serves a call; the answer says how it ended."""
        if not self.alive:
            return Answer(Outcome.LOST)
        admission = self.admission
        reason = admission.admit(call.reserved_bytes, self.turn_wait())
        if reason:
            if reason == "waiting time":
                yield self._env.timeout(admission.limits.max_wait)
            return Answer(Outcome.REFUSED, reason, admission.advice.next())
        self._mean_call_s += (call.core_s / call.count - self._mean_call_s) / 64
        life = self._life
        answer = yield from self._serve(call, proxy)
        if life != self._life:
            return Answer(Outcome.LOST)
        admission.release(call.reserved_bytes)
        return answer

    def _serve(self, call: Call, proxy: SharedRate | None) -> Generator[Event, object, Answer]:
        life = self._life
        if not (yield from self.open(call.stage)):
            return Answer(Outcome.REFUSED, "stages", STAGES_FULL_RETRY_S)
        if call.asset is not None and life == self._life:
            yield from self._load(call.asset)
        if life == self._life:
            yield self.cores.serve(call.core_s)
        if life == self._life:
            # Both links carry the bytes at the same time; the slower one decides.
            sent = self.network.serve(call.reply_bytes)
            if proxy is not None:
                yield proxy.serve(call.reply_bytes)
            yield sent
        return Answer(Outcome.ANSWERED)

    def open(self, stage: StageKey) -> Generator[Event, object, bool]:
        """Composes a stage unless it is open; False if the budget has no room for it."""
        if self.stages.touch(stage, self._env.now):
            return True
        flight = self._flights.get(stage)
        if flight is None:
            if not self.stages.has_room(self._stage_bytes, self._env.now):
                return False
            flight = self._flights[stage] = self._env.event()
            self._env.process(self._compose(stage, flight))
        return bool((yield flight))

    def _compose(self, stage: StageKey, flight: Event) -> Generator[Event, object, None]:
        shot, costs, life = self._farm.shot, self._farm.costs, self._life
        self._recorder.count("stage misses")
        yield from self._store.read(shot.layer_bytes, shot.layers)
        if life != self._life:
            return
        threads = self._farm.machine.compose_threads
        work = shot.prims * costs.composed_prim_s
        if self._farm.frames:  # the plan of its frames, which all nodes share
            work += shot.prims * costs.planned_prim_s
        parts = [self.cores.serve(work / threads) for _ in range(threads)]
        yield self._env.all_of(parts)
        if life == self._life:
            del self._flights[stage]
            flight.succeed(self.stages.insert(stage, self._stage_bytes, self._env.now))

    def _load(self, asset: Asset) -> Generator[Event, object, None]:
        """Reads a part of the files unless the cache has it; a part that others read is awaited."""
        if self.assets.touch(asset.key, self._env.now):
            self._recorder.count("asset hits")
            return
        flight = self._flights.get(asset.key)
        if flight is None:
            self._recorder.count("asset misses")
            flight = self._flights[asset.key] = self._env.event()
            self._env.process(self._fetch(asset, flight))
        else:
            self._recorder.count("asset hits")
        yield flight

    def _fetch(self, asset: Asset, flight: Event) -> Generator[Event, object, None]:
        life = self._life
        yield from self._store.read(asset.bytes, asset.files)
        if life != self._life:
            return
        yield self.cores.serve(asset.files * self._farm.costs.clip_open_s)
        if life == self._life:
            del self._flights[asset.key]
            self.assets.insert(asset.key, asset.bytes, self._env.now)
            flight.succeed(True)
