"""Tests of what decides whether a run was good, and of the configuration that the proxy gets."""
import os
import sys
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import disturbances
import processes
import verdicts

BEFORE = {"a": "one", "b": "two", "c": "three"}


class PlacementTest(unittest.TestCase):
    def test_only_stages_of_the_lost_daemon_may_move(self):
        line = verdicts.check_loss("one", BEFORE, {**BEFORE, "a": "two"}, BEFORE, 3)
        self.assertIn("1, 1, 1 per daemon; 1 moved when one was lost (33%, allowed 43%)", line)
        with self.assertRaisesRegex(verdicts.Failed, "^1 stages moved that were not at one, and 0 of its own did not$"):
            verdicts.check_loss("one", BEFORE, {**BEFORE, "a": "two", "b": "three"}, BEFORE, 3)
        with self.assertRaisesRegex(verdicts.Failed, "^0 stages moved that were not at one, and 1 of its own did not$"):
            verdicts.check_loss("one", BEFORE, BEFORE, BEFORE, 3)

    def test_stages_must_return(self):
        with self.assertRaisesRegex(verdicts.Failed, "1 stages are elsewhere after one returned: a"):
            verdicts.check_loss("one", BEFORE, {**BEFORE, "a": "two"}, {**BEFORE, "a": "two"}, 3)

    def test_daemon_may_have_a_tenth_more_than_its_share(self):
        for own, good in ((60, True), (61, False)):
            before = {str(i): "one" if i < own else "two" for i in range(100)}
            without = dict.fromkeys(before, "two")
            if good:
                self.assertIn("60 moved", verdicts.check_loss("one", before, without, before, 2))
            else:
                with self.assertRaisesRegex(verdicts.Failed, "61 of 100 stages moved when one was lost, more than 60%"):
                    verdicts.check_loss("one", before, without, before, 2)

    def test_each_stage_has_one_home(self):
        self.assertEqual(verdicts.check_homes(["a"], {"a": {"one"}, "x": {"one", "two"}}), {"a": "one"})
        for found in ({}, {"a": {"one", "two"}}):
            with self.assertRaisesRegex(verdicts.Failed, "1 stages are not open at exactly one daemon: a"):
                verdicts.check_homes(["a"], found)

    def test_clients_without_keys_find_the_same_daemons(self):
        self.assertIn("3 stages at the same daemon", verdicts.check_keyless(BEFORE, dict(BEFORE)))
        with self.assertRaisesRegex(verdicts.Failed, "1 stages are elsewhere for clients without routing keys: b"):
            verdicts.check_keyless(BEFORE, {**BEFORE, "b": "one"})

    def test_stage_may_be_open_at_two_daemons(self):
        names = ["one", "two", "three"]
        line = verdicts.check_spread(["a", "b"], {"a": {"one", "two"}, "b": {"two"}}, names)
        self.assertEqual(line, "2 stages under load: 1, 2, 0 per daemon; each open at 2 of 3 daemons at most")
        with self.assertRaisesRegex(verdicts.Failed, "a is open at one, three, two: more than 2 daemons"):
            verdicts.check_spread(["a"], {"a": set(names)}, names)


class ReportTest(unittest.TestCase):
    def test_percentiles(self):
        values = list(range(100))
        self.assertEqual([verdicts.percentile(values, share) for share in (0, 0.5, 0.99, 1)], [0, 50, 99, 99])
        self.assertEqual(verdicts.percentile([], 0.5), 0)

    def test_call_belongs_to_each_window_that_it_overlaps(self):
        first, second = disturbances.Window("first", 10, 20), disturbances.Window("second", 30)
        cases = {(5, 4): "undisturbed", (5, 6): "first", (19, 1): "first", (20, 1): "undisturbed", (15, 20): "first and second"}
        for (begin, took), name in cases.items():
            self.assertEqual(verdicts.name_of(begin, took, [first, second]), name, (begin, took))

    def test_problems_name_client_window_and_question(self):
        window = disturbances.Window("kill", 0, 1)
        log = types.SimpleNamespace(client="python-1", calls=[(0, 0.1), (2, 0.3)], failures=[(0, 0.1, "k", "gone")], wrong=[(2, 0.3, "k", "7")])
        self.assertEqual(list(verdicts.problems([log], [window])),
                         ["  python-1, kill: k: failed after 0.100 s: gone", "  python-1, undisturbed: k: wrong value 7"])
        lines = list(verdicts.latencies([log], [window]))
        self.assertEqual([line.split()[:3] for line in lines], [
            ["python", "outside", "1"], ["python", "kill", "1"], ["cpp", "outside", "0"], ["cpp", "kill", "0"], ["command", "outside", "0"], ["command", "kill", "0"]])

    def test_windows_of_one_name_are_taken_together(self):
        windows = [disturbances.Window("SIGKILL, restarted at once", begin, begin + 1) for begin in (0, 10)]
        log = types.SimpleNamespace(client="python-1", calls=[(10, 0.2), (0, 0.1), (5, 0.3)], failures=[], wrong=[])
        self.assertEqual(list(verdicts.times([log], windows))[:2],
                         [("python", "outside", [0.3]), ("python", "SIGKILL, restarted at once", [0.1, 0.2])])
        self.assertEqual(verdicts.results([log], windows)[2:4], [
            {"name": "cluster.python.SIGKILL_restarted_at_once.p50", "unit": "ms", "value": 200, "runs": 2},
            {"name": "cluster.python.SIGKILL_restarted_at_once.p99", "unit": "ms", "value": 200, "runs": 2}])


class ConfigurationTest(unittest.TestCase):
    def test_only_addresses_and_what_depends_on_their_number_differ(self):
        replicas = [types.SimpleNamespace(name=f"r{i}", address=f"127.0.0.1:{i}", metrics=f"127.0.0.1:1{i}") for i in range(1, 6)]
        made = processes.configuration("127.0.0.1:7", "127.0.0.1:8", replicas).splitlines()
        with open(processes.CONFIG, encoding="utf-8") as file:
            original = file.read().splitlines()
        self.assertEqual([line.strip() for line in made if line not in original], [
            "maxconn 2000", "maxconn 2000", "bind 127.0.0.1:7 proto h2", "bind 127.0.0.1:8", "hash-balance-factor 350",
            *(f"server r{i} 127.0.0.1:{i} proto h2 check port 1{i} check-proto h1" for i in range(1, 6))])
        self.assertEqual(len(original) - len([line for line in original if line in made]), 5 + 3)

    def test_line_that_is_missing_is_an_error(self):
        self.assertEqual(processes.replace_lines("a\n b 1\n b 2\nc\n", "b", ["x", "y"]), "a\n  x\n  y\nc\n")
        with self.assertRaisesRegex(RuntimeError, "no line like 'd'"):
            processes.replace_lines("a\n", "d", [])


if __name__ == "__main__":
    unittest.main()
