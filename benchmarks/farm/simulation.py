"""A farm that runs: replicas, proxy and nodes, and samples of their state."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import simpy

from farm.asset_store import AssetStore
from farm.balancer import Balancer
from farm.calls import StageKey
from farm.node import Node, Production, Reader
from farm.node_daemon import NodeDaemon, NodeReader
from farm.parameters import Farm
from farm.readers import OwnReader, ReplicaReader
from farm.recorder import Recorder
from farm.replica import Replica
from farm.shared_rate import Event


@dataclass(frozen=True)
class Sample:
    """The state at the end of an interval; shares are those of the interval."""

    time: float
    cores_busy: float  # share of the cores of all replicas
    network_busy: float  # share of the network of the busiest replica
    store_busy: float  # share of the asset store
    calls: int  # in flight, of all replicas
    most_calls: int  # in flight at one replica
    memory_bytes: float  # of the replica that uses most
    waiting_nodes: int  # that have not had a frame yet


def shots_of(farm: Farm) -> list[int]:
    """The shot of each node: the hot share on the first, the others in equal parts."""
    hot = round(farm.nodes * farm.hot_share)
    return [0] * hot + [i % farm.shots for i in range(farm.nodes - hot)]


class Simulation:
    """own_stages: the nodes open the stages themselves; the replicas are there, but idle."""

    def __init__(self, farm: Farm, interval: float, own_stages: bool = False) -> None:
        self.farm = farm
        self.own_stages = own_stages
        self.env = env = simpy.Environment()
        self.recorder = Recorder(env, interval)
        reader_bytes_s = farm.node_bytes_s if own_stages else farm.machine.network_bytes_s
        self.store = AssetStore(env, farm.store, reader_bytes_s)
        self.replicas = [
            Replica(env, f"replica-{i}", farm, self.store, self.recorder)
            for i in range(farm.replicas)
        ]
        self.balancer = Balancer(env, farm, self.replicas)
        self.production = Production(farm.shot.passes)
        self._machines: dict[tuple[int, int], NodeDaemon] = {}
        self._processes: Counter[int] = Counter()  # by shot
        self.nodes = [self._node(i, shot) for i, shot in enumerate(shots_of(farm))]
        self.samples: list[Sample] = []
        self._random = random.Random(f"farm {farm.seed}")
        self._before = [0.0] * (2 * farm.replicas + 1)
        env.process(self._watch(interval))

    def start_together(self, over: float, nodes: Sequence[Node], after: float = 0.0) -> None:
        """Nodes begin new processes within some seconds, as when a job is submitted."""
        for node in nodes:
            self.env.process(node.run(after + self._random.uniform(0, over), 0))

    def start_running(self, nodes: Sequence[Node]) -> None:
        """Nodes as they are in the middle of a job: at any place of a frame, with warm replicas."""
        for node in nodes:
            rendered = self._random.randrange(1, self.farm.shot.frames_per_process + 1)
            self.env.process(node.run(self._random.uniform(0, self.farm.render_s), rendered))
        for stage in self.stages():
            home = self.balancer.order(stage[0])[0]
            self._replica(home).stages.insert(
                stage, self.farm.shot.prims * self.farm.costs.prim_bytes, self.env.now
            )

    def stages(self) -> list[StageKey]:
        return [self.production.stage(shot) for shot in range(self.farm.shots)]

    def at(self, time: float, action: Callable[[], Generator[Event, object, None]]) -> None:
        def later() -> Generator[Event, object, None]:
            yield self.env.timeout(time)
            yield from action()

        self.env.process(later())

    def lose(self, replica: Replica) -> Generator[Event, object, None]:
        """The replica dies; the proxy notices it later. It stays away."""
        replica.stop()
        yield self.env.timeout(self.farm.detect_s)
        self.balancer.leave(replica.name)

    def restart(self, replica: Replica) -> Generator[Event, object, None]:
        """Drains a replica, starts it again, and lets it open its stages before calls arrive."""
        farm = self.farm
        yield self.env.timeout(farm.detect_s)  # NOT_SERVING; within --drain-delay
        self.balancer.leave(replica.name)
        yield self.env.timeout(farm.drain_delay_s - farm.detect_s)
        begun = self.env.now
        while self.balancer.loads[replica.name] and self.env.now - begun < farm.drain_s:
            yield self.env.timeout(0.25)
        replica.stop()
        yield self.env.timeout(farm.restart_s)
        replica.start()
        if farm.warm:
            opened = [
                self.env.process(replica.open(stage))
                for stage in self.balancer.home_stages(replica.name, self.stages())
            ]
            yield self.env.all_of(opened)
        self.balancer.join(replica.name)

    def publish(self) -> Generator[Event, object, None]:
        """New versions of all assets: the next OpenStage of each shot composes it again."""
        self.production.version += 1
        yield self.env.timeout(0)

    def run(self, until: float, done: Callable[[], bool] = lambda: False) -> None:
        """Runs until a time, or until the end of the interval in which it is done."""
        while self.env.now < until and not done():
            self.env.run(min(until, self.env.now + self.recorder.interval))

    def everyone_has_a_frame(self) -> bool:
        return all(node.has_frame for node in self.nodes)

    def _node(self, number: int, shot: int) -> Node:
        farm, seed = self.farm, f"{self.farm.seed}.{number}"
        reader: Reader
        machine: NodeDaemon | None = None
        if self.own_stages:
            reader = OwnReader(self.env, farm, self.store, self.recorder)
        elif farm.processes:
            machine = self._machine(shot)
            reader = NodeReader(self.env, farm, self.balancer, self.recorder, seed, machine)
        else:
            reader = ReplicaReader(self.env, farm, self.balancer, self.recorder, seed)
        return Node(self.env, farm, shot, reader, self.production, self.recorder, seed, machine)

    def _machine(self, shot: int) -> NodeDaemon:
        """The machine of the next process of a shot."""
        key = (shot, self._processes[shot] // self.farm.processes)
        self._processes[shot] += 1
        if key not in self._machines:
            self._machines[key] = NodeDaemon(self.env, self.farm, self.recorder)
        return self._machines[key]

    def _replica(self, name: str) -> Replica:
        return next(replica for replica in self.replicas if replica.name == name)

    def _watch(self, interval: float) -> Generator[Event, object, None]:
        machine = self.farm.machine
        while True:
            yield self.env.timeout(interval * (1 - 1e-9))  # within the interval of its sample
            now = [r.cores.done for r in self.replicas] + [r.network.done for r in self.replicas]
            now.append(self.store.link.done)
            spent = [a - b for a, b in zip(now, self._before, strict=True)]
            self._before = now
            n = len(self.replicas)
            calls = [replica.admission.calls for replica in self.replicas]
            self.samples.append(
                Sample(
                    time=self.env.now,
                    cores_busy=sum(spent[:n]) / (n * machine.cores * interval),
                    network_busy=max(spent[n : 2 * n]) / (machine.network_bytes_s * interval),
                    store_busy=spent[-1] / (self.farm.store.bytes_s * interval),
                    calls=sum(calls),
                    most_calls=max(calls),
                    memory_bytes=max(replica.memory_bytes for replica in self.replicas),
                    waiting_nodes=sum(not node.has_frame for node in self.nodes),
                )
            )
