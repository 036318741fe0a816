import unittest

from operators import mutants


def after(line):
    return [mutant.after for mutant in mutants("x.cc", [line])]


class OperatorsTest(unittest.TestCase):
    def test_relations_become_both_wider_and_reversed(self):
        self.assertIn("  return a <= b;", after("  return a < b;"))
        self.assertIn("  return a >= b;", after("  return a < b;"))

    def test_template_arguments_are_not_relations(self):
        self.assertEqual(after("  std::vector<int> all;"), [])

    def test_strings_and_comments_are_not_changed(self):
        self.assertEqual(after('  text = "a < 1";  // 2 + 3'), [])

    def test_conditions_are_negated(self):
        self.assertIn("  if (!done) return;", after("  if (done) return;"))

    def test_calls_are_removed(self):
        self.assertIn("  ;", after("  list.clear();"))

    def test_constants_are_changed(self):
        self.assertIn("  limit = (64 + 1);", after("  limit = 64;"))
        self.assertEqual(after("  int64_t x;"), [])

    def test_declarations_are_not_changed(self):
        self.assertEqual(after("#include <a> // 1"), [])


if __name__ == "__main__":
    unittest.main()
