#!/usr/bin/env python3
"""Line and branch coverage by package: ./dev coverage [--gaps PACKAGE]... [--target PATTERN]...

Builds the tests with clang's source-based coverage, runs them and the conformance cases, and prints a table by package: the
lines that were run and the outcomes of branches that were taken, with the instantiations of a template combined. --gaps lists
the lines and branches of a package that were not reached.
"""
import argparse
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys

from production import is_production

# Coverage of a file: {line: count} and {(line, column): [times true, times false]}.
Reached = collections.namedtuple("Reached", "lines branches")


def line_counts(segments):
    """The count of each line, from llvm-cov's segments: [line, column, count, has count, is region entry, is gap]. A
    line's count is the largest count of the region that reaches into it and of those that begin in it."""
    counts, wrapped = {}, None
    by_line = collections.defaultdict(list)
    for segment in segments:
        by_line[segment[0]].append(segment)
    if not by_line:
        return counts
    for line in range(min(by_line), max(by_line) + 1):
        entries = [s[2] for s in by_line[line] if s[3] and s[4] and not s[5]]
        if wrapped is not None and wrapped[3]:
            entries.append(wrapped[2])
        if entries:
            counts[line] = max(entries)
        if by_line[line]:
            wrapped = by_line[line][-1]
    return counts


def is_constant(source, line, column):
    """Whether the condition at a position is evaluated by the compiler: its statement has constexpr before it."""
    text = "\n".join(source[max(0, line - 4):line - 1] + [source[line - 1][:column - 1]])
    return re.search(r"\bconstexpr\b", re.split(r"[;{}]", text)[-1]) is not None


def branch_counts(branches, source):
    """The counts of a file's branches, summed over all instantiations of a template; source: the lines of the file."""
    counts = collections.defaultdict(lambda: [0, 0])
    for line, column, _, _, true, false, *_ in branches:
        both = counts[line, column]
        both[0] += true
        both[1] += false
    return {at: both for at, both in counts.items() if any(both) or not is_constant(source, *at)}


def reached(export, root):
    """Coverage by file, from the output of `llvm-cov export`."""
    files = {}
    for entry in export["data"][0]["files"]:
        # Bazel compiles in its own folders, below which paths are relative to the repository.
        file = re.sub(r"^(/proc/self/cwd|.*/execroot/[^/]+)/", "", entry["filename"])
        file = os.path.relpath(file, root) if os.path.isabs(file) else file
        if is_production(file):
            with open(os.path.join(root, file), encoding="utf-8") as source:
                branches = branch_counts(entry["branches"], source.read().split("\n"))
            files[file] = Reached(line_counts(entry["segments"]), branches)
    return files


def table(files):
    """Rows of (package, lines, lines run, branch outcomes, outcomes taken)."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file, what in files.items():
        ways = [count for both in what.branches.values() for count in both]
        for name in (os.path.dirname(file), "all"):
            row = rows[name]
            row[0] += len(what.lines)
            row[1] += sum(count > 0 for count in what.lines.values())
            row[2] += len(ways)
            row[3] += sum(count > 0 for count in ways)
    return [(name, *rows[name]) for name in sorted(rows, key=lambda name: (name == "all", name))]


def gaps(files, package):
    """Yields 'file:line: what was not reached' for a package and those below it."""
    for file in sorted(files):
        folder = os.path.dirname(file)
        if folder != package and not folder.startswith(package + "/"):
            continue
        lines = collections.defaultdict(list)
        for (line, column), (true, false) in files[file].branches.items():
            if true == 0 or false == 0:
                never = "neither" if true == false else "never true" if true == 0 else "never false"
                lines[line].append(f"column {column} {never}")
        for line, count in files[file].lines.items():
            if count == 0 and line not in lines:
                lines[line].append("not run")
        for line in sorted(lines):
            yield f"{file}:{line}: " + ", ".join(lines[line])


def percent(part, whole):
    return 100 * part / whole if whole else 100


def run_tests(disk_cache, patterns, folder):
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(os.path.join(folder, "*.profraw")):
        os.remove(old)
    command = ["bazel", "test", "--config=cov", f"--disk_cache={disk_cache}", "--keep_going", "--nocache_test_results",
               f"--sandbox_writable_path={folder}", f"--test_env=LLVM_PROFILE_FILE={folder}/%4m.profraw"]
    oracle = os.environ.get("STAGEDOOR_ORACLE_PYTHON")
    if oracle:
        command.append(f"--test_env=STAGEDOOR_ORACLE_PYTHON={oracle}")
    if subprocess.run([*command, *patterns], check=False).returncode not in (0, 3):
        raise SystemExit("coverage: the tests do not build")


def run_shared_cases(folder):
    """Runs the conformance cases. Failures are ignored here; ./dev conformance reports them."""
    programs = {"STAGEDOORD": ".bazel/cov-bin/server/stagedoord", "STAGEDOOR": ".bazel/cov-bin/client/cli/stagedoor"}
    environment = {**os.environ, **{name: os.path.abspath(path) for name, path in programs.items()},
                   "LLVM_PROFILE_FILE": f"{folder}/%4m.profraw"}
    for cases in ([], ["--cases", "tests/conformance/own/cases"]):
        subprocess.run(["tests/conformance/conformance.sh", "--failures", "0", *cases], env=environment, check=False)


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def binaries():
    """The programs that were built, including the tests."""
    found = subprocess.run(["find", ".bazel/cov-bin/", "-name", "*.runfiles", "-prune", "-o", "-type", "f", "-perm", "-u+x", "-print"],
                           stdout=subprocess.PIPE, text=True, check=False).stdout.split()
    return [file for file in found if is_elf(file)]


def export_of(folder):
    merged = os.path.join(folder, "merged.profdata")
    subprocess.check_call(["llvm-profdata", "merge", "-sparse", "-o", merged, *glob.glob(os.path.join(folder, "*.profraw"))])
    first, *others = binaries()
    command = ["llvm-cov", "export", f"-instr-profile={merged}", "-skip-functions", "-skip-expansions", first]
    for other in others:
        command += ["-object", other]
    return json.loads(subprocess.check_output(command))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gaps", action="append", default=[], metavar="PACKAGE", help="list its lines and branches that were not reached; repeatable")
    parser.add_argument("--target", action="append", default=[], help="tests to run; by default all tests and the conformance cases")
    parser.add_argument("--again", action="store_true", help="print the results of the last run without running the tests")
    parser.add_argument("--folder", default=os.path.expanduser("~/.cache/stagedoor/coverage"))
    parser.add_argument("--disk-cache", required=True)
    options = parser.parse_args()
    kept = os.path.join(options.folder, "export.json")
    if not options.again:
        run_tests(options.disk_cache, options.target or ["//..."], options.folder)
        if not options.target:
            run_shared_cases(options.folder)
        with open(kept + ".part", "w", encoding="utf-8") as out:
            json.dump(export_of(options.folder), out)
        shutil.move(kept + ".part", kept)
    with open(kept, encoding="utf-8") as file:
        files = reached(json.load(file), os.getcwd())
    for package in options.gaps:
        print("\n".join(gaps(files, package)))
    print(f"{'package':32} {'lines':>7} {'run %':>6} {'branches':>9} {'taken %':>8}")
    for name, lines, run, ways, taken in table(files):
        print(f"{name:32} {lines:7} {percent(run, lines):6.1f} {ways:9} {percent(taken, ways):8.1f}")


if __name__ == "__main__":
    sys.exit(main())
