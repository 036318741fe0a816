"""usd-core opens what our writers write (text, crates and packages) and finds it equal to the source.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; otherwise it is skipped.
"""
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class UsdCoreTest(unittest.TestCase):
    def test_usd_core_reads_what_we_write(self):
        with tempfile.TemporaryDirectory() as folder:
            listed = subprocess.run([os.path.join(HERE, "write_layers"), folder], check=True,
                                    stdout=subprocess.PIPE, text=True).stdout
            lines = [line for line in listed.splitlines(True) if line[0].isdigit()]
            self.assertGreater(len(lines), 15)
            compared = subprocess.run(
                [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "compare_written.py"), folder],
                input="".join(lines), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self.assertEqual(compared.returncode, 0, compared.stdout[-8000:])


if __name__ == "__main__":
    unittest.main()
