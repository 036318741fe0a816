"""Makes random edits of session layers with usd-core and with our engine: they must agree.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; otherwise it is skipped. The edits are the same in every
run; random_edits.py generates and compares others.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCENES = 2000


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class RandomEditsTest(unittest.TestCase):
    def test_edits_agree_with_usd_core(self):
        command = [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "random_edits.py"),
                   os.path.join(HERE, "apply_edits")]
        run = subprocess.run(command + ["--seed", "17", "--count", str(SCENES), "--jobs", str(os.cpu_count() or 2)],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout)


if __name__ == "__main__":
    unittest.main()
