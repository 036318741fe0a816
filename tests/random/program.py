"""Communication with our programs that answer questions."""
import os
import resource
import select
import subprocess


class Program:
    """A program that answers a line with lines. It ends with the process that uses it."""

    SILENCE = 30  # seconds

    def __init__(self, command):
        # It serves many items, so the processor time limit of one does not apply to it.
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY,) * 2))
        self.rest = b""

    def ask(self, question):
        """Yields the lines of the answer endlessly; the caller must recognize the last one."""
        self.process.stdin.write(question.encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line, newline, rest = self.rest.partition(b"\n")
            if newline:
                self.rest = rest
                yield line.decode()
                continue
            if not select.select([self.process.stdout], [], [], self.SILENCE)[0]:
                raise RuntimeError("the program did not answer in time")
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise RuntimeError(f"the program exited with status {self.process.wait()}")
            self.rest += more

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
