"""Random layers that are often malformed: what we read and write of them is what usd-core does. See random_layers.py.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; otherwise it is skipped.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class RandomLayersTest(unittest.TestCase):
    def agree(self, kinds, count):
        compared = subprocess.run(
            [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "random_layers.py"), os.path.join(HERE, "describe_layer"),
             "--kinds", kinds, "--count", str(count), "--seed", "7"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(compared.returncode, 0, compared.stdout[-8000:])

    def test_names(self):
        self.agree("names", 300)

    def test_values(self):
        self.agree("values", 400)

    def test_strings(self):
        self.agree("strings", 300)

    def test_names_in_crates(self):
        self.agree("crates", 300)


if __name__ == "__main__":
    unittest.main()
