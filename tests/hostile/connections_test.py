"""Clients that misuse connections: they do not read, stop in the middle of the protocol, cancel at once, or only connect.

Meanwhile a bystander must get the right answers, and afterwards the daemon must hold no more than before. Nothing depends on how
long anything takes, except that it must happen at all."""
import os
import resource
import subprocess
import tempfile
import unittest

import hostile_test
import http2
from bystander import LARGE, SMALL, SPARE, Watched

HALF = 100  # slow readers of a kind
CANCELLED = 4000  # calls
FILES = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
IDLE = 2000 if FILES == resource.RLIM_INFINITY else min(2000, FILES // 8)  # connections; both ends need descriptors
CLIENTHELLO_START = bytes.fromhex("160301020001 0001fc0303".replace(" ", ""))


class ConnectionsTest(unittest.TestCase):
    def start(self, *flags):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(self.folder.cleanup)
        self.watched = Watched(self.folder.name, *flags)
        self.addCleanup(self.kill)
        # First connect a few times, so that memory allocated once is not counted.
        for _ in range(4):
            client = http2.Client(self.watched.address)
            self.watched.open(client)
            client.close()
        self.watched.eventually(lambda: self.watched.metric("stagedoor_connections") == 1, "connections are closed")
        self.descriptors = self.watched.descriptors()
        return self.watched

    def kill(self):
        if self.watched.daemon.alive():
            self.watched.daemon.process.kill()

    def expect_nothing_left(self, reserved=0):
        """All calls and connections but the bystander's have ended."""
        watched = self.watched
        watched.serve_bystander()
        watched.bystander.pause()
        watched.eventually(lambda: watched.metric("stagedoor_requests_in_flight") == 0, "calls end")
        watched.eventually(lambda: watched.metric("stagedoor_requests_bytes") == reserved, "bytes are released")
        watched.eventually(lambda: watched.metric("stagedoor_connections") == 1, "connections are closed")
        watched.eventually(lambda: watched.descriptors() <= self.descriptors + SPARE, "descriptors are closed")
        watched.stop()

    def test_slow_readers_are_cut_off(self):
        watched = self.start("--stall-seconds=1", "--calls-bytes=1G")
        opener = http2.Client(watched.address)
        handle = watched.open(opener)
        unary = ("QueryService/BatchGetValues", http2.values(handle, [LARGE], "1:2"))
        stream = ("QueryService/StreamValues", http2.values(handle, [LARGE], "1:100"))
        # All calls of one kind on one connection, which grants no bytes; each of the other kind on a connection of its own,
        # whose socket is not read.
        shared = http2.Client(watched.address, window=0)
        for _ in range(HALF):
            shared.start(*unary)
        alone = [http2.Client(watched.address, receive_buffer=4096) for _ in range(HALF)]
        for client in alone:
            client.start(*stream)
        watched.eventually(lambda: watched.metric("stagedoor_requests_cut_off_total") > 0, "a slow reader is cut off")
        watched.serve_bystander()
        # If the system notices first that nobody reads, it closes the connection, and the call is not counted.
        watched.eventually(lambda: watched.metric("stagedoor_requests_cut_off_total") >= HALF, "all are cut off")
        watched.serve_bystander()
        # Their bytes are released although they are still connected.
        watched.eventually(lambda: watched.metric("stagedoor_requests_in_flight") <= 1, "calls end")
        watched.eventually(lambda: watched.metric("stagedoor_requests_bytes") < 1 << 20, "bytes are released")
        for client in [opener, shared, *alone]:
            client.close()
        self.expect_nothing_left()

    def test_half_open_connections_are_closed(self):
        watched = self.start("--handshake-timeout=1", "--keepalive=1", "--keepalive-timeout=20", "--max-call-seconds=30")
        call = http2.header_block("QueryService/GetPrim")
        begin = http2.PREFACE + http2.settings()
        cases = {
            "says nothing": b"",
            "half of the preface": http2.PREFACE[:10],
            "only the preface": http2.PREFACE,
            "only settings": begin,
            "headers that do not end": begin + http2.frame(http2.HEADERS, 0, 1, call),
            "headers without a message": begin + http2.frame(http2.HEADERS, http2.END_HEADERS, 1, call),
            "a truncated header": begin + http2.frame(http2.HEADERS, http2.END_HEADERS, 1, call)[:-5],
            "half of a message": begin + http2.frame(http2.HEADERS, http2.END_HEADERS, 1, call)
            + http2.frame(http2.DATA, 0, 1, http2.grpc_message(b"x" * 100)[:50]),
            "half of a frame": begin + http2.frame(http2.HEADERS, http2.END_HEADERS, 1, call)
            + http2.frame(http2.DATA, 0, 1, b"\0\0\0\0\x64" + b"x" * 10, announced=105),
            "a message that announces 4 GiB": begin + http2.frame(http2.HEADERS, http2.END_HEADERS, 1, call)
            + http2.frame(http2.DATA, 0, 1, b"\0\xff\xff\xff\xff" + b"x" * 10),
            "another protocol": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "zeros": b"\0" * 100,
        }
        silent = []
        for what, sent in cases.items():
            for _ in range(10):
                connection = http2.dial(watched.address)
                connection.sendall(sent)
                silent.append((what, connection))
        watched.serve_bystander()
        # The clients send nothing more, not even the acknowledgement of a ping, and do not close their end.
        for what, connection in silent:
            with self.subTest(what):
                try:
                    while connection.recv(1 << 16):
                        pass
                except ConnectionError:
                    pass
        watched.serve_bystander()
        for _, connection in silent:
            connection.close()
        self.expect_nothing_left()

    def test_unfinished_tls_handshakes_are_closed(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # short enough for the path of a Unix socket
            certificate, key = os.path.join(folder, "certificate"), os.path.join(folder, "key")
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "1",
                            "-keyout", key, "-out", certificate], check=True, capture_output=True)
            # The bystander uses an address without TLS, so the daemon has both kinds.
            daemon_folder = os.path.join(folder, "daemon")
            self.watched = watched = Watched(daemon_folder, "--handshake-timeout=1", f"--tls-certificate={certificate}",
                                             f"--tls-key={key}", f"--address=unix:{folder}/plain",
                                             bystander=f"unix:{folder}/plain")
            self.addCleanup(self.kill)
            for _ in range(4):  # what the daemon allocates once
                client = http2.Client(f"unix:{folder}/plain")
                watched.open(client)
                client.close()
            watched.eventually(lambda: watched.metric("stagedoor_connections") == 1, "connections are closed")
            self.descriptors = watched.descriptors()
            silent = []
            for sent in (b"", CLIENTHELLO_START, b"\x16\x03\x01\xff\xff" + b"x" * 100, http2.PREFACE):
                for _ in range(25):
                    connection = http2.dial(watched.address)
                    connection.sendall(sent)
                    silent.append(connection)
            watched.serve_bystander()
            for connection in silent:
                try:
                    while connection.recv(1 << 16):
                        pass
                except ConnectionError:
                    pass
                connection.close()
            self.expect_nothing_left()

    def test_cancelled_calls_leave_nothing(self):
        watched = self.start("--calls-bytes=512M")
        client = http2.Client(watched.address)
        handle = watched.open(client)
        requests = [("LayersService/FlattenStage", http2.flatten(handle)),
                    ("QueryService/StreamValues", http2.values(handle, [LARGE], "1:50")),
                    ("QueryService/BatchGetValues", http2.values(handle, [SMALL, LARGE], "1:20"))]
        after_warm_up = None
        for round_number in range(4):
            # Each call is cancelled in the same packet that starts it ("rapid reset").
            for first in range(0, CANCELLED // 4, 50):
                burst = b""
                for n in range(first, first + 50):
                    stream, frames = client.request(*requests[n % len(requests)])
                    burst += frames + http2.frame(http2.RST_STREAM, 0, stream, http2.CANCEL.to_bytes(4, "big"))
                client.socket.sendall(burst)
            # A client that disconnects has its calls cancelled as well.
            gone = http2.Client(watched.address)
            for n in range(50):
                gone.start(*requests[n % len(requests)])
            gone.close()
            watched.serve_bystander()
            watched.eventually(lambda: watched.metric("stagedoor_requests_in_flight") <= 1, "cancelled calls end")
            if round_number == 1:
                after_warm_up = watched.memory()
        # Each cancelled call may keep nothing. Allocators do not return everything at once.
        watched.eventually(lambda: watched.memory() - after_warm_up < 32 << 20, "memory of cancelled calls is returned")
        client.close()
        self.expect_nothing_left()

    def test_a_flood_of_resets_of_unknown_streams_is_harmless(self):
        watched = self.start()
        client = http2.Client(watched.address)
        reset = b"".join(http2.frame(http2.RST_STREAM, 0, stream, b"\0\0\0\x08") for stream in range(1, 4001, 2))
        try:
            for _ in range(10):
                client.socket.sendall(reset)
        except ConnectionError:
            pass  # a connection error is a right answer, too
        client.close()
        self.expect_nothing_left()

    def test_idle_connections_cost_little(self):
        watched = self.start("--keepalive=600")
        before = watched.memory()
        idle = [http2.Client(watched.address) for _ in range(IDLE)]
        watched.eventually(lambda: watched.metric("stagedoor_connections") == IDLE + 1, "all are connected")
        for client in idle:
            client.read_frame()  # the daemon's settings
        watched.serve_bystander()
        each = (watched.memory() - before) // IDLE
        print(f"{IDLE} idle connections: {each} bytes each", flush=True)
        self.assertLess(each, 128 << 10)
        self.assertEqual(watched.metric("stagedoor_connections_refused_total"), 0)
        for client in idle:
            client.close()
        self.expect_nothing_left()

    def test_connections_are_limited(self):
        watched = self.start("--max-connections=50")
        self.assertEqual(watched.metric("stagedoor_connections_limit"), 50)
        held = [http2.Client(watched.address) for _ in range(49)]
        watched.eventually(lambda: watched.metric("stagedoor_connections") == 50, "all are connected")
        refused = http2.dial(watched.address)
        answer = b""
        while got := refused.recv(1000):
            answer += got
        self.assertIn(b"too many connections", answer)
        self.assertEqual(watched.metric("stagedoor_connections_refused_total"), 1)
        for client in held:
            client.read_frame()  # its socket was served
        watched.serve_bystander()
        held.pop().close()
        watched.eventually(lambda: watched.metric("stagedoor_connections") == 49, "one is closed")
        another = http2.Client(watched.address)
        watched.open(another)
        for client in [*held, another, refused]:
            client.close()
        self.expect_nothing_left()

    def test_more_connections_than_descriptors_are_refused(self):
        """More connections at once than the daemon may have descriptors."""
        limits = f"ulimit -n 100 && exec {hostile_test.DAEMON} \"$@\""
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            address_file = os.path.join(folder, "address")
            with subprocess.Popen(["bash", "-c", limits, "-", "--address=127.0.0.1:0", f"--address-file={address_file}",
                                   "--max-connections=1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as daemon:
                self.addCleanup(daemon.kill)
                while not os.path.exists(address_file):
                    self.assertIsNone(daemon.poll())
                address = hostile_test.read(address_file).split()[0]
                flood = [http2.dial(address) for _ in range(300)]
                for connection in flood:
                    connection.close()
                # Refused while the flood's connections are being closed.
                while (status := self.ask_once(address)) is None:
                    pass
                self.assertEqual(status, http2.OK)
                daemon.terminate()
                self.assertEqual(daemon.wait(), 0)

    @staticmethod
    def ask_once(address):
        """The status of a call on a connection of its own; None if that is refused."""
        try:
            client = http2.Client(address)
            status, _ = client.call("ServerService/GetCapabilities", b"")
            client.close()
        except ConnectionError:
            return None
        return status


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    unittest.main(verbosity=2)
