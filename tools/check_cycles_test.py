"""Tests of check_cycles.py with small sources."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check_cycles


def including(*headers):
    return "".join('#include "%s"\n' % header for header in headers)


class CyclesTest(unittest.TestCase):
    def assertCycles(self, sources, expected):
        self.assertEqual(check_cycles.cycles(check_cycles.graph(sources)), expected)

    def test_a_header_and_its_source_are_one_unit(self):
        self.assertCycles({"p/a.h": "", "p/a.cc": including("p/a.h")}, [])

    def test_a_chain_is_not_a_cycle(self):
        self.assertCycles({"p/a.h": including("p/b.h"), "p/b.h": including("p/c.h"), "p/c.h": ""}, [])

    def test_a_source_may_close_a_cycle_of_headers(self):
        self.assertCycles({"p/a.h": including("p/b.h"), "p/b.h": "", "p/b.cc": including("p/b.h", "p/a.h")},
                          [("p/a", "p/b")])

    def test_a_long_cycle_is_one_component(self):
        self.assertCycles({"p/a.h": including("p/b.h"), "p/b.h": including("p/c.h"), "p/c.h": including("p/a.h"),
                           "p/d.h": including("p/a.h")}, [("p/a", "p/b", "p/c")])

    def test_only_units_of_one_package_count(self):
        self.assertCycles({"p/a.h": including("q/b.h"), "q/b.h": including("p/a.h")}, [])


if __name__ == "__main__":
    unittest.main()
