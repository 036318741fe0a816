#!/usr/bin/env python3
"""Runs the benchmark drivers over the scenes of ../shared/bench and joins their results.

    run.py SCENES --json OUT [--only DRIVER]… [-- OPTIONS OF THE DRIVERS]

A driver is an executable *_driver built in //benchmarks. It is called as `DRIVER SCENES --json PART
[OPTIONS]`, finds the daemon and the command through STAGEDOORD and STAGEDOOR, and writes the format of
bench/README.md: {"meta": {…}, "results": [{"name", "unit", "value", "runs"}, …]}.
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


def run_driver(driver, scenes, options, folder):
    """The driver's report, or None if it failed."""
    part = os.path.join(folder, os.path.basename(driver) + ".json")
    status = subprocess.run([driver, scenes, "--json", part] + options).returncode
    if status != 0 or not os.path.exists(part):
        print("bench: %s ended with status %d" % (os.path.basename(driver), status), file=sys.stderr)
        return None
    with open(part, encoding="utf-8") as f:
        return json.load(f)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("scenes")
    p.add_argument("--json", required=True)
    p.add_argument("--only", action="append", default=[])
    p.add_argument("options", nargs="*")
    o = p.parse_args()

    drivers = find_drivers(o.only)
    if not drivers:
        sys.exit("bench: found no drivers in //benchmarks; build them first")
    meta, results, failed = {"side": "stagedoor", "cores": os.cpu_count()}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for driver in drivers:
            report = run_driver(driver, os.path.abspath(o.scenes), o.options, folder)
            if report is None:
                failed.append(os.path.basename(driver))
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
