"""Asks a program of ours what was recorded of random scenes: replay.py RECORDED PROGRAM [ARGUMENT]..."""
import sys
import unittest

import recorded

RECORDED, *PROGRAM = sys.argv[1:]


class ReplayTest(unittest.TestCase):
    def test_answers_are_those_on_which_usd_core_agreed(self):
        recorded.replay(self, PROGRAM, RECORDED)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
