"""The synchronous client."""

from __future__ import annotations

from stagedoor._sync.client import ClientCalls


class Client(ClientCalls):
    """A connection to a daemon, or to one of several that serve the same scenes. Thread-safe.

    Made by `stagedoor.connect`. Stages that it opens share its connection, and its cache of arrays.
    """
