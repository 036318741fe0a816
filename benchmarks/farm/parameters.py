"""What the model is fed with, and where the numbers are from.

RESULTS is benchmarks/RESULTS.md: two cores, scenes "full". A cost that was measured with the
clients on the same two cores includes theirs, so it is an upper bound; it is marked with "<=".
"""

from __future__ import annotations

from dataclasses import dataclass, field

from farm.admission import Limits

MB = 1e6
GB = 1e9


@dataclass(frozen=True)
class Costs:
    """What calls cost. Seconds are of one core of the replica."""

    # RESULTS, server.small.cpu_us.c16, 22 November: a call with one scalar, under load.
    call_s: float = 49e-6
    # RESULTS, handler of 1,000 scalars in one call: 0.56 ms, 22 November; less the call itself.
    value_s: float = 0.51e-6
    # RESULTS, server.traverse.prims_per_s.c1, 22 November: 1.63e6/s. <=
    traversed_prim_s: float = 0.61e-6
    # RESULTS, server.skin.points_per_s.c4, 22 November: 4.52e7/s on two cores. <=
    skinned_point_s: float = 44e-9
    # RESULTS, server.arrays.cpu_us.c4, 22 November: 672 us for 1.2 MB.
    array_byte_s: float = 0.56e-9
    # RESULTS, city.open_s.t1, 22 November: 1.084 s for 155,000 prims.
    composed_prim_s: float = 7.0e-6
    # RESULTS, clips.cold.values_per_s, 22 November: 1.82e5/s, 20 values of each file.
    clip_open_s: float = 110e-6
    # docs/operations.md, tools/stage_memory.py on city, 22 November: 97.98 MiB for 155,000 prims.
    prim_bytes: float = 663.0
    # Measured for this model on 26 November: stagedoor perf --mix traverse on city and anim, and
    # --mix values --batch 1000 on anim; stagedoor_request_sent_bytes_total per item.
    traversed_prim_bytes: float = 90.0
    value_bytes: float = 8.2
    point_bytes: float = 12.0  # three floats
    digest_bytes: float = 80.0  # of an array that the client has
    # Frames (ExtractFrame): RESULTS, "Frames", 30 November. Of a prim to draw with all that it has
    # but large arrays; of a prim of the stage in the plan, once per stage; of a transform that
    # varies, which is the largest value that is not an array.
    row_s: float = 6.0e-6
    row_bytes: float = 715.0
    planned_prim_s: float = 1.35e-6
    changed_value_s: float = 1.5e-6
    changed_value_bytes: float = 137.0
    # Seconds of a core of the node. RESULTS, server.small.qps.c16 and server.arrays.qps.c4, 25
    # November: 2 cores / 11,490 and 2 cores / 749, less the daemon's part. <=
    client_call_s: float = 125e-6
    client_byte_s: float = 1.66e-9


@dataclass(frozen=True)
class PeerCosts:
    """A node that opens the stage itself with usd-core."""

    # RESULTS, city.open_s.t1 of the peer, 22 November: 6.893 s for 155,000 prims.
    composed_prim_s: float = 44.5e-6
    compose_speedup: float = 2.24  # RESULTS, city.open_s, with all of its threads: 3.075 s
    # RESULTS, city.open_anon_mib of the peer: 346.3 MiB.
    prim_bytes: float = 2343.0
    # RESULTS, city.traverse.prims_per_s, anim.get.scalar.values_per_s.t1 and
    # crowd.skin.points_per_s.t1 of the peer, from Python.
    traversed_prim_s: float = 4.0e-6
    value_s: float = 2.6e-6
    skinned_point_s: float = 39.5e-9


@dataclass(frozen=True)
class Shot:
    """What a render process reads. An assumption: a shot of medium size; replace it by your own."""

    prims: int = 500_000
    layers: int = 1_000
    layer_bytes: float = 250 * MB  # what composition reads of them
    values: int = 200_000  # of a frame, in batches of 1,000
    batch: int = 1_000
    skinned_points: int = 2_000_000  # of a frame
    skin_calls: int = 20
    static_bytes: float = 400 * MB  # arrays that do not vary; sent once per process
    static_arrays: int = 5_000
    frame_bytes: float = 100 * MB  # arrays of one frame, in value clips
    frame_files: int = 50
    array_call_bytes: float = 8 * MB  # arrays asked for in one call
    rows: int = 40_000  # prims to draw, of which calls ask for five values each
    changed_values: int = 20_000  # of the values, from one frame to the next: 10 %
    frames_per_process: int = 5  # rendered by one process, which keeps its static arrays
    passes: int = 2  # nodes that render the same frame (layers, eyes, variants of light)


@dataclass(frozen=True)
class Machine:
    """A replica. An assumption: a small server."""

    cores: int = 16
    memory_bytes: float = 128 * GB
    network_bytes_s: float = 25e9 / 8
    # Threads into which the composition of a stage is split (RESULTS: 1.76 times as fast with two).
    compose_threads: int = 4

    @property
    def stage_budget(self) -> float:
        return self.memory_bytes / 4  # --stage-cache-bytes

    @property
    def clip_budget(self) -> float:
        return self.memory_bytes / 4  # --clip-cache-bytes; most of it is page cache

    @property
    def limits(self) -> Limits:
        return Limits(calls_bytes=self.memory_bytes / 4)  # --calls-bytes


@dataclass(frozen=True)
class Store:
    """What holds the assets, for all replicas or nodes together. An assumption."""

    bytes_s: float = 10 * GB
    file_latency_s: float = 1e-3
    parallel_files: int = 16  # that one reader asks for at a time


@dataclass(frozen=True)
class Client:
    """Retries as in docs/user_guide.md (client/python/stagedoor/_retry.py)."""

    timeout_s: float = 60.0
    # For a frame, which is one call. An assumption: nodes set it for the worst start of their farm.
    frame_timeout_s: float = 600.0
    max_attempts: int = 4
    first_backoff_s: float = 0.05
    last_backoff_s: float = 1.0
    restart_s: float = 10.0  # until a frame whose call failed is started again


@dataclass(frozen=True)
class Farm:
    """One simulated farm."""

    nodes: int = 1_000
    replicas: int = 0  # 0: as many as farm.model says
    shots: int = 0  # open at the same time; 0: one for 50 nodes
    render_s: float = 300.0  # mean time for which a node computes a frame that it has read
    node_bytes_s: float = 10e9 / 8
    round_trip_s: float = 0.3e-3
    balance_factor: float = 2.0  # hash-balance-factor / 100; 0: plain consistent hashing
    sticky: bool = True  # a process stays at the replica where it has opened its stage
    hot_share: float = 0.0  # of the nodes, on the first shot
    detect_s: float = 3.0  # until the proxy notices that a replica has gone
    lease_s: float = 300.0  # how long an unused stage counts as leased
    drain_delay_s: float = 10.0
    drain_s: float = 30.0
    restart_s: float = 5.0
    warm: bool = True  # a replica opens its stages before it is ready
    proxy_bytes_s: float = 0.0  # of all proxies together; 0: they are no limit
    shot: Shot = field(default_factory=Shot)
    machine: Machine = field(default_factory=Machine)
    store: Store = field(default_factory=Store)
    client: Client = field(default_factory=Client)
    costs: Costs = field(default_factory=Costs)
    peer: PeerCosts = field(default_factory=PeerCosts)
    # Processes of a machine, which work on one shot, have one link of node_bytes_s and share a node
    # daemon; 0: there are no node daemons, and each process has a link of its own.
    processes: int = 0
    reply_cache_bytes: float = 64 * GB  # of a node daemon, in memory and on disk
    # RESULTS, "Carriers", 30 November: arrays over gRPC on a Unix socket.
    local_bytes_s: float = 2.3 * GB
    frames: bool = False  # nodes ask for frames (ExtractFrame), not for what these consist of
    single_calls: bool = False  # instead of groups of calls: slow, to check these
    seed: int = 1
