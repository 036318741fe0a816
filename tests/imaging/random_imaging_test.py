"""Computes what renderers ask for of hundreds of random scenes with usd-core and with our engine: they must agree.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; otherwise it is skipped. The scenes are the same in every run;
random_imaging.py generates and compares others.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "../tools/imaging_dump")
SCENES = {
    "bounds": 100,
    "camera": 200,
    "instancer": 200,
    "labels": 200,
    "lod": 200,
    "models": 200,
    "motion": 200,
    "physics": 200,
    "points": 200,
    "render": 200,
    "skinning": 200,
    "skinning_data": 200,
    "spaces": 200,
    "statistics": 200,
    "subsets": 200,
    "topology": 200,
    "visibility": 200,
}


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class RandomImagingTest(unittest.TestCase):
    def test_engine_agrees_with_usd_core(self):
        command = [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "random_imaging.py"), PROGRAM]
        for kind, count in SCENES.items():
            with self.subTest(kind):
                done = subprocess.run(command + [kind, "--seed", "1", "--count", str(count)], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
                self.assertEqual(done.returncode, 0, done.stdout)
                # Scenes without anything to compare are skipped.
                self.assertGreater(int(done.stdout.split()[-2]), 0.75 * count, done.stdout)


if __name__ == "__main__":
    unittest.main()
