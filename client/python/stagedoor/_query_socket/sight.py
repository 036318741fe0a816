"""Which calls travel over the query socket of a daemon."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from stagedoor._calls import Call, active_traceparent, current_options
from stagedoor._proto import METHODS, Message, v1
from stagedoor.errors import Error

if TYPE_CHECKING:
    from stagedoor._query_socket.channel import Outcome

# A request above this is asked over gRPC. The daemon's limit for a message is four times as much,
# and a message may name the paths and bind them.
_MAX_REQUEST_BYTES = 64 << 10

_BETWEEN_LOOKS = 1.0  # seconds between two attempts to find a query socket
_UNTIL_DAEMON_CHANGES = 60.0  # after a daemon has said that it has none
LOOK_SECONDS = 10.0  # the deadline of a look

CAPABILITIES = Call(METHODS["GetCapabilities"], v1.GetCapabilitiesRequest())


def suits(made: Call) -> bool:
    """Whether a BatchGetValues call can go over a query socket. Metadata have no place there."""
    request = made.request
    return (
        not request.path_set
        and not current_options().metadata
        and not active_traceparent()
        and request.ByteSize() <= _MAX_REQUEST_BYTES
    )


class Sight:
    """When a query socket is looked for: at first use, and again some time after it was lost.

    `link` is the connection that was found, which may be broken. Not thread-safe.
    """

    def __init__(self) -> None:
        self.link: Any = None
        self._address = ""  # of the daemon that `link` is of, or that is being asked
        self._looking = False
        self._next_look = float("-inf")

    def usable(self, address: str) -> Any:
        """The connection to the daemon at an address, if there is one."""
        link = self.link
        return link if link is not None and address == self._address and not link.broken else None

    def begins(self, address: str) -> bool:
        """Whether a socket is to be looked for now; then `ended` must follow."""
        if address != self._address:
            self._next_look = float("-inf")
        if self._looking or not address.startswith("unix:") or time.monotonic() < self._next_look:
            return False
        self._looking, self._address = True, address
        return True

    def ended(self, path: str | None, link: Any) -> Any:
        """Takes note of what a look has found: the path of the socket, which is empty if the daemon
        has none and None if it did not answer, and the connection. Returns the one before it."""
        self._looking = False
        wait = _UNTIL_DAEMON_CHANGES if path == "" else _BETWEEN_LOOKS
        self._next_look = time.monotonic() + wait
        before, self.link = self.link, link
        return before


def reply_of(outcome: Outcome) -> Message | None:
    """The reply to a query; raises its error. None if it is to be asked over gRPC."""
    if isinstance(outcome, Error):
        raise outcome
    return outcome
