"""Tests of how test_report.py counts the results of `bazel test`."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

REPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_report.py")

CASES = """<testsuites><testsuite name="S">
<testcase name="Good" status="run" result="completed" classname="S"/>
<testcase name="Bad" status="run" result="completed" classname="S"><failure message="no"/></testcase>
<testcase name="Skipped" status="run" result="skipped" classname="S"><skipped message="why"/></testcase>
<testcase name="Disabled" status="notrun" result="suppressed" classname="S"/>
</testsuite></testsuites>"""
CRASHED = '<testsuites><testsuite name="S"/></testsuites>'


class TestReportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def result(self, label, status, xml, log=""):
        outputs = [{"name": "test.xml", "uri": "file://" + self.path(label + ".xml", xml)},
                   {"name": "test.log", "uri": "file://" + self.path(label + ".log", log)}]
        return {"id": {"testResult": {"label": label}},
                "testResult": {"status": status, "testActionOutput": outputs}}

    def report(self, events, status):
        """Returns (exit status, "NAME PASSED FAILED")."""
        file = self.path("events", "".join(json.dumps(e) + "\n" for e in events))
        tally, self.failures = (os.path.join(self.folder.name, name) for name in ("tally", "failures"))
        code = subprocess.run([sys.executable, REPORT, "--name", "n", "--status", str(status), "--tally", tally,
                               "--failures", self.failures, file], stdout=subprocess.DEVNULL).returncode
        with open(tally, encoding="utf-8") as f:
            return code, f.read().strip()

    def test_counts_cases_except_skipped_ones(self):
        self.assertEqual(self.report([self.result("a", "FAILED", CASES)], 3), (1, "n 1 1"))

    def test_keeps_failures_with_the_end_of_their_logs(self):
        log = "".join(f"line {i}\n" for i in range(30))
        self.report([self.result("good", "PASSED", CASES, "nothing"), self.result("bad", "FAILED", CASES, log)], 3)
        with open(self.failures, encoding="utf-8") as f:
            lines = f.read().splitlines()
        self.assertIn("FAILED bad S.Bad", lines)
        self.assertIn("last lines of bad:", lines)
        self.assertEqual(lines[-20:], [f"    line {i}" for i in range(10, 30)])
        self.assertNotIn("    nothing", lines)

    def test_crash_and_timeout_are_failures_without_a_case(self):
        events = [self.result("a", "FAILED", CRASHED), self.result("b", "TIMEOUT", "not xml")]
        self.assertEqual(self.report(events, 3), (1, "n 0 2"))

    def test_target_that_did_not_build_is_a_failure(self):
        events = [{"id": {"targetCompleted": {"label": "//x:y"}}, "completed": {}},
                  {"id": {"targetCompleted": {"label": "//x:z"}}, "completed": {"success": True}}]
        self.assertEqual(self.report(events, 1), (1, "n 0 1"))

    def test_bazel_failing_without_a_result_is_a_failure(self):
        self.assertEqual(self.report([], 37), (1, "n 0 1"))

    def test_no_test_targets_is_not_a_failure(self):
        self.assertEqual(self.report([], 4), (0, "n 0 0"))


if __name__ == "__main__":
    unittest.main()
