#!/usr/bin/env python3
"""Checks what the OpenUSD plug-in exports and needs: symbols.py PLUGIN [LIBRARY…]

Nothing of protobuf, gRPC or Abseil is in the plug-in, so that it can meet another version of them in an application. Prints the newest
versions of glibc and libstdc++ that it and the libraries beside it need, and fails above those of systems with glibc 2.34.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tools/wheel"))

import symbol_versions


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def plugin_problems(plugin):
    problems = [f"uses {line.split(None, 1)[-1]}" for line in run("nm", "-D", "-C", plugin).splitlines()
                if re.search(r"\b(google::protobuf|grpc|absl)::", line)]
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", plugin))
    if not any(re.fullmatch(r"libstagedoor(-\w+)?\.so\.1", name) for name in needed):
        problems.append("does not need libstagedoor.so.1")
    return problems


def main(plugin, *libraries):
    versions = symbol_versions.needed([plugin, *libraries])
    for name, (version, path, symbol) in sorted(versions.items()):
        print(f"openusd-plugin: needs {name} {symbol_versions.text(version)} ({symbol} in {os.path.basename(path)})")
    problems = plugin_problems(plugin) + symbol_versions.problems(versions)
    for problem in problems[:10]:
        print(f"openusd-plugin: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
