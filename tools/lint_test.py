"""Tests of lint.sh with a clang-format that reports findings, fails or is not installed."""
import os
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ("bash", "dirname", "readlink", "xargs", "awk")


class LintTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.tools, self.bin = (os.path.join(holder.name, name) for name in ("tools", "bin"))
        os.mkdir(self.tools)
        os.mkdir(self.bin)
        for script in ("lint.sh", "lib.sh"):
            shutil.copy(os.path.join(HERE, script), self.tools)
        for program in PROGRAMS:
            os.symlink(shutil.which(program), os.path.join(self.bin, program))
        self.install("git", "echo a.cc")

    def install(self, program, script):
        path = os.path.join(self.bin, program)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\n" + script + "\n")
        os.chmod(path, 0o755)

    def lint(self, check="format"):
        """Returns (whether it passed, its output); the PATH has only the programs of this test."""
        done = subprocess.run([shutil.which("bash"), os.path.join(self.tools, "lint.sh"), "--only", check],
                              env={"PATH": self.bin}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode == 0, done.stdout

    def test_passes_without_findings(self):
        self.install("clang-format", "exit 0")
        self.assertEqual(self.lint(), (True, "lint: format ok\n"))

    def test_findings_fail_and_are_counted(self):
        self.install("clang-format", "echo 'a.cc:1:2: error: x' >&2; echo 'a.cc:3:4: error: y' >&2; exit 1")
        passed, output = self.lint()
        self.assertFalse(passed)
        self.assertIn("a.cc: 2 places", output)
        self.assertIn("format FAILED", output)

    def test_a_missing_program_fails_the_check_and_is_named(self):
        passed, output = self.lint("format")
        self.assertFalse(passed)
        self.assertIn("clang-format is not installed", output)
        self.assertIn("./dev setup", output)

    def test_a_package_that_cannot_be_installed_fails_the_check_and_is_named(self):
        passed, output = self.lint("tidy")  # without the programs that make a virtual environment
        self.assertFalse(passed)
        self.assertRegex(output, "cannot install clang-tidy [0-9.]+ from PyPI")

    def test_a_failing_program_fails_the_check_and_its_output_is_printed(self):
        self.install("clang-format", "echo 'Error reading .clang-format' >&2; exit 1")
        passed, output = self.lint()
        self.assertFalse(passed)
        self.assertIn("Error reading .clang-format", output)


if __name__ == "__main__":
    unittest.main()
