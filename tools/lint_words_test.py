"""Tests of lint_words.py: the phrases that it finds, and where it looks for them."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import lint_words


class LintWordsTest(unittest.TestCase):
    def found(self, path, *lines):
        return [(number, phrase) for number, phrase, _ in lint_words.findings(path, lines)]

    def test_checks_comments_and_strings_but_not_code(self):
        self.assertEqual(self.found("a.cc", "int whoever = 1;", "x = 1;  // for whoever asks", 'Error("let go of it");'),
                         [(2, "whoever"), (3, "let go of")])
        self.assertEqual(self.found("a.py", "mended = 1", "# was mended"), [(2, "mended")])
        self.assertEqual(self.found("a.md", "Whoever asks"), [(1, "Whoever")])

    def test_phrases(self):
        for text in ("errors are told per path", "evicted for want of room", "'World' is no absolute prim path", "Of the whole server.",
                     "there is no flag '--x'", "so that nobody waits"):
            self.assertEqual(len(self.found("a.h", "// " + text)), 1, text)

    def test_plain_english_passes(self):
        for text in ("errors are reported per path", "'World' is not an absolute prim path", "there is no value", "All of the files.",
                     "recommended", "the size of the file"):
            self.assertEqual(self.found("a.h", "// " + text), [], text)

    def test_openings_of_comments(self):
        for text in ("What a request asks for.", "The same for HEAD."):
            self.assertEqual(len(self.found("a.h", "  // " + text)), 1, text)
            self.assertEqual(len(self.found("a.ts", "// " + text)), 1, text)
            self.assertEqual(len(self.found("a.h", "/* " + text + " */")), 1, text)
            self.assertEqual(len(self.found("a.py", "    # " + text)), 1, text)
            self.assertEqual(self.found("a.h", "// All fields, so that this is", "// " + text), [], text)
            self.assertEqual(self.found("a.md", "# " + text), [], text)
        self.assertEqual(self.found("a.h", "int a;", "// What it is,", "// in two lines."), [(2, "What")])

    def test_openings_that_make_sense_alone(self):
        for text in ("What if the stage has no camera?", "Whatever the edit is, it counts.", "The fields of a request."):
            self.assertEqual(self.found("a.h", "// " + text), [], text)

    def test_tests_and_the_list_itself_are_exempt(self):
        for path in ("scene/a_test.cc", "tests/x.py", "docs/writing.md", "tools/lint_words.py"):
            self.assertIsNotNone(lint_words.EXEMPT.search(path), path)
        self.assertIsNone(lint_words.EXEMPT.search("scene/a.cc"))


if __name__ == "__main__":
    unittest.main()
