"""The processes of a cluster on this machine: daemons, and the proxy in front of them."""
import csv
import io
import os
import re
import shutil
import signal
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests/remote"), os.path.join(ROOT, "tests/deploy")]

import nginx
from exercise import get, wait_for

CONFIG = os.path.join(ROOT, "deploy/haproxy/haproxy.cfg")

# Longer than the proxy needs to notice that a daemon is not ready.
DRAIN_DELAY = 3


def is_ready(address, path="/readyz"):
    try:
        return get(address, path)[0] == 200
    except OSError:
        return False


class Program:
    """A program that may be started again; its output is appended to a log."""

    def __init__(self, command, log):
        self.command = command
        self.log = log
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            # In a session of its own, so that Ctrl-C reaches only the program that stops all others.
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def signal(self, number):
        """Sends a signal that ends it, and returns its exit status."""
        self.process.send_signal(number)
        return self.process.wait(120)

    def check(self):
        """Raises if it has ended by itself."""
        status = self.process.poll()
        if status is not None:
            raise RuntimeError(f"{self.command[0]} ended with status {status}:\n{self.tail()}")

    def tail(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()[-3000:]

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.signal(signal.SIGKILL)


class Replica(Program):
    """A daemon. It has the same addresses whenever it is started, as a machine would."""

    def __init__(self, name, folder, flags):
        self.name = name
        self.address = f"127.0.0.1:{nginx.free_port()}"
        self.metrics = f"127.0.0.1:{nginx.free_port()}"
        command = [os.environ["STAGEDOORD"], f"--address={self.address}", f"--metrics-address={self.metrics}", *flags]
        super().__init__(command, os.path.join(folder, f"{name}.log"))

    def start(self):
        super().start()
        wait_for(self._ready, f"{self.name} is not ready")

    def _ready(self):
        self.check()
        return is_ready(self.metrics)

    def kill(self):
        self.signal(signal.SIGKILL)

    def drain(self):
        """Lets it stop as for an upgrade; raises if it does not end in order."""
        status = self.signal(signal.SIGTERM)
        if status != 0:
            raise RuntimeError(f"{self.name} ended with status {status} after SIGTERM:\n{self.tail()}")


def find_haproxy():
    """The path of HAProxy, or None."""
    return shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")


def find_redis():
    """The path of the Redis server, or None."""
    return shutil.which("redis-server")


class Redis(Program):
    """The store of sessions. It keeps what it has acknowledged, however it ends."""

    def __init__(self, folder, *options):
        self._socket = os.path.join(folder, "redis.sock")
        self.url = f"redis+unix:{self._socket}"
        command = [find_redis(), "--port", "0", "--unixsocket", self._socket, "--dir", folder, "--save", "",
                   "--appendonly", "yes", "--appendfsync", "always", *options]
        super().__init__(command, os.path.join(folder, "redis.log"))

    def start(self):
        super().start()
        wait_for(self._ready, "redis-server does not answer")

    def _ready(self):
        self.check()
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(self._socket)
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
            except OSError:
                return False


def replace_lines(text, pattern, lines):
    """`text` with `lines` instead of those that match; raises if there are none."""
    found = list(re.finditer(rf"(?m)^ *{pattern}.*\n", text))
    if not found:
        raise RuntimeError(f"{CONFIG}: no line like {pattern!r}")
    for match in reversed(found):
        replacement = "".join(f"  {line}\n" for line in lines) if match is found[0] else ""
        text = text[:match.start()] + replacement + text[match.end():]
    return text


def configuration(address, metrics, replicas):
    """The configuration in deploy/, with the addresses of this cluster."""
    with open(CONFIG, encoding="utf-8") as file:
        text = file.read()
    servers = [f"server {replica.name} {replica.address} proto h2 check port {replica.metrics.rpartition(':')[2]} check-proto h1"
               for replica in replicas]
    text = replace_lines(text, r"bind 0\.0\.0\.0:50051", [f"bind {address} proto h2"])
    text = replace_lines(text, r"bind 127\.0\.0\.1:9465", [f"bind {metrics}"])
    text = replace_lines(text, "server stagedoor-", servers)
    text = text.replace("maxconn 20000", "maxconn 2000")  # each needs two open files
    return replace_lines(text, "hash-balance-factor", [f"hash-balance-factor {max(200, 70 * len(replicas))}"])


class Proxy(Program):
    """HAProxy with the configuration in deploy/."""

    def __init__(self, folder, replicas):
        self.address = f"127.0.0.1:{nginx.free_port()}"
        self.metrics = f"127.0.0.1:{nginx.free_port()}"
        config = os.path.join(folder, "haproxy.cfg")
        with open(config, "w", encoding="utf-8") as file:
            file.write(configuration(self.address, self.metrics, replicas))
        super().__init__([find_haproxy(), "-db", "-f", config], os.path.join(folder, "haproxy.log"))

    def start(self):
        super().start()
        wait_for(lambda: self.check() or is_ready(self.metrics, "/metrics"), "haproxy does not answer")

    def states(self):
        """What the proxy thinks of the daemons: {name: "UP", "DOWN" or a transition between them}."""
        rows = csv.DictReader(io.StringIO(get(self.metrics, "/;csv")[1].lstrip("# ")))
        return {row["svname"]: row["status"] for row in rows if row["pxname"] == "stagedoor"}

    def wait_for_state(self, replica, state):
        wait_for(lambda: self.check() or self.states()[replica.name] == state, f"haproxy does not see {replica.name} {state}")
