"""Compares the simulator with three daemons and 64 clients on this machine.

    tools/farm.sh validate [--seconds N] [--stagedoord PROGRAM] [--stagedoor PROGRAM] [--json FILE]

First each kind of call is measured with one client on one daemon, and with 16: what it takes, and
how much processor time of both sides. From that, and from the processor time that other programs
take meanwhile, the model predicts two runs with 64 clients on three daemons: at half of the rate
that the cores allow, and as fast as possible. Prints measurements, predictions and errors.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

from farm.daemons import Daemon, Latency, LoadClient, machine_core_s, write_scene
from farm.loopback import Loopback, Measured

MIX = {"values": 6.0, "prim": 2.0, "samples": 1.0, "traverse": 0.5, "open": 0.5}
BATCH = 100  # attributes in a call of values or samples
CLIENTS = (22, 21, 21)
LOADED_CLIENTS = 16
FIGURES = (
    ("calls/s", 1.0, "per_second"),
    ("mean [ms]", 1e3, "mean"),
    ("p50 [ms]", 1e3, "p50"),
    ("p90 [ms]", 1e3, "p90"),
    ("p99 [ms]", 1e3, "p99"),
)
ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Seen:
    """A run of load clients; seconds of a core are per call."""

    rows: dict[str, Latency]
    daemon_s: float
    client_s: float
    others: float  # cores that other programs kept busy


class Bench:
    def __init__(self, chosen: argparse.Namespace, scene: str) -> None:
        self._command = chosen.stagedoor
        self._scene = scene

    def load(self, daemons: Sequence[Daemon], clients: Sequence[int], options: list[str]) -> Seen:
        """Runs a load client for each daemon at the same time."""
        before, machine, begun = [d.core_s() for d in daemons], machine_core_s(), time.monotonic()
        running = [
            LoadClient(
                self._command,
                daemon,
                self._scene,
                ["--clients", str(count), "--batch", str(BATCH), *options],
            )
            for daemon, count in zip(daemons, clients, strict=True)
        ]
        found = [client.finish() for client in running]
        elapsed = time.monotonic() - begun
        daemon_s = sum(d.core_s() for d in daemons) - sum(before)
        client_s = sum(client.core_s for client in running)
        others = (machine_core_s() - machine - daemon_s - client_s) / elapsed
        rows = {name: joined([rows[name] for rows in found]) for name in found[0]}
        return Seen(rows, daemon_s, client_s, max(0.0, others))

    def per_call(
        self, daemons: Sequence[Daemon], clients: Sequence[int], options: list[str], seconds: float
    ) -> Seen:
        """As load, but per call, and without what the start of the clients takes on both sides."""
        start = self.load(daemons, clients, [*options, "--duration", "0.02"])
        run = self.load(daemons, clients, [*options, "--duration", str(seconds)])
        calls = calls_of(run) - calls_of(start)
        return dataclasses.replace(
            run,
            daemon_s=max(0.0, run.daemon_s - start.daemon_s) / calls,
            client_s=max(0.0, run.client_s - start.client_s) / calls,
        )


def calls_of(seen: Seen) -> int:
    return sum(row.calls for name, row in seen.rows.items() if name != "all")


def joined(rows: Sequence[Latency]) -> Latency:
    """Figures for several daemons: the sum of the rates, and percentiles weighted by calls."""
    calls = sum(row.calls for row in rows)

    def mean(name: str) -> float:
        return sum(float(getattr(row, name)) * row.calls for row in rows) / max(1, calls)

    most = max(row.most for row in rows)
    per_second = sum(row.per_second for row in rows)
    return Latency(calls, per_second, mean("mean"), mean("p50"), mean("p90"), mean("p99"), most)


def calibrate(bench: Bench, daemon: Daemon, seconds: float) -> tuple[list[Measured], float]:
    print("| call | p50 alone [us] | daemon, client [us] | under load: daemon, client [us] |")
    print("|---|---|---|---|")
    found, others = [], []
    for kind, weight in MIX.items():
        alone = bench.per_call([daemon], [1], ["--mix", kind], seconds)
        loaded = bench.per_call([daemon], [LOADED_CLIENTS], ["--mix", kind], seconds)
        row = alone.rows[kind]
        others += [alone.others, loaded.others]
        found.append(
            Measured(
                kind, weight, row, alone.daemon_s, alone.client_s, loaded.daemon_s, loaded.client_s
            )
        )
        times = [alone.daemon_s, alone.client_s, loaded.daemon_s, loaded.client_s]
        a, b, c, d = (1e6 * t for t in times)
        print(f"| {kind} | {1e6 * row.p50:.0f} | {a:.0f}, {b:.0f} | {c:.0f}, {d:.0f} |", flush=True)
    return found, statistics.mean(others)


def mean_core_s(calls: Sequence[Measured]) -> float:
    total = sum(call.weight for call in calls)
    return (
        sum(call.weight * (call.daemon_loaded_s + call.client_loaded_s) for call in calls) / total
    )


def compare(name: str, seen: Seen, model: Loopback, seconds: float) -> dict[str, float]:
    """Prints what was measured and predicted; the errors by figure."""
    print(f"\n{name}; other programs kept {seen.others:.2f} cores busy")
    used, modelled = 1e6 * (seen.daemon_s + seen.client_s), 1e6 * model.core_s
    print(f"a call took {used:.0f} us of processor time, in the model {modelled:.0f}\n")
    print("| | measured | simulated | error |")
    print("|---|---|---|---|")
    errors: dict[str, float] = {}
    for kind in ["all", *MIX]:
        real, simulated = seen.rows[kind], model.latency(kind, seconds)
        for label, scale, field in FIGURES if kind == "all" else FIGURES[1:]:
            a, b = scale * getattr(real, field), scale * getattr(simulated, field)
            error = b / a - 1 if a else 0.0
            errors[f"{kind} {label}"] = error
            print(f"| {kind} {label} | {a:.4g} | {b:.4g} | {100 * error:+.0f} % |")
    return errors


def validate(chosen: argparse.Namespace) -> dict[str, dict[str, float]]:
    cores = len(os.sched_getaffinity(0))
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as work:
        scene = os.path.join(work, "scene.usda")
        write_scene(scene)
        bench = Bench(chosen, scene)
        with (
            Daemon(chosen.stagedoord) as a,
            Daemon(chosen.stagedoord) as b,
            Daemon(chosen.stagedoord) as c,
        ):
            bench.load([a, b, c], CLIENTS, ["--duration", "0.02"])  # they open the stage
            calls, others = calibrate(bench, a, chosen.seconds / 2)
            mix = ",".join(f"{kind}={weight:g}" for kind, weight in MIX.items())
            half = round(0.5 * (cores - others) / mean_core_s(calls) / 3)
            for name, rate in ((f"{3 * half} calls a second", 3 * half), ("saturated", 0)):
                pace = ["--rate", str(half)] if rate else []
                seen = bench.per_call([a, b, c], CLIENTS, ["--mix", mix, *pace], chosen.seconds)
                model = Loopback(calls, cores - seen.others, 3, seed=1)
                model.run(CLIENTS, chosen.seconds, rate)
                results[name] = compare(name, seen, model, chosen.seconds)
    return results


def main() -> int:
    parser = argparse.ArgumentParser(prog="farm validate", description=__doc__)
    built = ROOT / ".bazel" / "bin"
    parser.add_argument("--seconds", type=float, default=8.0, help="of each of the two runs")
    parser.add_argument("--stagedoord", default=str(built / "server" / "stagedoord"))
    parser.add_argument("--stagedoor", default=str(built / "client" / "cli" / "stagedoor"))
    parser.add_argument("--json", metavar="FILE", help="write the errors")
    chosen = parser.parse_args()
    for program in (chosen.stagedoord, chosen.stagedoor):
        if not os.access(program, os.X_OK):
            print(f"farm validate: cannot run {program}; ./dev build makes it", file=sys.stderr)
            return 2
    results = validate(chosen)
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
