"""Opens and closes stages and sessions again and again, and asks for batches of the largest size: churn_test.py [--cycles N].

Memory, descriptors, threads and the daemon's gauges must return to what they were. The bystander is served meanwhile."""
import os
import sys
import tempfile
import unittest

import hostile_test
import http2
from bystander import SMALL, SPARE, Watched

CYCLES = 20000
AT_ONCE = 50
IDLE = 4  # stages that the daemon keeps open without a lease
SESSIONS = 1000
# Of the memory of the process: allocators keep some of what is freed, in pieces of this size.
GRAIN = 4 << 20
PER_CYCLE = 100  # bytes
GAUGES = ("stagedoor_leases", "stagedoor_stages_open", "stagedoor_layers_open", "stagedoor_interned_bytes",
          "stagedoor_requests_in_flight", "stagedoor_requests_bytes", "stagedoor_connections")


class ChurnTest(unittest.TestCase):
    def start(self, *flags):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.watched = Watched(folder.name, *flags)
        self.addCleanup(lambda: self.watched.daemon.alive() and self.watched.daemon.process.kill())
        self.client = http2.Client(self.watched.address)
        return self.watched

    def all_of(self, method, messages):
        """The replies to calls that run at the same time."""
        replies = []
        for first in range(0, len(messages), AT_ONCE):
            streams = [self.client.start(method, message) for message in messages[first:first + AT_ONCE]]
            got = self.client.finish_all(streams)
            for stream in streams:
                status, reply = got[stream]
                self.assertEqual(status, http2.OK, method)
                replies.append(reply[0])
        return replies

    def cycle(self, begin, count):
        """Opens and closes `count` handles: of the stage itself, of sessions with names of their own, and of stages that differ
        by their session layers."""
        root = self.watched.root
        requests = []
        for n in range(begin, begin + count):
            layer = f'#usda 1.0\nover "A" {{\n double a = {n}\n}}\n' if n % 10 == 0 else ""
            requests.append(http2.open_stage(root, f"session {n}" if n % 2 else "", layer))
        handles = [http2.handle_in(reply) for reply in self.all_of("StagesService/OpenStage", requests)]
        self.all_of("StagesService/CloseStage", [http2.close_stage(handle) for handle in handles])

    def state(self):
        self.watched.eventually(lambda: self.watched.metric("stagedoor_requests_in_flight") == 0, "calls end")
        gauges = {name: self.watched.metric(name) for name in GAUGES}
        return gauges, self.watched.descriptors(), self.watched.threads()

    def is_as(self, before):
        """Whether nothing is held that was not held before."""
        gauges, descriptors, threads = self.state()
        return gauges == before[0] and descriptors <= before[1] + SPARE and threads <= before[2] + SPARE

    def pause_bystander(self):
        self.watched.serve_bystander()
        self.watched.bystander.pause()

    def test_cycles_of_open_and_close_leave_nothing(self):
        watched = self.start(f"--max-idle-stages={IDLE}")
        self.cycle(0, CYCLES // 2)  # fills caches, tables of remembered handles, and the pools of the allocator
        self.pause_bystander()
        # With that of the bystander. Stages are closed after the reply to the call that made them idle.
        watched.eventually(lambda: watched.metric("stagedoor_stages_open") == IDLE + 1, "the other stages are closed")
        before, memory = self.state(), watched.memory()
        watched.bystander.go_on()
        self.cycle(CYCLES // 2, CYCLES // 2)
        self.pause_bystander()
        watched.eventually(lambda: self.is_as(before), "everything is as before")
        watched.eventually(lambda: watched.memory() - memory < PER_CYCLE * CYCLES // 2 + GRAIN, "memory is flat")
        print(f"{CYCLES // 2} cycles: {(watched.memory() - memory) / (CYCLES // 2):.0f} bytes each", flush=True)
        self.client.close()
        watched.stop()

    def test_sessions_share_one_stage(self):
        watched = self.start()
        self.cycle(1, 2 * AT_ONCE)
        self.pause_bystander()
        before, memory = self.state(), watched.memory()
        requests = [http2.open_stage(watched.root, f"shared {n}") for n in range(SESSIONS)]
        handles = [http2.handle_in(reply) for reply in self.all_of("StagesService/OpenStage", requests)]
        held, descriptors, threads = self.state()
        each = (watched.memory() - memory) // SESSIONS
        print(f"{SESSIONS} sessions over one stage: {each} bytes each", flush=True)
        self.assertEqual(held["stagedoor_leases"], before[0]["stagedoor_leases"] + SESSIONS)
        self.assertEqual(held["stagedoor_stages_open"], before[0]["stagedoor_stages_open"])
        self.assertLessEqual(descriptors, before[1] + SPARE, "sessions have no descriptors")
        self.assertLessEqual(threads, before[2] + SPARE, "sessions have no threads")
        self.assertLess(each, 64 << 10)
        watched.bystander.go_on()
        answers = self.all_of("QueryService/BatchGetValues", [http2.values(handle, [SMALL], "0:100x10") for handle in handles])
        self.assertEqual(set(answers), {watched.bystander.expected[1][0]})
        self.all_of("StagesService/CloseStage", [http2.close_stage(handle) for handle in handles])
        self.pause_bystander()
        watched.eventually(lambda: self.is_as(before), "everything is as before")
        self.client.close()
        watched.stop()

    def test_the_largest_batches_are_answered_or_refused(self):
        watched = self.start("--memory-limit=2G")
        handle = watched.open(self.client)
        paths = [SMALL] * 1000
        status, _ = self.client.call("QueryService/BatchGetValues", http2.values(handle, paths, "1:10001"))
        self.assertEqual(status, http2.RESOURCE_EXHAUSTED)
        self.assertIn(b"REQUEST_TOO_LARGE", self.client.trailers)
        largest = http2.values(handle, paths, "1:10000")
        status, answer = self.client.call("QueryService/BatchGetValues", largest)
        if status == http2.OK:
            self.assertGreater(len(answer[0]), 8 * 10**7)
        else:
            self.assertEqual(status, http2.RESOURCE_EXHAUSTED)
        watched.serve_bystander()
        # To read all of the stream would take this client too long.
        status, _ = self.client.call("QueryService/StreamValues", largest, timeout=2)
        self.assertIn(status, (http2.OK, http2.RESOURCE_EXHAUSTED, http2.DEADLINE_EXCEEDED))
        watched.serve_bystander()
        self.assertLess(watched.daemon.peak, 2 << 30)
        self.client.close()
        watched.stop()


def main():
    global CYCLES
    if len(sys.argv) > 1 and sys.argv[1].startswith("--cycles="):
        CYCLES = int(sys.argv.pop(1).split("=")[1])
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
