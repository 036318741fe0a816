"""What the hostile suite considers an error of a daemon, and what it tolerates."""
import unittest

import judging
from judging import ANYWHERE, STRICT

MEMORY = 1000 << 20
GOOD = {"alive": True, "status": None, "idle": 0.0, "rested": True, "calls": 100, "failed": [], "p99": 0.001, "peak": MEMORY, "answers": [],
        "opening": {"code": 0, "message": ""}}


def answer(code):
    return {"method": "Service/Method", "code": code, "message": "why"}


class Clock:
    """A daemon whose calls in flight follow a script; checking them takes no time."""

    def __init__(self, script):
        self.time, self.script, self.looks = 100.0, list(script), 0

    def now(self):
        return self.time

    def sleep(self, seconds):
        self.time += seconds

    def in_flight(self):
        count = self.script[min(self.looks, len(self.script) - 1)]
        self.looks += 1
        return count

    def seconds_until_idle(self, most=10.0):
        return judging.seconds_until_idle(self.in_flight, most, self.now, self.sleep)


class SecondsUntilIdleTest(unittest.TestCase):
    def test_one_call_is_noticed(self):
        """The other client's call would count, so it pauses during the check."""
        self.assertAlmostEqual(Clock([1] * 5 + [0]).seconds_until_idle(), 5 * judging.BETWEEN_LOOKS)

    def test_none_in_flight_takes_no_time(self):
        self.assertEqual(Clock([0]).seconds_until_idle(), 0)

    def test_one_idle_check_is_not_enough(self):
        clock = Clock([0, 1, 0, 0, 2, 0])
        self.assertAlmostEqual(clock.seconds_until_idle(), 5 * judging.BETWEEN_LOOKS)
        self.assertEqual(clock.looks, 5 + judging.LOOKS)

    def test_unknown_is_not_idle(self):
        self.assertAlmostEqual(Clock([None, None, 0]).seconds_until_idle(), 2 * judging.BETWEEN_LOOKS)

    def test_waits_no_longer_than_the_maximum(self):
        self.assertEqual(Clock([1]).seconds_until_idle(most=3.0), 3.0)


class JudgeTest(unittest.TestCase):
    def problems(self, tolerances, **changes):
        return list(judging.judge({**GOOD, **changes}, 0.001, tolerances, MEMORY))

    def test_nothing_is_wrong_with_a_good_row(self):
        for tolerances in (ANYWHERE, STRICT):
            self.assertEqual(self.problems(tolerances), [])

    def test_defects_fail_anywhere(self):
        for name, changes in {
                "death": {"alive": False, "status": -11},
                "a call that never ends": {"idle": 31.0},
                "the other client hangs": {"rested": False},
                "the other client's call failed": {"failed": ["code 13: a bug"]},
                "the other client was refused often": {"failed": ["code 8: out of memory"] * 6},
                "memory": {"peak": MEMORY * 5 // 4},
                "no room for others": {"opening": {"code": 8, "message": "no room"}},
                "UNKNOWN": {"answers": [answer(2)]},
                "INTERNAL": {"answers": [answer(13)]},
                "UNAVAILABLE": {"answers": [answer(14)]},
        }.items():
            for tolerances in (ANYWHERE, STRICT):
                with self.subTest(name, strict=tolerances is STRICT):
                    self.assertEqual(len(self.problems(tolerances, **changes)), 1)

    def test_slowness_alone_fails_only_if_strict(self):
        for name, changes in {"late": {"idle": 0.21}, "slow": {"p99": 0.021}, "not measured": {"p99": float("inf")}}.items():
            with self.subTest(name):
                self.assertEqual(len(self.problems(STRICT, **changes)), 1)
                self.assertEqual(self.problems(ANYWHERE, **changes), [])
        self.assertEqual(self.problems(STRICT, idle=0.2, p99=0.02), [])
        self.assertEqual(self.problems(ANYWHERE, idle=10.0), [])

    def test_a_few_rejections_fail_only_if_strict(self):
        for why in ("code 8: out of memory", "code 14: the daemon's memory is short; try again later"):
            refused = {"failed": [why] * 5}
            self.assertEqual(self.problems(ANYWHERE, **refused), [])
            self.assertEqual(len(self.problems(STRICT, **refused)), 1)

    def test_other_status_codes_are_not_defects(self):
        self.assertEqual(self.problems(STRICT, answers=[answer(code) for code in (0, 1, 3, 4, 5, 8, 9, 12, 15)]), [])

    def test_a_daemon_that_is_short_of_memory_may_refuse_calls(self):
        refused = {"method": "Service/Method", "code": 14, "message": "the daemon's memory is short; try again later"}
        self.assertEqual(self.problems(STRICT, answers=[refused]), [])

    def test_many_defects_are_counted(self):
        self.assertIn("2 more", self.problems(STRICT, answers=[answer(13)] * 5)[-1])

    def test_all_tricks_together(self):
        for times, strict, wrong in ((3.9, True, 0), (4.1, True, 1), (1000, False, 0)):
            with self.subTest(times, strict=strict):
                problems = judging.judge_all(times * 0.001, 0.001, STRICT if strict else ANYWHERE)
                self.assertEqual(len(list(problems)), wrong)


class SlowestHundredthTest(unittest.TestCase):
    def test_is_the_first_of_the_slowest(self):
        self.assertEqual(judging.slowest_hundredth([float(i) for i in reversed(range(200))]), 198.0)
        self.assertEqual(judging.slowest_hundredth([7.0]), 7.0)


if __name__ == "__main__":
    unittest.main()
