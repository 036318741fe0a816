"""A small HTTP proxy that passes requests on to one server and damages its answers, for tests of remote backends."""
import http.client
import itertools
import re
import socket
import struct
import threading
import time

# Faults of answers. Each applies to all requests while it is set, unless it says otherwise.
FAULTS = {
    "slow": "the body arrives slowly, but steadily",
    "slow_loris": "the header arrives byte by byte",
    "truncated": "the connection ends in the middle of the body",
    "reset": "the connection is reset in the middle of the body",
    "flaky_reset": "the same for every other request",
    "error_500": "status 500",
    "error_503": "status 503 with Retry-After",
    "flaky_500": "status 500 for every other request",
    "throttled": "status 429",
    "longer": "the body is shorter than Content-Length says, and the connection stays open",
    "shorter": "the body is longer than Content-Length says",
    "wrong_range": "another range than the one that was asked for",
    "whole": "the whole object instead of a range",
    "changing": "each answer has another ETag and another body",
    "redirect_loop": "a redirect to the same place",
    "redirect_private": "a redirect to the metadata service of a cloud",
    "redirect_elsewhere": "a redirect to a host that is not allowed",
    "garbage": "something that is not HTTP",
    "endless_header": "header lines without end",
    "forbidden": "status 403, as for expired credentials",
}

EXPIRED = b"<?xml version='1.0'?><Error><Code>ExpiredToken</Code><Message>The token has expired.</Message></Error>"


class Damage(Exception):
    """The connection must be closed."""


class FaultProxy:
    """Listens on a free loopback port; `port` is its number. Set `fault` to one of FAULTS, or to None. Use it in a with
    statement."""

    def __init__(self, upstream_port):
        self.upstream_port = upstream_port
        self.fault = None
        self.count = itertools.count()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.closing = threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.closing.set()
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def accept(self):
        while not self.closing.is_set():
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb") as reader:
            try:
                while not self.closing.is_set():
                    request = self.read_request(reader)
                    if request is None:
                        return
                    self.answer(connection, *request)
            except (OSError, Damage, http.client.HTTPException):
                pass

    @staticmethod
    def read_request(reader):
        line = reader.readline(65536).decode("latin-1").split()
        if len(line) != 3:
            return None
        headers = {}
        for raw in iter(lambda: reader.readline(65536), b"\r\n"):
            if not raw:
                return None
            name, _, value = raw.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        return line[0], line[1], headers

    def ask(self, method, target, headers):
        upstream = http.client.HTTPConnection("127.0.0.1", self.upstream_port, timeout=30)
        passed = {k: v for k, v in headers.items() if k not in ("connection", "accept-encoding")}
        upstream.request(method, target, headers=passed)
        response = upstream.getresponse()
        body = response.read()
        upstream.close()
        kept = [(k, v) for k, v in response.getheaders()
                if k.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server")]
        length = response.getheader("Content-Length")
        return response.status, kept, body, int(length) if method == "HEAD" and length else len(body)

    @staticmethod
    def head(status, headers, length):
        lines = ["HTTP/1.1 %d Whatever" % status, *("%s: %s" % h for h in headers), "Content-Length: %d" % length, "", ""]
        return "\r\n".join(lines).encode("latin-1")

    def simple(self, connection, method, status, headers=(), body=b""):
        connection.sendall(self.head(status, headers, len(body)) + (b"" if method == "HEAD" else body))

    def answer(self, connection, method, target, headers):
        number, fault = next(self.count), self.fault
        if fault in ("flaky_500", "flaky_reset") and number % 2:
            fault = None
        early = getattr(self, "early_" + fault.replace("flaky_", ""), None) if fault else None
        if early:
            early(connection, method, target)
            return
        if fault == "whole":
            headers = {k: v for k, v in headers.items() if k != "range"}
        if fault == "wrong_range":
            headers = self.shifted(headers)
        status, kept, body, length = self.ask(method, target, headers)
        if fault == "changing":
            kept = [(k, v) for k, v in kept if k.lower() not in ("etag", "last-modified")] + [("ETag", '"%d"' % number)]
            body = bytes([number % 256]) * len(body)
        self.send(connection, fault, self.head(status, kept, self.claimed(fault, length)), b"" if method == "HEAD" else body)

    @staticmethod
    def shifted(headers):
        """Asks for the bytes one block further on."""
        match = re.match(r"bytes=(\d+)-(\d+)$", headers.get("range", ""))
        if not match:
            return headers
        return {**headers, "range": "bytes=%d-%d" % (int(match[1]) + 16, int(match[2]) + 16)}

    @staticmethod
    def claimed(fault, length):
        return length + 100 if fault == "longer" else max(length - 100, 0) if fault == "shorter" else length

    def send(self, connection, fault, head, body):
        half = len(body) // 2
        if fault == "slow_loris":
            for i in range(len(head)):
                connection.sendall(head[i:i + 1])
                if self.closing.wait(0.3):
                    raise Damage
            connection.sendall(body)
        elif fault == "slow":
            connection.sendall(head)
            for i in range(0, len(body), 4096):
                connection.sendall(body[i:i + 4096])
                time.sleep(0.005)
        elif fault in ("truncated", "reset", "flaky_reset"):
            connection.sendall(head + body[:half])
            if fault != "truncated":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raise Damage
        elif fault == "longer":
            connection.sendall(head + body)
            self.closing.wait(20)
            raise Damage
        else:
            connection.sendall(head + body)

    def early_500(self, connection, method, _):
        self.simple(connection, method, 500)

    def early_error_500(self, connection, method, _):
        self.simple(connection, method, 500)

    def early_error_503(self, connection, method, _):
        self.simple(connection, method, 503, [("Retry-After", "1")])

    def early_throttled(self, connection, method, _):
        self.simple(connection, method, 429)

    def early_forbidden(self, connection, method, _):
        self.simple(connection, method, 403, [("Content-Type", "application/xml")], EXPIRED)

    def early_redirect_loop(self, connection, method, target):
        self.simple(connection, method, 302, [("Location", target)])

    def early_redirect_private(self, connection, method, _):
        self.simple(connection, method, 302, [("Location", "http://169.254.169.254/latest/meta-data/")])

    def early_redirect_elsewhere(self, connection, method, target):
        self.simple(connection, method, 302, [("Location", "http://elsewhere.invalid" + target)])

    def early_garbage(self, connection, _method, _target):
        connection.sendall(b"220 mail.example.com ESMTP\r\n" * 3)
        raise Damage

    def early_endless_header(self, connection, _method, _target):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while not self.closing.is_set():
            connection.sendall(b"X-More: %s\r\n" % (b"y" * 4000))
