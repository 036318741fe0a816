"""Reduces a random scene about which a program is wrong that knows of no prims.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; otherwise it is skipped.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SEES_NOTHING = f"""#!{sys.executable}
import sys
for line in sys.stdin:
    print('{{"errors": []}}', flush=True)
"""


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class ReduceSceneTest(unittest.TestCase):
    def reduce(self, program, number):
        command = [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "reduce_scene.py"), program, "--seed", "101"]
        return subprocess.run([*command, "--only", str(number)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)

    def test_what_does_not_matter_is_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "sees_nothing")
            with open(program, "w") as file:
                file.write(SEES_NOTHING)
            os.chmod(program, 0o755)
            for number in range(4):
                run = self.reduce(program, number)
                self.assertEqual(run.returncode, 0, run.stdout)
                layers, _, differences = run.stdout.rpartition("--- ./l0.usd --limit 300\n")
                # One prim is enough to be missing.
                self.assertRegex(differences, r"^/\w+: missing\n$")
                self.assertEqual(len(re.findall(r'(?:def|over|class) "', layers)), 1, layers)
                self.assertNotRegex(layers, r"references|payload|inherits|specializes|variant|relocates|offset|defaultPrim|PerSecond")

    def test_agreement_is_an_error(self):
        program = os.path.join(HERE, "../tools/dump_index")
        run = self.reduce(program, 0)
        self.assertEqual(run.returncode, 1)
        self.assertIn("agree", run.stdout)


if __name__ == "__main__":
    unittest.main()
