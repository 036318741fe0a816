"""Plots what frames.py measured by the share of prims that move, or are deformed, from frame to frame.

    tools/farm.sh frames OURS_JSON SVG
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Mapping

from farm.plots import save
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

KINDS = {"moving": "transforms", "deformed": "100 points each"}
COLOURS = {"moving": "C0", "deformed": "C1"}


def series(results: Mapping[str, float], kind: str, what: str) -> tuple[list[float], list[float]]:
    """The shares in percent, ascending, and the values at these."""
    begin, end = f"frames.{kind}.", f".{what}"
    found = {name[len(begin) : -len(end)]: value for name, value in results.items() if name.startswith(begin) and name.endswith(end)}
    shares = sorted(found, key=float)
    return [float(share) for share in shares], [found[share] for share in shares]


def draw(axes: Axes, results: Mapping[str, float], what: str, scale: float, label: str) -> None:
    for kind, name in KINDS.items():
        shares, values = series(results, kind, what)
        axes.plot(shares, [scale * value for value in values], marker="o", markersize=4, linewidth=1.2, color=COLOURS[kind], label=name)
    axes.set(xscale="log", yscale="log", xlabel="prims that change [%]", ylabel=label)
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.minorticks_off()
    axes.grid(color="0.92")


def main() -> None:
    source, target = sys.argv[1:]
    results = {result["name"]: result["value"] for result in json.loads(pathlib.Path(source).read_text())["results"]}
    figure = Figure(figsize=(7.5, 3.2), layout="constrained")
    bytes_axes, cpu_axes = figure.subplots(1, 2)
    figure.suptitle("The next frame of 20,000 meshes")
    draw(bytes_axes, results, "bytes", 1e-3, "sent [kB]")
    draw(cpu_axes, results, "cpu_us", 1e-3, "processor time of the daemon [ms]")
    bytes_axes.legend(fontsize=8)
    save(figure, target)


if __name__ == "__main__":
    main()
