"""The command behind tools/farm.sh: runs scenarios, and prints what happened."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import time

from farm.farm_file import read_farm
from farm.model import frame_of, load_of, needs_of, sized
from farm.parameters import Farm
from farm.report import over_time, summary, table
from farm.scenarios import SCENARIOS


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="farm", description="Simulates a render farm in front of replicas of stagedoord."
    )
    parser.add_argument("scenario", nargs="+", choices=[*SCENARIOS, "all", "size"])
    parser.add_argument("--farm", metavar="FILE", help="TOML file with parameters")
    parser.add_argument("--nodes", type=int, help="render nodes")
    parser.add_argument(
        "--replicas", type=int, help="replicas; as many as the model says by default"
    )
    parser.add_argument("--shots", type=int, help="shots at a time; one for 50 nodes by default")
    parser.add_argument("--balance-factor", type=float, help="bound on loads; 0: none")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--json", metavar="FILE", help="write figures and the state over time")
    parser.add_argument(
        "--plots", metavar="FOLDER", help="write a plot for each scenario (matplotlib)"
    )
    return parser.parse_args()


def farm_of(chosen: argparse.Namespace) -> Farm:
    farm = read_farm(chosen.farm) if chosen.farm else Farm()
    names = ("nodes", "replicas", "shots", "balance_factor", "seed")
    given = {name: getattr(chosen, name) for name in names if getattr(chosen, name) is not None}
    farm = dataclasses.replace(farm, **given)
    if farm.nodes < 1:
        raise ValueError("--nodes must be at least 1")
    if min(farm.replicas, farm.shots, farm.balance_factor) < 0:
        raise ValueError("--replicas, --shots and --balance-factor must not be negative")
    return sized(farm)


def print_size(farm: Farm) -> None:
    """The results of the formulas."""
    print(
        f"{farm.nodes} nodes, {farm.shots} shots, {farm.replicas} replicas; needed for:",
        needs_of(farm),
    )
    for part in (frame_of(farm), load_of(farm)):
        for name, value in dataclasses.asdict(part).items():
            print(f"  {name:18} {value:12.4g}")


def main() -> int:
    chosen = options()
    try:
        farm = farm_of(chosen)
    except OSError as error:
        print(f"farm: cannot read {chosen.farm!r}: {error.strerror}", file=sys.stderr)
        return 2
    except ValueError as error:
        print(f"farm: {error}", file=sys.stderr)
        return 2
    written: dict[str, object] = {"farm": dataclasses.asdict(farm)}
    names = list(SCENARIOS) if "all" in chosen.scenario else chosen.scenario
    for name in names:
        if name == "size":
            print_size(farm)
            continue
        begun = time.process_time()
        run, own = SCENARIOS[name](farm, False), SCENARIOS[name](farm, True)
        took = time.process_time() - begun
        print(
            f"\n{name}: {farm.nodes} nodes, {farm.replicas} replicas, {farm.shots} shots, ", end=""
        )
        print(f"{run.simulation.env.now:.0f} s simulated in {took:.1f} s of processor time\n")
        print(table([("replicas", summary(run)), ("own stages", summary(own))]))
        written[name] = {
            "replicas": {"figures": summary(run), "over_time": over_time(run)},
            "own stages": {"figures": summary(own), "over_time": over_time(own)},
        }
        if chosen.plots:
            from farm.plots import plot_run  # only plots need matplotlib

            os.makedirs(chosen.plots, exist_ok=True)
            plot_run(run, own, os.path.join(chosen.plots, f"{name}.svg"))
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(written, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
