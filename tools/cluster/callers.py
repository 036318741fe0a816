"""Clients of both SDKs that ask random questions with known answers until they are stopped."""
import multiprocessing
import queue
import random
import threading
import time
from dataclasses import dataclass, field

import questions
import stagedoor
import stagedoor._client_base as client_base
from sdk_client import Refused, SdkClient

# Pauses of the clients, in seconds, on average: the load is that of farm nodes that also render.
PAUSE = 0.02
COMMAND_PAUSE = 0.05

OPEN_STAGES = 3  # that a Python client has at a time
MAX_FAILURES = 20  # reported by each client

# One of the shots is hot: it gets this share of the questions.
HOT_SHARE = 0.3


@dataclass
class Log:
    """What a client has seen. Calls, failures and wrong values begin with (when it began, how long it took), both in seconds."""

    client: str
    calls: list = field(default_factory=list)
    failures: list = field(default_factory=list)  # (begin, took, question, error)
    wrong: list = field(default_factory=list)  # (begin, took, question, answer)
    failed: int = 0
    differ: int = 0
    edits: int = 0  # acknowledged
    refused: int = 0  # edits that were not, because the store could not be reached


class Caller:
    """One client. `ask` makes a random question; a subclass says how."""

    pause = PAUSE

    def __init__(self, name, seed, address, shots, answers):
        self.log = Log(name)
        self.random = random.Random(f"{seed} {name}")
        self.address = address
        self.shots = shots
        self.answers = answers

    def choose_shot(self):
        return self.shots[0] if self.random.random() < HOT_SHARE else self.random.choice(self.shots)

    def step(self):
        """Asks one question, and takes note of the answer."""
        key, question = self.choose()
        begin = time.monotonic()
        answer = error = None
        try:
            answer = question()
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
        self.note(key, begin, answer, error, error is None and answer == self.answers[key])

    def note(self, key, begin, answer, error, right):
        took = time.monotonic() - begin
        self.log.calls.append((begin, took))
        if error is not None:
            self.log.failed += 1
            self.log.failures.append((begin, took, key, error))
            del self.log.failures[MAX_FAILURES:]
        elif not right:
            self.log.differ += 1
            self.log.wrong.append((begin, took, key, answer[:200]))
            del self.log.wrong[MAX_FAILURES:]

    def close(self):
        pass


class PythonCaller(Caller):
    """A program with the Python package, which keeps a few stages open."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.client = stagedoor.connect(self.address, client_name=self.log.client)
        self.stages = {}

    def choose(self):
        shot, frame = self.choose_shot(), self.random.choice(questions.FRAMES)
        name, question = self.random.choice(questions.PYTHON)
        return (shot, name, frame), lambda: questions.digest(question(self.stage(shot), frame))

    def stage(self, shot):
        if shot not in self.stages:
            if len(self.stages) >= OPEN_STAGES:
                self.stages.pop(next(iter(self.stages))).close()
            self.stages[shot] = self.client.open(shot)
        return self.stages[shot]

    def close(self):
        self.client.close()


class SdkCaller(Caller):
    """A program with the C++ library."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.client = SdkClient(self.address, self.log.client)

    def choose(self):
        shot, frame = self.choose_shot(), self.random.choice(questions.FRAMES)
        name, order = self.random.choice(questions.SDK)
        return (shot, name, frame), lambda: self.client.ask(*order(shot, frame))

    def close(self):
        self.client.close()


class Editing:
    """Edits a session of its own, which has a name, so that the client does not make the edits again by itself. For a Caller, which says
    how to `write` and `read` a number in the session."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.shot = self.choose_shot()
        self.session = f"session of {self.log.client}"
        self.acknowledged = self.attempted = 0

    def step(self):
        if self.random.random() < 0.5:
            self.edit()
        else:
            self.check()

    def edit(self):
        """Writes the next number. Only this client does, so it knows which numbers are possible."""
        begin = time.monotonic()
        self.attempted += 1
        try:
            self.write(self.attempted)
        except Refused:
            self.log.refused += 1
            return
        except Exception as error:
            self.note("edit", begin, None, f"{type(error).__name__}: {error}", False)
            return
        self.acknowledged = self.attempted
        self.log.edits += 1

    def check(self):
        """Reads the number: the last one that was acknowledged, or one that was tried after it."""
        if not self.acknowledged:
            return
        begin = time.monotonic()
        value = error = None
        try:
            value = self.read()
        except Exception as raised:
            error = f"{type(raised).__name__}: {raised}"
        right = error is None and self.acknowledged <= value <= self.attempted
        self.note(f"edit {self.acknowledged} to {self.attempted}", begin, repr(value), error, right)


class PythonEditor(Editing, PythonCaller):
    """With the Python package."""

    def stage(self, shot):
        if not self.stages:
            self.stages[shot] = self.client.open(shot, session=self.session)
        return self.stages[shot]

    def write(self, number):
        try:
            with stagedoor.call_options(timeout=20):
                self.stage(self.shot)[questions.SHOT].Set(float(number))
        except stagedoor.Error as error:
            if error.reason == "STORE_UNAVAILABLE":
                raise Refused(str(error)) from None
            raise

    def read(self):
        return self.stage(self.shot)[questions.SHOT].get(1)


class SdkEditor(Editing, SdkCaller):
    """With the C++ library."""

    def write(self, number):
        self.client.ask("edit", self.shot, self.session, questions.SHOT, str(number))

    def read(self):
        return float(self.client.ask("number", self.shot, self.session, questions.SHOT))


class CommandCaller(Caller):
    """Runs the command, which uses the C++ client, again and again."""

    pause = COMMAND_PAUSE

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.shots = self.shots[:questions.COMMAND_SHOTS]

    def choose(self):
        shot, frame = self.choose_shot(), self.random.choice(questions.COMMAND_FRAMES)
        name, arguments = self.random.choice(questions.COMMAND)
        return (shot, name, frame), lambda: questions.ask_command(self.address, arguments(shot, frame))


def _separate_connections():
    """Clients of one process would share a connection otherwise, while those of a farm do not."""
    original = client_base.channel_options
    client_base.channel_options = lambda options: [*original(options), ("grpc.use_local_subchannel_pool", 1)]


def _run(caller, steps, index, stop, logs):
    while not stop.is_set():
        caller.step()
        steps[index] += 1
        stop.wait(caller.random.expovariate(1 / caller.pause))
    caller.close()
    logs.put(caller.log)


def _run_all(kind, names, first, steps, stop, logs, arguments):
    """A process with one thread per client."""
    _separate_connections()
    threads = [threading.Thread(target=_run, args=(kind(name, *arguments), steps, first + i, stop, logs))
               for i, name in enumerate(names)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Callers:
    """All clients, in processes of their own. Use it in a with statement."""

    def __init__(self, count, seed, address, shots, answers):
        context = multiprocessing.get_context("spawn")
        some = max(1, count // 16)
        groups = [(CommandCaller, [f"command-{i}" for i in range(some)]), (SdkCaller, [f"cpp-{i}" for i in range(2 * some)]),
                  (SdkEditor, [f"cpp-editor-{i}" for i in range(some)]), (PythonEditor, [f"python-editor-{i}" for i in range(some)])]
        programs = [f"python-{i}" for i in range(count - sum(len(names) for _, names in groups))]
        groups += [(PythonCaller, names) for names in (programs[0::2], programs[1::2]) if names]
        self.count = count
        self._stop = context.Event()
        self._logs = context.Queue()
        self._steps = context.Array("Q", count, lock=False)
        self._processes = []
        first = 0
        for kind, names in groups:
            self._processes.append(context.Process(target=_run_all, daemon=True, args=(
                kind, names, first, self._steps, self._stop, self._logs, (seed, address, shots, answers))))
            first += len(names)

    def __enter__(self):
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for process in self._processes:
            process.join(5)
            if process.is_alive():
                process.kill()

    def advance(self, steps, seconds=300):
        """Waits until each client has made that many further calls."""
        before = list(self._steps)
        end = time.monotonic() + seconds
        while any(now - then < steps for now, then in zip(list(self._steps), before)):
            if time.monotonic() > end:
                stuck = sum(now - then < steps for now, then in zip(list(self._steps), before))
                raise RuntimeError(f"{stuck} of {self.count} clients did not make {steps} calls in {seconds} s")
            dead = [process.pid for process in self._processes if not process.is_alive()]
            if dead:
                raise RuntimeError(f"the processes {dead} of the clients have ended")
            time.sleep(0.02)

    def finish(self):
        """Stops the clients and returns their logs."""
        self._stop.set()
        try:
            return [self._logs.get(timeout=120) for _ in range(self.count)]
        except queue.Empty:
            raise RuntimeError("some clients did not stop within two minutes") from None
