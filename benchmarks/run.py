#!/usr/bin/env python3
"""Runs the benchmark drivers over the scenes of ../shared/bench and joins their results.

    run.py SCENES --json OUT [--only DRIVER]… [--cluster-seconds N] [-- OPTIONS OF THE DRIVERS]

A driver is an executable *_driver built in //benchmarks. It is called as `DRIVER SCENES --json PART
[OPTIONS]`, finds the daemon and the command through STAGEDOORD and STAGEDOOR, and writes the format of
bench/README.md: {"meta": {…}, "results": [{"name", "unit", "value", "runs"}, …]}. The parts `--only imaging` and `--only frames`
are imaging.py and frames.py, with the Python package. The last part, `--only cluster`, is ./dev cluster --load with 64 clients;
it has scenes of its own, and fails if a call fails or a value is wrong.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def find_drivers(only):
    paths = sorted(glob.glob(os.path.join(ROOT, ".bazel", "bin", "benchmarks", "*_driver")))
    return [p for p in paths if not only or os.path.basename(p) in only]


def run_part(name, command, folder):
    """The report that a command writes, or None if it failed."""
    part = os.path.join(folder, name + ".json")
    status = subprocess.run([*command, "--json", part]).returncode
    if status != 0 or not os.path.exists(part):
        print("bench: %s ended with status %d" % (name, status), file=sys.stderr)
        return None
    with open(part, encoding="utf-8") as f:
        return json.load(f)


def find_parts(options):
    """The commands to run, by name."""
    scenes = os.path.abspath(options.scenes)
    parts = {os.path.basename(driver): [driver, scenes, *options.options] for driver in find_drivers(options.only)}
    python_bench = os.path.join(ROOT, "tools", "python_bench.sh")
    if not options.only or "imaging" in options.only:
        parts["imaging"] = [python_bench, "imaging", "--side", "ours"]
    if not options.only or "frames" in options.only:
        parts["frames"] = [python_bench, "frames", scenes]
    if not options.only or "cluster" in options.only:
        parts["cluster"] = [os.path.join(ROOT, "tools", "cluster.sh"), "--load", "--seconds", str(options.cluster_seconds)]
    return parts


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("scenes")
    p.add_argument("--json", required=True)
    p.add_argument("--only", action="append", default=[])
    p.add_argument("--cluster-seconds", type=int, default=600, help="how long the cluster is disturbed (default 600)")
    p.add_argument("options", nargs="*")
    o = p.parse_args()

    parts = find_parts(o)
    if not o.only and set(parts) <= {"imaging", "frames", "cluster"} or not parts:
        sys.exit("bench: found no drivers in //benchmarks; build them first")
    meta, results, failed = {"side": "stagedoor", "cores": os.cpu_count()}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name, command in parts.items():
            report = run_part(name, command, folder)
            if report is None:
                failed.append(name)
                continue
            meta.update({k: v for k, v in report.get("meta", {}).items() if k not in meta})
            results.update({r["name"]: r for r in report["results"]})
    with open(o.json, "w", encoding="utf-8") as f:
        json.dump({"meta": meta, "results": list(results.values())}, f, indent=1)
    for r in results.values():
        print("%-46s %14.6g %s" % (r["name"], r["value"], r["unit"]))
    sys.exit("bench: failed: " + ", ".join(failed) if failed else 0)


if __name__ == "__main__":
    main()
