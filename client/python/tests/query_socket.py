"""A query socket that does what a test says, and daemons that have one."""

from __future__ import annotations

import contextlib
import pathlib
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from daemon import Daemon
from fake import FakeDaemon

import stagedoor
from stagedoor._proto import v1

Script = Callable[["FakeSide"], None]


@contextlib.contextmanager
def daemon_with_socket(*flags: str) -> Iterator[Daemon]:
    """A daemon at a Unix socket that offers a query socket. Its folder has a short path."""
    with tempfile.TemporaryDirectory(prefix="sd", dir="/tmp") as folder:
        flags = (f"--query-socket={folder}/queries", *flags)
        running = Daemon(pathlib.Path(folder), *flags, address=f"unix:{folder}/grpc")
        try:
            yield running
        finally:
            running.stop()


def await_socket(client: stagedoor.Client, ask: Callable[[], object]) -> None:
    """Asks until a client has found the query socket."""
    deadline = time.monotonic() + 60
    while not client.statistics.query_socket:
        assert time.monotonic() < deadline, "the client does not find the query socket"
        ask()
        time.sleep(0.005)


class FakeSide:
    """The daemon's side of one connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._file = connection.makefile("rb")

    def receive(self) -> list[Any]:
        """The frames of the next message of the client; none at the end."""
        length = self._file.read(4)
        if len(length) < 4:
            return []
        message = self._file.read(int.from_bytes(length, "little"))
        return list(v1.ClientFrames.FromString(message).frames)

    def await_query(self) -> Any:
        """The next query; frames before it are skipped."""
        while frames := self.receive():
            for frame in frames:
                if frame.WhichOneof("kind") == "query":
                    return frame.query
        return None

    def send(self, *frames: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
        made = v1.ServerFrames(frames=[v1.ServerFrame(**frame) for frame in frames])
        message = made.SerializeToString()
        self.send_bytes(len(message).to_bytes(4, "little") + message, descriptors)

    def send_bytes(self, content: bytes, descriptors: tuple[int, ...] = ()) -> None:
        if descriptors:
            socket.send_fds(self.connection, [content], list(descriptors))
        else:
            self.connection.sendall(content)

    def begin(self, queries: int = 8) -> None:
        self.send({"window": v1.Window(queries=queries, bytes=1 << 18)})

    def answer(self, query: Any, reply: Any) -> None:
        self.send({"answer": v1.Answer(request_id=query.request_id, values=reply)})


@contextlib.contextmanager
def fake_daemon(script: Script, **handlers: Any) -> Iterator[FakeDaemon]:
    """A daemon of gRPC whose query socket follows a script, once for each connection."""
    with tempfile.TemporaryDirectory(prefix="sd", dir="/tmp") as folder:
        path = f"{folder}/queries"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(path)
        listener.listen(8)
        thread = threading.Thread(target=_serve, args=(listener, script), daemon=True)
        thread.start()

        def capabilities(_: Any, __: Any) -> Any:
            return v1.GetCapabilitiesResponse(query_socket=path)

        try:
            with FakeDaemon(
                f"unix:{folder}/grpc", GetCapabilities=capabilities, **handlers
            ) as daemon:
                yield daemon
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            thread.join(10)


def _serve(listener: socket.socket, script: Script) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, contextlib.suppress(OSError):
            script(FakeSide(connection))
