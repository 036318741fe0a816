#!/usr/bin/env python3
"""Checks that the units of a package do not include each other in circles.

A unit is foo.h together with foo.cc, and foo_inl.h if it has templates. Each can then be a library of its own, and be read without the others.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)


def unit(path):
    return os.path.splitext(path)[0].removesuffix("_inl")


def graph(sources):
    """Converts {path: text} to {unit: units of the same package that it includes}."""
    used = {unit(path): set() for path in sources}
    for path, text in sources.items():
        for included in map(unit, INCLUDE.findall(text)):
            if included in used and included != unit(path) and os.path.dirname(included) == os.path.dirname(path):
                used[unit(path)].add(included)
    return used


def cycles(used):
    """The strongly connected components of more than one unit, each sorted."""
    def reachable(start):
        found, pending = set(), [start]
        while pending:
            for following in used[pending.pop()] - found:
                found.add(following)
                pending.append(following)
        return found

    below = {start: reachable(start) for start in used}
    components = {tuple(sorted(other for other in below[start] if start in below[other])) for start in used}
    return sorted(component for component in components if len(component) > 1)


def tree():
    """{path: text} of the C++ sources of the tree."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"],
                            cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    sources = {}
    for path in listed.split():
        if os.path.exists(os.path.join(ROOT, path)):  # not deleted in the working tree
            with open(os.path.join(ROOT, path), encoding="utf-8") as source:
                sources[path] = source.read()
    return sources


def main():
    found = cycles(graph(tree()))
    for cycle in found:
        print("%s: these include each other: %s" % (os.path.dirname(cycle[0]), ", ".join(map(os.path.basename, cycle))))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
