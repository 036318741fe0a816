"""Computes skinning and bounds of hundreds of random scenes with usd-core and with our engine: they must agree.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names, and the corpus in STAGEDOOR_CONFORMANCE; otherwise
it is skipped. The scenes are the same in every run; random_geometry.py generates and compares others.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "../tools/geom_dump")
SCENES = 200


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON") and os.environ.get("STAGEDOOR_CONFORMANCE"),
                     "no usd-core or no corpus here")
class RandomGeometryTest(unittest.TestCase):
    def test_engine_agrees_with_usd_core(self):
        command = [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "random_geometry.py"), PROGRAM]
        runs = [subprocess.Popen(command + [kind, "--seed", "1", "--count", str(SCENES)],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                for kind in ("skel", "geom")]
        for run in runs:
            output = run.communicate()[0]
            self.assertEqual(run.returncode, 0, output)
            # Scenes on which usd-core itself fails are skipped.
            self.assertGreater(int(output.split()[-2]), 0.75 * SCENES, output)


if __name__ == "__main__":
    unittest.main()
