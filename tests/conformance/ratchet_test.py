"""What ratchet.py accepts, rejects and writes."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

RATCHET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ratchet.py")


class RatchetTest(unittest.TestCase):
    def run_ratchet(self, listed, results, *options):
        """Returns (exit status, output, the list afterwards, the tally)."""
        with tempfile.TemporaryDirectory() as folder:
            path = {n: os.path.join(folder, n) for n in ("list", "results", "tally")}
            with open(path["list"], "w", encoding="utf-8") as f:
                f.writelines(name + "\n" for name in listed)
            with open(path["results"], "w", encoding="utf-8") as f:
                json.dump({n: {"passed": ok, "diffs": [] if ok else ["differs"]} for n, ok in results.items()}, f)
            p = subprocess.run([sys.executable, RATCHET, path["results"], "--list", path["list"], "--tally",
                                path["tally"], *options], stdout=subprocess.PIPE, text=True)
            with open(path["list"], encoding="utf-8") as f:
                after = f.read().split()
            with open(path["tally"], encoding="utf-8") as f:
                return p.returncode, p.stdout, after, f.read()

    def test_listed_cases_that_pass_are_fine(self):
        status, _, after, tally = self.run_ratchet(["a"], {"a": True, "b": False})
        self.assertEqual((status, after, tally), (0, ["a"], "conformance 1 0\n"))

    def test_listed_case_that_fails_is_an_error_and_stays_listed(self):
        status, out, after, tally = self.run_ratchet(["a", "b"], {"a": False, "b": True}, "--update")
        self.assertEqual((status, after, tally), (1, ["a", "b"], "conformance 1 1\n"))
        self.assertIn("BROKEN a: differs", out)

    def test_new_pass_is_added_on_update_only(self):
        self.assertEqual(self.run_ratchet(["b"], {"a": True, "b": True})[2], ["b"])
        self.assertEqual(self.run_ratchet(["b"], {"a": True, "b": True}, "--update")[2], ["a", "b"])

    def test_case_that_was_not_run_is_an_error_in_whole_runs_only(self):
        self.assertEqual(self.run_ratchet(["a", "b"], {"a": True})[0], 0)
        self.assertEqual(self.run_ratchet(["a", "b"], {"a": True}, "--whole")[0], 1)


if __name__ == "__main__":
    unittest.main()
