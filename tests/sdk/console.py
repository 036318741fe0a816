#!/usr/bin/env python3
"""Runs the blocks of a page that are marked `console`: console.py PAGE.

A line that begins with `$ ` is a command of bash; the lines after it are what it prints. If the last of them is `^C`,
the command gets SIGINT once it has printed the others, and must end by it. All other commands must succeed. The program
`stagedoor` is that of the variable STAGEDOOR; $TMPDIR is a folder of this run.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
INTERRUPT = "^C"
SECONDS = 60  # after which a command is stuck


def commands(page):
    """Pairs of a command and the lines that it prints."""
    found = []
    with open(page, encoding="utf-8") as file:
        for block in BLOCK.findall(file.read()):
            for line in block.splitlines():
                if line.startswith("$ "):
                    found.append((line[2:], []))
                elif found:
                    found[-1][1].append(line)
                else:
                    sys.exit(f"{page}: a block does not begin with a command: {line}")
    return found


def heed_interrupts():
    """What a shell starts in the background ignores SIGINT, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run(command, wanted, environment):
    """What is wrong with the command; '' if it prints what is wanted."""
    interrupted = wanted[-1:] == [INTERRUPT]
    wanted = wanted[:-1] if interrupted else wanted
    with subprocess.Popen(["bash", "-c", f"set -o pipefail; {'exec ' if interrupted else ''}{command}"], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          preexec_fn=heed_interrupts) as process:
        stuck = threading.Timer(SECONDS, process.kill)
        stuck.start()
        printed = [process.stdout.readline().rstrip("\n") for _ in wanted] if interrupted else []
        if interrupted:
            process.send_signal(signal.SIGINT)
        printed += process.stdout.read().splitlines()
        status = process.wait()
        stuck.cancel()
    if printed != wanted:
        return f"prints {printed} instead of {wanted}"
    return "" if status == (-signal.SIGINT if interrupted else 0) else f"ends with status {status}"


def main():
    page, = sys.argv[1:]
    found = commands(page)
    failed = 0 if found else 1
    with tempfile.TemporaryDirectory() as work:
        os.symlink(os.path.abspath(os.environ["STAGEDOOR"]), os.path.join(work, "stagedoor"))
        environment = dict(os.environ, TMPDIR=work, PATH=f"{work}:{os.environ['PATH']}")
        for command, wanted in found:
            problem = run(command, wanted, environment)
            if problem:
                print(f"{page}: this command {problem}:\n{command}")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
