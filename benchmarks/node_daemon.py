#!/usr/bin/env python3
"""Measures what a node daemon takes from upstream, and how long its calls take, with real daemons and processes.

    PYTHONPATH=… STAGEDOORD=… python3 benchmarks/node_daemon.py SCENES [--processes 16] [--delay-ms 0.25] [--json OUT]

SCENES are those of ../shared/bench, of which it reads `crowd`. benchmarks/README.md ("Node daemons") says how and why.
"""
from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import numpy as np
import stagedoor
from stagedoor._proto import v1

TIMES = (12.0, 13.0)
CALLS = 400  # of each kind whose time is measured, by turns
FRAMES = 3  # whole frames whose time is measured


# ------------------------------------------------------------------------------------ daemons


class Daemon:
    """A stagedoord; its flags name where it gets scenes from."""

    def __init__(self, folder: str, *flags: str) -> None:
        self._file = pathlib.Path(tempfile.mkdtemp(dir=folder), "address")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._metrics = f"127.0.0.1:{free.getsockname()[1]}"
        command = [os.environ["STAGEDOORD"], "--address=127.0.0.1:0", f"--address-file={self._file}", f"--metrics-address={self._metrics}",
                   "--log-level=warn", *flags]
        self._process = subprocess.Popen(command)
        deadline = time.monotonic() + 60
        while not (self._file.exists() and self._file.read_text()):
            assert self._process.poll() is None and time.monotonic() < deadline, f"{' '.join(command)} did not start"
            time.sleep(0.02)
        self.address = self._file.read_text().split()[0]

    def metric(self, name: str) -> int:
        with urllib.request.urlopen(f"http://{self._metrics}/metrics", timeout=10) as reply:
            found = re.search(rf"^{name} (\S+)$", reply.read().decode(), re.MULTILINE)
        assert found is not None, name
        return int(float(found[1]))

    def received(self) -> int:
        """The bytes of messages that a node daemon has taken from upstream."""
        return self.metric("stagedoor_node_received_bytes_total")

    def stop(self) -> None:
        self._process.terminate()
        assert self._process.wait(60) == 0


@contextlib.contextmanager
def daemon(folder: str, *flags: str) -> Iterator[Daemon]:
    running = Daemon(folder, *flags)
    try:
        yield running
    finally:
        running.stop()


class Delay:
    """A relay in front of a daemon, through which each byte arrives later: a network between machines."""

    def __init__(self, address: str, seconds: float) -> None:
        host, _, port = address.rpartition(":")
        self._target, self._seconds = (host, int(port)), seconds
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            server = socket.create_connection(self._target)
            for near, far in ((client, server), (server, client)):
                near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        while data := near.recv(1 << 20):
            time.sleep(self._seconds)
            far.sendall(data)
        with contextlib.suppress(OSError):
            far.shutdown(socket.SHUT_WR)


# ------------------------------------------------------------------------------------ processes


class Read:
    """What a process has read: the bytes of all arrays, and a sum over them that does not depend on how they come in messages."""

    def __init__(self) -> None:
        self.bytes = self.sum = 0

    def add(self, value: Any) -> None:
        if isinstance(value, np.ndarray):
            self.bytes += value.nbytes
            self.sum = (self.sum + zlib.crc32(np.ascontiguousarray(value).view(np.uint8))) & 0xFFFFFFFF

    def frame(self, frame: Any) -> None:
        for part in frame:
            if part.kind == "geometry":
                for geometry in part.values():
                    for value in geometry.values():
                        self.add(value.value)
            elif part.kind == "transforms":
                self.bytes += part.matrices.nbytes
                self.sum = (self.sum + int(np.ascontiguousarray(part.matrices).view(np.uint64).sum(dtype=np.uint64))) & 0xFFFFFFFF


def process(address: str, root: str, at: float) -> None:
    """A process of a node: says when it is ready, waits for a line, and reads a frame."""
    with stagedoor.connect(address) as client, client.open(root) as stage:
        print("ready", flush=True)
        sys.stdin.readline()
        read = Read()
        read.frame(stage.frame(at))
        print(read.bytes, read.sum, flush=True)


def run_processes(count: int, address: str, root: str, at: float) -> tuple[int, int]:
    """Reads a frame in processes that begin together. Returns the bytes of arrays that each has got, and their sum."""
    command = [sys.executable, __file__, "--process", address, root, str(at)]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    for one in started:
        assert one.stdout is not None and one.stdout.readline() == "ready\n"
    for one in started:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    read = {tuple(map(int, one.communicate()[0].split())) for one in started}
    assert len(read) == 1, f"processes got different frames: {read}"
    size, total = read.pop()
    return size, total


# ------------------------------------------------------------------------------------ bytes


def bytes_of_processes(folder: str, upstream: str, root: str, count: int) -> dict[str, float]:
    """What the first frame takes from upstream for one process and for several, each with a new node daemon."""
    found: dict[str, float] = {}
    expected = run_processes(1, upstream, root, TIMES[0])
    for name, processes in (("one", 1), ("many", count)):
        with daemon(folder, f"--upstream={upstream}") as node:
            found["read"], total = run_processes(processes, node.address, root, TIMES[0])
            assert (found["read"], total) == expected, "a frame by way of the node daemon is another one"
            found[name] = node.received()
    found["ratio"] = found["many"] / found["one"]
    return found


class Stub:
    """The API without the package: calls whose bytes and times are those of the daemon and gRPC."""

    def __init__(self, address: str, root: str) -> None:
        self._channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        opened = self._unary("StagesService/OpenStage", v1.OpenStageRequest, v1.OpenStageResponse)(v1.OpenStageRequest(root_layer=root))
        self._stage = v1.StageRef(handle=opened.handle)
        self._values = self._unary("QueryService/BatchGetValues", v1.BatchGetValuesRequest, v1.BatchGetValuesResponse)
        self._extract = self._channel.unary_stream("/stagedoor.v1.FrameService/ExtractFrame", v1.ExtractFrameRequest.SerializeToString,
                                                   v1.ExtractFrameResponse.FromString)

    def _unary(self, method: str, request: Any, response: Any) -> Any:
        return self._channel.unary_unary(f"/stagedoor.v1.{method}", request.SerializeToString, response.FromString)

    def value(self, path: str, at: float) -> None:
        self._values(v1.BatchGetValuesRequest(stage=self._stage, paths=[path], times=v1.TimeSelection(frames=[at])))

    def frame(self, at: float, known: set[bytes] | None = None) -> tuple[int, set[bytes]]:
        """The bytes of a complete frame without the arrays that are known, and the digests of all arrays."""
        request = v1.ExtractFrameRequest(stage=self._stage, time=v1.TimeCode(numeric=at), digest_options=v1.DigestOptions(known=known or ()))
        size, digests = 0, set[bytes]()
        for message in self._extract(request):
            size += message.ByteSize()
            digests |= digests_of(message)
        return size, digests

    @property
    def stage(self) -> Any:
        return self._stage

    def close(self) -> None:
        self._channel.close()


class SocketStub:
    """Query frames without the package, about one attribute."""

    def __init__(self, address: str, stage: Any, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(address)
        self._frames = self._socket.makefile("rb")
        self._queries = 0
        bind = v1.ClientFrame(bind_stage=v1.BindStage(ref=stage))
        self._send(bind, v1.ClientFrame(bind_paths=v1.BindPaths(paths=[path])))
        assert self._receive().HasField("window")

    def _send(self, *frames: Any) -> None:
        message = v1.ClientFrames(frames=frames).SerializeToString()
        self._socket.sendall(len(message).to_bytes(4, "little") + message)

    def _receive(self) -> Any:
        frame, = v1.ServerFrames.FromString(self._frames.read(int.from_bytes(self._frames.read(4), "little"))).frames
        return frame

    def value(self, at: float) -> None:
        self._queries += 1
        self._send(v1.ClientFrame(query=v1.Query(request_id=self._queries, paths=[0], times=v1.TimeSelection(frames=[at]))))
        assert self._receive().answer.HasField("values")

    def close(self) -> None:
        self._frames.close()
        self._socket.close()


def digests_of(message: Any) -> set[bytes]:
    """The digests of all arrays in a message."""
    if isinstance(message, v1.PackedValues):
        return {message.digest} if message.digest else set()
    found = set[bytes]()
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one in value if field.is_repeated else (value,):
                found |= digests_of(one)
    return found


def bytes_of_second_frame(folder: str, upstream: str, root: str) -> dict[str, float]:
    """What a new process takes from upstream for the frame after that of another process, and how much of that upstream has to send."""
    stub = Stub(upstream, root)
    first, digests = stub.frame(TIMES[0])
    least, _ = stub.frame(TIMES[1], digests)
    whole, _ = stub.frame(TIMES[1])
    stub.close()
    with daemon(folder, f"--upstream={upstream}") as node:
        run_processes(1, node.address, root, TIMES[0])
        before = node.received()
        read = run_processes(1, node.address, root, TIMES[1])
        new = node.received() - before
    assert read == run_processes(1, upstream, root, TIMES[1]), "a frame by way of the node daemon is another one"
    return {"first": first, "whole": whole, "least": least, "received": new, "static": max(0, new - least)}


# ------------------------------------------------------------------------------------ times


def timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def medians(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median seconds of each call, made by turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(timed(call))
    return {name: statistics.median(all_times) for name, all_times in times.items()}


def times_of_calls(direct: Stub, node: Stub, frames: SocketStub, path: str) -> dict[str, float]:
    """Misses are values at times that nobody has asked for; hits are a value, and a frame, that was read before."""
    at = iter(range(10**6))
    miss = {name: (lambda stub=stub: stub.value(path, 1 + next(at) / 1e4)) for name, stub in (("direct", direct), ("node", node))}
    found = {f"miss.{name}": seconds for name, seconds in medians(miss, CALLS).items()}
    hit: dict[str, Callable[[], object]] = {
        name: (lambda stub=stub: stub.value(path, TIMES[0])) for name, stub in (("direct", direct), ("node", node))}
    hit["socket"] = lambda: frames.value(TIMES[0])
    found |= {f"hit.{name}": seconds for name, seconds in medians(hit, CALLS).items()}
    node.frame(TIMES[0])
    whole = {name: (lambda stub=stub: stub.frame(TIMES[0])) for name, stub in (("direct", direct), ("node", node))}
    found |= {f"frame.{name}": seconds for name, seconds in medians(whole, FRAMES).items()}
    return found


def latencies(folder: str, upstream: str, root: str, path: str) -> dict[str, float]:
    queries = os.path.join(folder, "queries.sock")
    with daemon(folder, f"--upstream={upstream}", f"--query-socket={queries}") as running:
        direct, node = Stub(upstream, root), Stub(running.address, root)
        frames = SocketStub(queries, node.stage, path)
        found = times_of_calls(direct, node, frames, path)
        frames.close()
        direct.close()
        node.close()
    return found


# ------------------------------------------------------------------------------------ report


def report(bytes_: dict[str, float], second: dict[str, float], near: dict[str, float], far: dict[str, float], count: int) -> None:
    print(f"first frame: one process {bytes_['one']:,.0f} bytes from upstream, {count} processes {bytes_['many']:,.0f} "
          f"(× {bytes_['ratio']:.3f}; bar 1.05); arrays of each {bytes_['read']:,.0f}")
    print(f"second frame, a new process: {second['received']:,.0f} bytes from upstream; whole frame {second['whole']:,.0f}, "
          f"what is not static {second['least']:,.0f}; static bytes {second['static']:,.0f} (bar 0)")
    for name, times in (("same machine", near), ("with delay", far)):
        print(f"{name}: a miss adds {(times['miss.node'] - times['miss.direct']) * 1e6:.0f} µs (bar 150) to {times['miss.direct'] * 1e6:.0f}")
        for kind in ("hit", "frame"):
            direct, node = times[f"{kind}.direct"], times[f"{kind}.node"]
            print(f"{name}: {kind} {direct * 1e6:,.0f} → {node * 1e6:,.0f} µs (× {direct / node:.1f}; bar 3)")
        direct, frames = times["hit.direct"], times["hit.socket"]
        print(f"{name}: hit over the query socket {direct * 1e6:,.0f} → {frames * 1e6:,.0f} µs (× {direct / frames:.1f})")


def varying_path(address: str, root: str) -> str:
    """An attribute whose value is one number or tuple, for small calls."""
    with stagedoor.connect(address) as client, client.open(root) as stage:
        return next(str(prim.path) + ".visibility" for prim in stage.traverse() if prim.type_name == "Mesh")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes")
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--delay-ms", type=float, default=0.25, help="of each way of the network, for the second half of the times")
    parser.add_argument("--json")
    options = parser.parse_args()
    info = json.loads(pathlib.Path(options.scenes, "crowd", "scene.json").read_text())
    root = os.path.join(os.path.abspath(options.scenes), "crowd", info["root"])
    with tempfile.TemporaryDirectory() as folder, daemon(folder, f"--allow-root={os.path.dirname(root)}") as upstream:
        path = varying_path(upstream.address, root)
        found = {
            "bytes": bytes_of_processes(folder, upstream.address, root, options.processes),
            "second": bytes_of_second_frame(folder, upstream.address, root),
            "near": latencies(folder, upstream.address, root, path),
            "far": latencies(folder, Delay(upstream.address, options.delay_ms / 1e3).address, root, path),
        }
    report(found["bytes"], found["second"], found["near"], found["far"], options.processes)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--process"]:
        process(sys.argv[2], sys.argv[3], float(sys.argv[4]))
    else:
        main()
