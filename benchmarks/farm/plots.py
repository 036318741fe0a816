"""Plots of runs, as small SVG files that are the same for the same numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, StrMethodFormatter

from farm.report import over_time
from farm.scenarios import Run

matplotlib.rcParams["svg.hashsalt"] = "stagedoor"
matplotlib.rcParams["svg.fonttype"] = "none"  # text remains text, which is smaller
matplotlib.rcParams["font.size"] = 9

NOTHING = float("nan")  # leaves a gap in a line

# Points of a line: more would overlap at the size of the plots.
MOST_POINTS = 60

# How deep an element of the SVG may be to have a line of its own: as deep as the ticks.
LINE_DEPTH = 4

LONG_NUMBER = re.compile(r"\d+\.\d{3,}")  # a coordinate: labels of ticks have fewer digits


def save(figure: Figure, path: str) -> None:
    text = io.StringIO()
    metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(text, format="svg", metadata=metadata)
    with open(path, "w", encoding="utf-8") as file:
        file.write(compact(text.getvalue()))


def compact(svg: str) -> str:
    """An SVG of Matplotlib with fewer lines, and coordinates of a tenth of a point."""
    lines: list[str] = []
    for line in svg.splitlines():
        depth, text = len(line) - len(line.lstrip(" ")), line.strip()
        if not text.startswith("<"):  # the data of a path
            lines[-1] += f" {text}"
        elif depth > LINE_DEPTH or (depth == LINE_DEPTH and text == "</g>"):
            lines[-1] += text
        else:
            lines.append(line.rstrip())
    return (
        "\n".join(LONG_NUMBER.sub(lambda found: f"{float(found[0]):.1f}", line) for line in lines)
        + "\n"
    )


def thinned(values: Sequence[float], most: int = MOST_POINTS) -> list[float]:
    """At most so many values: the highest one of each group of neighbours."""
    size = -(-len(values) // most)
    groups = [values[begin : begin + size] for begin in range(0, len(values), size)]
    return [max((x for x in group if x == x), default=NOTHING) for group in groups]


def plot_run(run: Run, own: Run, path: str) -> None:
    """Times of frames, what is busy, and refusals and misses, over the time of a scenario."""
    rows, own_rows, farm = over_time(run), over_time(own), run.simulation.farm
    figure = Figure(figsize=(7.5, 6.5), layout="constrained")
    frames, busy, trouble = figure.subplots(3, 1, sharex=True)
    size = f"{farm.nodes:,} nodes, {farm.replicas} replicas, {farm.shots} shots"
    figure.suptitle(f"{run.name}: {size}")
    _line(frames, rows, "p50", "C0", [row["frame"]["p50"] or NOTHING for row in rows])
    _line(frames, rows, "p99", "C3", [row["frame"]["p99"] or NOTHING for row in rows])
    for name, colour in (("p50", "0.7"), ("p99", "0.4")):
        own_times = [row["frame"][name] or NOTHING for row in own_rows]
        _line(frames, own_rows, f"own stages, {name}", colour, own_times)
    frames.set(yscale="log", ylabel="frame read [s]")
    frames.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))  # less than a decade may show
    frames.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    for name, label, colour in (
        ("cores_busy", "cores", "C0"),
        ("network_busy", "network of the busiest replica", "C1"),
        ("store_busy", "asset store", "C2"),
    ):
        _line(busy, rows, label, colour, [100 * row[name] for row in rows])
    busy.set(ylabel="busy [%]", ylim=(0, 105))
    for name, label, colour in (
        ("most_calls", "calls at the busiest replica", "0.6"),
        ("stage misses", "stages composed", "C0"),
        ("refused", "calls refused", "C3"),
        ("lost", "calls lost", "C4"),
    ):
        _line(trouble, rows, label, colour, [row[name] for row in rows])
    trouble.set_yscale("symlog", linthresh=1)
    trouble.set(ylim=(0, None), ylabel="per interval", xlabel="time [s]")
    for axes in (frames, busy, trouble):
        if run.event_s:
            axes.axvline(run.event_s, color="0.6", linewidth=0.8)
        axes.minorticks_off()
        axes.grid(color="0.92")
        axes.legend(fontsize=7, loc="upper right")
    save(figure, path)


def _line(
    axes: Axes, rows: Sequence[dict[str, Any]], label: str, colour: str, values: Sequence[float]
) -> None:
    times = [row["time"] for row in rows]
    axes.plot(thinned(times), thinned(values), color=colour, linewidth=1.2, label=label)


def plot_by_nodes(
    path: str, title: str, unit: str, nodes: Sequence[int], lines: Mapping[str, Sequence[float]]
) -> None:
    """Lines over the number of nodes, both axes logarithmic."""
    figure = Figure(figsize=(6, 3.6), layout="constrained")
    axes = figure.subplots()
    for name, values in lines.items():
        axes.plot(nodes, values, marker="o", linewidth=1.2, markersize=4, label=name)
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel=unit, title=title)
    axes.minorticks_off()
    axes.grid(color="0.92")
    axes.legend(fontsize=8)
    save(figure, path)
