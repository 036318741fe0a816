"""Decides which requests the inspector answers, and what browsers may do with the answers.

A page of another site can make a browser send requests to this server, and a name that leads to
this machine can be that of another site. So requests must name a host that is this server's, must
not come from other sites, and must prove that they know the token of the URL that was printed:
once by the URL, and then by a cookie.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 4 << 20
_MAX_URL_BYTES = 16 << 10

# Scripts, styles and connections are of this server alone, and no script may make markup of text:
# what a scene contains is shown as text, even if a line of the page were wrong.
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
_HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_NO_TOKEN = (
    "This page needs the token of the inspector.\n\n"
    "Open the URL that 'stagedoor inspect' has printed, which ends in a token, in this browser.\n"
)


@dataclass(frozen=True)
class Site:
    """Where browsers find this server.

    origins: such as "http://127.0.0.1:8390"; all that a browser may write into its address bar.
    token: what they have to know; empty behind a proxy that identifies the users itself.
    """

    origins: frozenset[str]
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def hosts(self) -> frozenset[str]:
        return frozenset(urlsplit(origin).netloc for origin in self.origins)

    @property
    def is_encrypted(self) -> bool:
        return all(origin.startswith("https:") for origin in self.origins)

    @property
    def cookie_name(self) -> str:
        """A name for each port, because browsers give a cookie to all ports of a host."""
        ports = hashlib.sha256("\n".join(sorted(self.origins)).encode()).hexdigest()
        return f"stagedoor-inspect-{ports[:12]}"

    @property
    def cookie_value(self) -> str:
        """A text that proves that a browser has shown the token, without being the token."""
        return hmac.new(self.token.encode(), b"stagedoor inspect", hashlib.sha256).hexdigest()


def local_site(port: int, token: str | None = None) -> Site:
    """The site of a server that listens on the loopback interface."""
    origins = frozenset(f"http://{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]"))
    return Site(origins) if token is None else Site(origins, token)


class Guard:
    """An ASGI application around another one, which gets only the requests that are accepted.

    open_paths: what is answered without the token and to other sites: they have rules of their own.
    """

    def __init__(self, app: ASGIApp, site: Site, open_paths: Iterable[str] = ()) -> None:
        self._app = app
        self._site = site
        self._open_paths = tuple(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # web sockets are closed
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
            return
        await self._app(scope, _limited(receive), _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer instead of the application's; None to let the request pass."""
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._site.hosts:
            names = ", ".join(sorted(self._site.hosts))
            return PlainTextResponse(f"This server is {names}; use one of these names.\n", 421)
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > _MAX_URL_BYTES:
            return PlainTextResponse("The URL is too long.\n", 414)
        if int(headers.get("content-length", "0") or 0) > MAX_BODY_BYTES:
            return PlainTextResponse(f"The request exceeds {MAX_BODY_BYTES >> 20} MiB.\n", 413)
        if scope["path"].startswith(self._open_paths) and self._open_paths:
            return None
        if not self._is_link(scope, headers) and self.is_foreign(headers):
            return PlainTextResponse("Requests of other sites are refused.\n", 403)
        if not self._site.token or self._has_cookie(headers):
            return self._without_token(scope) if self._site.token else None
        return self._entered(scope) or PlainTextResponse(_NO_TOKEN, 403)

    def is_foreign(self, headers: Headers) -> bool:
        """Whether a page of another site makes a request."""
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return True
        origin = headers.get("origin")
        return origin is not None and origin not in self._site.origins

    def knows(self, headers: Headers, token: str) -> bool:
        """Whether a request proves that it knows the token, which it may send or have sent."""
        return not self._site.token or self._has_cookie(headers) or _equal(token, self._site.token)

    def _is_link(self, scope: Scope, headers: Headers) -> bool:
        """Whether somebody follows a link to the page, which may be in another one."""
        reads = scope["method"] in ("GET", "HEAD")
        return reads and scope["path"] == "/" and headers.get("sec-fetch-mode") == "navigate"

    def _has_cookie(self, headers: Headers) -> bool:
        # Those of other servers of this machine come too, and need not be well-formed.
        pairs = (pair for line in headers.getlist("cookie") for pair in line.split(";"))
        for name, _, value in (pair.strip().partition("=") for pair in pairs):
            if name == self._site.cookie_name and _equal(value, self._site.cookie_value):
                return True
        return False

    def _entered(self, scope: Scope) -> Response | None:
        """Takes the token out of the URL of the page, and into a cookie; None if it is wrong."""
        if scope["path"] != "/" or scope["method"] not in ("GET", "HEAD"):
            return None
        given = [value for name, value in _query(scope) if name == "token"]
        if not given or not _equal(given[0], self._site.token):
            return None
        answer = _redirect_without_token(scope)
        answer.set_cookie(
            self._site.cookie_name,
            self._site.cookie_value,
            httponly=True,
            samesite="lax",
            secure=self._site.is_encrypted,
        )
        return answer

    def _without_token(self, scope: Scope) -> Response | None:
        """Removes a token from the URL also if the browser has the cookie already."""
        page = scope["path"] == "/" and scope["method"] in ("GET", "HEAD")
        if not page or all(name != "token" for name, _ in _query(scope)):
            return None
        return _redirect_without_token(scope)


def _equal(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode(), known.encode())


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _redirect_without_token(scope: Scope) -> RedirectResponse:
    kept = urlencode([(name, value) for name, value in _query(scope) if name != "token"])
    return RedirectResponse(f"/?{kept}" if kept else "/", 303)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending


def _limited(receive: Receive) -> Receive:
    """Ends a request whose body turns out to be longer than its length says or permits."""
    seen = 0

    async def receiving() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        return {"type": "http.disconnect"} if seen > MAX_BODY_BYTES else message

    return receiving
