"""Skins and bounds some hundred random scenes with usd-core and with our engine: they must agree.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names, and the corpus in STAGEDOOR_SHARED; without them it
is skipped. The scenes are the same at every run; random_geometry.py makes and compares more of them.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "../tools/geom_dump")
SCENES = 400


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON") and os.environ.get("STAGEDOOR_SHARED"),
                     "no usd-core or no corpus here")
class RandomGeometryTest(unittest.TestCase):
    def compare(self, kind):
        run = subprocess.run([os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "random_geometry.py"), PROGRAM,
                              kind, "--seed", "1", "--count", str(SCENES)],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_skinning_agrees_with_usd_core(self):
        self.compare("skel")

    def test_transforms_bounds_and_instances_agree_with_usd_core(self):
        self.compare("geom")


if __name__ == "__main__":
    unittest.main()
