"""Finds the bound materials, shader networks and lights of hundreds of random scenes with usd-core and with our engine: they must agree.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; otherwise it is skipped. The scenes are the same in every run;
random_shade.py, random_networks.py and random_lights.py generate and compare others.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "../tools/shade_dump")
SCENES = 300


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class RandomShadeTest(unittest.TestCase):
    def test_bound_materials_are_those_of_usd_core(self):
        self.compare("random_shade.py")

    def test_shader_networks_are_those_of_usd_core(self):
        self.compare("random_networks.py")

    def test_lights_are_those_of_usd_core(self):
        self.compare("random_lights.py")

    def compare(self, name):
        command = [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, name), PROGRAM]
        done = subprocess.run(command + ["--seed", "1001", "--count", str(SCENES)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertGreater(int(done.stdout.split()[-2]), 0.9 * SCENES, done.stdout)


if __name__ == "__main__":
    unittest.main()
