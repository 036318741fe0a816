"""What a client says if it does not reach its daemon: addresses, proxies, TLS, refusals."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from conftest import REPOSITORY
from daemon import Daemon
from fake import FakeClock, FakeDaemon, number
from test_connection import certificates, openssl, unused_address

import stagedoor
from stagedoor import _diagnosis
from stagedoor._diagnosis import diagnose
from stagedoor._options import Options, channel_options, checked, make_options

__all__ = ["certificates"]  # a fixture


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a busy machine find out why a daemon cannot be reached."""
    monkeypatch.setattr(_diagnosis, "SECONDS", 30.0)


ADDRESSES = REPOSITORY / "client" / "testing" / "daemon_addresses.tsv"
SELF_SIGNED = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x"]
PROXIES = ("http_proxy", "https_proxy", "grpc_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy")


@contextlib.contextmanager
def server(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Answers connections at an address, each in a thread."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    threading.Thread(target=once, args=(connection,), daemon=True).start()

        def once(connection: socket.socket) -> None:
            with contextlib.suppress(OSError), connection:
                answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


# ------------------------------------------------------------------------------------- addresses


def test_addresses_are_refused_in_the_words_of_all_clients():
    lines = ADDRESSES.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 40
    for line in lines:
        address, advice = line.split("\t")
        if advice == "ok":
            assert checked((address,)) == (address,)
            continue
        with pytest.raises(ValueError) as info:
            checked((address,))
        expected = f"the address of the daemon must be HOST:PORT or unix:PATH, not '{address}'"
        assert str(info.value) == expected + (f"; {advice}" if advice else "")


def test_each_of_several_addresses_is_checked():
    with pytest.raises(ValueError, match="write 'b:1'"):
        stagedoor.connect("a:1,http://b:1")
    with pytest.raises(ValueError, match="write 'b:1'"):
        stagedoor.aio.connect(["a:1", "b:1/"])


# --------------------------------------------------------------------------------------- proxies


def http_frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    length = len(payload).to_bytes(3, "big")
    return length + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def proxy_that_answers(status: int) -> Callable[[socket.socket], None]:
    """A proxy that answers each call of HTTP/2 with a status, as proxies do by themselves."""

    def answer(connection: socket.socket) -> None:
        stream = connection.makefile("rb")
        stream.read(24)  # the preface
        connection.sendall(http_frame(4, 0, 0))
        while True:
            header = stream.read(9)
            if len(header) < 9:
                return
            size, kind, flags = int.from_bytes(header[:3], "big"), header[3], header[4]
            stream.read(size)
            if kind == 4 and not flags & 1:
                connection.sendall(http_frame(4, 1, 0))
            elif kind == 6 and not flags & 1:
                connection.sendall(http_frame(6, 1, 0, bytes(8)))
            elif kind == 1:
                status_header = b"\x08\x03" + str(status).encode()
                call = int.from_bytes(header[5:], "big")
                connection.sendall(http_frame(1, 5, call, status_header))

    return answer


def test_proxies_of_the_environment_are_not_used(monkeypatch):
    with FakeDaemon(BatchGetValues=lambda *_: number(2.0)) as daemon:
        for name in PROXIES:
            monkeypatch.setenv(name, f"http://{unused_address()}")
        for name in ("no_proxy", "no_grpc_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert stage["/A.x"].get() == 2.0

        async def use() -> float:
            async with await stagedoor.aio.open("/x.usda", daemon.address) as stage:
                return await stage["/A.x"].get()

        assert asyncio.run(use()) == 2.0
        connection = {"proxy": "environment", "connect_timeout": 0.2}
        with pytest.raises(ConnectionError, match="through the proxy of the environment"):
            stagedoor.open("/x.usda", daemon.address, connection=connection)


def test_proxy_is_used_if_it_is_asked_for(monkeypatch):
    monkeypatch.delenv("no_proxy", raising=False)
    asked = []

    def forward(connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(1000)
        asked.append(head.split(b"\r\n")[0])
        host, _, port = head.split()[1].decode().partition(":")
        with socket.create_connection((host, int(port))) as target:
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            back = threading.Thread(target=pump, args=(target, connection), daemon=True)
            back.start()
            pump(connection, target)

    def pump(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)

    with FakeDaemon(BatchGetValues=lambda *_: number(2.0)) as daemon, server(forward) as proxy:
        connection = {"proxy": f"http://{proxy}"}
        with stagedoor.open("/x.usda", daemon.address, connection=connection) as stage:
            assert stage["/A.x"].get() == 2.0
        assert asked == [f"CONNECT {daemon.address} HTTP/1.1".encode()]
        monkeypatch.setenv("STAGEDOOR_PROXY", f"http://{proxy}")
        with FakeDaemon() as other, stagedoor.open("/x.usda", other.address):  # not connected yet
            assert asked[1:] == [f"CONNECT {other.address} HTTP/1.1".encode()]
    connection = {"proxy": f"http://me:secret@{proxy}", "connect_timeout": 0.2}
    with pytest.raises(ConnectionError, match=f"through the proxy {proxy}") as info:
        stagedoor.open("/x.usda", "daemon.example:1", connection=connection)
    assert "secret" not in str(info.value)


def test_proxies_are_urls(monkeypatch):
    monkeypatch.delenv("STAGEDOOR_PROXY", raising=False)
    for wrong in ("proxy:3128", "https://proxy:3128", "http://proxy", "http://proxy:1/x", "none"):
        with pytest.raises(ValueError, match="the proxy must be"):
            stagedoor.connect("a:1", proxy=wrong)
    options = make_options(
        "a:1", tls=None, token=None, token_file=None, connect_timeout=None, proxy="http://p:1"
    )
    assert dict(channel_options(options))["grpc.http_proxy"] == "http://p:1"
    assert dict(channel_options(Options(("a:1",))))["grpc.enable_http_proxy"] == 0


@pytest.mark.parametrize(
    ("answer", "code", "text"),
    [
        (b"HTTP/1.1 403 No\r\n\r\n", "FAILED_PRECONDITION", r"403 \(Forbidden\)"),
        (b"HTTP/1.0 502 Bad Gateway\r\n\r\n", "UNAVAILABLE", r"502 \(Bad Gateway\)"),
    ],
)
def test_proxy_that_does_not_connect_is_named_at_once(answer, code, text):
    asked = []

    def refuse(connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head and (part := connection.recv(1000)):
            head += part
        asked.append(head)
        connection.sendall(answer)

    with server(refuse) as proxy:
        with stagedoor.connect("daemon.example:1", proxy=f"http://me:secret@{proxy}") as client:
            message = f"the proxy {proxy} refused to connect to daemon.example:1 with HTTP status "
            with pytest.raises(stagedoor.Error, match=message + text) as info:
                client.stages()
    assert info.value.code == code
    assert b"\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n" in asked[-1]
    with stagedoor.connect("daemon.example:1", proxy=f"http://{proxy}") as client:
        with pytest.raises(ConnectionError, match=f"no proxy listens at {proxy}"):
            client.stages()


@pytest.mark.parametrize(
    ("status", "code", "name", "hint"),
    [
        (413, "RESOURCE_EXHAUSTED", r"413 \((Request Entity|Content) Too Large\)", "fewer paths"),
        (502, "UNAVAILABLE", r"502 \(Bad Gateway\)", "cannot reach the daemon"),
        (404, "UNIMPLEMENTED", r"404 \(Not Found\)", "check the address"),
        (599, "UNAVAILABLE", "599", "operator of the proxy"),
    ],
)
def test_proxy_that_refuses_is_named(status, code, name, hint):
    with server(proxy_that_answers(status)) as address:
        with stagedoor.connect(address, connect_timeout=0.3) as client:
            message = f"a proxy in front of the daemon refused the call with HTTP status {name}"
            with pytest.raises(stagedoor.Error, match=message) as info:
                client.stages()
    assert info.value.code == code and hint in info.value.hint
    assert info.value.metadata["http_status"] == str(status)


# --------------------------------------------------------------------------------- TLS, refusals


@pytest.fixture
def failure(clock: FakeClock) -> Callable[..., stagedoor.Error]:
    """A function that returns the error of a call, which must not be repeated after a pause."""

    def made(address: str, **options: object) -> stagedoor.Error:
        with stagedoor.connect(address, **options) as client:
            with pytest.raises(stagedoor.Error) as info:
                client.stages()
        assert not any(clock.pauses)
        return info.value

    return made


def test_refused_connections_to_this_machine_are_reported_at_once(failure, tmp_path):
    for address in (unused_address(), f"unix:{tmp_path}/socket"):
        error = failure(address)
        assert isinstance(error, stagedoor.UnavailableError)
        assert f"no daemon answers at {address}: nothing listens at {address}" in str(error)
        assert "connect_timeout" in error.hint


def test_daemon_of_this_machine_is_waited_for_if_that_is_asked_for(clock):
    client = stagedoor.connect(unused_address(), connect_timeout=10)
    with client, pytest.raises(stagedoor.UnavailableError, match="nothing listens"):
        client.stages()
    assert 9 < clock.now <= 10 and len(clock.pauses) > 5


def test_refusal_at_one_address_leads_to_the_next(failure, daemon):
    with stagedoor.connect([unused_address(), daemon.address]) as client:
        assert isinstance(client.stages(), list)
    several = [unused_address(), unused_address()]
    assert "nothing listens" in failure(",".join(several)).message


def test_asyncio_client_says_the_same():
    address = unused_address()

    async def use() -> None:
        async with stagedoor.aio.connect(address) as client:
            await client.stages()

    with pytest.raises(stagedoor.UnavailableError, match=f"nothing listens at {address}"):
        asyncio.run(use())


def test_tls_and_none_are_told_apart(failure, tmp_path, daemon, certificates):
    ca = str(certificates / "ca.pem")
    secure = Daemon(
        tmp_path,
        f"--tls-certificate={certificates}/server.pem",
        f"--tls-key={certificates}/server.key",
    )
    try:
        error = failure(secure.address)
        assert error.code == "FAILED_PRECONDITION" and "tls=True" in error.hint
        assert f"the daemon at {secure.address} uses TLS, and this connection does" in str(error)
        error = failure(daemon.address, tls=stagedoor.TLS(ca=ca))
        assert error.code == "FAILED_PRECONDITION"
        assert f"the daemon at {daemon.address} does not use TLS" in str(error)
        error = failure(secure.address, tls=stagedoor.TLS(ca=ca))
        assert "not accepted" in str(error) and "server_name" in error.hint
        error = failure(secure.address, tls=stagedoor.TLS(server_name="stage.example"))
        assert "not accepted" in str(error) and "issuer" in str(error)
        tls = stagedoor.TLS(ca=ca, server_name="stage.example")
        with stagedoor.connect(secure.address, tls=tls) as client:
            assert client.stages() == []
        assert diagnose(secure.address, tls, 30) is None
        assert diagnose(daemon.address, None, 30) is None
    finally:
        secure.stop()


def test_client_certificates_that_are_missing_or_unknown(failure, tmp_path, certificates):
    secure = Daemon(
        tmp_path,
        f"--tls-certificate={certificates}/server.pem",
        f"--tls-key={certificates}/server.key",
        f"--tls-client-ca={certificates}/ca.pem",
    )
    try:
        tls = {"ca": str(certificates / "ca.pem"), "server_name": "stage.example"}
        error = failure(secure.address, tls=stagedoor.TLS(**tls))
        assert f"the daemon at {secure.address} requires a client certificate" in str(error)
        assert "certificate=FILE" in error.hint
        openssl(tmp_path, *SELF_SIGNED, "-keyout", "other.key", "-out", "other.pem")
        other = {"certificate": f"{tmp_path}/other.pem", "key": f"{tmp_path}/other.key"}
        error = failure(secure.address, tls=stagedoor.TLS(**tls, **other))
        assert "does not accept the client certificate" in str(error)
    finally:
        secure.stop()


def test_tls_files_that_cannot_be_used_are_named(tmp_path, certificates):
    openssl(tmp_path, *SELF_SIGNED, "-keyout", "other.key", "-out", "other.pem")
    locked = ["rsa", "-aes128", "-passout", "pass:secret", "-out", f"{tmp_path}/locked.key"]
    openssl(certificates, *locked, "-in", "client.key")
    (tmp_path / "text").write_text("not PEM")
    ca, certificate, key = (
        f"{certificates}/{name}" for name in ("ca.pem", "client.pem", "client.key")
    )
    text = f"{tmp_path}/text"
    cases = [
        ({"ca": text}, f"'{text}' is not a certificate in PEM form"),
        ({"ca": key}, f"'{key}' is not a certificate"),
        ({"ca": ca, "certificate": text, "key": key}, f"'{text}' is not a certificate"),
        ({"ca": ca, "certificate": certificate, "key": text}, f"'{text}' is not a key in PEM form"),
        ({"certificate": certificate, "key": f"{tmp_path}/locked.key"}, "locked.key' is not a key"),
        (
            {"certificate": certificate, "key": f"{tmp_path}/other.key"},
            f"the key '{tmp_path}/other.key' is not that of the certificate '{certificate}'",
        ),
    ]
    for files, message in cases:
        with stagedoor.connect("localhost:1", tls=stagedoor.TLS(**files)) as client:
            with pytest.raises(ValueError, match=re.escape(message)):
                client.stages()

    async def use() -> None:
        async with stagedoor.aio.connect("localhost:1", tls=stagedoor.TLS(ca=text)) as client:
            with pytest.raises(ValueError, match="is not a certificate in PEM form"):
                await client.stages()

    asyncio.run(use())


def test_daemon_audits_handshakes_that_fail(failure, tmp_path, certificates):
    audit = tmp_path / "audit.jsonl"
    secure = Daemon(
        tmp_path,
        f"--tls-certificate={certificates}/server.pem",
        f"--tls-key={certificates}/server.key",
        f"--tls-client-ca={certificates}/ca.pem",
        f"--audit-log={audit}",
    )

    def reasons() -> set[str]:
        lines = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
        lines = [line for line in lines if line.get("action") == "TLS handshake"]
        assert all(line["decision"] == "denied" for line in lines)
        return {line["reason"] for line in lines}

    try:
        failure(secure.address)
        tls = stagedoor.TLS(ca=str(certificates / "ca.pem"), server_name="stage.example")
        failure(secure.address, tls=tls)
        expected = {
            "the client does not use TLS (wrong version number)",
            "peer did not return a certificate",
        }
        while not expected <= reasons():
            time.sleep(0.02)
    finally:
        secure.stop()


def test_server_of_http_1_is_not_a_daemon(failure):
    def answer(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    with server(answer) as address:
        assert "it speaks HTTP/1" in failure(address).message


def test_silent_server_is_not_diagnosed():
    with server(lambda connection: connection.recv(1) and time.sleep(60)) as address:
        begin = time.monotonic()
        assert diagnose(address, None, 0.3) is None
        assert diagnose(address, stagedoor.TLS(), 0.3) is None
        assert time.monotonic() - begin < 30
    assert ssl.HAS_ALPN


def test_text_that_is_not_utf8_is_refused_without_a_call(capfd):
    with FakeDaemon() as daemon, stagedoor.open("/x.usda", daemon.address) as stage:
        calls = len(daemon.calls)
        for ask in (
            lambda: stage["/A\udcff.x"].get(),
            lambda: stage.values(["/A.x", "/B\ud800.x"]),
            lambda: list(stage.traverse("/\udcff")),
            lambda: stage.transforms(["/\udcff"]),
            lambda: stagedoor.open("/x\udcff.usda", daemon.address),
        ):
            with pytest.raises(stagedoor.InvalidArgumentError, match="not UTF-8 text: ") as info:
                ask()
            assert isinstance(info.value, ValueError) and "\\ud" in str(info.value)
        assert len(daemon.calls) == calls
    assert capfd.readouterr().err == ""
