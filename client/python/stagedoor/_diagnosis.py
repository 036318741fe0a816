"""Finds out why a daemon cannot be reached, where gRPC's messages do not say it."""

from __future__ import annotations

import base64
import contextlib
import re
import socket
import ssl
import time
from collections.abc import Iterator
from dataclasses import dataclass

from stagedoor._address import host_and_port
from stagedoor._options import TLS, is_local, proxy_parts
from stagedoor._tls_files import load_identity
from stagedoor.errors import describe_http

# How long finding out may take.
SECONDS = 2.0

# How a connection of HTTP/2 begins: the preface, and a SETTINGS frame without settings.
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_FRAME_HEADER_BYTES = 9
_SETTINGS = 4
_HTTP_ANSWER = re.compile(rb"HTTP/1\.\d (\d\d\d)")


@dataclass(frozen=True)
class Diagnosis:
    """Why a daemon cannot be reached. `code` is that of the error."""

    text: str
    hint: str
    code: str = "FAILED_PRECONDITION"
    # Whether waiting may help: nothing listens at the address, on this machine, or a proxy does not
    # reach it.
    refused: bool = False


def diagnose(address: str, tls: TLS | None, seconds: float) -> Diagnosis | None:
    """Why a daemon cannot be reached; None if that is not known. Takes `seconds` at most."""
    probe = _Probe(address, time.monotonic() + seconds)
    try:
        return _without_tls(probe) if tls is None else _with_tls(probe, tls)
    except (ConnectionRefusedError, FileNotFoundError):
        if not is_local(address):
            return None
        return Diagnosis(
            f"nothing listens at {address}",
            "start the daemon, or wait for it with connect_timeout",
            "UNAVAILABLE",
            refused=True,
        )
    except (OSError, ValueError):
        return None


def diagnose_proxy(proxy: str, address: str, seconds: float) -> Diagnosis | None:
    """As `diagnose`, for a daemon that is reached through the proxy with this URL."""
    credentials, via = proxy_parts(proxy)
    try:
        status = _ask_to_connect(_Probe(via, time.monotonic() + seconds), credentials, address)
    except ConnectionRefusedError:
        text = f"no proxy listens at {via}"
        return Diagnosis(text, "check its address", "UNAVAILABLE", refused=True)
    except (OSError, ValueError):
        return None
    if status is None or 200 <= status < 300:
        return None
    name, hint = describe_http(status)
    may_pass = status >= 500
    return Diagnosis(
        f"the proxy {via} refused to connect to {address} with HTTP status {name}",
        hint,
        "UNAVAILABLE" if may_pass else "FAILED_PRECONDITION",
        refused=may_pass,
    )


def _ask_to_connect(probe: _Probe, credentials: str, address: str) -> int | None:
    """The status of the answer of HTTP/1 to a request to connect to an address, if it is one."""
    request = f"CONNECT {address} HTTP/1.1\r\nHost: {address}\r\n"
    if credentials:
        encoded = base64.b64encode(credentials.encode()).decode()
        request += f"Proxy-Authorization: Basic {encoded}\r\n"
    answer = b""
    with probe.connection() as connection:
        connection.sendall(f"{request}\r\n".encode())
        while len(answer) < len(b"HTTP/1.1 200"):
            connection.settimeout(probe.left)
            part = connection.recv(64)
            if not part:
                return None
            answer += part
    found = _HTTP_ANSWER.match(answer)
    return int(found[1]) if found else None


class _Probe:
    """Makes connections to an address, until a deadline."""

    def __init__(self, address: str, deadline: float) -> None:
        self.address = address
        self._deadline = deadline

    @property
    def host(self) -> str:
        return "localhost" if self._path else host_and_port(self.address)[0]

    @property
    def _path(self) -> str:
        if not self.address.startswith("unix:"):
            return ""
        path = self.address[len("unix:") :]
        return "/" + path.lstrip("/") if path.startswith("//") else path

    @contextlib.contextmanager
    def connection(self) -> Iterator[socket.socket]:
        if self._path:
            made = socket.socket(socket.AF_UNIX)
            made.settimeout(self.left)
        else:
            made = socket.create_connection(host_and_port(self.address), self.left)
        with made:
            if self._path:
                made.connect(self._path)
            yield made

    @property
    def left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def answer(self, connection: socket.socket) -> bytes:
        """How the answer to the beginning of HTTP/2 begins."""
        found = b""
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            connection.sendall(_HELLO)
            while len(found) < _FRAME_HEADER_BYTES:
                connection.settimeout(self.left)
                part = connection.recv(64)
                if not part:
                    break
                found += part
        return found

    def speaks_http2(self) -> bool:
        """Whether the address answers HTTP/2 without TLS."""
        with self.connection() as connection:
            return _is_http2(self.answer(connection))

    def speaks_tls(self) -> bool:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        try:
            with self.connection() as plain, context.wrap_socket(plain):
                return True
        except ssl.SSLError as error:
            return _is_alert(error)
        except ConnectionResetError:
            return False


def _without_tls(probe: _Probe) -> Diagnosis | None:
    with probe.connection() as connection:
        answer = probe.answer(connection)
    if _is_http2(answer):
        return None
    if answer.startswith(b"HTTP/1"):
        return Diagnosis(
            f"what answers at {probe.address} is not a daemon: it speaks HTTP/1",
            "check the port; a proxy must pass HTTP/2 on",
        )
    if not probe.speaks_tls():
        return None
    return Diagnosis(
        f"the daemon at {probe.address} uses TLS, and this connection does not",
        "pass tls=True, or tls=stagedoor.TLS(ca=FILE), to stagedoor.connect()",
    )


def _with_tls(probe: _Probe, tls: TLS) -> Diagnosis | None:
    context = ssl.create_default_context(cafile=tls.ca)
    load_identity(context, tls)
    context.set_alpn_protocols(["h2"])
    name = tls.server_name or probe.host
    try:
        with probe.connection() as plain, context.wrap_socket(plain, server_hostname=name) as made:
            # The daemon looks at the client's certificate only now, and may just end the
            # connection.
            if probe.answer(made):
                return None
            return _refused_certificate(probe.address, tls, "it ended the connection")
    except ssl.SSLCertVerificationError as error:
        return Diagnosis(
            f"the certificate of the daemon at {probe.address} is not accepted: "
            f"{error.verify_message.rstrip('.')}",
            "check ca= and server_name= of stagedoor.TLS",
        )
    except ssl.SSLError as error:
        if _is_alert(error):
            reason = (error.reason or "").rpartition("ALERT_")[2].replace("_", " ").lower()
            return _refused_certificate(probe.address, tls, reason)
    except ConnectionResetError:
        pass
    if not probe.speaks_http2():
        return None
    return Diagnosis(
        f"the daemon at {probe.address} does not use TLS, and this connection does",
        "connect without tls, STAGEDOOR_TLS_CA and STAGEDOOR_TLS_CERTIFICATE",
    )


def _refused_certificate(address: str, tls: TLS, reason: str) -> Diagnosis:
    if not tls.certificate:
        return Diagnosis(
            f"the daemon at {address} requires a client certificate ({reason})",
            "pass tls=stagedoor.TLS(certificate=FILE, key=FILE) to stagedoor.connect()",
        )
    return Diagnosis(
        f"the daemon at {address} does not accept the client certificate ({reason})",
        "check certificate= and key= of stagedoor.TLS",
    )


def _is_http2(answer: bytes) -> bool:
    return len(answer) >= _FRAME_HEADER_BYTES and answer[3] == _SETTINGS and answer[0] == 0


def _is_alert(error: ssl.SSLError) -> bool:
    """Whether the other side has answered with an alert of TLS."""
    return "ALERT" in (error.reason or "")
