"""The formulas of docs/scaling.md: from nodes and shots to replicas, memory, network and cost."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from farm.calls import StageKey, calls_of, open_call
from farm.parameters import Farm

NODES_PER_SHOT = 50
TARGET_BUSY = 0.6  # of cores and network at peak: hashing gives some replicas more than the mean
COLD_START_S = 240.0  # until every node has its first frame
COPIES = 2  # replicas that have a stage open
VERSIONS = 2  # of a stage, after its assets were published
SPARE = 1  # replicas that may be missing


@dataclass(frozen=True)
class Frame:
    """What one frame takes from the replicas, on average over a process, and in its first frame."""

    core_s: float
    bytes: float
    first_core_s: float
    first_bytes: float


@dataclass(frozen=True)
class Load:
    """The busy farm: its replicas, and nodes that open the stages themselves (own)."""

    frames_s: float
    cores: float
    network_bytes_s: float
    store_bytes_s: float
    stage_bytes: float  # of all replicas
    cold_bytes: float  # to all nodes, for their first frames
    own_cores: float
    own_store_bytes_s: float
    own_node_bytes: float  # memory of a node, without arrays
    own_cold_bytes: float  # from the store, for the first frames


def frame_of(farm: Farm) -> Frame:
    stage: StageKey = (0, 0)
    first = [open_call(stage, farm.costs), *calls_of(farm, stage, 0, True)]
    later = [open_call(stage, farm.costs), *calls_of(farm, stage, 0, False)]
    n = farm.shot.frames_per_process
    first_core_s = sum(call.core_s for call in first)
    first_bytes = sum(call.reply_bytes for call in first)
    return Frame(
        core_s=(first_core_s + (n - 1) * sum(call.core_s for call in later)) / n,
        bytes=(first_bytes + (n - 1) * sum(call.reply_bytes for call in later)) / n,
        first_core_s=first_core_s,
        first_bytes=first_bytes,
    )


def load_of(farm: Farm) -> Load:
    shot, peer, frame = farm.shot, farm.peer, frame_of(farm)
    frames_s = farm.nodes / farm.render_s
    process_bytes = shot.layer_bytes + shot.static_bytes
    own_core_s = (
        shot.prims * (peer.composed_prim_s / shot.frames_per_process + peer.traversed_prim_s)
        + shot.values * peer.value_s
        + shot.skinned_points * peer.skinned_point_s
    )
    return Load(
        frames_s=frames_s,
        cores=frames_s * frame.core_s,
        network_bytes_s=frames_s * frame.bytes,
        store_bytes_s=frames_s * shot.frame_bytes / shot.passes,
        stage_bytes=farm.shots * COPIES * VERSIONS * shot.prims * farm.costs.prim_bytes,
        cold_bytes=farm.nodes * frame.first_bytes,
        own_cores=frames_s * own_core_s,
        own_store_bytes_s=frames_s * (process_bytes / shot.frames_per_process + shot.frame_bytes),
        own_node_bytes=shot.prims * peer.prim_bytes,
        own_cold_bytes=farm.nodes * (process_bytes + shot.frame_bytes),
    )


def needs_of(farm: Farm) -> dict[str, int]:
    """Replicas by what they must suffice for."""
    load, machine = load_of(farm), farm.machine
    return {
        "cores": math.ceil(load.cores / (machine.cores * TARGET_BUSY)),
        "network": math.ceil(load.network_bytes_s / (machine.network_bytes_s * TARGET_BUSY)),
        "stages": math.ceil(load.stage_bytes / machine.stage_budget),
        "cold start": math.ceil(load.cold_bytes / (machine.network_bytes_s * COLD_START_S)),
        "calls": math.ceil(farm.nodes / machine.limits.max_calls),
    }


def sized(farm: Farm) -> Farm:
    """The farm with shots and replicas where they are left to the model."""
    if not farm.shots:
        farm = dataclasses.replace(farm, shots=max(2, farm.nodes // NODES_PER_SHOT))
    if not farm.replicas:
        farm = dataclasses.replace(farm, replicas=SPARE + max(needs_of(farm).values()))
    return farm
