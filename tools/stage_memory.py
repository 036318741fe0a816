#!/usr/bin/env python3
"""Compares the memory that the daemon charges to stages with the growth of its resident memory.

    tools/stage_memory.py ROOT.usda... [--sessions N] [--values] [--daemon PATH] [--command PATH]

Starts a daemon for each root layer and opens the stage N + 1 times, each time with a session layer of
its own. The first stage also interns names, opens layers and fills the caches of the process, so only
the memory that the others add is compared. With --values every stage is dumped, so that the data kept
about attributes is included.
"""
import argparse
import os
import re
import socket
import subprocess
import tempfile
import time
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Daemon:
    def __init__(self, program, folder):
        self.metrics = f"127.0.0.1:{free_port()}"
        file = os.path.join(folder, "address")
        self.process = subprocess.Popen(
            [program, "--address", "127.0.0.1:0", "--address-file", file,
             "--metrics-address", self.metrics, "--log-level", "error",
             "--stage-cache-bytes", "64G", "--layer-cache-bytes", "64G"])
        while not os.path.exists(file):
            if self.process.poll() is not None:
                raise SystemExit(f"{program} exited with status {self.process.returncode}")
            time.sleep(0.05)
        with open(file) as lines:
            self.address = lines.readline().strip()

    def anonymous(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"RssAnon:\s+(\d+)", status.read()).group(1)) << 10

    def charged(self):
        text = urllib.request.urlopen(f"http://{self.metrics}/metrics").read().decode()
        return int(float(re.search(r"^stagedoor_stage_cache_bytes (\S+)", text, re.M).group(1)))

    def stop(self):
        self.process.terminate()
        self.process.wait()


def measure(root, options, folder):
    daemon = Daemon(options.daemon, folder)
    try:
        for number in range(options.sessions + 1):
            session = os.path.join(folder, f"session{number}.usda")
            with open(session, "w") as out:
                out.write(f'#usda 1.0\n(\n    doc = "{number}"\n)\n')
            verb = "dump" if options.values else "open"
            subprocess.run([options.command, "--address", daemon.address, verb, root,
                            "--session", session], check=True, stdout=subprocess.DEVNULL)
            if number == 0:
                anonymous, charged = daemon.anonymous(), daemon.charged()
        grown = (daemon.anonymous() - anonymous) / options.sessions / 2**20
        counted = (daemon.charged() - charged) / options.sessions / 2**20
    finally:
        daemon.stop()
    print(f"{root}: each stage {grown:.2f} MiB resident, {counted:.2f} MiB charged,"
          f" {counted / grown if grown else 0:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("roots", nargs="+")
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--daemon", default=os.environ.get("STAGEDOORD", "stagedoord"))
    parser.add_argument("--command", default=os.environ.get("STAGEDOOR", "stagedoor"))
    options = parser.parse_args()
    for root in options.roots:
        with tempfile.TemporaryDirectory() as folder:
            measure(root, options, folder)


if __name__ == "__main__":
    main()
