#!/usr/bin/env python3
"""Checks that no two headers define classes of the same name in the same namespace.

The linker keeps one of their implicit functions, such as the destructor, for both: a program that has both destroys one as the other.
"""
import collections
import re
import sys

import check_cycles

NAMESPACE = re.compile(r"^namespace ([\w:]+) \{$", re.M)
# A definition at the beginning of a line, as clang-format leaves it: in a namespace, not in a class.
CLASS = re.compile(r"^(?:class|struct) (?:alignas\(\w+\) )?(\w+)(?: final)?(?:\s*:\s[^{;]*)?\s*\{", re.M)


def repeated(sources):
    """(name, headers) of each class that several headers define."""
    found = collections.defaultdict(list)
    for path, text in sorted(sources.items()):
        if path.endswith(".h"):
            namespace = NAMESPACE.search(text)
            for name in set(CLASS.findall(text)):
                found[(namespace[1] + "::" if namespace else "") + name].append(path)
    return [(name, paths) for name, paths in sorted(found.items()) if len(paths) > 1]


def main():
    found = repeated(check_cycles.tree())
    for name, paths in found:
        print(f"{name} is defined in {' and '.join(paths)}; give one of them another name")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
