"""What it saves that a list of many paths has a name: queries from Python about the prims of a generated city.

    PYTHONPATH=… python3 benchmarks/path_sets.py [--rounds 5] [--blocks 3000]

Starts the daemon that STAGEDOORD names, and asks the same questions with and without names, in turns. Prints the medians of wall time, of
the processor time of both sides and of the bytes of the requests, for BLOCKS × 99 prims.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import stagedoor
from stagedoor import _calls, _path_sets

PAD = "x" * 20  # makes paths as long as those of a real city
BUILDINGS = 99


def block_name(block: int) -> str:
    return f"/World/District_{block // 100:03}_{PAD}/Block_{block % 100:04}_{PAD}"


def write_city(file: pathlib.Path, blocks: int) -> None:
    lines = ['#usda 1.0', 'def Xform "World"', '{']
    for block in range(blocks):
        _, _, district, name = block_name(block).split("/")
        if block % 100 == 0:
            lines += ["}"] * (block > 0) + [f'def Xform "{district}"', "{"]
        lines += [f'def Xform "{name}"', "{"]
        for i in range(BUILDINGS):
            lines += [f'def Cube "Building_{i:04}_{PAD}"', "{", f"double size = {i}", "}"]
        lines += ["}"]
    file.write_text("\n".join([*lines, "}", "}", ""]))


class Meter:
    """Measures calls of a client and its daemon."""

    def __init__(self, daemon: int) -> None:
        self._stat = pathlib.Path(f"/proc/{daemon}/stat")
        self._bytes = 0
        make = _calls.Attempts.__init__

        def counted(attempts: object, endpoint: object, made: object, timeout: float | None = None) -> None:
            self._bytes += made.request.ByteSize()  # type: ignore[attr-defined]
            make(attempts, endpoint, made, timeout)  # type: ignore[arg-type]

        _calls.Attempts.__init__ = counted  # type: ignore[method-assign]

    def _now(self) -> tuple[float, ...]:
        fields = self._stat.read_text().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        return time.monotonic(), time.process_time(), ticks / os.sysconf("SC_CLK_TCK"), float(self._bytes)

    def measure(self, ask: object) -> list[float]:
        before = self._now()
        ask()  # type: ignore[operator]
        return [after - start for after, start in zip(self._now(), before)]


def compare(stage: stagedoor.Stage, meter: Meter, blocks: int, rounds: int) -> None:
    paths = [f"{block_name(block)}/Building_{i:04}_{PAD}" for block in range(blocks) for i in range(BUILDINGS)]
    sizes = [f"{path}.size" for path in paths]
    print(f"{len(paths):,} paths of {sum(map(len, paths)):,} bytes")
    questions = {
        "visibility": lambda: stage.visibility(paths, 1),
        "transforms": lambda: stage.transforms(paths, 1),
        "bound_materials": lambda: stage.bound_materials(paths),
        "values": lambda: stage.values(sizes, 1),
    }
    for name, ask in questions.items():
        for _ in range(2):  # the second time, the list gets its name
            ask()
        results: dict[int, list[list[float]]] = {10**9: [], 1000: []}
        for _ in range(rounds):
            for least, found in results.items():
                _path_sets.MIN_PATHS = least
                found.append(meter.measure(ask))
        sent, named = ([statistics.median(column) for column in zip(*found)] for found in results.values())
        for what, numbers in (("sent", sent), ("named", named)):
            wall, client, server, size = numbers
            print(f"{name:16} {what:6} wall {wall:6.2f} s   client {client:5.2f} s   daemon {server:5.2f} s   {size:12,.0f} bytes")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=3000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        city, address = pathlib.Path(folder, "city.usda"), pathlib.Path(folder, "address")
        write_city(city, options.blocks)
        daemon = subprocess.Popen([os.environ["STAGEDOORD"], "--address=127.0.0.1:0", f"--address-file={address}"], stderr=subprocess.DEVNULL)
        try:
            while not (address.exists() and address.read_text().strip()):
                time.sleep(0.05)
            meter = Meter(daemon.pid)
            with stagedoor.connect(address.read_text().split()[0], timeout=600) as client:
                compare(client.open(city), meter, options.blocks, options.rounds)
        finally:
            daemon.terminate()
            daemon.wait()


if __name__ == "__main__":
    main()
