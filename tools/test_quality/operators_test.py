import unittest

from operators import mutants


def after(line):
    return [mutant.after for mutant in mutants("x.cc", [line])]


class OperatorsTest(unittest.TestCase):
    def test_relations_turn_both_ways(self):
        self.assertIn("  return a <= b;", after("  return a < b;"))
        self.assertIn("  return a >= b;", after("  return a < b;"))

    def test_templates_are_no_relations(self):
        self.assertEqual(after("  std::vector<int> all;"), [])

    def test_strings_and_comments_stay(self):
        self.assertEqual(after('  text = "a < 1";  // 2 + 3'), [])

    def test_conditions_are_negated(self):
        self.assertIn("  if (!done) return;", after("  if (done) return;"))

    def test_calls_are_left_out(self):
        self.assertIn("  ;", after("  list.clear();"))

    def test_constants_change(self):
        self.assertIn("  limit = (64 + 1);", after("  limit = 64;"))
        self.assertEqual(after("  int64_t x;"), [])

    def test_declarations_stay(self):
        self.assertEqual(after("#include <a> // 1"), [])


if __name__ == "__main__":
    unittest.main()
