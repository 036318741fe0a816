"""Checks that a program gives the answers recorded for random scenes: replay.py RECORDED PROGRAM [ARGUMENT]..."""
import sys
import unittest

import recorded

RECORDED, *PROGRAM = sys.argv[1:]


class ReplayTest(unittest.TestCase):
    def test_answers_are_as_recorded(self):
        recorded.replay(self, PROGRAM, RECORDED)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
