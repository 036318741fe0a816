#!/usr/bin/env python3
"""Counts the test cases of one `bazel test` from its build event file.

Each GoogleTest case counts as one, as does a test without cases of its own. A target that did not build, a
test that crashed or timed out, and Bazel itself failing for another reason each count as one failure.
"""
import argparse
import json
import sys
import urllib.parse
import xml.etree.ElementTree as ET

NO_TESTS = 4  # Bazel's exit status if no test targets were found
LAST_LINES = 20  # of the log of a failed test


def test_cases(path):
    """Returns (passed, failed, skipped) names of the cases in a test.xml."""
    passed, failed, skipped = [], [], []
    for case in ET.parse(path).getroot().iter("testcase"):
        name = "%s.%s" % (case.get("classname") or "", case.get("name") or "")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif (case.find("skipped") is not None or case.get("status") == "notrun"
              or case.get("result") in ("skipped", "suppressed")):
            skipped.append(name)
        else:
            passed.append(name)
    return passed, failed, skipped


def last_lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return ["    " + line.rstrip() for line in f.readlines()[-LAST_LINES:]]
    except (OSError, TypeError):
        return []


def output(result, name):
    for file in result.get("testActionOutput", []):
        if file["name"] == name and file.get("uri", "").startswith("file://"):
            return urllib.parse.unquote(file["uri"][len("file://"):])
    return None


class Report:
    def __init__(self):
        self.passed, self.failures, self.skipped, self.logs = 0, [], [], []

    def add_result(self, label, result):
        ok = result["status"] in ("PASSED", "FLAKY")
        try:
            passed, failed, skipped = test_cases(output(result, "test.xml"))
        except (OSError, TypeError, ET.ParseError):
            passed, failed, skipped = [], [], []
        if ok and not (passed or failed or skipped):
            passed = [label]
        if not ok and not failed:
            failed = [result["status"]]
        if not ok:
            self.logs += ["last lines of %s:" % label] + last_lines(output(result, "test.log"))
        self.passed += len(passed)
        self.failures += ["%s %s" % (label, f) for f in failed]
        self.skipped += ["%s %s" % (label, s) for s in skipped]

    def add_event(self, event):
        if "testResult" in event.get("id", {}) and "testResult" in event:
            self.add_result(event["id"]["testResult"]["label"], event["testResult"])
        elif "targetCompleted" in event.get("id", {}):
            if not event.get("completed", {}).get("success"):
                label = event["id"]["targetCompleted"]["label"]
                self.failures.append(label + " did not build")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("events")
    p.add_argument("--name", required=True)
    p.add_argument("--status", type=int, required=True, help="exit status of bazel")
    p.add_argument("--tally", required=True)
    p.add_argument("--failures", required=True, help="file to append the failures to, with the last lines of their logs")
    o = p.parse_args()

    report = Report()
    try:
        with open(o.events, encoding="utf-8") as f:
            for line in f:
                report.add_event(json.loads(line))
    except (OSError, ValueError) as e:
        print("%s: cannot read the results of bazel: %s" % (o.name, e))
    if o.status not in (0, NO_TESTS) and not report.failures:
        report.failures.append("bazel exited with status %d" % o.status)
    for s in report.skipped:
        print("SKIPPED", s)
    failed = ["FAILED %s" % f for f in report.failures]
    for line in failed:
        print(line)
    with open(o.failures, "a", encoding="utf-8") as f:
        f.writelines(line + "\n" for line in failed + report.logs)
    print("%s: %d passed, %d failed, %d skipped" % (
        o.name, report.passed, len(report.failures), len(report.skipped)))
    with open(o.tally, "a", encoding="utf-8") as f:
        f.write("%s %d %d\n" % (o.name, report.passed, len(report.failures)))
    sys.exit(1 if report.failures else 0)


if __name__ == "__main__":
    main()
