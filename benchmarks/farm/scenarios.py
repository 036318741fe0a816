"""What happens to the farm: the five situations of docs/scaling.md."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from dataclasses import dataclass

from farm.parameters import Farm
from farm.shared_rate import Event
from farm.simulation import Simulation


@dataclass(frozen=True)
class Run:
    """A simulation that has ended, and when its event happened."""

    name: str
    simulation: Simulation
    event_s: float


def cold_start(farm: Farm, own_stages: bool = False) -> Run:
    """A job starts on all nodes within ten seconds; the replicas have nothing open."""
    simulation = Simulation(farm, 5.0, own_stages)
    simulation.start_together(10.0, simulation.nodes)
    simulation.run(3600.0, simulation.everyone_has_a_frame)
    return Run("cold-start", simulation, 0.0)


def rolling_restart(farm: Farm, own_stages: bool = False) -> Run:
    """All replicas are restarted one after another, beneath all nodes."""

    def restart_all(simulation: Simulation) -> Generator[Event, object, None]:
        for replica in simulation.replicas:
            yield from simulation.restart(replica)
            yield simulation.env.timeout(10.0)

    each = farm.drain_delay_s + farm.restart_s + 25.0
    return _steady("rolling-restart", farm, restart_all, farm.replicas * each, own_stages)


def replica_lost(farm: Farm, own_stages: bool = False) -> Run:
    """A replica vanishes and is not replaced."""
    return _steady("replica-lost", farm, lambda s: s.lose(s.replicas[0]), 0.0, own_stages)


def hot_shot(farm: Farm, own_stages: bool = False) -> Run:
    """Half of the nodes start on one shot at the same time, while the others render theirs."""
    hot = dataclasses.replace(farm, hot_share=0.5)
    simulation = Simulation(hot, 10.0, own_stages)
    simulation.start_running([n for n in simulation.nodes if n.shot != 0])
    event = hot.render_s
    simulation.start_together(10.0, [n for n in simulation.nodes if n.shot == 0], event)
    simulation.run(3 * hot.render_s)
    return Run("hot-shot", simulation, event)


def publish(farm: Farm, own_stages: bool = False) -> Run:
    """New versions of all assets are published: every stage, clip and array is another one."""
    return _steady("publish", farm, lambda s: s.publish(), 0.0, own_stages)


def _steady(
    name: str,
    farm: Farm,
    action: Callable[[Simulation], Generator[Event, object, None]],
    lasts: float,
    own_stages: bool,
) -> Run:
    """The action, after one mean frame of steady work and before another one."""
    simulation = Simulation(farm, 10.0, own_stages)
    simulation.start_running(simulation.nodes)
    event = farm.render_s
    simulation.at(event, lambda: action(simulation))
    simulation.run(event + lasts + farm.render_s)
    return Run(name, simulation, event)


SCENARIOS: dict[str, Callable[[Farm, bool], Run]] = {
    "cold-start": cold_start,
    "rolling-restart": rolling_restart,
    "replica-lost": replica_lost,
    "hot-shot": hot_shot,
    "publish": publish,
}
