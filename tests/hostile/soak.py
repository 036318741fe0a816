"""Sends random requests for all methods to a daemon: soak.py [--seconds N] [--seed S].

The daemon must stay alive, exceed its memory limit by at most a fifth, and exit on SIGTERM."""
import argparse
import os
import subprocess
import sys
import tempfile

import hostile_test
import judging
import scenes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
        makers = [hostile_test.calm, *scenes.ALL]
        for make in makers:
            hostile_test.write(folder, make)
        roots = [os.path.join(folder, make.__name__, "root.usda") for make in makers]
        daemon = hostile_test.Daemon(folder)
        done = subprocess.run([os.path.join(hostile_test.HERE, "random_requests"), daemon.address, str(options.seconds),
                               str(options.seed), *roots], check=False)
        if done.returncode != 0:
            problems.append(f"random_requests exited with status {done.returncode}")
        if not daemon.alive():
            problems.append("the daemon died:\n" + open(daemon.log).read()[-3000:])
        else:
            idle = daemon.seconds_until_idle()
            if idle > judging.ANYWHERE.late:
                problems.append(f"calls continued for {idle:.2f} s")
            status = daemon.stop()
            if status != 0:
                problems.append(f"the daemon exited with status {status} after SIGTERM")
        print(f"anonymous memory: at most {daemon.peak >> 20} MiB of {hostile_test.MEMORY >> 20}")
        if daemon.peak > hostile_test.MEMORY * 1.2:
            problems.append("memory exceeded its limit by more than a fifth")
    for problem in problems:
        print("WRONG: " + problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
