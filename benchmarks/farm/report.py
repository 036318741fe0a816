"""Summaries of runs: as a table, and as JSON with the state over time."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from farm.parameters import GB
from farm.recorder import PERCENTILES
from farm.scenarios import Run

CALLS = ("open", "traverse", "values", "skin", "static", "arrays", "extract")


def summary(run: Run) -> dict[str, float]:
    """The figures of a run, by what they are; from the event on where that makes a difference."""
    simulation, event = run.simulation, run.event_s
    recorder, farm = simulation.recorder, simulation.farm
    counts, samples = recorder.counts, simulation.samples
    later = [sample for sample in samples if sample.time > event]
    before = recorder.percentiles("frame", 0.0, event)
    after = recorder.percentiles("frame", event)
    slowest = recorder.latencies("frame", event)[-1:] or [0.0]
    touched = counts["asset hits"] + counts["asset misses"]
    own = simulation.own_stages
    most_memory = max((sample.memory_bytes for sample in samples), default=0.0)
    replicas = [] if own else simulation.replicas
    stages = {stage for replica in replicas for stage in replica.stages}
    copies = sum(len(replica.stages) for replica in replicas)
    return {
        "frames": counts["frames"],
        "frame p50 before [s]": before[0],
        "frame p99 before [s]": before[2],
        "frame p50 [s]": after[0],
        "frame p95 [s]": after[1],
        "frame p99 [s]": after[2],
        "slowest frame [s]": slowest[0],
        "open p99 [ms]": 1e3 * recorder.percentiles("open", event)[2],
        "values p99 [ms]": 1e3 * recorder.percentiles("values", event)[2],
        "extract p99 [ms]": 1e3 * recorder.percentiles("extract", event)[2],
        "most calls at a replica": max((s.most_calls for s in samples), default=0),
        "refused": counts["refused"],
        "lost": counts["lost"],
        "late": counts["late"],
        "failed calls": counts["failed calls"],
        "stage compositions": 0 if own else counts["stage misses"],
        "copies of a stage": copies / len(stages) if stages else 0.0,
        "asset hit rate [%]": 100 * counts["asset hits"] / touched if touched else 0.0,
        "cores busy, most [%]": 0.0
        if own
        else 100 * max((s.cores_busy for s in later), default=0.0),
        "network of a replica, most [%]": 100 * max((s.network_busy for s in later), default=0.0),
        "store busy, most [%]": 100 * max((s.store_busy for s in later), default=0.0),
        "memory of a replica, most [GB]": 0.0 if own else most_memory / GB,
        "from the store [GB]": simulation.store.bytes / GB,
        "memory per node [GB]": farm.shot.prims * farm.peer.prim_bytes / GB if own else 0.0,
        "core hours of nodes": recorder.node_core_s / 3600,
        "core hours of replicas": sum(replica.cores.done for replica in replicas) / 3600,
    }


def over_time(run: Run) -> list[dict[str, Any]]:
    """What the plots show, by interval."""
    recorder = run.simulation.recorder
    rows: list[dict[str, Any]] = []
    for sample in run.simulation.samples:
        begin = int(sample.time / recorder.interval) * recorder.interval
        row: dict[str, Any] = dataclasses.asdict(sample)
        for kind in ("frame", *CALLS):
            found = recorder.percentiles(kind, begin, begin + recorder.interval / 2)
            row[kind] = dict(zip((f"p{percent:g}" for percent in PERCENTILES), found, strict=True))
        for name in ("refused", "lost", "late", "stage misses", "asset misses", "frames"):
            row[name] = recorder.in_interval(name, begin)
        rows.append(row)
    return rows


def table(columns: Sequence[tuple[str, dict[str, float]]]) -> str:
    """A Markdown table with a row for each figure that is not 0 everywhere."""
    lines = ["| | " + " | ".join(name for name, _ in columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    for figure in columns[0][1]:
        values = [figures[figure] for _, figures in columns]
        if any(values):
            lines.append("| " + " | ".join([figure, *(short(value) for value in values)]) + " |")
    return "\n".join(lines)


def short(value: float) -> str:
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"
