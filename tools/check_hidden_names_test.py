"""Tests of check_hidden_names.py with small sources."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check_hidden_names

HEADER = "namespace s {\nstd::string Word(int i);\nclass C {\n  int Count();\n};\n}  // namespace s\n"


def source(body, *included):
    return "".join(f'#include "{header}"\n' for header in included) + "namespace s {\nnamespace {\n" + body + "\n}  // namespace\n}\n"


class HiddenNamesTest(unittest.TestCase):
    def assertHidden(self, sources, expected):
        self.assertEqual(check_hidden_names.hidden({"q/word.h": HEADER, **sources}, {"p"}), expected)

    def test_a_function_hides_one_of_a_header_that_another_source_includes(self):
        self.assertHidden({"p/a.cc": source("int Word(std::string text) {\n}"), "p/b.cc": source("", "q/word.h")},
                          [("p/a.cc", "Word", "q/word.h")])

    def test_headers_are_followed(self):
        self.assertHidden({"p/a.cc": source("constexpr int* Word(int i) {\n}", "p/b.h"), "p/b.h": '#include "q/word.h"\n'},
                          [("p/a.cc", "Word", "q/word.h")])

    def test_a_template_hides_too(self):
        self.assertHidden({"p/a.cc": source("template <typename T>\nT Word(T t) {\n}", "q/word.h")},
                          [("p/a.cc", "Word", "q/word.h")])

    def test_only_declarations_count(self):
        self.assertHidden({"p/a.cc": source("int F() {\n  return Word(1);\n}", "q/word.h")}, [])

    def test_methods_are_not_hidden(self):
        self.assertHidden({"p/a.cc": source("int Count() {\n}", "q/word.h")}, [])

    def test_other_packages_tests_and_sources_compiled_alone_do_not_count(self):
        text = source("int Word(int i) {\n}", "q/word.h")
        self.assertHidden({"r/a.cc": text, "p/a_test.cc": text, "p/a_kernels.cc": text}, [])

    def test_names_outside_of_anonymous_namespaces_do_not_count(self):
        self.assertHidden({"p/a.cc": '#include "q/word.h"\nnamespace s {\nstd::string Word(int i) {\n}\n}\n'}, [])


if __name__ == "__main__":
    unittest.main()
