"""Real daemons and load clients on this machine, and the processor time that they take."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from types import TracebackType

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def write_scene(path: str) -> None:
    """A stage of 2,000 prims with four animated scalars each."""
    samples = ", ".join(f"{time}: {time % 7}" for time in range(1, 49))
    with open(path, "w", encoding="utf-8") as file:
        file.write("#usda 1.0\n(\n    startTimeCode = 1\n    endTimeCode = 48\n)\n")
        for group in range(100):
            file.write(f'def "Group{group}"\n{{\n')
            for prim in range(20):
                file.write(f'    def "Prim{prim}"\n    {{\n')
                for name in "abcd":
                    file.write(f"        double {name}.timeSamples = {{ {samples} }}\n")
                file.write("    }\n")
            file.write("}\n")


@dataclass(frozen=True)
class Latency:
    """A row of `stagedoor perf`: seconds, and calls per second."""

    calls: int
    per_second: float
    mean: float
    p50: float
    p90: float
    p99: float
    most: float


class Daemon:
    """A stagedoord on a free loopback port."""

    def __init__(self, program: str) -> None:
        self._work = tempfile.TemporaryDirectory()
        path = os.path.join(self._work.name, "address")
        flags = ["--address=127.0.0.1:0", f"--address-file={path}", "--log-level=off"]
        self.process = subprocess.Popen([program, *flags], stdin=subprocess.DEVNULL)
        while not (os.path.exists(path) and os.path.getsize(path)):
            if self.process.poll() is not None:
                raise RuntimeError(f"{program} did not start")
            time.sleep(0.01)
        with open(path, encoding="utf-8") as file:
            self.address = file.read().split()[0]

    def core_s(self) -> float:
        """The processor time that it has used."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK_S

    def __enter__(self) -> Daemon:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.terminate()
        self.process.wait(30)
        self._work.cleanup()


class LoadClient:
    """A `stagedoor perf` that runs."""

    def __init__(self, program: str, daemon: Daemon, scene: str, options: list[str]) -> None:
        command = [
            program,
            "perf",
            scene,
            "--address",
            daemon.address,
            "--format",
            "json",
            *options,
        ]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.core_s = 0.0

    def finish(self) -> dict[str, Latency]:
        """Waits for its end; the rows by call, and "all" if there are several."""
        assert self._process.stdout is not None
        lines = self._process.stdout.read().decode().splitlines()
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self._process.stdout.close()
        if self._process.returncode:
            raise RuntimeError(f"stagedoor perf ended with status {self._process.returncode}")
        self.core_s = usage.ru_utime + usage.ru_stime
        return {row["call"]: _latency(row) for row in map(json.loads, lines)}


def _latency(row: dict[str, float]) -> Latency:
    if row["errors"]:
        raise RuntimeError(f"{row['errors']} calls of {row['call']} failed")
    times = [row[name] / 1e3 for name in ("mean_ms", "p50_ms", "p90_ms", "p99_ms", "max_ms")]
    return Latency(int(row["calls"]), row["per_second"], *times)


def machine_core_s() -> float:
    """The processor time that all processes, and other virtual machines, have used."""
    with open("/proc/stat", encoding="utf-8") as file:
        fields = [int(field) for field in file.readline().split()[1:9]]
    idle = fields[3] + fields[4]
    return (sum(fields) - idle) * TICK_S
