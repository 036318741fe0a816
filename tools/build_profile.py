#!/usr/bin/env python3
"""Prints where the time of a build went: by kind of work, by package, by source, and what the compiler did in the dearest sources.

    build_profile.py PROFILE [--sources N] [--causes N]

PROFILE is what `bazel build --profile=PROFILE` wrote. --causes compiles the N dearest sources once more, with -ftime-report, after that
build. $BAZEL is the command of Bazel.
"""
import argparse
import collections
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

BAZEL = os.environ.get("BAZEL", "bazel").split()
# Actions by the first word of their descriptions.
KINDS = {"Compiling": "compile", "Linking": "link", "Generating": "generate", "Executing": "generate", "Testing": "test"}
# Lines of GCC's report: the phases of a compilation, and the parts of them that are worth knowing.
PHASE = re.compile(r"^ *(?:\||)(phase (?:setup|parsing|lang\. deferred|opt and generate|last asm)|preprocessing|template instantiation) +: +"
                   r"([\d.]+)", re.M)


def actions(profile):
    """Yields (description, seconds) of the actions that ran, without the time that they waited for a processor."""
    opener = gzip.open if profile.endswith(".gz") else open
    with opener(profile, "rt", encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    waits = collections.defaultdict(list)  # by thread
    for event in events:
        if event.get("cat") == "action resource lock":
            waits[event["tid"]].append(event)
    for event in events:
        if event.get("cat") == "action processing":
            begin, end = event["ts"], event["ts"] + event["dur"]
            waited = sum(wait["dur"] for wait in waits[event["tid"]] if begin <= wait["ts"] < end)
            yield event["name"], (event["dur"] - waited) / 1e6


def package_of(source):
    """The package of a source, which may be generated: the part before _virtual_imports is enough for protos."""
    return os.path.dirname(source).split("/_virtual_imports")[0]


def totals(pairs):
    """Sums (key, seconds): a list of (key, count, seconds), the largest sums first."""
    seconds, counts = collections.Counter(), collections.Counter()
    for key, value in pairs:
        seconds[key] += value
        counts[key] += 1
    return [(key, counts[key], value) for key, value in seconds.most_common()]


def compiled(all_actions):
    """Yields (source, seconds) of the compilations among actions."""
    for description, seconds in all_actions:
        if description.startswith("Compiling "):
            yield description.split()[1], seconds


def table(title, rows, all_seconds):
    """Prints (name, count, seconds) with the share of all seconds."""
    print(f"\n{title:<52} {'count':>6} {'seconds':>9} {'share':>6}")
    for name, count, seconds in rows:
        print(f"{name:<52} {count:>6} {seconds:>9.1f} {100 * seconds / all_seconds if all_seconds else 0:>5.1f}%")


def phases(report):
    """The seconds of each phase in GCC's -ftime-report."""
    return {name: float(seconds) for name, seconds in PHASE.findall(report)}


def compile_command(source):
    """The command and the directory of the compilation of a source, from the analysis of the last build."""
    query = f'mnemonic("CppCompile", inputs(".*{re.escape(source)}", deps(//...)))'
    out = subprocess.run([*BAZEL, "aquery", query, "--output=jsonproto", "--include_artifacts=false"], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    root = subprocess.run([*BAZEL, "info", "execution_root"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout.strip()
    for action in json.loads(out).get("actions", []):
        arguments = action["arguments"]
        if "-c" in arguments and arguments[arguments.index("-c") + 1].endswith(source):
            return arguments, root
    return None, root


def causes(source):
    """Compiles a source once more: {phase: seconds}, empty if its command is not known."""
    command, root = compile_command(source)
    if command is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        for option, file in (("-o", "out.o"), ("-MF", "out.d")):
            command[command.index(option) + 1] = os.path.join(folder, file)
        done = subprocess.run(command + ["-ftime-report"], cwd=root, stderr=subprocess.PIPE, text=True, check=False)
    return phases(done.stderr)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("profile")
    p.add_argument("--sources", type=int, default=20, help="how many of the dearest sources are printed")
    p.add_argument("--causes", type=int, default=0, help="how many of the dearest sources are compiled once more")
    o = p.parse_args()
    done = list(actions(o.profile))
    everything = sum(seconds for _, seconds in done)
    table("work", totals((KINDS.get(name.split()[0], "other"), seconds) for name, seconds in done), everything)
    sources = list(compiled(done))
    all_compiled = sum(seconds for _, seconds in sources)
    table("package", totals((package_of(source), seconds) for source, seconds in sources), all_compiled)
    dearest = totals(sources)[:o.sources]
    table("source", dearest, all_compiled)
    for source, _, _ in dearest[:o.causes]:
        found = causes(source)
        print("\n" + source + ": " + (", ".join(f"{name} {seconds:.1f} s" for name, seconds in found.items()) or "no report"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
