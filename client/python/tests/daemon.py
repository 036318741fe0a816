"""A daemon for tests, on a free port of this machine."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import time

PROGRAM = os.environ.get("STAGEDOORD", "")


class Daemon:
    def __init__(self, folder: pathlib.Path, *flags: str, address: str = "127.0.0.1:0") -> None:
        self._folder = folder
        self._flags = flags
        self.address = address
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Starts the daemon, at the address that it had before."""
        file = self._folder / "address"
        file.unlink(missing_ok=True)
        flags = [f"--address={self.address}", f"--address-file={file}", *self._flags]
        with open(self._folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [PROGRAM, *flags], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        deadline = time.monotonic() + 60
        while not (file.exists() and file.read_text().strip()):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("stagedoord did not start:\n" + self.log()[-2000:])
            time.sleep(0.02)
        self.address = file.read_text().split()[0]

    @property
    def running(self) -> bool:
        return self._process is not None

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def log(self) -> str:
        return (self._folder / "log").read_text(errors="replace")
