"""Clients that misuse the query socket: half frames, descriptors, windows, segments, floods of connections.

Meanwhile two bystanders, one over gRPC and one on the same query socket, must get the right answers, and afterwards the daemon must
hold no more than before. Nothing depends on how long anything takes, except that it must happen at all."""
import errno
import fcntl
import mmap
import os
import re
import resource
import select
import socket
import tempfile
import threading
import unittest

import http2
import query_frames as frames
from bystander import LARGE, SMALL, SPARE, Watched

LARGE_BYTES = 160000  # of the array in the scene
ROUNDS = 300
CONNECTIONS = 3000
INVALID_ARGUMENT = 3
F_ADD_SEALS, F_SEAL_WRITE = 1033, 8
FALLOC_PUNCH_HOLE, FALLOC_KEEP_SIZE = 2, 1


class SocketBystander:
    """Asks over the query socket, again and again, until it is stopped."""

    def __init__(self, path, handle):
        self.link = frames.Link(path)
        self.link.send(frames.bind_stage(handle), frames.bind_paths([SMALL, LARGE]))
        self.expected = self.ask(1)
        self.count, self.wrong, self.stopping = 0, [], threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def ask(self, number):
        """The answers about a number and an array in shared memory, without what differs from one to the next."""
        self.link.send(frames.query(2 * number, 0, 50.0), frames.query(2 * number + 1, 1, 1.0, shared=True))
        answers = sorted(self.link.answers(2), key=len)
        if len(answers) < 2:
            return answers
        small, large = (http2.text_of(answer, 3) for answer in answers)
        place = frames.place_in(answers[1])
        self.link.send(frames.release(place))
        return small, len(place) > 0, len(large)

    def run(self):
        while not self.stopping.wait(0.01):
            answers = self.ask(self.count + 2)
            if answers[:2] != self.expected[:2]:
                return self.wrong.append(answers)
            self.count += 1
        self.link.close()

    def stop(self):
        self.stopping.set()
        self.thread.join()


class QuerySocketTest(unittest.TestCase):
    def source(self, folder):
        """Flags that say where the daemon has the scene in a folder from."""
        return ()

    def start(self, *flags):
        folder = tempfile.TemporaryDirectory(prefix="sd", dir="/tmp")  # short enough for the path of a Unix socket
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "queries")
        self.watched = watched = Watched(folder.name, f"--query-socket={self.path}", *self.source(folder.name), *flags)
        self.addCleanup(self.kill)
        opener = http2.Client(watched.address)
        self.addCleanup(opener.close)
        self.handle = watched.open(opener)
        self.other = SocketBystander(self.path, self.handle)
        self.addCleanup(self.other.stop)
        for _ in range(4):  # what the daemon allocates once
            link = self.connect()
            link.send(frames.query(1), frames.query(2, 1, shared=True))
            link.answers(2)
            self.leave(link)
        self.descriptors = watched.descriptors()
        return watched

    def kill(self):
        if self.watched.daemon.alive():
            self.watched.daemon.process.kill()

    def connect(self):
        link = frames.Link(self.path)
        link.send(frames.bind_stage(self.handle), frames.bind_paths([SMALL, LARGE]))
        return link

    @staticmethod
    def leave(link):
        for descriptor in link.descriptors:
            os.close(descriptor)
        link.descriptors = []
        link.close()

    def serve_others(self):
        """Waits until both bystanders were answered to a question that they asked from now on."""
        self.watched.serve_bystander()
        count = self.other.count + 1
        self.watched.eventually(lambda: self.other.count > count or self.other.wrong, "the bystander on the socket is answered")
        self.assertFalse(self.other.wrong)

    def shared_bytes(self):
        """The shared memory of the daemon: of segments whose connection has not ended."""
        with open(f"/proc/{self.watched.daemon.process.pid}/status") as status:
            return int(re.search(r"RssShmem:\s+(\d+)", status.read()).group(1)) * 1024

    def expect_nothing_left(self):
        watched = self.watched
        self.serve_others()
        watched.eventually(lambda: watched.descriptors() <= self.descriptors + SPARE, "descriptors are closed")
        # The bystander has a segment, and the allocator of the kernel counts whole pages.
        watched.eventually(lambda: self.shared_bytes() <= 9 << 20, "segments are returned")
        self.other.stop()
        self.assertFalse(self.other.wrong)
        watched.stop()

    def test_half_frames_hold_up_nobody(self):
        self.start()
        whole = frames.message(frames.bind_stage(self.handle), frames.bind_paths([SMALL]), frames.query(1))
        kept = []
        for end in range(len(whole)):
            link = frames.Link(self.path)
            link.socket.sendall(whole[:end])
            (self.leave if end % 2 else kept.append)(link)
        self.serve_others()
        # Each goes on where it has stopped.
        for link, end in zip(kept, range(0, len(whole), 2)):
            link.socket.sendall(whole[end:])
            self.assertEqual(len(link.answers(1)), 1)
            self.leave(link)
        self.expect_nothing_left()

    def test_what_is_not_a_frame_ends_the_connection(self):
        self.start()
        contents = frames.wrong_contents(self.handle, SMALL)
        bodies = {
            "a message of 4 GiB": b"\xff\xff\xff\xff",
            "a message above the window": (1 << 20).to_bytes(4, "little"),
            **{what: frames.framed(content) for what, content in contents.items()},
        }
        for what, body in bodies.items():
            with self.subTest(what):
                link = self.connect()
                link.socket.sendall(body)
                self.assertEqual(link.goodbye(), INVALID_ARGUMENT)
                self.leave(link)
        self.expect_nothing_left()

    def test_random_bytes_hold_up_nobody(self):
        self.start()
        state = 12345
        for _ in range(ROUNDS):
            content = bytearray(frames.message(frames.bind_stage(self.handle), frames.bind_paths([SMALL, LARGE]),
                                               frames.query(1, 1, shared=True), frames.release(http2.field(1, 1))))
            for _ in range(4):
                state = (1103515245 * state + 12345) % (1 << 31)
                content[state % len(content)] = (state >> 8) & 255
            link = frames.Link(self.path)
            link.socket.sendall(content)
            link.socket.shutdown(socket.SHUT_WR)
            link.goodbye()
            self.leave(link)
        self.expect_nothing_left()

    def test_a_segment_cannot_be_changed_by_who_has_its_descriptor(self):
        self.start()
        link = self.connect()
        link.send(frames.query(1, 1, shared=True))
        link.answers(1)
        descriptor, = link.descriptors
        size = os.fstat(descriptor).st_size
        again = os.open(f"/proc/self/fd/{descriptor}", os.O_RDWR)  # as writable as it can be
        for stolen in (descriptor, again):
            for what, attempt in {
                    "truncate": lambda: os.ftruncate(stolen, 0), "grow": lambda: os.ftruncate(stolen, 2 * size),
                    "write": lambda: os.pwrite(stolen, b"x", 0), "punch": lambda: punch(stolen, size),
                    "map": lambda: mmap.mmap(stolen, size, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE),
                    "seal": lambda: fcntl.fcntl(stolen, F_ADD_SEALS, F_SEAL_WRITE)}.items():
                with self.subTest(what), self.assertRaises(OSError) as failed:
                    attempt()
                self.assertIn(failed.exception.errno, (errno.EPERM, errno.EACCES))
        os.close(again)
        mapped = mmap.mmap(descriptor, size, mmap.MAP_SHARED, mmap.PROT_READ)
        before = mapped[:LARGE_BYTES]
        self.leave(link)  # what is mapped stays readable
        self.serve_others()
        self.assertEqual(mapped[:LARGE_BYTES], before)
        mapped.close()
        self.expect_nothing_left()

    def test_descriptors_of_a_client_are_not_kept(self):
        self.start()
        link = self.connect()
        with tempfile.TemporaryFile() as file:
            for number in range(1, ROUNDS):
                socket.send_fds(link.socket, [frames.message(frames.query(number))], [file.fileno()] * 20)
                self.assertEqual(len(link.answers(1)), 1)
        self.assertLessEqual(self.watched.descriptors(), self.descriptors + SPARE)
        self.leave(link)
        self.expect_nothing_left()

    def overrun(self, link):
        """Sends far more queries than the window allows and reads no answer. Returns how many were sent whole."""
        link.socket.settimeout(0.2)
        sent = 0
        try:
            for first in range(1, 40001, 100):
                link.send(*(frames.query(first + i, 1) for i in range(100)))
                sent += 100
        except (TimeoutError, ConnectionError):
            pass  # the daemon reads no more, or has closed the connection
        link.socket.settimeout(120)
        return sent

    def test_windows_that_are_overrun_wait_for_the_reader(self):
        self.start("--stall-seconds=120")
        link = self.connect()
        sent = self.overrun(link)
        self.assertLess(sent, 40000)  # 6 GB of answers are not made in advance
        self.serve_others()
        self.assertEqual(len(link.answers(sent)), sent)
        self.leave(link)
        self.expect_nothing_left()

    def test_who_does_not_read_is_cut_off(self):
        watched = self.start("--stall-seconds=1")
        link = self.connect()
        self.overrun(link)
        self.serve_others()
        poll = select.poll()
        poll.register(link.socket, select.POLLRDHUP)
        watched.eventually(lambda: poll.poll(0), "the connection is closed")
        self.leave(link)
        self.expect_nothing_left()

    def test_a_client_that_releases_nothing_gets_arrays_in_messages(self):
        watched = self.start()
        link = self.connect()
        shared = in_messages = 0
        for number in range(1, 2 * (48 << 20) // LARGE_BYTES):
            link.send(frames.query(number, 1, shared=True))
            answer, = link.answers(1)
            shared += bool(frames.place_in(answer))
            in_messages += not frames.place_in(answer)
        self.assertGreater(shared, 200)
        self.assertGreater(in_messages, 200)
        self.assertLess(self.shared_bytes(), 60 << 20)
        self.serve_others()
        link.send(frames.query(1 << 20))  # in flight while the client leaves
        self.leave(link)
        watched.eventually(lambda: self.shared_bytes() <= 9 << 20, "the segments of a client that has left are returned")
        self.expect_nothing_left()

    def test_an_array_is_released_once(self):
        self.start()
        link = self.connect()
        link.send(frames.query(1, 1, shared=True))
        place = frames.place_in(link.answers(1)[0])
        link.send(frames.release(place))
        link.send(frames.release(place))
        self.assertEqual(link.goodbye(), INVALID_ARGUMENT)
        self.leave(link)
        self.expect_nothing_left()

    def test_bindings_are_bounded(self):
        watched = self.start()
        before = watched.memory()
        link = self.connect()
        try:
            for first in range(0, 999000, 1000):
                link.send(frames.bind_paths([f"/{'x' * 200}{first + i}.y" for i in range(1000)], first=first))
        except ConnectionError:
            pass
        self.assertNotEqual(link.goodbye(), 0)
        self.assertLess(watched.memory() - before, 256 << 20)
        self.leave(link)
        self.expect_nothing_left()

    def test_a_flood_of_connections_disturbs_nobody(self):
        watched = self.start("--max-connections=200")
        for number in range(CONNECTIONS):
            link = frames.Link(self.path)
            if number % 3 == 0:
                link.send(frames.bind_stage(self.handle), frames.bind_paths([LARGE]), frames.query(1, 0, shared=True))
            self.leave(link)
        self.serve_others()
        held = [frames.Link(self.path) for _ in range(400)]
        self.serve_others()
        refused = sum(link.receive() is None for link in held)
        self.assertGreaterEqual(refused, 200)
        for link in held:
            self.leave(link)
        watched.eventually(lambda: watched.descriptors() <= self.descriptors + SPARE, "connections are closed")
        link = self.connect()
        link.send(frames.query(1))
        self.assertEqual(len(link.answers(1)), 1)
        self.leave(link)
        self.expect_nothing_left()

    def test_clients_that_leave_at_once_are_forgotten(self):
        self.start()
        for _ in range(ROUNDS):
            link = self.connect()
            link.send(*(frames.query(1 + i, 1, shared=True) for i in range(8)))
            link.send(*(http2.field(frames.CANCEL, http2.field(1, 1 + i)) for i in range(8)))
            self.leave(link)
        self.expect_nothing_left()


def punch(descriptor, size):
    """Makes a hole, which would make pages of the segment go away."""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    mode = FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE
    if libc.fallocate(descriptor, mode, ctypes.c_long(0), ctypes.c_long(size)) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


if __name__ == "__main__":
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    unittest.main(verbosity=2)
