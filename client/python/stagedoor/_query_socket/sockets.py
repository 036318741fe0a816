"""Reading and writing the socket of a query connection."""

from __future__ import annotations

import array
import os
import socket

_READ_BYTES = 64 << 10
_LARGE_READ_BYTES = 1 << 20
_MAX_DESCRIPTORS = 253  # of one message: SCM_MAX_FD
_ANCILLARY_BYTES = socket.CMSG_SPACE(_MAX_DESCRIPTORS * array.array("i").itemsize)


def receive(
    connected: socket.socket, wanted: int, flags: int = 0
) -> tuple[bytes, list[int]] | None:
    """What has arrived, and the descriptors that came with it; None if nothing has.

    No bytes at the end of the connection. `wanted` bytes are known to be on their way.
    """
    size = min(max(wanted, _READ_BYTES), _LARGE_READ_BYTES)
    flags |= socket.MSG_CMSG_CLOEXEC
    try:
        data, ancillary, seen, _ = connected.recvmsg(size, _ANCILLARY_BYTES, flags)
    except (BlockingIOError, InterruptedError):
        return None
    except OSError:
        return b"", []
    if not ancillary:
        return data, []
    descriptors = array.array("i")
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(content[: len(content) // 4 * 4])
    if seen & socket.MSG_CTRUNC:  # a descriptor is lost, so that the others have wrong numbers
        for descriptor in descriptors:
            os.close(descriptor)
        return b"", []
    return data, list(descriptors)


def send(connected: socket.socket, unsent: bytearray) -> None:
    """Sends bytes as far as the daemon takes them without waiting, and removes them."""
    while unsent:
        try:
            count = connected.send(unsent, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except InterruptedError:
            continue
        except OSError:  # a broken connection is noticed by who reads
            return
        del unsent[:count]
