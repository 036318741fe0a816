"""Clients that misuse streams of query frames: garbage, half messages, answers that nobody reads, thousands of streams.

Meanwhile a bystander must get the right answers, and afterwards the daemon must hold no more than before. Nothing depends on how long
anything takes, except that it must happen at all."""
import os
import tempfile
import unittest

import http2
import query_frames as frames
from bystander import LARGE, SMALL, SPARE, Watched

ROUNDS = 200
STREAMS, STREAMS_OF_A_CONNECTION = 3000, 50
INVALID_ARGUMENT = 3


class QueryStreamTest(unittest.TestCase):
    def start(self, *flags):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.watched = watched = Watched(folder.name, *flags)
        self.addCleanup(lambda: watched.daemon.alive() and watched.daemon.process.kill())
        opener = http2.Client(watched.address)
        self.addCleanup(opener.close)
        self.handle = watched.open(opener)
        self.ask()  # what the daemon allocates once
        self.descriptors = watched.descriptors()
        return watched

    def connect(self, client=None):
        stream = frames.Stream(client or http2.Client(self.watched.address))
        stream.send(frames.bind_stage(self.handle), frames.bind_paths([SMALL, LARGE]))
        return stream

    def ask(self):
        """A stream that follows the rules is answered."""
        stream = self.connect()
        stream.send(frames.query(1), frames.query(2, 1))
        stream.send_no_more()
        self.assertEqual(len(stream.answers(3)), 2)
        self.assertEqual(stream.status, http2.OK)
        stream.close()

    def expect_nothing_left(self):
        watched = self.watched
        watched.serve_bystander()
        self.ask()
        watched.eventually(lambda: watched.metric("stagedoor_query_streams") == 0, "streams end")
        watched.bystander.pause()
        watched.eventually(lambda: watched.metric("stagedoor_requests_in_flight") == 0, "calls end")
        watched.eventually(lambda: watched.metric("stagedoor_requests_bytes") == 0, "bytes are released")
        watched.eventually(lambda: watched.descriptors() <= self.descriptors + SPARE, "descriptors are closed")
        watched.stop()

    def test_what_is_not_a_frame_ends_the_stream(self):
        self.start()
        bodies = {"a message above the window": bytes((256 << 10) + 1), **frames.wrong_contents(self.handle, SMALL)}
        client = http2.Client(self.watched.address)
        for what, body in bodies.items():
            with self.subTest(what):
                stream = self.connect(client)
                stream.send_bytes(http2.grpc_message(body))
                self.assertEqual(stream.goodbye(), INVALID_ARGUMENT)
                self.assertEqual(stream.status, INVALID_ARGUMENT)
        client.close()
        self.expect_nothing_left()

    def test_half_messages_hold_up_nobody(self):
        watched = self.start()
        whole = http2.grpc_message(frames.content(frames.bind_stage(self.handle), frames.bind_paths([SMALL]), frames.query(1)))
        kept = []
        for end in range(len(whole)):
            stream = frames.Stream(http2.Client(watched.address))
            stream.send_bytes(whole[:end])
            if end % 3 == 0:
                kept.append((stream, end))
            elif end % 3 == 1:
                stream.reset()
                stream.close()
            else:
                stream.close()
        watched.serve_bystander()
        for stream, end in kept:  # each goes on where it has stopped
            stream.send_bytes(whole[end:])
            self.assertEqual(len(stream.answers(1)), 1)
            stream.close()
        self.expect_nothing_left()

    def test_random_bytes_hold_up_nobody(self):
        watched = self.start()
        state = 12345
        client = http2.Client(watched.address)
        for _ in range(ROUNDS):
            content = bytearray(frames.content(frames.bind_stage(self.handle), frames.bind_paths([SMALL, LARGE]),
                                               frames.query(1, 1), frames.query(2)))
            for _ in range(4):
                state = (1103515245 * state + 12345) % (1 << 31)
                content[state % len(content)] = (state >> 8) & 255
            stream = frames.Stream(client)
            stream.send_bytes(http2.grpc_message(bytes(content)))
            if not stream.ended:
                stream.send_no_more()
            stream.goodbye()
        client.close()
        self.expect_nothing_left()

    def overrun(self):
        """A stream with far more queries for arrays than its client reads answers."""
        client = http2.Client(self.watched.address, window=1 << 16, receive_buffer=1 << 14)
        stream = self.connect(client)
        query = http2.grpc_message(frames.content(*(frames.query(1 + i, 1) for i in range(50))))
        for _ in range(40):
            if min(stream.credit.values()) > len(query):  # without reading, nothing more is granted
                stream.send_bytes(query)
        return stream

    def test_answers_that_nobody_reads_are_not_made(self):
        watched = self.start("--stall-seconds=120")
        before = watched.memory()
        streams = [self.overrun() for _ in range(10)]
        watched.serve_bystander()
        self.assertLess(watched.memory() - before, 128 << 20)  # of 3 GB
        for stream in streams:
            stream.close()
        self.expect_nothing_left()

    def test_who_does_not_read_is_cut_off(self):
        watched = self.start("--stall-seconds=1")
        stream = self.overrun()
        watched.eventually(lambda: watched.metric("stagedoor_query_streams") == 0, "the stream is ended")
        stream.close()
        self.expect_nothing_left()

    def test_bindings_are_bounded(self):
        watched = self.start()
        before = watched.memory()
        stream = self.connect()
        for first in range(0, 999000, 1000):
            if stream.ended:
                break
            stream.send(frames.bind_paths([f"/{'x' * 200}{first + i}.y" for i in range(1000)], first=first))
        self.assertNotEqual(stream.goodbye(), 0)
        self.assertLess(watched.memory() - before, 256 << 20)
        stream.close()
        self.expect_nothing_left()

    def test_thousands_of_idle_streams_are_cheap(self):
        watched = self.start("--max-watches=5000", "--max-watches-per-client=5000")
        before = watched.memory()
        clients = [http2.Client(watched.address) for _ in range(STREAMS // STREAMS_OF_A_CONNECTION)]
        for client in clients:
            for _ in range(STREAMS_OF_A_CONNECTION):
                self.connect(client)
        watched.eventually(lambda: watched.metric("stagedoor_query_streams") == STREAMS, "streams are open")
        self.assertLess(watched.memory() - before, STREAMS * (32 << 10))
        watched.serve_bystander()
        watched.bystander.pause()
        watched.eventually(lambda: watched.metric("stagedoor_requests_in_flight") == 0, "idle streams are not in flight")
        watched.bystander.go_on()
        for client in clients:
            client.close()
        self.expect_nothing_left()

    def test_streams_beyond_the_limit_are_refused(self):
        watched = self.start("--max-watches-per-client=20")
        client = http2.Client(watched.address)
        for _ in range(20):
            self.assertIsNotNone(self.connect(client).receive())
        refused = frames.Stream(client)
        self.assertIsNone(refused.receive())
        self.assertEqual(refused.status, http2.RESOURCE_EXHAUSTED)
        client.close()
        self.expect_nothing_left()

    def test_clients_that_leave_at_once_are_forgotten(self):
        watched = self.start()
        for number in range(ROUNDS):
            stream = self.connect()
            stream.send(*(frames.query(1 + i, 1) for i in range(8)))
            stream.send(*(http2.field(frames.CANCEL, http2.field(1, 1 + i)) for i in range(8)))
            if number % 2:
                stream.reset()
            stream.close()
        watched.serve_bystander()
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main(verbosity=2)
