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
SERVER = """
## The server

`server` alone, one node a package; `server` itself has targets at the bottom, such as its limits, and the daemon at the top, so each of them is a
node. The picture has no circle: `./dev lint` fails if one appears.

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


def server_module(target):
    """The node of the server's own graph for a target; None if it is not drawn."""
    package, _, name = target.removeprefix("//").partition(":")
    if package.split("/")[0] != "server" or "testing" in package.split("/") or "." in name:
        return None
    return package if "/" in package else name


def server_edges(dependencies):
    """Converts pairs of targets (user, used) to pairs of the server's modules."""
    modules = {(server_module(user), server_module(used)) for user, used in dependencies}
    return {(user, used) for user, used in modules if user and used and user != used}


def cycle(graph):
    """The nodes of one circle of the graph, in order; empty if there is none."""
    below, done = {}, set()
    for user, used in sorted(graph):
        below.setdefault(user, []).append(used)

    def search(node, way):
        if node in way:
            return way[way.index(node):]
        if node in done:
            return []
        done.add(node)
        return next((found for used in below.get(node, ()) if (found := search(used, [*way, node]))), [])

    return next((found for node in sorted(below) if (found := search(node, []))), [])


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
    return "\n".join([*lines, "```", ""])


def page(rules):
    """The text of the page for the dependencies between targets."""
    modules = edges((check_layers.package(user), check_layers.package(used)) for user, used in rules)
    return HEAD + picture(reduced(modules)) + SERVER + picture(reduced(server_edges(rules)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if docs/modules.md is out of date instead of writing it")
    options = parser.parse_args()
    rules = list(check_layers.rules(testonly=False))
    if circle := cycle(server_edges(rules)):
        print("these depend on each other: " + " -> ".join([*circle, circle[0]]))
        return 1
    now = page(rules)
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
