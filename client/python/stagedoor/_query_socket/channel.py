"""The frames of one query connection, without the socket that carries them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from google.protobuf.message import DecodeError

from stagedoor._calls import SharedBytes
from stagedoor._proto import Message, v1
from stagedoor._query_socket.numbers import QueryNumbers
from stagedoor._query_socket.segments import SharedSegments
from stagedoor.errors import Error, from_item

# The reply to a query or its error. None: it is to be asked over gRPC, because the connection is
# broken, or the daemon cannot answer it at the moment.
Outcome = Union[Message, Error, None]

_LENGTH = 4  # bytes
_MAX_MESSAGE_BYTES = 512 << 20  # as for gRPC
_BUSY = frozenset({"UNAVAILABLE", "RESOURCE_EXHAUSTED"})


class Flight:
    """A query whose answer has not come. Carriers derive from it to hear of the end."""

    request_id = 0
    ended = False
    outcome: Outcome = None

    def __init__(self, shared: SharedBytes | None) -> None:
        self.shared = shared  # where arrays go that come in shared memory; None: none may

    def end(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.ended = True


class QueryChannel:
    """The bindings and queries in flight of a connection. Not thread-safe.

    `unsent` has the bytes to send; the carrier takes them from there, and passes on what arrives.
    """

    def __init__(self) -> None:
        self.window = 0  # of queries in flight; 0 until the daemon has announced it
        self.broken = False
        self.unsent = bytearray()
        self.flights: dict[int, Any] = {}
        self._numbers = QueryNumbers()
        self._segments = SharedSegments()
        self._received = bytearray()  # the beginning of a message
        self._last_id = 0

    @property
    def wanted(self) -> int:
        """The bytes that the message lacks which has begun to arrive; 0 if that is not known."""
        if len(self._received) < _LENGTH:
            return 0
        length = int.from_bytes(self._received[:_LENGTH], "little")
        return _LENGTH + length - len(self._received)

    def ask(self, request: Message, seconds: float, flight: Flight) -> bool:
        """Adds a query. False if it cannot be asked here at the moment."""
        if self.broken or len(self.flights) >= self.window:
            return False
        self._last_id += 1
        flight.request_id = self._last_id
        frames, query = self._numbers.frames(request, self._last_id)
        query.timeout.seconds = int(seconds)
        query.timeout.nanos = int((seconds - int(seconds)) * 1e9)
        query.shared_segments = flight.shared is not None
        self._add(frames)
        self.flights[self._last_id] = flight
        return True

    def abandon(self, flight: Flight, outcome: Outcome = None) -> None:
        """Ends a query that has not been answered; the daemon is asked to do so too."""
        if self.flights.pop(flight.request_id, None) is None:
            return
        frames = v1.ClientFrames()
        frames.frames.add().cancel.request_id = flight.request_id
        self._add(frames)
        flight.end(outcome)

    def receive(self, data: bytes, descriptors: Sequence[int] = ()) -> None:
        """Takes what has arrived, and ends the queries whose answers are in it. `data` is empty at
        the end of the connection."""
        for descriptor in descriptors:
            self._segments.add_descriptor(descriptor)
        if not data:
            return self.end()
        try:
            for message in self._messages(data):
                for frame in v1.ServerFrames.FromString(message).frames:
                    self._take(frame)
        except (Error, DecodeError):  # a daemon that contradicts itself is asked over gRPC
            self.end()

    def end(self) -> None:
        """Ends the connection. Its queries are to be asked over gRPC."""
        self.broken = True
        self.unsent.clear()
        self._segments.close()
        flights, self.flights = self.flights, {}
        for flight in flights.values():
            flight.end(None)

    def _add(self, frames: Message) -> None:
        message = frames.SerializeToString()
        self.unsent += len(message).to_bytes(_LENGTH, "little")
        self.unsent += message

    def _messages(self, data: bytes) -> list[bytes]:
        """The messages that are complete now."""
        if self._received:
            self._received += data
            if self.wanted > 0:
                return []
            data, self._received = bytes(self._received), bytearray()
        found, at = [], 0
        while len(data) - at >= _LENGTH:
            length = int.from_bytes(data[at : at + _LENGTH], "little")
            if length > _MAX_MESSAGE_BYTES:
                self.end()
                return []
            end = at + _LENGTH + length
            if end > len(data):
                break
            found.append(data[at + _LENGTH : end])
            at = end
        self._received += data[at:]
        return found

    def _take(self, frame: Message) -> None:
        kind = frame.WhichOneof("kind")
        if kind == "answer":
            self._take_answer(frame.answer)
        elif kind == "window":
            self.window = frame.window.queries
        elif kind == "new_segment":
            self._segments.map(frame.new_segment)
        elif kind == "end_segment":
            self._segments.unmap(frame.end_segment.segment_id)
        elif kind == "goodbye":
            self.end()

    def _take_answer(self, answer: Message) -> None:
        flight = self.flights.get(answer.request_id)  # None if it was abandoned
        if answer.HasField("error"):
            error = from_item(answer.error)
            error.metadata["method"] = "BatchGetValues"
            outcome: Outcome = None if error.code in _BUSY else error
        else:
            outcome = answer.values
            self._take_arrays(outcome, None if flight is None else flight.shared)
        if flight is not None:
            del self.flights[answer.request_id]
            flight.end(outcome)

    def _take_arrays(self, reply: Message, shared: SharedBytes | None) -> None:
        """Copies the arrays of a reply that are in shared memory, and gives their places back."""
        places = [
            value.array_value.segment
            for column in reply.columns
            for value in column.values
            if value.WhichOneof("kind") == "array_value"
            and value.array_value.WhichOneof("payload") == "segment"
        ]
        if not places:
            return
        if shared is not None:
            for place in places:
                shared[place.segment_id, place.offset] = self._segments.copy(place)
        frames = v1.ClientFrames()
        frames.frames.add().release.arrays.extend(places)
        self._add(frames)
