#!/usr/bin/env python3
"""Checks that no function in an anonymous namespace has the name of one that a header declares.

The sources of a package are compiled a few at a time (bazel/cc_library.bzl). In the anonymous namespaces of the sources that follow, such a
function hides the other one, and a call means it without an error.
"""
import os
import re
import sys

import check_cycles

ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.M | re.S)
# A declaration of a function at the beginning of a line, as clang-format leaves it: in a namespace, not in a class.
FUNCTION = re.compile(r"^(?!return\b|using\b|namespace\b|#|//|template\b|class\b|struct\b|friend\b|\})"
                      r"[A-Za-z_][\w:<>,*&\[\] ]*?[ *&]([A-Za-z_]\w*)\(", re.M)
JOINED = 'load("//bazel:cc_library.bzl", "cc_library")'


def functions(text):
    """The names of the functions that are declared in the namespaces of a text."""
    return set(FUNCTION.findall(text))


def headers_of(path, sources, known):
    """The headers of the tree that a file includes, also through others."""
    if path not in known:
        known[path] = set()
        for included in check_cycles.INCLUDE.findall(sources.get(path, "")):
            if included in sources:
                known[path] |= {included} | headers_of(included, sources, known)
    return known[path]


def hidden(sources, joined):
    """(source, name, header) of each function in an anonymous namespace of a package in `joined` that hides one of a header which some
    source of its package includes."""
    known, declared = {}, {path: functions(text) for path, text in sources.items() if path.endswith(".h")}
    found = []
    for package in sorted(joined):
        members = [path for path in sorted(sources) if os.path.dirname(path) == package and path.endswith(".cc") and
                   not path.endswith(("_test.cc", "_benchmark.cc", "_fuzzer.cc", "_kernels.cc"))]
        visible = set().union(*(headers_of(path, sources, known) for path in members))
        for path in members:
            names = set().union(*(functions(block) for block in ANONYMOUS.findall(sources[path])))
            found += [(path, name, header) for header in sorted(visible) for name in sorted(names & declared[header])]
    return found


def main():
    sources = check_cycles.tree()
    joined = set()
    for folder in {os.path.dirname(path) for path in sources}:
        build = os.path.join(check_cycles.ROOT, folder, "BUILD.bazel")
        if os.path.exists(build):
            with open(build, encoding="utf-8") as text:
                if JOINED in text.read():
                    joined.add(folder)
    found = hidden(sources, joined)
    for path, name, header in found:
        print(f"{path}: {name} hides that of {header} from the sources after it; give it another name")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
