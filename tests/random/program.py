"""Talking to a program of ours that answers questions."""
import os
import resource
import select
import subprocess


class Program:
    """A program of ours that answers a line with lines. It ends with the process that asks it."""

    SILENCE = 30  # seconds

    def __init__(self, command):
        # It lives for many items, so the limit of one does not hold for it.
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY,) * 2))
        self.rest = b""

    def ask(self, question):
        """The lines that it says to a question, without end: the caller knows the last one."""
        self.process.stdin.write(question.encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line, newline, rest = self.rest.partition(b"\n")
            if newline:
                self.rest = rest
                yield line.decode()
                continue
            if not select.select([self.process.stdout], [], [], self.SILENCE)[0]:
                raise RuntimeError("the program does not answer: differences")
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise RuntimeError(f"the program ended with status {self.process.wait()}: differences")
            self.rest += more

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
