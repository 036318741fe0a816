"""The daemon that stages are opened at: one connection for all of a process."""

from __future__ import annotations

import os
import threading
from typing import Any

import stagedoor

_lock = threading.Lock()
_options: dict[str, Any] = {}
_clients: dict[int, stagedoor.Client] = {}


def connect(address: Any = None, **options: Any) -> stagedoor.Client:
    """Says which daemon the stages are opened at from now on; options as stagedoor.connect has.

    Without it, that of the variable STAGEDOOR_ADDRESS, or a private daemon.
    """
    with _lock:
        _options.clear()
        _options.update(options, address=address)
        _clients.pop(os.getpid(), None)
    return client()


def client() -> stagedoor.Client:
    """The connection of this process, which the first call makes."""
    with _lock:
        found = _clients.get(os.getpid())
        if found is None:
            options = dict(_options)
            found = stagedoor.connect(options.pop("address", None), **options)
            _clients[os.getpid()] = found
        return found
