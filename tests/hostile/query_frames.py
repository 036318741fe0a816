"""A client of a query socket that can misbehave: docs/client_protocol.md, "Query frames on a Unix socket"."""
import array
import socket

from http2 import dial, field, number_field, texts_of, varint

# The fields of a ClientFrame and of a ServerFrame.
BIND_STAGE, BIND_PATHS, QUERY, CANCEL, UNBIND, RELEASE = 1, 2, 3, 4, 5, 6
ANSWER, WINDOW, GOODBYE, NEW_SEGMENT, END_SEGMENT = 1, 2, 3, 4, 5
DESCRIPTORS = 253


def message(*frames):
    """The bytes of one message with frames."""
    content = b"".join(field(1, frame) for frame in frames)
    return len(content).to_bytes(4, "little") + content


def bind_stage(handle, stage=0):
    return field(BIND_STAGE, field(1, stage) + field(2, field(1, handle)))


def bind_paths(paths, first=0, stage=0):
    return field(BIND_PATHS, field(1, stage) + field(2, first) + b"".join(field(3, path) for path in paths))


def query(number, path=0, time=1.0, shared=False, stage=0):
    return field(QUERY, field(1, number) + field(2, stage) + field(3, varint(path)) + field(4, number_field(2, time))
                 + (field(9, 1) if shared else b""))


def release(*places):
    return field(RELEASE, b"".join(field(1, place) for place in places))


def place_in(answer):
    """The SharedSegment of the array in an answer; empty if its bytes are in the message."""
    from http2 import text_of
    column = text_of(text_of(answer, 3), 4)
    return text_of(text_of(text_of(column, 9), 19), 8)


class Link:
    """One connection, which begins with the daemon's window."""

    def __init__(self, path):
        self.socket = dial(f"unix:{path}")
        self.descriptors = []
        self.buffer = b""
        self.waiting = []

    def send(self, *frames):
        self.socket.sendall(message(*frames))

    def receive(self):
        """The next frame as (kind, its bytes); None at the end of the connection."""
        while not self.waiting:
            size = int.from_bytes(self.buffer[:4], "little")
            if len(self.buffer) < 4 or len(self.buffer) < 4 + size:
                if not self.read():
                    return None
                continue
            whole, self.buffer = self.buffer[4:4 + size], self.buffer[4 + size:]
            for frame in texts_of(whole, 1):
                self.waiting += [(kind, body) for kind in range(ANSWER, END_SEGMENT + 1) for body in texts_of(frame, kind)]
        return self.waiting.pop(0)

    def read(self):
        try:
            data, ancillary, _, _ = self.socket.recvmsg(1 << 16, socket.CMSG_SPACE(DESCRIPTORS * 4))
        except ConnectionError:
            return False
        for _, _, content in ancillary:
            self.descriptors += array.array("i", content)
        self.buffer += data
        return bool(data)

    def answers(self, count):
        """The next answers; fewer if the connection ends."""
        found = []
        while len(found) < count:
            got = self.receive()
            if got is None:
                break
            if got[0] == ANSWER:
                found.append(got[1])
        return found

    def goodbye(self):
        """The code of the Goodbye with which the daemon ends the connection; 0 if there is none."""
        code = 0
        while (got := self.receive()) is not None:
            if got[0] == GOODBYE:
                code = status_code(next(texts_of(got[1], 1), b""))
        return code

    def close(self):
        self.socket.close()


def status_code(status):
    """The code in an ItemStatus, whose first fields are numbers."""
    at = 0
    while at + 1 < len(status) and status[at] & 7 == 0:
        if status[at] >> 3 == 2:
            return status[at + 1]
        at += 2
    return 0
