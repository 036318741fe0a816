"""Composes 5000 random layer graphs with usd-core and with our composer: they must agree.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; without one it is skipped. The scenes are the
same at every run; random_scenes.py makes and compares more of them.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "../../scene/composition/dump_index")
PARTS = 2  # processes at a time
KNOWN = {101: [1495]}  # scenes by seed that disagree, see docs/conformance.md


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class RandomScenesTest(unittest.TestCase):
    def test_composer_agrees_with_usd_core(self):
        command = [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "random_scenes.py"), PROGRAM]
        runs = [subprocess.Popen(command + ["--seed", str(100 + i), "--count", str(5000 // PARTS)] +
                                 [f"--except={scene}" for scene in KNOWN.get(100 + i, [])],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                for i in range(PARTS)]
        for run in runs:
            said = run.communicate()[0]
            self.assertEqual(run.returncode, 0, said)
            # What is left out: scenes without end, and those over which usd-core stumbles itself.
            compared = int(said.split()[-2])
            self.assertGreater(compared, 0.75 * 5000 / PARTS, said)


if __name__ == "__main__":
    unittest.main()
