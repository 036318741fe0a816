"""Tests of check_class_names.py with small headers."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check_class_names


def header(body, namespace="s"):
    return f"namespace {namespace} {{\n\n{body}\n\n}}  // namespace {namespace}\n"


class ClassNamesTest(unittest.TestCase):
    def assertRepeated(self, first, second, expected):
        self.assertEqual(check_class_names.repeated({"a/a.h": first, "b/b.h": second}), [(name, ["a/a.h", "b/b.h"]) for name in expected])

    def test_two_classes_of_one_namespace(self):
        self.assertRepeated(header("class Writer final : public Base {\n};"), header("struct Writer {\n};"), ["s::Writer"])

    def test_long_bases(self):
        text = header("class Writer\n    : public Base,\n      private Other {\n};")
        self.assertRepeated(text, text, ["s::Writer"])

    def test_namespaces_differ(self):
        self.assertRepeated(header("class Writer {\n};"), header("class Writer {\n};", "s::t"), [])

    def test_declarations_and_nested_classes_do_not_count(self):
        self.assertRepeated(header("class Writer {\n  struct Options {\n  };\n};"),
                            header("class Writer;\nclass Reader {\n  struct Options {\n  };\n};"), [])


if __name__ == "__main__":
    unittest.main()
