"""The orders of threads.py and its use of the replies, with a driver whose rates are known."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

import threads

# Two metrics; each lane records its orders. For m.one the two threads give 170 and each process 100; for m.two 80 and 50.
DRIVER = """#!%s
import json, os, sys
lane = sys.argv[sys.argv.index("--lane") + 1]
log = open(os.path.join(sys.argv[1], lane), "a", buffering=1)
for name, both, one in (("m.one", 170, 100), ("m.two", 80, 50)):
    print(json.dumps({"ready": name, "unit": "1/s"}), flush=True)
    for line in sys.stdin:
        log.write(name + " " + line)
        if line == "next\\n":
            break
        print(json.dumps({"rate": both if lane == "both" else one}), flush=True)
sys.exit(int(open(os.path.join(sys.argv[1], "status")).read()))
"""


class ThreadsTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.write("driver", DRIVER % sys.executable)
        self.write("status", "0")
        os.chmod(self.path("driver"), 0o755)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def orders(self, lane):
        with open(self.path(lane), encoding="utf-8") as file:
            return [line.split() for line in file]

    def results(self, *more):
        """(status, results by name, what was printed)"""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = threads.main([self.folder, "--groups", "g", "--driver", self.path("driver"), "--rounds", "4", "--seconds", "0",
                                   "--json", self.path("out"), *more])
        with open(self.path("out"), encoding="utf-8") as file:
            return status, {result["name"]: result for result in json.load(file)["results"]}, out.getvalue()

    def test_the_ratio_is_of_two_threads_to_the_sum_of_two_processes(self):
        status, results, _ = self.results()
        self.assertEqual(status, 0)
        self.assertEqual({name: result["ratio"] for name, result in results.items()}, {"m.one": 0.85, "m.two": 0.8})
        self.assertEqual((results["m.one"]["threads"], results["m.one"]["processes"]), (170, 200))

    def test_ratios_below_the_wanted_share_are_marked(self):
        printed = self.results()[2]
        self.assertIn("| m.one | 1/s | 170 | 200 | 85.0% |", printed)
        self.assertIn("| m.two | 1/s | 80 | 100 | 80.0% ✗ |", printed)

    def test_all_lanes_run_once_more_than_there_are_rounds(self):
        self.results()
        for lane in ("both", "1", "2"):
            self.assertEqual([order[:2] for order in self.orders(lane)],
                             [["m.one", "go"]] * 5 + [["m.one", "next"]] + [["m.two", "go"]] * 5 + [["m.two", "next"]])

    def test_the_processes_start_together_and_the_threads_alone(self):
        self.results()
        begins = {lane: [order[2] for order in self.orders(lane) if order[1] == "go"] for lane in ("both", "1", "2")}
        self.assertEqual(begins["1"], begins["2"])
        self.assertFalse(set(begins["1"]) & set(begins["both"]))

    def test_the_order_alternates_between_rounds(self):
        self.results("--only", "m.one")
        both, one = ([float(order[2]) for order in self.orders(lane) if order[1] == "go"] for lane in ("both", "1"))
        self.assertEqual([a < b for a, b in zip(both, one)][1:], [True, False, True, False])

    def test_other_metrics_are_skipped(self):
        _, results, _ = self.results("--only", "m.two")
        self.assertEqual(list(results), ["m.two"])
        self.assertEqual(len([order for order in self.orders("both") if order[:2] == ["m.one", "go"]]), 0)

    def test_a_failed_driver_is_reported(self):
        self.write("status", "3")
        with self.assertRaisesRegex(SystemExit, "group g ended with"):
            self.results()

    def test_medians_are_robust_against_one_round(self):
        summary = threads.summary([(8, 10), (9, 10), (1, 100), (9, 10), (9, 10)])
        self.assertEqual((summary["threads"], summary["processes"], summary["ratio"]), (9, 10, 0.9))
        self.assertEqual((summary["low"], summary["high"]), (0.8, 0.9))


if __name__ == "__main__":
    unittest.main()
