# Generated from ../_async/frame.py by tools/python_client.py: ./dev python_client.
"""The calls of frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from stagedoor._frame import FrameHandle
from stagedoor.errors import LeaseError, UnavailableError
from stagedoor.results import FramePart

if TYPE_CHECKING:
    from stagedoor._sync.client import ClientCalls

F = TypeVar("F", bound="FrameCalls")


class FrameCalls(FrameHandle):
    """The calls of a frame."""

    def read(self: F) -> F:
        """Reads all of the frame, unless that has been done; returns the frame itself."""
        if not self._done:
            for _ in self._receive(shown=False):
                pass
        return self

    def __iter__(self) -> Iterator[FramePart]:
        """The parts of the frame, as they arrive: those that differ from the frame before.

        Ending the loop early cancels the call. Another loop begins from the beginning: it has the
        parts that have come if all of them have, and asks for the frame again otherwise.
        """
        if self._done:
            for part in self._arrived.parts:
                yield part
            return
        for part in self._receive(shown=True):
            yield part

    def _receive(self, shown: bool) -> Iterator[FramePart]:
        """The parts as they arrive. `shown`: whether they are handed out before all have come."""
        client: ClientCalls = self._stage._client
        delivery = self._begin(shown)
        try:
            while not self._done:
                made, timeout = delivery.call(), delivery.timeout
                try:
                    for message in client.stream(
                        made, ahead=shown, timeout=timeout, started=self._started
                    ):
                        for part in delivery.take(message):
                            yield part
                    self._finish()
                except (LeaseError, UnavailableError) as error:
                    client.run(delivery.failed(error))
        finally:
            self._stop()
