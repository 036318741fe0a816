"""Tests of tidy.py with a clang-tidy that has a finding in every source that contains BAD."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

TIDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tidy.py")

CLANG_TIDY = """#!/bin/sh
for source; do :; done
echo "$source" >>runs
! grep -q SLOW "$source" || exec sleep 60
! grep BAD "$source"
"""
GIT = """#!/bin/sh
[ "$1" = diff ] && echo new.cc
[ "$1" = log ] && printf 'b.h\\na.cc\\nb.cc\\n'
exit 0
"""


class TidyTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        for program, script in (("clang-tidy", CLANG_TIDY), ("git", GIT)):
            self.write(program, script)
            os.chmod(os.path.join(self.folder, program), 0o755)
        self.write(".clang-tidy", "")
        self.sources("a.cc", "b.cc", "new.cc", "old.cc")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def sources(self, *names):
        for name in names:
            self.write(name, '#include "%s.h"\n' % name[:-3])
        self.write("compile_commands.json", json.dumps([{"file": name, "arguments": ["c++"]} for name in names]))

    def tidy(self, *options):
        """Returns (exit status, output, the sources that clang-tidy was run on)."""
        self.write("runs", "")
        done = subprocess.run([sys.executable, TIDY, "--cache", "cache", "--jobs", "1", *options], cwd=self.folder, text=True,
                              env={"PATH": self.folder + ":/usr/bin:/bin"}, stdout=subprocess.PIPE, check=False)
        with open(os.path.join(self.folder, "runs"), encoding="utf-8") as f:
            return done.returncode, done.stdout, f.read().split()

    def test_the_latest_changes_come_first(self):
        status, output, runs = self.tidy()
        self.assertEqual((status, runs), (0, ["new.cc", "b.cc", "a.cc", "old.cc"]))
        self.assertEqual(output, "tidy: 4 sources checked, 0 with findings\n")

    def test_a_finding_fails_until_it_is_fixed(self):
        self.write("a.cc", "BAD\n")
        for expected in (["new.cc", "b.cc", "a.cc", "old.cc"], []):
            status, output, runs = self.tidy()
            self.assertEqual((status, runs), (1, expected))
            self.assertIn("a.cc:\nBAD\n", output)
            self.assertIn("4 sources checked, 1 with findings", output)
        self.write("a.cc", "good\n")
        self.assertEqual(self.tidy()[::2], (0, ["a.cc"]))

    def test_a_changed_header_or_configuration_is_noticed(self):
        self.write("b.h", "")
        self.tidy()
        self.write("b.h", "int x;\n")
        self.assertEqual(self.tidy()[2], ["b.cc"])
        self.write(".clang-tidy", "Checks: -*\n")
        self.assertEqual(len(self.tidy()[2]), 4)

    def test_the_time_is_limited(self):
        self.write("b.cc", "SLOW\n")
        status, output, runs = self.tidy("--seconds", "2")
        self.assertEqual((status, runs), (0, ["new.cc", "b.cc"]))
        self.assertIn("1 sources checked, 0 with findings, 3 not reached (time limit)", output)


if __name__ == "__main__":
    unittest.main()
