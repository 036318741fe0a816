"""Asks random animated scenes of usd-core and of our engine: the answers must agree.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; without one it is skipped. The scenes are the same at
every run; random_times.py makes and compares more of them.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "dump_values")


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class RandomTimesTest(unittest.TestCase):
    def compare(self, kind, count, disagreements=0):
        """At most so many scenes may disagree."""
        run = subprocess.run([os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "random_times.py"), PROGRAM,
                              "--kinds", kind, "--count", str(count), "--stop-after", str(disagreements + 1)],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        self.assertIn("disagreements", run.stdout)
        self.assertLessEqual(int(run.stdout.splitlines()[-1].split()[0]), disagreements, run.stdout)

    def test_samples_agree(self):
        self.compare("samples", 3000)

    def test_splines_agree(self):
        # Where a knot falls on a rounded time, one side or the other answers.
        self.compare("splines", 1500, disagreements=6)

    def test_clips_agree(self):
        # Pre-time at jumps, and curves that begin or end with one: docs/conformance.md.
        self.compare("clips", 600, disagreements=25)


if __name__ == "__main__":
    unittest.main()
