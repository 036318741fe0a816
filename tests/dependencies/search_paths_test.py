"""Resolver contexts find what those of OpenUSD find; see compare_search_paths.py.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; otherwise it is skipped.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "../../client/cli/stagedoor")


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class SearchPathsTest(unittest.TestCase):
    def test_agrees_with_openusd(self):
        command = [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "compare_search_paths.py"), PROGRAM]
        compared = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(compared.returncode, 0, compared.stdout[-8000:])


if __name__ == "__main__":
    unittest.main()
