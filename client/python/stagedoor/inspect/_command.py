"""The program `stagedoor-inspect`: its arguments, and how it starts."""

from __future__ import annotations

import argparse
import contextlib
import html
import ipaddress
import os
import pathlib
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Iterator, Sequence
from urllib.parse import urlencode, urlsplit

import uvicorn

import stagedoor.aio
from stagedoor import TLS, __version__
from stagedoor._tools import absolute
from stagedoor.inspect._guard import Site, local_site
from stagedoor.inspect._server import Server

DEFAULT_PORT = 8390
_PORTS_TRIED = 10
_MAX_CONNECTIONS = 256


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="stagedoor inspect",
        description="Shows stages of a daemon in a browser.",
        epilog="docs/inspector.md says more.",
    )
    made.add_argument("root", nargs="?", help="the root layer of a stage to show, as a path or URI")
    made.add_argument("--version", action="version", version=f"stagedoor-inspect {__version__}")
    page = made.add_argument_group("the page")
    page.add_argument(
        "--port",
        type=int,
        help=f"the port to listen on; 0 for a free one (default: {DEFAULT_PORT}, or the next)",
    )
    page.add_argument("--no-browser", action="store_true", help="print the URL only")
    page.add_argument("--join", default="", metavar="NAME", help="share the session of this name")
    page.add_argument(
        "--load", choices=("all", "none"), default="all", help="which payloads to load"
    )
    proxy = made.add_argument_group("behind a proxy")
    proxy.add_argument(
        "--listen",
        default="127.0.0.1",
        metavar="IP",
        help="the address to listen on (default: %(default)s)",
    )
    proxy.add_argument(
        "--url", metavar="URL", help="where browsers find the page: https://inspect.studio.com"
    )
    proxy.add_argument(
        "--no-token",
        action="store_true",
        help="do not ask for a token, because the proxy of --url lets only known users in",
    )
    made.add_argument_group("other pages").add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="a page elsewhere that may call the daemon through this server; repeatable",
    )
    daemon = made.add_argument_group("the daemon")
    daemon.add_argument(
        "--address", metavar="HOST:PORT|unix:PATH", help="several with commas between them"
    )
    daemon.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS")
    daemon.add_argument("--connect-timeout", type=float, metavar="SECONDS")
    daemon.add_argument("--proxy", metavar="URL")
    daemon.add_argument("--token-file", metavar="FILE")
    daemon.add_argument("--tls", action="store_true", default=None)
    for name in ("ca", "certificate", "key", "server-name"):
        daemon.add_argument(f"--tls-{name}", metavar="NAME" if name == "server-name" else "FILE")
    return made


def connect(options: argparse.Namespace) -> stagedoor.aio.Client:
    """A client of the daemon that the arguments, or else the environment, name."""
    tls: bool | TLS | None = options.tls
    parts = (options.tls_ca, options.tls_certificate, options.tls_key, options.tls_server_name)
    if any(parts):
        tls = TLS(*parts)
    return stagedoor.aio.connect(
        options.address,
        tls=tls,
        token_file=options.token_file,
        timeout=options.timeout,
        connect_timeout=options.connect_timeout,
        proxy=options.proxy,
        client_name="inspector",
    )


def site_of(options: argparse.Namespace, port: int) -> Site:
    """Where browsers find the page. ValueError for arguments that would expose it."""
    if options.url is None:
        if options.no_token:
            raise ValueError("--no-token is for a page behind a proxy: give its --url too")
        return local_site(port)
    parts = urlsplit(options.url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path not in ("", "/"):
        raise ValueError(
            f"--url {options.url}: use a URL without a path, such as https://inspect.studio.com"
        )
    origins = frozenset({f"{parts.scheme}://{parts.netloc}"})
    return Site(origins, "") if options.no_token else Site(origins)


def origins_of(options: argparse.Namespace) -> frozenset[str]:
    """The origins of other pages. ValueError for what no browser sends."""
    for origin in options.allow_origin:
        parts = urlsplit(origin)
        if origin != f"{parts.scheme}://{parts.netloc}" or parts.scheme not in ("http", "https"):
            raise ValueError(
                f"--allow-origin {origin}: use an origin, such as https://tool.studio.com"
            )
    return frozenset(options.allow_origin)


def check_exposure(options: argparse.Namespace) -> None:
    """ValueError if other machines could read the token, or what is shown, on the way."""
    try:
        local = ipaddress.ip_address(options.listen).is_loopback
    except ValueError:
        raise ValueError(
            f"--listen {options.listen}: use the address of an interface, as a number"
        ) from None
    if not local and not (options.url or "").startswith("https://"):
        raise ValueError(
            f"--listen {options.listen} lets other machines connect: put a proxy with TLS in "
            "front, and say with --url https://… how browsers find it"
        )


def bound_socket(listen: str, port: int | None) -> socket.socket:
    """A socket that listens at the port, or at the first free one of a few."""
    wanted = [port] if port is not None else [*range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TRIED), 0]
    family = socket.AF_INET6 if ":" in listen else socket.AF_INET
    for number in wanted:
        # asyncio sends without a delay (TCP_NODELAY) only on sockets that say that they are TCP's.
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((listen, number))
            made.listen(128)
            return made
        except OSError as error:
            made.close()
            if number == wanted[-1]:
                raise ValueError(
                    f"cannot listen on port {number}: {error.strerror}; use another --port"
                ) from None
    raise AssertionError("the last port is tried or refused")


def page_url(site: Site, options: argparse.Namespace, port: int) -> str:
    """The URL to open, with the token."""
    origin = options.url.rstrip("/") if options.url else f"http://127.0.0.1:{port}"
    query = {"token": site.token, "session": options.join}
    if options.root:
        query["stage"] = absolute(options.root, ())
    if options.load != "all":
        query["load"] = options.load
    return f"{origin}/?{urlencode({name: text for name, text in query.items() if text})}"


@contextlib.contextmanager
def opened_in_browser(url: str, wanted: bool) -> Iterator[None]:
    """Opens the URL by a file of this user, because others see the arguments of programs."""
    has_screen = sys.platform == "darwin" or any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))
    )
    if not wanted or not has_screen:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="stagedoor-inspect-") as folder:
        page = pathlib.Path(folder, "open.html")
        target = html.escape(url)
        page.write_text(
            '<!DOCTYPE html><meta charset="utf-8">'
            f'<meta http-equiv="refresh" content="0;url={target}">'
        )
        webbrowser.open(page.as_uri())
        yield


def run(options: argparse.Namespace) -> None:
    check_exposure(options)
    client = connect(options)
    listening = bound_socket(options.listen, options.port)
    port = listening.getsockname()[1]
    site = site_of(options, port)
    url = page_url(site, options, port)
    config = uvicorn.Config(
        Server(client, site, origins_of(options)).app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    print(f"The inspector is at\n\n    {url}\n\nCtrl+C ends it.", flush=True)
    with contextlib.closing(listening), opened_in_browser(url, not options.no_browser):
        uvicorn.Server(config).run(sockets=[listening])


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        run(options)
    except KeyboardInterrupt:
        return 130
    except (ValueError, OSError) as error:
        print(f"stagedoor-inspect: {error}", file=sys.stderr)
        return 2
    return 0
