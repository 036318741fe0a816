"""Clients that misuse the query socket of a node daemon: those of query_socket_test.py.

What they ask for is kept after the first time, or else is fetched from the daemon above while they misbehave or leave."""
import tempfile
import unittest

import hostile_test
import query_socket_test


class NodeQuerySocketTest(query_socket_test.QuerySocketTest):
    def source(self, folder):
        own = tempfile.TemporaryDirectory(prefix="sd", dir="/tmp")
        self.addCleanup(own.cleanup)
        above = hostile_test.Daemon(own.name, ("--threads=2", f"--allow-root={folder}"))
        self.addCleanup(above.stop)
        return (f"--upstream={above.address}",)


if __name__ == "__main__":
    unittest.main()
