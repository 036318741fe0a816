#!/usr/bin/env python3
"""Compares a conformance result with the list of cases that must pass.

    ratchet.py RESULTS.json [--list passing.txt] [--update] [--whole] [--tally FILE]

RESULTS.json is what run.py writes with --json. A listed case that fails is an error, as is a listed
case missing from a complete run (--whole). With --update, passes that are not listed are added. Other
cases that were not run are ignored. --tally appends a line 'conformance PASSED FAILED' to FILE, with the
numbers of passed cases and of errors.
"""
import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def read_list(path):
    with open(path, encoding="utf-8") as f:
        return {line.strip() for line in f if line.strip() and not line.startswith("#")}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("results")
    p.add_argument("--list", default=os.path.join(HERE, "passing.txt"))
    p.add_argument("--update", action="store_true")
    p.add_argument("--whole", action="store_true", help="all cases were run, so missing ones are errors")
    p.add_argument("--tally")
    o = p.parse_args()

    with open(o.results, encoding="utf-8") as f:
        results = json.load(f)
    listed = read_list(o.list)
    passed = {name for name, r in results.items() if r["passed"]}
    broken = {name for name in listed if name in results and name not in passed}
    gone = {name for name in listed if name not in results} if o.whole else set()
    new = passed - listed

    for name in sorted(broken):
        print("ratchet: BROKEN %s: %s" % (name, (results[name]["diffs"] or ["?"])[0]))
    for name in sorted(gone):
        print("ratchet: GONE %s is listed but was not run" % name)
    if new and o.update:
        with open(o.list, "w", encoding="utf-8") as f:
            f.writelines(name + "\n" for name in sorted(listed | new))
    print("ratchet: %d listed, %d listed ones pass, %d broken, %d new passes%s" % (
        len(listed), len(listed & passed), len(broken) + len(gone), len(new),
        "" if not new else " (added)" if o.update else " (add them: ./dev conformance --update)"))
    if o.tally:
        with open(o.tally, "a", encoding="utf-8") as f:
            f.write("conformance %d %d\n" % (len(passed), len(broken) + len(gone)))
    sys.exit(1 if broken or gone else 0)


if __name__ == "__main__":
    main()
