#!/usr/bin/env python3
"""Checks what a plug-in of OpenUSD exports and needs: symbols.py PLUGIN.

Nothing of protobuf, gRPC or Abseil is in it, so that it can meet another version of them in an application. Prints the newest
versions of glibc and libstdc++ that it needs, and fails above those of Debian 12.
"""
import re
import subprocess
import sys

NEWEST = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def main():
    plugin, problems, needed = sys.argv[1], [], {}
    for line in run("nm", "-D", "-C", plugin).splitlines():
        if re.search(r"\b(google::protobuf|grpc|absl)::", line):
            problems.append(f"uses {line.split(None, 1)[-1]}")
    for name, version in re.findall(r"\b(GLIBCXX|GLIBC|CXXABI)_([\d.]+)", run("objdump", "-T", plugin)):
        needed[name] = max(needed.get(name, ()), tuple(map(int, version.split("."))))
    for name, version in sorted(needed.items()):
        print(f"openusd-plugin: needs {name} {'.'.join(map(str, version))}")
        if version > NEWEST[name]:
            problems.append(f"needs a newer {name} than Debian 12 has")
    libraries = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", plugin))
    if "libstagedoor.so.1" not in libraries:
        problems.append("does not need libstagedoor.so.1")
    for problem in problems[:10]:
        print(f"openusd-plugin: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
