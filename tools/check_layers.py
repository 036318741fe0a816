#!/usr/bin/env python3
"""Checks that dependencies follow the arrows of bazel/arrows.bzl, regardless of the visibility of targets, and that the daemon uses
no library that does not survive a failed allocation."""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def load_arrows():
    scope = {}
    with open(os.path.join(ROOT, "bazel", "arrows.bzl"), encoding="utf-8") as f:
        exec(compile(f.read(), "arrows.bzl", "exec"), scope)  # the file is also valid Python
    return scope["layer_users"]()


def package(label):
    return label[2:].split(":")[0] if label.startswith("//") else None


def within(pkg, tree):
    return pkg == tree or pkg.startswith(tree + "/")


def allowed(user, used, users):
    """Whether package `user` may depend on package `used`.

    users: {tree: trees that may depend on it}. Every package may depend on trees without an entry.
    """
    trees = [t for t in users if within(used, t)]
    if not trees:
        return True
    tree = max(trees, key=len)
    return within(user, tree) or any(u == "" or within(user, u) for u in users[tree])


def survives_failed_allocations(user, label):
    """Whether package `user` may use the library: Abseil's hash tables are for clients only (docs/decisions/memory-pressure.md)."""
    return within(user, "client") or not re.fullmatch(r"@com_google_absl//absl/container:(flat|node)_hash_(map|set)", label)


def all_rules(testonly=True):
    """Yields (target, dependency) for the C++ targets, whose dependencies may be in other repositories; testonly=False
    leaves out tests and test-only libraries."""
    out = subprocess.run(
        ["bazel", "query", "--output=xml", "--noimplicit_deps", "kind('cc_.* rule', //...)"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    for rule in ET.fromstring(out).iter("rule"):
        only_tests = rule.get("class") == "cc_test" or rule.find("boolean[@name='testonly'][@value='true']") is not None
        if testonly or not only_tests:
            for dep in rule.iter("rule-input"):
                yield rule.get("name"), dep.get("name")


def rules(testonly=True):
    """Yields the pairs of `all_rules` whose dependency is in this repository."""
    return ((user, used) for user, used in all_rules(testonly) if package(used) is not None)


def main():
    users = load_arrows()
    wrong = set()
    for user, used in all_rules():
        if package(used) is None:
            if not survives_failed_allocations(package(user), used):
                wrong.add("%s depends on %s, which does not survive a failed allocation" % (user, used))
        elif not allowed(package(user), package(used), users):
            wrong.add("%s depends on %s against the arrows" % (user, used))
    print("\n".join(sorted(wrong)), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
