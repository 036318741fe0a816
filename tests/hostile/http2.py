"""A client of HTTP/2 and gRPC that can misbehave: it decides frame by frame what it sends and what it reads. And the few
messages of the API that tests need, so that they do not depend on a protobuf library."""
import re
import socket
import struct

MAX_FRAME, FIRST_WINDOW = 16384, 65535  # unless a server says otherwise
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
CANCEL = 8
HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE, ALLOW_BINARY_METADATA = 1, 4, 0xFE03
OK, CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE = 0, 1, 4, 8, 14


def frame(kind, flags, stream, payload=b"", announced=None):
    """`announced` is the length in the header if it is to be wrong."""
    size = len(payload) if announced is None else announced
    return struct.pack(">I", size)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def settings(**values):
    names = {"header_table_size": HEADER_TABLE_SIZE, "initial_window_size": INITIAL_WINDOW_SIZE,
             "binary_metadata": ALLOW_BINARY_METADATA}
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", names[name], value) for name, value in values.items()))


def header_block(method, timeout=None):
    """The headers of a call, each a literal that no table remembers."""
    headers = [(":method", "POST"), (":scheme", "http"), (":path", "/stagedoor.v1." + method), (":authority", "x"),
               ("te", "trailers"), ("content-type", "application/grpc")]
    if timeout is not None:
        headers.append(("grpc-timeout", f"{int(timeout * 1000)}m"))
    block = b""
    for name, value in headers:
        block += b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
    return block


def grpc_message(message):
    return b"\0" + struct.pack(">I", len(message)) + message


def dial(address, receive_buffer=None):
    unix = address.startswith("unix:")
    connection = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
    if receive_buffer is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    host, _, port = address.rpartition(":")
    # With a timeout, connecting to a Unix socket fails at once while its listener has not accepted those before.
    connection.settimeout(None if unix else 120)
    connection.connect(port if unix else (host, int(port)))
    connection.settimeout(120)
    return connection


class Client:
    """One connection. `window` is how many bytes of each reply the server may send before it is asked for more."""

    def __init__(self, address, window=(1 << 31) - 1, receive_buffer=None):
        self.socket = dial(address, receive_buffer)
        self.next_stream = 1
        # Without a table, the server sends each trailer as text.
        more = frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", (1 << 31) - 65536))
        self.socket.sendall(PREFACE + settings(header_table_size=0, initial_window_size=window, binary_metadata=1) + more)
        self.buffer, self.at = b"", 0
        self.trailers = b""

    def request(self, method, message, timeout=None):
        """The frames of a call, and the number of its stream."""
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        return stream, (frame(HEADERS, END_HEADERS, stream, header_block(method, timeout))
                        + frame(DATA, END_STREAM, stream, grpc_message(message)))

    def open(self, method):
        """Begins a call whose client sends messages of its own. The number of its stream."""
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        self.socket.sendall(frame(HEADERS, END_HEADERS, stream, header_block(method)))
        return stream

    def start(self, method, message, timeout=None):
        stream, frames = self.request(method, message, timeout)
        self.socket.sendall(frames)
        return stream

    def read_bytes(self, count):
        """Fewer bytes at the end of the connection."""
        while len(self.buffer) - self.at < count:
            try:
                got = self.socket.recv(1 << 16)
            except ConnectionError:
                got = b""
            if not got:
                break
            self.buffer, self.at = self.buffer[self.at:] + got, 0
        read = self.buffer[self.at:self.at + count]
        self.at += len(read)
        return read

    def read_frame(self):
        """(kind, flags, stream, payload); None at the end of the connection."""
        header = self.read_bytes(9)
        size = int.from_bytes(header[:3], "big")
        payload = self.read_bytes(size)
        if len(header) < 9 or len(payload) < size:
            return None
        kind, flags, stream = header[3], header[4], int.from_bytes(header[5:9], "big")
        if kind == SETTINGS and not flags & ACK:
            self.socket.sendall(frame(SETTINGS, ACK, 0))
        if kind == PING and not flags & ACK:
            self.socket.sendall(frame(PING, ACK, 0, payload))
        return kind, flags, stream, payload

    def finish(self, stream):
        """(status, messages) of a call of this client; the status is None if the connection or stream broke. What arrives of
        other calls is dropped."""
        return self.finish_all([stream])[stream]

    def finish_all(self, streams):
        """{stream: what finish() returns}"""
        bodies, replies = {stream: [] for stream in streams}, {}
        while len(replies) < len(streams):
            got = self.read_frame()
            if got is None:
                return {stream: replies.get(stream, (None, [])) for stream in streams}
            kind, flags, of, payload = got
            if of not in bodies:
                continue
            if kind == DATA:
                bodies[of].append(payload)
            elif kind == RST_STREAM:
                replies.setdefault(of, (None, []))
            elif kind == HEADERS and flags & END_STREAM:
                status = re.search(rb"grpc-status[\x01\x02](\d+)", payload)
                self.trailers = payload  # its details contain the reason of an error as text
                replies[of] = int(status.group(1)), list(messages_in(b"".join(bodies[of])))
        return replies

    def call(self, method, message, timeout=None):
        return self.finish(self.start(method, message, timeout))

    def close(self):
        self.socket.close()


def messages_in(body):
    at = 0
    while at < len(body):
        size = struct.unpack(">I", body[at + 1:at + 5])[0]
        yield body[at + 5:at + 5 + size]
        at += 5 + size


# Messages: fields are written by number, as in proto/stagedoor/v1.

def varint(number):
    out = b""
    while number >= 128:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def text_of(message, number):
    """The first text or message in a message with this field number; empty if there is none."""
    return next(texts_of(message, number), b"")


def texts_of(message, number):
    """Yields all of them."""
    at = 0

    def read_varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        key = read_varint()
        if key & 7 == 0:
            read_varint()
        elif key & 7 == 1:
            at += 8
        elif key & 7 == 5:
            at += 4
        else:
            size = read_varint()
            at += size
            if key >> 3 == number:
                yield message[at - size:at]


def number_field(number, value):
    """A field of type double."""
    return varint(number << 3 | 1) + struct.pack("<d", value)


def open_stage(root, session="", layer=""):
    request = field(1, root)
    if layer:
        request += field(2, field(2, layer))
    return request + (field(11, session) if session else b"")


def handle_in(opened):
    return text_of(opened, 3).decode()


def close_stage(handle):
    return field(1, handle)


def values(handle, paths, ranges):
    """BatchGetValues and StreamValues."""
    request = field(1, field(1, handle))
    for path in paths:
        request += field(2, path)
    return request + field(3, field(3, ranges))


def flatten(handle):
    return field(1, field(1, field(1, handle)))


def extract_frame(handle, time, shutter=None):
    request = field(1, field(1, handle)) + field(2, number_field(1, time))
    if shutter is not None:
        opens, closes, segments = shutter
        request += field(3, number_field(1, opens) + number_field(2, closes) + field(3, segments))
    return request
