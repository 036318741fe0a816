"""The asyncio client."""

from __future__ import annotations

from stagedoor._async.client import ClientCalls


class Client(ClientCalls):
    """A connection as that of stagedoor.Client, whose methods and properties are awaited.

    Made by `stagedoor.aio.connect`. It has a connection in each event loop that it is used in.
    """
