"""Compares the values of random animated scenes in usd-core and in our engine: they must agree.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; otherwise it is skipped. The scenes are the same in
every run; random_times.py generates and compares others.
"""
import os
import re
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "dump_values")


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class RandomTimesTest(unittest.TestCase):
    def compare(self, kind, count, *options, known=()):
        """All scenes except the `known` ones must agree; docs/conformance.md explains the exceptions."""
        run = subprocess.run([os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "random_times.py"), PROGRAM,
                              "--kinds", kind, "--count", str(count), "--stop-after", str(len(known) + 1),
                              "--jobs", str(os.cpu_count() or 2), *options],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        disagreeing = {int(number) for number in re.findall(r"^scene (\d+) of", run.stdout, re.MULTILINE)}
        self.assertLessEqual(disagreeing, set(known), run.stdout)
        self.assertGreaterEqual(int(run.stdout.split()[-2]), 0.9 * count, run.stdout)

    def test_samples_agree(self):
        self.compare("samples", 900, "--flatten")

    def test_splines_agree(self):
        self.compare("splines", 600)

    def test_clips_agree(self):
        self.compare("clips", 600)

    def test_clips_across_arcs_agree(self):
        self.compare("arcs", 400, known=[202])

    def test_samples_that_cover_intervals_agree(self):
        self.compare("samples,splines,clips,arcs", 400, "--covering")

    def test_negative_rates_agree(self):
        self.compare("samples", 300, "--flatten", "--backwards")
        self.compare("splines", 300, "--backwards", known=[267])
        self.compare("clips", 300, "--backwards")
        self.compare("arcs", 300, "--backwards", known=[126])


if __name__ == "__main__":
    unittest.main()
