"""The client that must be served whatever others do, and what a daemon must return to when they have left."""
import math
import os
import re
import threading
import time

import hostile_test
import http2

SCENE = '''#usda 1.0
def "A"
{
    double a.timeSamples = {
        0: 1,
        100: 2,
    }
    float[] points = [%s]
}
''' % ", ".join(str(i % 97 + 0.5) for i in range(40000))
SMALL, LARGE = "/A.a", "/A.points"
# Descriptors and threads that a daemon may hold more than before. Pools of gRPC and of lanes grow and shrink by themselves; what
# each of many connections, sessions or calls leaks is far more.
SPARE = 16


class Bystander:
    """Asks for the same values again and again, on a connection of its own, until it is stopped."""

    def __init__(self, address, root, may_refuse=()):
        self.address, self.root, self.may_refuse = address, root, may_refuse
        self.refused = 0
        self.connect()
        self.expected = self.ask()
        assert self.expected[0] == http2.OK and len(self.expected[1][0]) > 88, self.expected
        self.answers, self.wrong = 0, []
        self.stopping, self.paused, self.rests = threading.Event(), threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def connect(self):
        self.client = http2.Client(self.address)
        status, opened = self.client.call("StagesService/OpenStage", http2.open_stage(self.root))
        assert status == http2.OK, f"the bystander cannot open a stage: status {status}"
        self.question = http2.values(http2.handle_in(opened[0]), [SMALL], "0:100x10")

    def ask(self):
        return self.client.call("QueryService/BatchGetValues", self.question, timeout=hostile_test.NEVER)

    def run(self):
        while not self.stopping.wait(0.01):
            if self.paused.is_set():
                self.rests.set()
                continue
            answer = self.ask()
            self.answers += 1
            if answer[0] in self.may_refuse:
                self.refused += 1
            elif answer != self.expected:
                self.wrong.append(answer)
                if answer[0] is None:
                    return

    def has_been_answered_since(self, count):
        return self.answers > count or bool(self.wrong)

    def pause(self):
        """Returns when no question of it is in flight."""
        self.rests.clear()
        self.paused.set()
        self.rests.wait(hostile_test.AT_LAST)

    def go_on(self):
        self.paused.clear()

    def stop(self):
        self.stopping.set()
        self.thread.join()
        self.client.close()


class Watched:
    """A daemon with a scene and a bystander."""

    def __init__(self, folder, *flags, bystander=None, may_refuse=()):
        """`bystander`: the address that it uses, if not the first. `may_refuse`: statuses of its calls that are no errors."""
        os.makedirs(folder, exist_ok=True)
        self.root = os.path.join(folder, "root.usda")
        with open(self.root, "w") as file:
            file.write(SCENE)
        self.daemon = hostile_test.Daemon(folder, ("--threads=2", *flags))
        self.address = self.daemon.address
        self.bystander = Bystander(bystander or self.address, self.root, may_refuse)

    def metric(self, name):
        """The value of a metric without labels; not a number, so that no comparison holds, if it cannot be read."""
        text = self.daemon.read_metrics()
        found = re.search(rf"^{name} (\S+)", text or "", re.M)
        return math.nan if found is None else float(found.group(1))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.daemon.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.daemon.process.pid}/task"))

    def memory(self):
        return self.daemon.anonymous_bytes()

    def eventually(self, holds, what):
        """Waits until holds() is true; nothing is concluded from how long that takes."""
        end = time.monotonic() + hostile_test.AT_LAST
        while not holds():
            assert self.daemon.alive(), "the daemon died:\n" + hostile_test.read(self.daemon.log)[-3000:]
            assert time.monotonic() < end, f"{what}: still not so after {hostile_test.AT_LAST} s"
            time.sleep(0.02)

    def serve_bystander(self):
        """Waits until the bystander was answered, correctly, to a question that it asked from now on."""
        count = self.bystander.answers + 1
        self.eventually(lambda: self.bystander.has_been_answered_since(count), "the bystander is answered")
        assert not self.bystander.wrong, f"the bystander got {self.bystander.wrong[0]}"

    def open(self, client, session=""):
        status, opened = client.call("StagesService/OpenStage", http2.open_stage(self.root, session))
        assert status == http2.OK, status
        return http2.handle_in(opened[0])

    def stop(self):
        self.bystander.stop()
        assert not self.bystander.wrong, f"the bystander got {self.bystander.wrong[0]}"
        status = self.daemon.stop()
        assert status == 0, f"the daemon exited with status {status} after SIGTERM"
