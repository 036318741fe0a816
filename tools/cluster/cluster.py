"""A cluster on this machine: daemons, what they share, a web server with their scenes, and a proxy, on free loopback ports."""
import contextlib
import os
import tempfile

import scenes
from processes import DRAIN_DELAY, ROOT, Proxy, Redis, Replica, nginx

SHOTS = 24
EMPTY = 400


class Cluster:
    """Use it in a with statement, which starts everything, waits until it is ready, and stops it at the end."""

    def __init__(self, count, with_node=False):
        """with_node: whether clients use a node daemon, which asks the proxy."""
        self._count = count
        self._with_node = with_node
        self.node = None
        self._stack = contextlib.ExitStack()
        self.replicas = []

    def __enter__(self):
        with self._stack:
            self.folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="stagedoor-cluster-"))
            served = os.path.join(self.folder, "scenes")
            scenes.write(ROOT, served, SHOTS, EMPTY)
            self.assets = self._stack.enter_context(nginx.Nginx(served))
            self.store = self._started(Redis(self.folder))
            for number in range(1, self._count + 1):
                self.replicas.append(self._started(self.new_replica(f"stagedoor-{number}")))
            self.proxy = self._started(Proxy(self.folder, self.replicas))
            for replica in self.replicas:
                self.proxy.wait_for_state(replica, "UP")
            if self._with_node:
                flags = [f"--upstream={self.proxy.address}", f"--reply-cache-dir={self.folder}/replies", "--memory-limit=1G", "--threads=2"]
                self.node = self._started(Replica("node", self.folder, flags))
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def new_replica(self, name):
        """A daemon that is not started, and that the proxy does not know."""
        flags = [f"--allow-root={ROOT}", f"--allow-url={self.assets.url}/", f"--cache-dir={self.folder}/cache", "--cache-bytes=1G",
                 "--stale-if-error=600", f"--session-store={self.store.url}", f"--drain-delay={DRAIN_DELAY}", "--memory-limit=2G", "--threads=2"]
        return Replica(name, self.folder, flags)

    def _started(self, program):
        self._stack.callback(program.close)
        program.start()
        return program

    @property
    def address(self):
        """The address for clients."""
        return (self.node or self.proxy).address

    def shots(self):
        return [scenes.shot(self.assets.url, number) for number in range(SHOTS)]

    def empty_stages(self):
        return [scenes.empty(self.assets.url, number) for number in range(EMPTY)]

    def describe(self):
        """Lines that say what runs where."""
        yield f"assets     {self.assets.url}/  (nginx)"
        for replica in self.replicas:
            yield f"{replica.name:10} {replica.address}, metrics at http://{replica.metrics}/metrics"
        yield f"store      {self.store.url}  (Redis)"
        yield f"proxy      {self.proxy.address}, state at http://{self.proxy.metrics}/  (HAProxy)"
        if self.node:
            yield f"node       {self.node.address}, metrics at http://{self.node.metrics}/metrics"
        yield f"logs       {self.folder}/"
