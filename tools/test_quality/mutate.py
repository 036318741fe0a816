#!/usr/bin/env python3
"""Mutation testing: ./dev mutate [--package P]... [--count N] [--seed S] changes one line at a time and checks whether a
test fails.

Works in separate checkouts of the current commit, which must pass its tests. The tests of the package run first, then those
of the packages that use it directly, then all other tests that depend on it, each in the configuration of ./dev test; then
the conformance corpus. The first level that fails has killed the mutant. A mutant that does not build is left out, and so is
a survivor whose optimized code is the same. Prints a table by package and keeps the patches of survivors. Each verdict is
saved immediately in verdicts.jsonl beside the patches: a restarted run continues where the last one stopped, and with a later
--until only tries the mutants that have survived so far.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import random
import re
import shlex
import subprocess
import sys
import time
import zlib

from operators import Mutant, mutants
from production import is_production

LEVELS = ("unit", "neighbours", "system", "conformance")
VERDICTS = (*LEVELS, "survived")
NOT_MUTATED = "server/main.cc"  # no test of its package links it
TESTS_FAILED = 3  # Bazel's exit status if a test failed


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


class Tree:
    """A checkout in which mutants are built and tested."""

    def __init__(self, source, path, disk_cache, seconds):
        self.path, self.disk_cache, self.seconds = path, disk_cache, seconds
        commit = subprocess.check_output(["git", "-C", source, "rev-parse", "HEAD"], text=True).strip()
        if not os.path.exists(path):
            subprocess.check_call(["git", "-C", source, "worktree", "add", "-q", "--detach", path, commit])
        subprocess.check_call(["git", "-C", path, "checkout", "-q", "--force", "--detach", commit])
        print(f"mutate: {commit[:12]} in {path}", flush=True)
        run("tools/precompiled_headers.sh", cwd=path)
        if self.bazel("build", "//proto/...").returncode != 0:  # the generated headers
            raise SystemExit("mutate: the current commit does not build")
        self.commands = self.compile_commands()
        self.sanitized = self.query("attr(tags, '\\basan\\b', tests(//...))")
        self.tests, self.objects = {}, {}

    def bazel(self, command, *arguments):
        return run("bazel", command, f"--disk_cache={self.disk_cache}", "--define=sources=separate", *arguments, cwd=self.path)

    def compile_commands(self):
        done = run(sys.executable, os.path.join(self.path, "tools/compile_commands.py"), cwd=self.path)
        if done.returncode != 0:
            raise SystemExit(done.stdout)
        with open(os.path.join(self.path, "compile_commands.json"), encoding="utf-8") as file:
            return {entry["file"]: entry["arguments"] for entry in json.load(file)}

    def sources(self, packages):
        """The production sources and headers by package."""
        listed = subprocess.check_output(["git", "-C", self.path, "ls-files", "*.cc", "*.h"], text=True).split()
        chosen = collections.defaultdict(list)
        for file in listed:
            package = os.path.dirname(file)
            if not is_production(file) or file == NOT_MUTATED:
                continue
            if not packages or any(package == p or package.startswith(p + "/") for p in packages):
                chosen[package].append(file)
        return chosen

    def lines(self, file):
        with open(os.path.join(self.path, file), encoding="utf-8") as source:
            return source.read().split("\n")

    def write(self, file, lines):
        with open(os.path.join(self.path, file), "w", encoding="utf-8") as out:
            out.write("\n".join(lines))

    def object_hash(self, file):
        """A hash of the optimized assembly that the source compiles to, without line numbers; None if it does not compile. A
        header is compiled as part of the source of the same name; '' if there is none."""
        unit = file if file in self.commands else re.sub(r"\.h$", ".cc", file)
        if unit not in self.commands:
            return ""
        arguments = [a for a in self.commands[unit] if not a.startswith("-g")]
        done = subprocess.run([*arguments, "-g0", "-o", "/dev/stdout", "-S"], cwd=self.path, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        return hashlib.sha256(done.stdout).hexdigest() if done.returncode == 0 else None

    def query(self, expression):
        done = subprocess.run(["bazel", "query", "--keep_going", expression], cwd=self.path, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return set(done.stdout.split())

    def original_hash(self, file):
        """object_hash of an unchanged file."""
        if file not in self.objects:
            self.objects[file] = self.object_hash(file)
        return self.objects[file]

    def tests_of(self, package):
        """The test targets of each level for a package, without those of earlier levels."""
        if package not in self.tests:
            everything = f"tests(rdeps(//..., //{package}:all)) except attr(tags, manual, //...)"
            reach = self.query(everything)
            own = {t for t in reach if t.startswith(f"//{package}:")}
            users = self.query(f"rdeps(//..., //{package}:all, 1)")
            packages = {u.split(":")[0] for u in users if not u.startswith(("//tests", "//benchmarks"))}
            near = {t for t in reach if t.split(":")[0] in packages} - own
            self.tests[package] = {"unit": own, "neighbours": near, "system": reach - own - near}
        return self.tests[package]

    def run_tests(self, options, targets):
        """Bazel's exit status."""
        oracle = os.environ.get("STAGEDOOR_ORACLE_PYTHON", "")
        return self.bazel("test", *options, "--notest_keep_going", "--test_output=summary", f"--test_timeout={self.seconds}",
                          f"--test_env=STAGEDOOR_ORACLE_PYTHON={oracle}", *sorted(targets)).returncode

    def killed_by(self, package, levels):
        """The first of the levels whose tests fail, or 'survived'; None if the change does not build somewhere."""
        for level, targets in self.tests_of(package).items():
            if level not in levels:
                continue
            # As in ./dev test: what is tagged asan runs there only.
            for options, some in (["--config=asan"], targets & self.sanitized), ([], targets - self.sanitized):
                status = self.run_tests(options, some) if some else 0
                if status == TESTS_FAILED:
                    return level
                if status != 0:
                    return None
        if "conformance" not in levels or package.split("/")[0] == "client":
            return "survived"
        return "survived" if run(os.path.join(self.path, "dev"), "conformance", cwd=self.path).returncode == 0 else "conformance"


class Verdicts:
    """The results of earlier runs: the verdict on each mutant, and the last level that was tried."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for row in map(json.loads, file):
                    self.known[tuple(row["mutant"])] = (row["verdict"], row["until"])

    @staticmethod
    def key(mutant):
        return mutant.file, mutant.before, mutant.after

    def of(self, mutant, until):
        """The known verdict on a mutant, or None, and the levels up to `until` that remain to be tried."""
        verdict, tried = self.known.get(self.key(mutant), (None, None))
        first = LEVELS.index(tried) + 1 if verdict == "survived" else 0
        levels = LEVELS[first:LEVELS.index(until) + 1] if verdict in (None, "survived") else ()
        return verdict, levels

    def add(self, mutant, verdict, until):
        self.known[self.key(mutant)] = (verdict, until)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"mutant": self.key(mutant), "verdict": verdict, "until": until}) + "\n")


def judge(tree, mutant, levels):
    """The level that killed a mutant, 'survived', or the reason why it does not count."""
    lines = tree.lines(mutant.file)
    lines[mutant.line] = mutant.after
    tree.write(mutant.file, lines)
    try:
        verdict = tree.killed_by(os.path.dirname(mutant.file), levels) or "does not build"
        changed = tree.object_hash(mutant.file) if verdict == "survived" else ""
    finally:
        lines[mutant.line] = mutant.before
        tree.write(mutant.file, lines)
    return "equivalent" if changed != "" and changed == tree.original_hash(mutant.file) else verdict


def sample(tree, options):
    """Yields mutants in random order."""
    everything = [mutant for files in tree.sources(options.package).values() for file in files
                  for mutant in mutants(file, tree.lines(file))]
    random.Random(options.seed).shuffle(everything)
    # At most one per line: mutants of the same line are killed by the same test.
    seen = set()
    for mutant in everything:
        if (mutant.file, mutant.line) not in seen:
            seen.add((mutant.file, mutant.line))
            yield mutant


def judgements(trees, sampled, verdicts, until):
    """Yields (mutant, verdict) in the order of `sampled`. A tree judges one mutant at a time, and always those of the same
    packages, so that each package's tests are built in one tree only."""
    pools = [concurrent.futures.ThreadPoolExecutor(1) for _ in trees]

    def verdict_on(tree, mutant):
        verdict, levels = verdicts.of(mutant, until)
        if not levels:
            return verdict
        begin = time.monotonic()
        verdict = judge(tree, mutant, levels)
        verdicts.add(mutant, verdict, until)
        print(f"{verdict:16} {time.monotonic() - begin:6.1f} s  {mutant.file}:{mutant.line + 1}: {mutant.rule}: "
              f"{mutant.before.strip()}  ->  {mutant.after.strip()}", flush=True)
        return verdict

    ahead = collections.deque()
    try:
        for mutant in sampled:
            number = zlib.crc32(os.path.dirname(mutant.file).encode()) % len(trees)
            ahead.append((mutant, pools[number].submit(verdict_on, trees[number], mutant)))
            if len(ahead) >= 8 * len(trees):
                first, verdict = ahead.popleft()
                yield first, verdict.result()
        while ahead:
            first, verdict = ahead.popleft()
            yield first, verdict.result()
    finally:
        for pool in pools:
            pool.shutdown(cancel_futures=True)


def patch(mutant):
    return (f"--- a/{mutant.file}\n+++ b/{mutant.file}\n@@ -{mutant.line + 1} +{mutant.line + 1} @@\n"
            f"-{mutant.before}\n+{mutant.after}\n")


def keep_patch(folder, mutant, verdict):
    """Writes the patch of a mutant that survived; removes that of a mutant that a later level has killed."""
    path = os.path.join(folder, f"{mutant.file.replace('/', '_')}_{mutant.line + 1}_{mutant.rule}.patch")
    if verdict == "survived":
        with open(path, "w", encoding="utf-8") as file:
            file.write(patch(mutant))
    elif os.path.exists(path):
        os.remove(path)


def survivors(folder, lines_of):
    """Yields the mutants whose patches are in a folder, at the current positions of their lines; lines_of(file) returns
    the lines of a source."""
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".patch"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            head, _, place, before, after, *_ = file.read().split("\n")
        path, line = head.removeprefix("--- a/"), int(re.match(r"@@ -(\d+) ", place)[1]) - 1
        there = [i for i, text in enumerate(lines_of(path)) if text == before[1:]]
        if there:
            nearest = min(there, key=lambda i: abs(i - line))
            yield Mutant(path, nearest, before[1:], after[1:], name.removesuffix(".patch").rsplit("_", 1)[1])


def table(results):
    print(f"{'package':32} {'mutants':>7} " + " ".join(f"{verdict:>11}" for verdict in VERDICTS) + f" {'unit %':>7} {'all %':>6}")
    total = collections.Counter()
    for package in [*sorted(results), "all"]:
        counts = total if package == "all" else results[package]
        if package != "all":
            total.update(counts)
        every = sum(counts.values())
        if every == 0:
            continue
        print(f"{package:32} {every:7} " + " ".join(f"{counts[verdict]:11}" for verdict in VERDICTS) +
              f" {100 * counts['unit'] / every:7.0f} {100 * (every - counts['survived']) / every:6.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", action="append", default=[], help="package to mutate, with those below it; repeatable")
    parser.add_argument("--count", type=int, default=30, help="number of mutants to judge, without those left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", metavar="FOLDER", help="try the survivors of an earlier run, whose patches are in FOLDER, instead of a sample")
    parser.add_argument("--until", choices=LEVELS, default=LEVELS[-1], help="last level to try")
    parser.add_argument("--jobs", type=int, default=2, help="number of mutants to judge at a time, each in its own checkout")
    parser.add_argument("--test-seconds", type=int, default=300, help="time limit of a test; exceeding it counts as a failure")
    parser.add_argument("--tree", default=os.path.expanduser("~/.cache/stagedoor/mutate"))
    parser.add_argument("--disk-cache", required=True)
    parser.add_argument("--out", default="mutants", help="folder for verdicts and patches of survivors")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    verdicts = Verdicts(os.path.join(options.out, "verdicts.jsonl"))
    trees = [Tree(os.getcwd(), f"{options.tree}-{number}", options.disk_cache, options.test_seconds)
             for number in range(options.jobs)]
    results, left_out = collections.defaultdict(collections.Counter), collections.Counter()
    chosen = survivors(options.again, trees[0].lines) if options.again else sample(trees[0], options)
    judged = judgements(trees, chosen, verdicts, options.until)
    for mutant, verdict in judged:
        if verdict not in VERDICTS:
            left_out[verdict] += 1
            continue
        results[os.path.dirname(mutant.file)][verdict] += 1
        keep_patch(options.out, mutant, verdict)
        if not options.again and sum(sum(counts.values()) for counts in results.values()) == options.count:
            break
    judged.close()
    print()
    table(results)
    print("left out: " + (", ".join(f"{count} {why}" for why, count in left_out.items()) or "none"))
    print((f"again: {options.again}" if options.again else f"seed {options.seed}") + f"; patches of survivors: {shlex.quote(options.out)}")


if __name__ == "__main__":
    main()
