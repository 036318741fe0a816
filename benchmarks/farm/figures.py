"""The tables and plots of docs/scaling.md.

tools/farm.sh figures [--plots docs/images/scaling]
"""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections.abc import Sequence

from farm.model import frame_of, load_of, needs_of, sized
from farm.parameters import GB, MB, Farm
from farm.plots import plot_by_nodes, plot_run
from farm.report import short, summary, table
from farm.scenarios import SCENARIOS, Run

SIZES = (100, 1_000, 10_000)
LARGEST = 10_000
FACTORS = (0.0, 1.25, 2.0, 3.0, 7.0)
KEPT = (
    "frame p50 before [s]",
    "frame p99 before [s]",
    "frame p50 [s]",
    "frame p99 [s]",
    "slowest frame [s]",
    "open p99 [ms]",
    "values p99 [ms]",
    "most calls at a replica",
    "refused",
    "lost",
    "failed calls",
    "stage compositions",
    "copies of a stage",
    "asset hit rate [%]",
    "cores busy, most [%]",
    "network of a replica, most [%]",
    "store busy, most [%]",
    "memory of a replica, most [GB]",
    "from the store [GB]",
)


def rows_of(names: Sequence[str], rows: Sequence[Sequence[float | str]]) -> str:
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    for row in rows:
        cells = [cell if isinstance(cell, str) else short(cell) for cell in row]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def sizes() -> str:
    """The formulas, for farms of three sizes."""
    rows: list[list[float | str]] = []
    for nodes in SIZES:
        farm = sized(Farm(nodes=nodes))
        load, needs = load_of(farm), needs_of(farm)
        rows.append(
            [
                f"{nodes:,}",
                f"{farm.shots}",
                ", ".join(f"{name} {count}" for name, count in needs.items()),
                f"{farm.replicas}",
                load.cores,
                load.network_bytes_s / GB,
                load.stage_bytes / GB,
                load.store_bytes_s / GB,
                load.own_cores,
                load.own_store_bytes_s / GB,
                nodes * load.own_node_bytes / GB,
            ]
        )
    names = ["nodes", "shots", "replicas needed for", "replicas", "cores", "network GB/s"]
    names += ["stages GB", "store GB/s", "own: cores", "own: store GB/s", "own: stages GB"]
    return rows_of(names, rows)


def slowest(run: Run) -> float:
    return summary(run)["slowest frame [s]"]


def cold_starts(folder: str) -> str:
    """Cold starts of farms of several sizes, beside nodes that open the stages themselves."""
    nodes = (100, 300, 1_000, 3_000, 10_000)
    rows: list[list[float | str]] = []
    ours: list[float] = []
    own: list[float] = []
    for count in nodes:
        farm = sized(Farm(nodes=count))
        runs = [SCENARIOS["cold-start"](farm, flag) for flag in (False, True)]
        figures = [summary(run) for run in runs]
        ours.append(slowest(runs[0]))
        own.append(slowest(runs[1]))
        replica_hours = figures[0]["core hours of replicas"] + figures[0]["core hours of nodes"]
        row: list[float | str] = [f"{count:,}", f"{farm.replicas}", ours[-1], own[-1]]
        row += [figure["from the store [GB]"] for figure in figures]
        rows.append([*row, replica_hours, figures[1]["core hours of nodes"]])
    if folder:
        path = os.path.join(folder, "nodes.svg")
        lines = {"replicas": ours, "own stages": own}
        title = "Cold start: until every node has its first frame"
        plot_by_nodes(path, title, "seconds", nodes, lines)
    names = ["nodes", "replicas", "all have a frame [s]", "own [s]", "from the store [GB]"]
    names += ["own [GB]", "core hours", "own"]
    return rows_of(names, rows)


def scenarios(folder: str) -> str:
    """All scenarios of the largest farm."""
    farm = sized(Farm(nodes=LARGEST))
    columns = []
    for name, scenario in SCENARIOS.items():
        run, own = scenario(farm, False), scenario(farm, True)
        figures, other = summary(run), summary(own)
        kept = {key: figures[key] for key in KEPT}
        kept["own: slowest frame [s]"] = other["slowest frame [s]"]
        kept["own: from the store [GB]"] = other["from the store [GB]"]
        kept["core hours per 1,000 frames"] = hours(figures)
        kept["own: core hours per 1,000 frames"] = hours(other)
        columns.append((name, kept))
        if folder:
            plot_run(run, own, os.path.join(folder, f"{name}.svg"))
    return table(columns)


def hours(figures: dict[str, float]) -> float:
    used = figures["core hours of nodes"] + figures["core hours of replicas"]
    return 1000 * used / figures["frames"]


def balance_factors() -> str:
    """The bound on the loads of replicas: what it costs in copies, and where it helps."""
    rows: list[list[float | str]] = []
    for factor in FACTORS:
        farm = dataclasses.replace(sized(Farm(nodes=LARGEST)), balance_factor=factor)
        lost, hot, new = (
            summary(SCENARIOS[name](farm, False))
            for name in ("replica-lost", "hot-shot", "publish")
        )
        rows.append(
            [
                f"{factor:g}" if factor else "none",
                lost["copies of a stage"],
                new["memory of a replica, most [GB]"],
                new["slowest frame [s]"],
                new["refused"],
                new["failed calls"],
                hot["slowest frame [s]"],
                hot["failed calls"],
            ]
        )
    names = ["factor", "copies of a stage", "publish: memory [GB]", "publish: slowest frame [s]"]
    names += ["publish: refused", "publish: failed calls", "hot shot: slowest frame [s]"]
    return rows_of([*names, "hot shot: failed calls"], rows)


def frames() -> str:
    """Cold starts, hot shots and steady work, with single calls and with frames."""
    calls = sized(Farm(nodes=LARGEST))
    farms = {"calls": calls, "frames": dataclasses.replace(calls, frames=True)}
    names = ("cold-start", "hot-shot", "replica-lost")
    runs = {way: [SCENARIOS[name](farm, False) for name in names] for way, farm in farms.items()}
    runs["own stages"] = [SCENARIOS[name](calls, True) for name in names]
    columns = []
    for name, (cold, hot, steady) in runs.items():
        busy = summary(steady)
        figures = {
            "cold start: all have a frame [s]": slowest(cold),
            "cold start: core hours": 1e-3 * hours(summary(cold)) * summary(cold)["frames"],
            "hot shot: slowest frame [s]": slowest(hot),
            "hot shot: core hours per 1,000 frames": hours(summary(hot)),
            "steady: frame p50 [s]": busy["frame p50 before [s]"],
            "steady: frame p99 [s]": busy["frame p99 before [s]"],
            "steady: core hours per 1,000 frames": hours(busy),
            "steady: of these, of replicas": 1000 * busy["core hours of replicas"] / busy["frames"],
            "steady: cores busy, most [%]": busy["cores busy, most [%]"],
            "steady: network of a replica, most [%]": busy["network of a replica, most [%]"],
        }
        columns.append((name, figures))
    return table(columns)


def node_daemons() -> str:
    """Cold starts and hot shots with processes that share what their machine has fetched."""
    alone = sized(Farm(nodes=LARGEST))
    rows: list[list[float | str]] = []
    for processes, passes in ((0, 2), (16, 2), (16, 4), (16, 16)):
        shot = dataclasses.replace(alone.shot, passes=passes)
        farm = dataclasses.replace(alone, processes=processes, shot=shot)
        cold, hot = (SCENARIOS[name](farm, False) for name in ("cold-start", "hot-shot"))
        sent = sum(replica.network.done for replica in cold.simulation.replicas)
        rows.append(
            [
                f"{processes}" if processes else "none",
                f"{passes}",
                slowest(cold),
                sent / GB,
                summary(hot)["frame p50 [s]"],
                summary(hot)["frame p99 [s]"],
                summary(hot)["slowest frame [s]"],
            ]
        )
    names = ["processes of a machine", "passes of a frame", "cold start: all have a frame [s]"]
    names += ["cold start: from replicas [GB]", "hot shot: frame p50 [s]"]
    return rows_of([*names, "hot shot: frame p99 [s]", "hot shot: slowest frame [s]"], rows)


def frame_sizes() -> str:
    """What a frame takes from the replicas."""
    rows: list[list[float | str]] = []
    for name, flag in (("calls", False), ("frames", True)):
        farm = sized(Farm(nodes=LARGEST, frames=flag))
        frame = frame_of(farm)
        rows.append([name, frame.first_bytes / MB, frame.bytes / MB, frame.first_core_s,
                     frame.core_s, f"{farm.replicas}"])  # fmt: skip
    return rows_of(["", "first frame [MB]", "a frame [MB]", "first frame [core s]",
                    "a frame [core s]", "replicas for 10,000 nodes"], rows)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="farm figures", description=__doc__)
    parser.add_argument("--plots", metavar="FOLDER", default="", help="write the plots here")
    folder = parser.parse_args().plots
    if folder:
        os.makedirs(folder, exist_ok=True)
    frame = frame_of(sized(Farm()))
    print(f"a frame: {dataclasses.asdict(frame)}\n")
    tables = (sizes(), cold_starts(folder), scenarios(folder), balance_factors())
    for part in (*tables, frame_sizes(), frames(), node_daemons()):
        print(part + "\n", flush=True)


if __name__ == "__main__":
    main()
