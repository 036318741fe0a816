#!/usr/bin/env python3
import gzip
import importlib.util
import json
import os
import tempfile
import unittest

_spec = importlib.util.spec_from_file_location("build_profile", os.path.join(os.path.dirname(os.path.abspath(__file__)), "build_profile.py"))
build_profile = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(build_profile)

EVENTS = [
    {"cat": "action processing", "name": "Compiling scene/stage/a.cc", "tid": 1, "ts": 0, "dur": 5_000_000},
    {"cat": "action processing", "name": "Compiling scene/stage/b.cc", "tid": 1, "ts": 5_000_000, "dur": 500_000},
    {"cat": "action processing", "name": "Compiling proto/_virtual_imports/x_proto/x.pb.cc", "tid": 2, "ts": 0, "dur": 4_000_000},
    {"cat": "action resource lock", "name": "Acquiring resources", "tid": 1, "ts": 1_000_000, "dur": 3_000_000},
    {"cat": "complete action execution", "name": "Compiling scene/stage/a.cc", "tid": 1, "ts": 0, "dur": 9_000_000},
    {"name": "thread_name", "ph": "M"},
]
REPORT = """
Time variable                                   usr           sys          wall           GGC
 phase setup                        :   0.01 (  0%)   0.00 (  0%)   0.02 (  0%)  1576k (  1%)
 phase parsing                      :   1.17 ( 21%)   1.23 ( 45%)   5.18 ( 30%)    75M ( 38%)
 phase opt and generate             :   3.74 ( 67%)   1.17 ( 42%)  10.23 ( 60%)    84M ( 42%)
 |name lookup                       :   0.44 (  8%)   0.26 (  9%)   1.78 ( 10%)  4116k (  2%)
 template instantiation             :   0.68 ( 12%)   0.36 ( 13%)   1.71 ( 10%)    38M ( 19%)
"""


class BuildProfileTest(unittest.TestCase):
    def test_reads_each_action_once_without_its_waits(self):
        with tempfile.TemporaryDirectory() as folder:
            plain, packed = os.path.join(folder, "p.json"), os.path.join(folder, "p.gz")
            with open(plain, "w", encoding="utf-8") as f:
                json.dump({"traceEvents": EVENTS}, f)
            with gzip.open(packed, "wt", encoding="utf-8") as f:
                json.dump({"traceEvents": EVENTS}, f)
            found = [list(build_profile.actions(path)) for path in (plain, packed)]
        self.assertEqual(found[0], found[1])
        self.assertEqual([seconds for _, seconds in found[0]], [2.0, 0.5, 4.0])

    def test_sums_by_package_with_the_largest_first(self):
        sources = build_profile.compiled([("Compiling scene/stage/a.cc", 2.0), ("Compiling scene/stage/b.cc", 0.5),
                                          ("Compiling proto/_virtual_imports/x_proto/x.pb.cc", 4.0)])
        self.assertEqual(build_profile.totals((build_profile.package_of(source), seconds) for source, seconds in sources),
                         [("proto", 1, 4.0), ("scene/stage", 2, 2.5)])

    def test_reads_the_phases_of_the_compiler(self):
        self.assertEqual(build_profile.phases(REPORT), {"phase setup": 0.01, "phase parsing": 1.17, "phase opt and generate": 3.74,
                                                        "template instantiation": 0.68})


if __name__ == "__main__":
    unittest.main()
