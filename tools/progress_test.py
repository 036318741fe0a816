"""Tests of what progress.py shows and passes on."""
import io
import os
import signal
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRESS = os.path.join(HERE, "progress.py")
sys.path.insert(0, HERE)
import progress


def run(script, **environment):
    return subprocess.run([sys.executable, PROGRESS, "build", "bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, env={"PATH": os.environ["PATH"], **environment})


class PassThroughTest(unittest.TestCase):
    def test_output_and_status_are_those_of_the_command(self):
        done = run("echo out; printf 'err\\nno end' >&2; exit 3")
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("out\n", "err\nno end\n", 3))

    def test_bazels_progress_is_not_passed_on(self):
        done = run("echo '(06:54:56) [0 / 2] [Prepa] Executing' >&2; echo '[1,234 / 2,345] x' >&2; echo '(06:54:56) Loading: 1' >&2;"
                   " echo '(06:54:56) INFO: [1 / 2]' >&2")
        self.assertEqual(done.stderr, "(06:54:56) INFO: [1 / 2]\n")

    def test_without_progress_the_command_runs_alone(self):
        self.assertEqual(run("echo '[1 / 2] x' >&2", STAGEDOOR_PROGRESS="none").stderr, "[1 / 2] x\n")

    def test_commands_below_show_none(self):
        self.assertEqual(run("echo $STAGEDOOR_PROGRESS").stdout, "none\n")

    def test_a_process_in_the_background_does_not_keep_it(self):
        done = run("sleep 1000 & echo $!")
        self.assertEqual(done.returncode, 0)
        os.kill(int(done.stdout), signal.SIGKILL)

    def test_a_command_that_is_killed_or_missing(self):
        self.assertEqual(run("kill -KILL $$").returncode, 137)
        done = subprocess.run([sys.executable, PROGRESS, "build", "/none"], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.stderr, done.returncode), ("progress: cannot run /none: No such file or directory\n", 127))


class EstimateTest(unittest.TestCase):
    def test_actions_of_the_last_minutes_tell_the_time_left(self):
        estimate = progress.Estimate("build", processors=2)
        self.assertEqual(estimate.text(10), "build: running for less than a minute")
        estimate.update(0, 0, 2)
        estimate.update(5, 1000, 3000)  # what a cache had
        for second in (10, 15, 20):
            estimate.update(second, 1000 + second, 3000)
            self.assertEqual(estimate.text(second), "build: 1,0%d of 3,000 actions done" % second)
        for second in range(25, 600, 5):
            self.assertGreater(estimate.left(second) or 2000, 1400)
            estimate.update(second, 1000 + second, 3000)
        self.assertEqual(estimate.left(600), 3000 - 1595)
        self.assertEqual(estimate.text(600), "build: 1,595 of 3,000 actions done, about 23 min left")

    def test_else_the_last_run_does(self):
        estimate = progress.Estimate("cluster", "step 3 of 30", 240, 7200)
        self.assertEqual(estimate.text(60),
                         "cluster: running for about 1 min, about 3 min left, step 3 of 30, about 2 h 3 min left in all")
        self.assertEqual(estimate.left(1000), 0)

    def test_a_step_that_did_not_run_before(self):
        self.assertEqual(progress.Estimate("cluster", "step 3 of 30").text(120), "cluster: running for about 2 min, step 3 of 30")


class DisplayTest(unittest.TestCase):
    def setUp(self):
        self.now, self.stream = 1000.0, io.StringIO()
        self.estimate = progress.Estimate("build")
        self.estimate.update(0, 1, 2)

    def shown(self, display, seconds):
        for _ in range(seconds * 4):
            self.now += 0.25
            display.tick(self.estimate)
        return self.stream.getvalue()

    def test_a_log_gets_a_line_a_minute(self):
        display = progress.Display(self.stream, False, lambda: self.now)
        self.assertEqual(self.shown(display, 59), "")
        self.assertEqual(self.shown(display, 130), "build: 1 of 2 actions done\n" * 3)
        display.clear()
        self.assertEqual(self.stream.getvalue().count("\033"), 0)

    def test_a_terminal_has_one_line_that_changes_each_second(self):
        display = progress.Display(self.stream, True, lambda: self.now)
        self.assertEqual(self.shown(display, 2), "\r\033[Kbuild: 1 of 2 actions done" * 2)
        display.clear()
        display.clear()
        self.assertEqual(self.stream.getvalue(), "\r\033[Kbuild: 1 of 2 actions done" * 2 + "\r\033[K")


if __name__ == "__main__":
    unittest.main()
