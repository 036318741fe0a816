"""Clients of query frames that can misbehave, on a query socket and on a gRPC stream: docs/client_protocol.md."""
import array
import re
import socket

import http2
from http2 import dial, field, number_field, texts_of, varint

# The fields of a ClientFrame and of a ServerFrame.
BIND_STAGE, BIND_PATHS, QUERY, CANCEL, UNBIND, RELEASE = 1, 2, 3, 4, 5, 6
ANSWER, WINDOW, GOODBYE, NEW_SEGMENT, END_SEGMENT = 1, 2, 3, 4, 5
DESCRIPTORS = 253


def content(*frames):
    """A ClientFrames."""
    return b"".join(field(1, frame) for frame in frames)


def framed(body):
    """A message on a socket, behind its length."""
    return len(body).to_bytes(4, "little") + body


def message(*frames):
    """The bytes of one message with frames on a socket."""
    return framed(content(*frames))


def bind_stage(handle, stage=0):
    return field(BIND_STAGE, field(1, stage) + field(2, field(1, handle)))


def bind_paths(paths, first=0, stage=0):
    return field(BIND_PATHS, field(1, stage) + field(2, first) + b"".join(field(3, path) for path in paths))


def query(number, path=0, time=1.0, shared=False, stage=0):
    return field(QUERY, field(1, number) + field(2, stage) + field(3, varint(path)) + field(4, number_field(2, time))
                 + (field(9, 1) if shared else b""))


def release(*places):
    return field(RELEASE, b"".join(field(1, place) for place in places))


def wrong_contents(handle, path):
    """Messages after which a daemon ends the channel, by what is wrong with them."""
    return {
        "another field": b"\x12\0",
        "a frame longer than its message": b"\x0a\x7f\0",
        "an endless length": b"\x0a\xff\xff\xff\xff\xff\xff",
        "a frame of no kind": content(b""),
        "a frame of an unknown kind": content(field(15, b"x")),
        "half of a field": content(b"\x1a\x7f\0"),
        "a stage out of range": content(bind_stage(handle, stage=65536)),
        "a path out of range": content(bind_paths([path], first=1000000)),
        "paths of no stage": content(bind_paths([path], stage=9)),
        "a release of what is not there": content(release(field(1, 1))),
    }


def place_in(answer):
    """The SharedSegment of the array in an answer; empty if its bytes are in the message."""
    from http2 import text_of
    column = text_of(text_of(answer, 3), 4)
    return text_of(text_of(text_of(column, 9), 19), 8)


class Channel:
    """The frames of one channel, which begins with the daemon's window."""

    def __init__(self):
        self.waiting = []

    def next_message(self):
        """The next ServerFrames; None at the end."""
        raise NotImplementedError

    def receive(self):
        """The next frame as (kind, its bytes); None at the end of the channel."""
        while not self.waiting:
            whole = self.next_message()
            if whole is None:
                return None
            for frame in texts_of(whole, 1):
                self.waiting += [(kind, body) for kind in range(ANSWER, END_SEGMENT + 1) for body in texts_of(frame, kind)]
        return self.waiting.pop(0)

    def answers(self, count):
        """The next answers; fewer if the channel ends."""
        found = []
        while len(found) < count:
            got = self.receive()
            if got is None:
                break
            if got[0] == ANSWER:
                found.append(got[1])
        return found

    def goodbye(self):
        """The code of the Goodbye with which the daemon ends the channel; 0 if there is none."""
        code = 0
        while (got := self.receive()) is not None:
            if got[0] == GOODBYE:
                code = status_code(next(texts_of(got[1], 1), b""))
        return code


class Link(Channel):
    """A channel on a socket."""

    def __init__(self, path):
        super().__init__()
        self.socket = dial(f"unix:{path}")
        self.descriptors = []
        self.buffer = b""

    def send(self, *frames):
        self.socket.sendall(message(*frames))

    def next_message(self):
        while True:
            size = int.from_bytes(self.buffer[:4], "little")
            if len(self.buffer) >= 4 + size:
                whole, self.buffer = self.buffer[4:4 + size], self.buffer[4 + size:]
                return whole
            if not self.read():
                return None

    def read(self):
        try:
            data, ancillary, _, _ = self.socket.recvmsg(1 << 16, socket.CMSG_SPACE(DESCRIPTORS * 4))
        except ConnectionError:
            return False
        for _, _, content in ancillary:
            self.descriptors += array.array("i", content)
        self.buffer += data
        return bool(data)

    def close(self):
        self.socket.close()


class Stream(Channel):
    """A channel on a call of gRPC, one of those of an http2.Client."""

    def __init__(self, client):
        super().__init__()
        self.client = client
        self.stream = client.open("QueryChannelService/StreamQueries")
        self.body = b""
        self.status = None  # of the call, once it is known
        self.ended = False
        self.credit = {0: http2.FIRST_WINDOW, self.stream: http2.FIRST_WINDOW}  # what the daemon takes, in bytes

    def send(self, *frames):
        self.send_bytes(http2.grpc_message(content(*frames)))

    def send_bytes(self, data):
        """Waits until the daemon takes them, unless the call has ended."""
        while data and not self.ended:
            part = data[:min(http2.MAX_FRAME, *self.credit.values())]
            if not part:
                self.read()
                continue
            self.client.socket.sendall(http2.frame(http2.DATA, 0, self.stream, part))
            data = data[len(part):]
            self.credit = {stream: credit - len(part) for stream, credit in self.credit.items()}

    def send_no_more(self):
        self.client.socket.sendall(http2.frame(http2.DATA, http2.END_STREAM, self.stream))

    def next_message(self):
        while True:
            size = int.from_bytes(self.body[1:5], "big")
            if len(self.body) >= 5 and len(self.body) >= 5 + size:
                whole, self.body = self.body[5:5 + size], self.body[5 + size:]
                return whole
            if self.ended:
                return None
            self.read()

    def read(self):
        """Takes one frame of the connection."""
        got = self.client.read_frame()
        if got is None:
            self.ended = True
            return
        kind, flags, stream, payload = got
        if kind == http2.WINDOW_UPDATE and stream in self.credit:
            self.credit[stream] += int.from_bytes(payload, "big")
        elif stream != self.stream:
            pass
        elif kind == http2.DATA:
            self.body += payload
        elif kind == http2.RST_STREAM:
            self.ended = True
        elif kind == http2.HEADERS and flags & http2.END_STREAM:
            found = re.search(rb"grpc-status[\x01\x02](\d+)", payload)
            self.status, self.ended = int(found.group(1)), True

    def reset(self):
        self.client.socket.sendall(http2.frame(http2.RST_STREAM, 0, self.stream, http2.CANCEL.to_bytes(4, "big")))

    def close(self):
        self.client.close()


def status_code(status):
    """The code in an ItemStatus, whose first fields are numbers."""
    at = 0
    while at + 1 < len(status) and status[at] & 7 == 0:
        if status[at] >> 3 == 2:
            return status[at + 1]
        at += 2
    return 0
