import unittest
from unittest import mock

import coverage


def segment(line, column, count, entry=True, has_count=True, gap=False):
    return [line, column, count, has_count, entry, gap]


class CoverageTest(unittest.TestCase):
    def test_a_line_has_the_count_of_its_most_frequent_region(self):
        # 1: f() {   2: if (a) b();   3: }
        segments = [segment(1, 1, 5), segment(2, 7, 5), segment(2, 10, 2), segment(2, 14, 5, entry=False), segment(3, 2, 0, entry=False, has_count=False)]
        self.assertEqual(coverage.line_counts(segments), {1: 5, 2: 5, 3: 5})

    def test_lines_without_code_have_no_count(self):
        segments = [segment(1, 1, 1), segment(2, 2, 0, entry=False, has_count=False), segment(5, 1, 0), segment(6, 2, 0, entry=False, has_count=False)]
        self.assertEqual(coverage.line_counts(segments), {1: 1, 2: 1, 5: 0, 6: 0})
        self.assertEqual(coverage.line_counts([]), {})

    def test_instantiations_of_a_template_are_combined(self):
        branches = [[3, 7, 3, 12, 1, 0, 0, 0, 4], [3, 7, 3, 12, 0, 2, 0, 0, 4], [4, 1, 4, 2, 0, 0, 0, 0, 4]]
        self.assertEqual(coverage.branch_counts(branches, ["", "", "  if (a) b();", "c ? d : e;"]), {(3, 7): [1, 2], (4, 1): [0, 0]})

    def test_conditions_evaluated_by_the_compiler_do_not_count(self):
        source = ["template <class T> void F(T t) {", "  if constexpr (kA<T> ||", "                kB<T>) G();", "  if (t) H();", "}"]
        branches = [[2, 17, 2, 22, 0, 0, 0, 0, 4], [3, 17, 3, 22, 0, 0, 0, 0, 4], [4, 7, 4, 8, 0, 0, 0, 0, 4]]
        self.assertEqual(coverage.branch_counts(branches, source), {(4, 7): [0, 0]})

    def test_only_production_files_of_the_repository_count(self):
        empty = {"segments": [], "branches": []}
        names = ["/w/base/a.cc", "/cache/execroot/stagedoor/scene/b.h", "/usr/include/c.h", "/w/base/a_test.cc", "/w/base/testing/d.h",
                 "/x/execroot/stagedoor/bazel-out/k8/bin/proto/e.pb.h", "/w/tests/f.cc", "/proc/self/cwd/base/g.cc"]
        export = {"data": [{"files": [dict(empty, filename=name) for name in names]}]}
        with mock.patch("builtins.open", mock.mock_open(read_data="")):
            self.assertEqual(list(coverage.reached(export, "/w")), ["base/a.cc", "scene/b.h", "base/g.cc"])

    def test_the_table_counts_lines_and_both_outcomes_of_branches(self):
        files = {"base/a.cc": coverage.Reached({1: 1, 2: 0}, {(1, 4): [1, 0]}), "scene/x/b.cc": coverage.Reached({7: 3}, {(7, 1): [2, 9]})}
        self.assertEqual(coverage.table(files), [("base", 2, 1, 2, 1), ("scene/x", 1, 1, 2, 2), ("all", 3, 2, 4, 3)])

    def test_gaps_list_what_was_not_reached(self):
        files = {"base/a.cc": coverage.Reached({1: 1, 2: 0, 3: 0}, {(1, 4): [1, 0], (3, 2): [0, 0]}),
                 "base/sub/b.cc": coverage.Reached({1: 0}, {}),
                 "basement/c.cc": coverage.Reached({1: 0}, {})}
        self.assertEqual(list(coverage.gaps(files, "base")),
                         ["base/a.cc:1: column 4 never false", "base/a.cc:2: not run", "base/a.cc:3: column 2 neither",
                          "base/sub/b.cc:1: not run"])


if __name__ == "__main__":
    unittest.main()
