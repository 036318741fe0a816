"""What happens to a cluster while clients use it."""
import contextlib
import signal
import time
from dataclasses import dataclass

# How many calls each client makes at least in each state of the cluster.
CALLS = 5


@dataclass
class Window:
    """The time from the beginning of a disturbance until the cluster is whole again."""

    name: str
    begin: float
    end: float = float("inf")

    def overlaps(self, begin, took):
        """Whether a call was in flight at some time of the window."""
        return begin < self.end and begin + took > self.begin


class Disturbances:
    """Disturbs a cluster. Each method returns when everything is as before, and all clients have noticed."""

    def __init__(self, cluster, callers, random, say):
        self.cluster = cluster
        self.callers = callers
        self.random = random
        self.say = say
        self.windows = []

    @contextlib.contextmanager
    def _window(self, name, subject=""):
        window = Window(name, time.monotonic())
        self.windows.append(window)
        yield
        self.callers.advance(CALLS)
        window.end = time.monotonic()
        self.say(f"  {name}{subject and ': '}{subject}: {window.end - window.begin:.1f} s")

    def _restart(self, replica):
        replica.start()
        self.cluster.proxy.wait_for_state(replica, "UP")

    def calm(self):
        self.callers.advance(2 * CALLS)

    def kill(self):
        replica = self.random.choice(self.cluster.replicas)
        with self._window("SIGKILL", replica.name):
            replica.kill()
            self.callers.advance(CALLS)
            self._restart(replica)

    def kill_shortly(self):
        """A daemon that is back before the proxy has noticed anything: it does not know the handles of its clients."""
        replica = self.random.choice(self.cluster.replicas)
        with self._window("SIGKILL, restarted at once", replica.name):
            replica.kill()
            self._restart(replica)

    def drain(self):
        replica = self.random.choice(self.cluster.replicas)
        with self._window("SIGTERM", replica.name):
            replica.drain()
            self.callers.advance(CALLS)
            self._restart(replica)

    def upgrade(self):
        with self._window("upgrade, one by one"):
            for replica in self.cluster.replicas:
                replica.drain()
                self._restart(replica)

    def assets(self):
        with self._window("nginx fails"):
            self.cluster.assets.stop()
            self.callers.advance(CALLS)
            self.cluster.assets.start()

    def store(self):
        with self._window("Redis fails"):
            self.cluster.store.signal(signal.SIGKILL)
            self.callers.advance(CALLS)
            self.cluster.store.start()

    def node(self):
        """The node daemon, if there is one: it loses the handles of all its clients."""
        if self.cluster.node is None:
            return
        with self._window("SIGKILL of the node daemon"):
            self.cluster.node.kill()
            self.cluster.node.start()

    def node_and_replica(self):
        """The node daemon and a daemon above it at the same moment: nobody is left who knows the handles of that daemon's clients."""
        if self.cluster.node is None:
            return
        replica = self.random.choice(self.cluster.replicas)
        with self._window("SIGKILL of both daemons", replica.name):
            self.cluster.node.kill()
            replica.kill()
            self.cluster.node.start()
            self._restart(replica)

    def all(self):
        self._each(self.kill, self.drain, self.upgrade, self.kill_shortly, self.node, self.node_and_replica, self.assets, self.store)

    def kills(self):
        """Only processes of ours that end without having been asked to."""
        self._each(self.kill, self.kill_shortly, self.node, self.node_and_replica)

    def _each(self, *disturbances):
        for disturb in disturbances:
            disturb()
            self.callers.advance(CALLS)
