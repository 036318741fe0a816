import os
import tempfile
import unittest

from mutate import LEVELS, Verdicts
from operators import Mutant

MUTANT = Mutant("a/b.cc", 3, "  if (x) return;", "  if (!x) return;", "condition")


class VerdictsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "verdicts.jsonl")

    def tearDown(self):
        self.folder.cleanup()

    def of(self, until):
        return Verdicts(self.path).of(MUTANT, until)

    def test_nothing_is_known_at_first(self):
        self.assertEqual(self.of("unit"), (None, ("unit",)))
        self.assertEqual(self.of("conformance"), (None, LEVELS))

    def test_what_was_killed_is_not_tried_again(self):
        Verdicts(self.path).add(MUTANT, "unit", "unit")
        self.assertEqual(self.of("conformance"), ("unit", ()))

    def test_what_does_not_count_is_not_tried_again(self):
        Verdicts(self.path).add(MUTANT, "equivalent", "unit")
        self.assertEqual(self.of("conformance"), ("equivalent", ()))

    def test_survivors_go_on_at_the_next_level(self):
        Verdicts(self.path).add(MUTANT, "survived", "unit")
        self.assertEqual(self.of("unit"), ("survived", ()))
        self.assertEqual(self.of("system"), ("survived", ("neighbours", "system")))

    def test_the_last_verdict_counts(self):
        verdicts = Verdicts(self.path)
        verdicts.add(MUTANT, "survived", "unit")
        verdicts.add(MUTANT, "system", "system")
        self.assertEqual(self.of("conformance"), ("system", ()))

    def test_a_line_that_moved_is_the_same(self):
        Verdicts(self.path).add(MUTANT, "unit", "unit")
        self.assertEqual(Verdicts(self.path).of(MUTANT._replace(line=90), "unit"), ("unit", ()))


if __name__ == "__main__":
    unittest.main()
