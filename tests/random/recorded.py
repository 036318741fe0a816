"""Random scenes on which usd-core and our programs agreed, recorded with the answers for tests without usd-core.

A file of them has one JSON object per line: `files` by name, the `question` (a line, or the arguments of a program that
runs once per scene) and the lines of the `answer`. The folder of the files is written as $FOLDER.
"""
import gzip
import itertools
import json
import os
import subprocess
import tempfile

from program import Program

FOLDER = "$FOLDER"


def keep(path, folder, files, question, answer):
    """Appends a scene to the file at `path`, to which other processes may also append."""
    record = json.dumps({"files": files, "question": question, "answer": answer})
    out = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.write(out, (record.replace(folder, FOLDER) + "\n").encode())
    os.close(out)


def near(a, b):
    """Whether two answers are the same except for the rounding of different machines."""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return a == b or abs(a - b) <= 1e-6 + 1e-6 * max(abs(a), abs(b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(near(x, y) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k]) for k in a)
    return a == b


def parsed(line):
    return json.loads(line) if line.startswith("{") else line


def replay(test, command, path):
    """Asks a program all questions of a file. Fails `test` if an answer has changed."""
    runner = Runner(command)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            with tempfile.TemporaryDirectory() as folder:
                record = json.loads(line.replace(FOLDER, folder))
                write(record["files"], folder)
                answer = runner.ask(record["question"], len(record["answer"]))
                for expected, got in itertools.zip_longest(record["answer"], answer, fillvalue="nothing"):
                    if not near(parsed(expected), parsed(got)):
                        test.fail(f"scene {number} of {os.path.basename(path)}: {show(record['files'])}\n"
                                  f"expected {expected}\nbut got  {got}")
    runner.close()


class Runner:
    """Sends question lines to one process, or runs the program for each list of arguments."""

    def __init__(self, command):
        self.command = command
        self.program = None

    def ask(self, question, lines):
        if isinstance(question, list):
            run = subprocess.run([*self.command, *question], capture_output=True, text=True, timeout=60, check=False)
            return [line for line in run.stdout.splitlines() if line.startswith("{")]
        self.program = self.program or Program(self.command)
        return list(itertools.islice(self.program.ask(question), lines))

    def close(self):
        if self.program:
            self.program.close()


def write(files, folder):
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(text)


def show(files):
    return "".join(f"\n--- {name}\n{text}" for name, text in files.items())
