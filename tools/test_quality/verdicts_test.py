import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

from mutate import LEVELS, Verdicts, judge, judgements, keep_patch, survivors
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

    def test_all_levels_remain_at_first(self):
        self.assertEqual(self.of("unit"), (None, ("unit",)))
        self.assertEqual(self.of("conformance"), (None, LEVELS))

    def test_killed_mutants_are_not_tried_again(self):
        Verdicts(self.path).add(MUTANT, "unit", "unit")
        self.assertEqual(self.of("conformance"), ("unit", ()))

    def test_mutants_that_do_not_count_are_not_tried_again(self):
        Verdicts(self.path).add(MUTANT, "equivalent", "unit")
        self.assertEqual(self.of("conformance"), ("equivalent", ()))

    def test_survivors_continue_with_the_next_level(self):
        Verdicts(self.path).add(MUTANT, "survived", "unit")
        self.assertEqual(self.of("unit"), ("survived", ()))
        self.assertEqual(self.of("system"), ("survived", ("neighbours", "system")))

    def test_the_last_verdict_counts(self):
        verdicts = Verdicts(self.path)
        verdicts.add(MUTANT, "survived", "unit")
        verdicts.add(MUTANT, "system", "system")
        self.assertEqual(self.of("conformance"), ("system", ()))

    def test_survivors_are_found_at_the_current_position_of_their_lines(self):
        gone = MUTANT._replace(before="  gone();", after="  ;", line=9)
        for mutant in (MUTANT, gone):
            keep_patch(self.folder.name, mutant, "survived")
        lines = [MUTANT.before, "", "", "", "", MUTANT.before, MUTANT.before]
        self.assertEqual(list(survivors(self.folder.name, {"a/b.cc": lines}.get)), [MUTANT._replace(line=5)])
        keep_patch(self.folder.name, MUTANT, "unit")
        self.assertEqual(list(survivors(self.folder.name, {"a/b.cc": lines}.get)), [])

    def test_verdicts_do_not_depend_on_the_line_number(self):
        Verdicts(self.path).add(MUTANT, "unit", "unit")
        self.assertEqual(Verdicts(self.path).of(MUTANT._replace(line=90), "unit"), ("unit", ()))


class FakeTree:
    """A tree with a file of two lines, whose tests have the given verdict and whose optimized code is `compiled`."""

    def __init__(self, verdict="survived", compiled="changed"):
        self.verdict, self.compiled, self.written = verdict, compiled, []

    def lines(self, _file):
        return ["first", "second"]

    def write(self, _file, lines):
        self.written.append(list(lines))

    def killed_by(self, _package, _levels):
        return self.verdict

    def object_hash(self, _file):
        return self.compiled

    def original_hash(self, _file):
        return "original"


class JudgeTest(unittest.TestCase):
    MUTANT = Mutant("a/b.cc", 1, "second", "other", "rule")

    def judge(self, tree):
        return judge(tree, self.MUTANT, ("unit",))

    def test_the_tests_run_with_the_mutant_and_the_file_is_restored(self):
        tree = FakeTree("unit")
        self.assertEqual(self.judge(tree), "unit")
        self.assertEqual(tree.written, [["first", "other"], ["first", "second"]])

    def test_survivors_with_the_same_code_do_not_count(self):
        self.assertEqual(self.judge(FakeTree(compiled="original")), "equivalent")
        self.assertEqual(self.judge(FakeTree(compiled="changed")), "survived")
        self.assertEqual(self.judge(FakeTree(compiled="")), "survived")

    def test_killed_mutants_count_whatever_they_compile_to(self):
        self.assertEqual(self.judge(FakeTree("unit", "original")), "unit")

    def test_mutants_that_do_not_build_do_not_count(self):
        self.assertEqual(self.judge(FakeTree(None, "original")), "does not build")


class JudgementsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.verdicts = Verdicts(os.path.join(self.folder.name, "verdicts.jsonl"))
        self.judged = []

    def tearDown(self):
        self.folder.cleanup()

    def judge(self, _tree, mutant, levels):
        self.assertEqual(levels, ("unit",))
        self.judged.append(mutant)
        return "survived" if mutant.line % 2 else "unit"

    def run_over(self, lines, most):
        mutants = [MUTANT._replace(line=line, before=str(line)) for line in lines]
        with mock.patch("mutate.judge", self.judge), contextlib.redirect_stdout(io.StringIO()):
            found = judgements([FakeTree(), FakeTree()], mutants, self.verdicts, "unit")
            lines = [(mutant.line, verdict) for mutant, verdict in (next(found, (MUTANT, "")) for _ in range(most))]
            found.close()
        return lines

    def test_verdicts_come_in_the_order_of_the_sample(self):
        self.assertEqual(self.run_over(range(20), 20), [(i, "survived" if i % 2 else "unit") for i in range(20)])

    def test_a_package_stays_in_one_tree(self):
        used = {}

        def judge(tree, mutant, _levels):
            used.setdefault(os.path.dirname(mutant.file), set()).add(tree)
            return "unit"

        mutants = [MUTANT._replace(file=f"package{i % 8}/source.cc", line=i) for i in range(40)]
        with mock.patch("mutate.judge", judge), contextlib.redirect_stdout(io.StringIO()):
            list(judgements([FakeTree(), FakeTree()], mutants, self.verdicts, "unit"))
        self.assertEqual([len(trees) for trees in used.values()], [1] * 8)
        self.assertEqual(len(set.union(*used.values())), 2)

    def test_few_mutants_are_judged_in_advance(self):
        self.run_over(range(100), 3)
        self.assertLess(len(self.judged), 20)

    def test_mutants_with_known_verdicts_are_not_judged_again(self):
        self.run_over(range(10), 10)
        self.judged.clear()
        self.assertEqual(self.run_over(range(10), 10)[1], (1, "survived"))
        self.assertEqual(self.judged, [])


if __name__ == "__main__":
    unittest.main()
