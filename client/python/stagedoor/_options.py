"""The settings of a client, and the credentials of its channels."""

from __future__ import annotations

import ipaddress
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Union

import grpc

from stagedoor._address import check_address, host_and_port
from stagedoor._private import INSTALL, PrivateDaemon, find_program
from stagedoor._tls_files import check_tls_files
from stagedoor.errors import make_error

_MAX_MESSAGE_BYTES = 512 << 20
_CONNECT_SECONDS = 10.0
_PROXY = re.compile(r"http://(?:[^@/]*@)?[^@/]+:[0-9]+/?")
_TOKEN_INTERVAL = 5.0  # seconds after which a token file is read again


# Instead of an address: none, and no private daemon either.
NO_DAEMON = "none"

Address = Union[None, str, Sequence[str]]


@dataclass(frozen=True)
class TLS:
    """How a connection is encrypted. All files are PEM.

    ca: certificates to trust; None: those of the system.
    certificate, key: of the client, for mutual TLS.
    server_name: the name in the daemon's certificate, if it is not the host of the address.
    """

    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    server_name: str | None = None


@dataclass(frozen=True)
class Options:
    """The settings of a client; see `stagedoor.connect`."""

    addresses: tuple[str, ...]
    tls: TLS | None = None
    token: str | Callable[[], str] | None = None
    token_file: str | None = None
    timeout: float = 60.0
    connect_timeout: float = _CONNECT_SECONDS
    # Whether a call is repeated for connect_timeout also if nothing listens at an address of this
    # machine, where it would be known at once that no daemon is there.
    wait_if_refused: bool = False
    # Of HTTP, or "environment"; None: none.
    proxy: str | None = None
    max_attempts: int = 4
    initial_backoff: float = 0.05
    max_backoff: float = 1.0
    array_cache_bytes: int = 256 << 20
    # Whether queries use the query socket of the daemon, if it offers one.
    query_socket: bool = True
    # Whether queries that are made while others are in flight travel in one call.
    coalescing: bool = True
    lease_ttl: float | None = None
    client_name: str = ""
    # The daemon at the address, if it is to be started when it is needed.
    private_daemon: PrivateDaemon | None = None

    @property
    def proxy_text(self) -> str:
        """How errors name the proxy, without its password; empty if there is none."""
        if self.proxy is None:
            return ""
        if self.proxy == "environment":
            return " through the proxy of the environment"
        return f" through the proxy {proxy_parts(self.proxy)[1]}"

    def __repr__(self) -> str:
        return f"Options(addresses={self.addresses!r}, timeout={self.timeout:g})"  # no secrets


def make_options(
    address: Address,
    *,
    tls: bool | TLS | None,
    token: str | Callable[[], str] | None,
    token_file: str | None,
    connect_timeout: float | None,
    proxy: str | None,
    **settings: Any,
) -> Options:
    """The checked settings of the arguments of `connect`."""
    names = names_of(address)
    if not names or names == (NO_DAEMON,):
        remote = bool(tls) or token is not None or token_file is not None
        private = private_daemon_of(off=bool(names) or remote)
        # Its socket needs neither TLS nor a token, which the environment may have for others.
        names, tls, token, token_file, proxy = (private.address,), False, None, "", ""
        settings["private_daemon"] = private
    if token is None and token_file is None:
        token_file = os.environ.get("STAGEDOOR_TOKEN_FILE") or None
    options = Options(
        addresses=checked(names),
        tls=tls_of(tls),
        token=token,
        token_file=token_file or None,
        connect_timeout=_CONNECT_SECONDS if connect_timeout is None else connect_timeout,
        wait_if_refused=connect_timeout is not None,
        proxy=proxy_of(proxy),
        **settings,
    )
    check_options(options)
    return options


def names_of(address: str | Sequence[str] | None) -> tuple[str, ...]:
    """The addresses that an argument, or else STAGEDOOR_ADDRESS, names; unchecked."""
    if address is None:
        address = os.environ.get("STAGEDOOR_ADDRESS", "")
    found = tuple(address.split(",")) if isinstance(address, str) else tuple(address)
    return tuple(name.strip() for name in found if name.strip())


def checked(names: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses, which are valid."""
    for name in names:
        check_address(name)
    return names


def private_daemon_of(*, off: bool) -> PrivateDaemon:
    """The daemon of this user; ValueError if it is `off`, or if its program is not installed."""
    program = None if off else find_program()
    if program is None:
        raise ValueError(
            "no address of a daemon: pass address='HOST:PORT' or 'unix:PATH', "
            "or set STAGEDOOR_ADDRESS" + ("" if off else f"; or install one with {INSTALL}")
        )
    return PrivateDaemon(program)


def proxy_parts(proxy: str) -> tuple[str, str]:
    """The user and password of the URL of a proxy, such as "me:secret" or "", and HOST:PORT."""
    credentials, _, address = proxy.removeprefix("http://").rstrip("/").rpartition("@")
    return credentials, address


def proxy_of(proxy: str | None) -> str | None:
    """The proxy that an argument, or else STAGEDOOR_PROXY, names."""
    if proxy is None:
        proxy = os.environ.get("STAGEDOOR_PROXY")
    if not proxy:
        return None
    if proxy != "environment" and not _PROXY.fullmatch(proxy):
        raise ValueError(  # without the proxy, which may contain a password
            "the proxy must be 'environment' or a URL such as 'http://proxy:3128'"
        )
    return proxy


def tls_of(tls: bool | TLS | None) -> TLS | None:
    """The TLS settings of an argument, completed by the variables that the CLI reads too."""
    if tls is False:
        return None
    if isinstance(tls, TLS):
        return tls
    env = os.environ.get
    ca = env("STAGEDOOR_TLS_CA")
    certificate, key = env("STAGEDOOR_TLS_CERTIFICATE"), env("STAGEDOOR_TLS_KEY")
    if tls or ca or certificate:
        return TLS(ca=ca, certificate=certificate, key=key)
    return None


def check_options(options: Options) -> None:
    """ValueError for settings that cannot be used together."""
    tls = options.tls
    if tls is not None and bool(tls.certificate) != bool(tls.key):
        raise ValueError("a client certificate and its key must be given together")
    if options.token is not None and options.token_file is not None:
        raise ValueError("token and token_file exclude each other")
    if tls is None and (options.token is not None or options.token_file is not None):
        for address in options.addresses:
            if not is_local(address):
                raise ValueError(
                    f"a token is sent to {address} only with TLS, because others could read it; "
                    "pass tls=True"
                )
    if options.timeout <= 0 or options.connect_timeout <= 0:
        raise ValueError("timeouts must be positive")


def may_use_query_socket(options: Options) -> bool:
    """Whether the daemon may have a query socket that the client can use.

    A caller with a token is another one than the user of the process, which the socket knows.
    """
    return (
        options.query_socket
        and sys.platform.startswith("linux")
        and any(address.startswith("unix:") for address in options.addresses)
        and options.tls is None
        and options.token is None
        and options.token_file is None
    )


def is_local(address: str) -> bool:
    if address.startswith("unix:"):
        return True
    try:
        host, _ = host_and_port(address)
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name


def channel_options(options: Options) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = [
        ("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", _MAX_MESSAGE_BYTES),
        ("grpc.initial_reconnect_backoff_ms", 100),
        # Also how long a connection may take to be made, for TLS over a slow network. Less than the
        # 5 s after which old versions of grpcio look at idle connections again: with more, they
        # need 10 s to reach a daemon that was restarted.
        ("grpc.min_reconnect_backoff_ms", 4000),
        ("grpc.max_reconnect_backoff_ms", 1000),
        # A host that vanishes closes no connections. The daemon allows a ping every 10 seconds.
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.http2.max_pings_without_data", 0),  # no limit: a long call may be silent for minutes
        ("grpc.enable_retries", 0),  # the client retries by itself, where it is safe
        # gRPC would use a proxy of the environment, also for daemons in the same network.
        ("grpc.enable_http_proxy", int(options.proxy is not None)),
    ]
    if options.proxy not in (None, "environment"):
        found.append(("grpc.http_proxy", options.proxy))
    if options.tls is not None and options.tls.server_name:
        found.append(("grpc.ssl_target_name_override", options.tls.server_name))
    return found


def channel_credentials(tls: TLS) -> Any:
    check_tls_files(tls)
    return grpc.ssl_channel_credentials(
        root_certificates=_read(tls.ca),
        private_key=_read(tls.key),
        certificate_chain=_read(tls.certificate),
    )


def _read(path: str | None) -> bytes | None:
    if not path:
        return None
    with open(path, "rb") as file:
        return file.read()


class Authorization:
    """The value of the `authorization` header. Thread-safe."""

    def __init__(self, options: Options, now: Callable[[], float] = time.monotonic) -> None:
        self._token = options.token
        self._file = options.token_file
        self._now = now
        self._lock = threading.Lock()
        self._read_again = float("-inf")
        self._held = ""

    def header(self) -> str:
        """The value; empty without a token."""
        if self._file is None:
            token = self._token() if callable(self._token) else self._token
            return f"Bearer {token}" if token else ""
        now = self._now()
        with self._lock:
            if now >= self._read_again:
                self._read_again = now + _TOKEN_INTERVAL
                self._held = self._from_file(self._file) or self._held
            return self._held

    def _from_file(self, path: str) -> str:
        """The header with the token of a file; empty if the file is being replaced."""
        try:
            with open(path, encoding="utf-8") as file:
                words = file.read().split()
        except OSError as error:
            if self._held:
                return ""  # the token read before may still be valid
            raise make_error(f"cannot read the token: {error}", code="UNAUTHENTICATED") from error
        return f"Bearer {words[0]}" if words else ""
