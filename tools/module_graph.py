#!/usr/bin/env python3
"""Draws the dependencies between packages in docs/modules.md: module_graph.py [--check].

Shows production targets only; a package includes the packages below it. An arrow that follows from others is left out.
"""
import argparse
import os
import sys

import check_layers

PAGE = os.path.join(check_layers.ROOT, "docs", "modules.md")
HEAD = """# Modules

The packages of production code and what they depend on, drawn from the build by `./dev modules`; `./dev lint` fails when the picture is out of
date. Every package may also use [base](../base); an arrow that follows from others is left out. What is allowed is stated in
[bazel/arrows.bzl](../bazel/arrows.bzl).

"""
# Every package may use it, so its arrows are not drawn.
EVERYWHERE = "base"


def module(package):
    """The node of the graph for a package; None if it is not drawn."""
    folders = package.split("/")
    if "testing" in folders or folders[0] not in ("base", "proto", "resolver", "scene", "server", "client"):
        return None
    if folders[0] in ("scene", "client") or folders[:2] == ["resolver", "remote"]:
        return "/".join(folders[:2])
    return folders[0]


def edges(dependencies):
    """Converts pairs of packages (user, used) to pairs of modules."""
    modules = {(module(user), module(used)) for user, used in dependencies}
    return {(user, used) for user, used in modules if user and used and user != used and EVERYWHERE not in (user, used)}


def reduced(graph):
    """The transitive reduction of the graph: without the edges that a longer path implies."""
    below = {}
    for user, used in graph:
        below.setdefault(user, set()).add(used)

    def reaches(start, goal):
        return any(used == goal or reaches(used, goal) for used in below.get(start, ()))

    return {(user, used) for user, used in graph if not any(reaches(other, used) for other in below[user] - {used})}


def picture(graph):
    lines = ["```mermaid", "graph TD"]
    lines += [f"  {user} --> {used}" for user, used in sorted(graph)]
    return HEAD + "\n".join([*lines, "```", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if docs/modules.md is out of date instead of writing it")
    options = parser.parse_args()
    rules = check_layers.rules(testonly=False)
    now = picture(reduced(edges((check_layers.package(user), check_layers.package(used)) for user, used in rules)))
    if not options.check:
        with open(PAGE, "w", encoding="utf-8") as out:
            out.write(now)
        return 0
    with open(PAGE, encoding="utf-8") as kept:
        if kept.read() == now:
            return 0
    print("docs/modules.md is out of date; run ./dev modules")
    return 1


if __name__ == "__main__":
    sys.exit(main())
