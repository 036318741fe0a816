"""The proxy in front of the replicas: consistent hashing on the stage, with bounded load."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import simpy

from farm.calls import Call, StageKey
from farm.hash_ring import HashRing, within_bound
from farm.parameters import Farm
from farm.replica import Answer, Outcome, Replica
from farm.shared_rate import Event, SharedRate


class Balancer:
    """Routes calls by their stages among the replicas that it believes to be ready."""

    def __init__(self, env: simpy.Environment, farm: Farm, replicas: Sequence[Replica]) -> None:
        self._env = env
        self._factor = farm.balance_factor
        self._sticky = farm.sticky
        self._replicas = {replica.name: replica for replica in replicas}
        self.loads = {
            replica.name: 0 for replica in replicas
        }  # calls in flight, as the proxy sees them
        self._ring = HashRing()
        for name in self._replicas:
            self._ring.add(name)
        self._orders: dict[int, list[str]] = {}
        # Most flows of one link share it equally; a flow is at most as fast as a node.
        self.link = (
            SharedRate(env, farm.proxy_bytes_s, farm.node_bytes_s) if farm.proxy_bytes_s else None
        )

    def order(self, shot: int) -> list[str]:
        """The replicas for a shot, the first one being its home."""
        if shot not in self._orders:
            self._orders[shot] = self._ring.order(f"shot-{shot}")
        return self._orders[shot]

    def leave(self, name: str) -> None:
        self._ring.remove(name)
        self._orders.clear()

    def join(self, name: str) -> None:
        self._ring.add(name)
        self._orders.clear()

    def home_stages(self, name: str, stages: Sequence[StageKey]) -> list[StageKey]:
        """The stages that a replica will get when it joins."""
        ring = HashRing()
        for member in {*(point for point in self.order(0)), name}:
            ring.add(member)
        return [stage for stage in stages if ring.order(f"shot-{stage[0]}")[0] == name]

    def choose(self, call: Call, at: str) -> str:
        """The replica for a call of a process that has been at one before; empty if there is none.

        A process stays where its stage was opened, because a handle is valid only there, until that
        replica leaves. Without sticky, each call is placed anew.
        """
        order = self.order(call.stage[0])
        if self._sticky and at in order:
            return at
        return within_bound(order, self.loads, self._factor) if order else ""

    def ask(self, call: Call, name: str) -> Generator[Event, object, Answer]:
        """Makes a call at the replica that was chosen for it."""
        if not name:
            return Answer(Outcome.LOST)
        self.loads[name] += 1
        answer = yield from self._replicas[name].ask(call, self.link)
        self.loads[name] -= 1
        return answer
