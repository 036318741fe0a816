"""Which requests the inspector answers."""

from __future__ import annotations

import argparse
import asyncio
import socket

import pytest

pytest.importorskip("starlette")

from inspecting import ORIGIN, Page

from stagedoor.inspect import _command
from stagedoor.inspect._guard import MAX_BODY_BYTES, Site


@pytest.fixture
def stranger(daemon):
    """A browser without the token."""
    page = Page(daemon.address)
    with page.http:
        yield page


@pytest.fixture
def page(daemon, folder):
    with Page(daemon.address, folder / "shot.usda") as page:
        yield page


def test_nothing_is_answered_without_the_token(stranger):
    for path in ("/", "/api/stages", "/assets/index.js", "/?token=wrong", "/?token="):
        answer = stranger.http.get(path, follow_redirects=False)
        assert answer.status_code == 403 and "stagedoor inspect" in answer.text, path
        assert "set-cookie" not in answer.headers
    assert stranger.http.post(f"/?token={stranger.site.token}").status_code == 403


def test_the_token_becomes_a_cookie_and_leaves_the_url(stranger):
    query = {"token": stranger.site.token, "stage": "/a&b", "prim": "/A"}
    answer = stranger.http.get("/", params=query, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?stage=%2Fa%26b&prim=%2FA"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie
    assert stranger.site.token not in cookie
    assert stranger.http.get("/api/stages").status_code == 200


def test_a_token_in_the_url_is_removed_although_there_is_a_cookie(page):
    answer = page.http.get("/?token=old&prim=%2FA", follow_redirects=False)
    assert answer.status_code == 303 and answer.headers["location"] == "/?prim=%2FA"


@pytest.mark.parametrize("others", ["a/b=1", 'a={"b": 1}', 'a="; b', "=;;", "flag"])
def test_cookies_of_other_servers_do_not_hide_that_of_the_page(stranger, others):
    site = stranger.site
    headers = {"cookie": f"{others}; {site.cookie_name}={site.cookie_value}"}
    assert stranger.http.get("/api/stages", headers=headers).status_code == 200
    headers = {"cookie": f"{others}; {site.cookie_name}={site.token}"}
    assert stranger.http.get("/api/stages", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "path", ["../_guard.py", "%2e%2e/_guard.py", "..%2f_guard.py", "/etc/passwd"]
)
def test_only_files_of_the_page_are_served(page, path):
    answer = page.http.get(f"/assets/{path}")
    assert answer.status_code in (403, 404) and "import" not in answer.text


@pytest.mark.parametrize(
    "host", ["evil.com", "127.0.0.1:1", "127.0.0.1", "localhost:8390.evil.com"]
)
def test_other_hosts_are_refused(page, host):
    assert page.http.get("/api/stages", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.com"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},  # another port of this machine
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
    ],
)
def test_other_sites_are_refused(page, headers):
    assert page.http.get("/api/stages", headers=headers).status_code == 403
    assert page.http.post("/api/rows", headers=headers, json={}).status_code == 403


def test_links_of_other_sites_lead_to_the_page(page):
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert page.http.get("/", headers=headers).status_code in (200, 501)


def test_the_page_itself_is_answered(page):
    headers = {"origin": ORIGIN, "sec-fetch-site": "same-origin"}
    assert page.http.get("/api/stages", headers=headers).status_code == 200
    answer = page.http.get("/api/stages")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


def test_a_post_must_be_json(page):
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        answer = page.http.post("/api/rows", content="{}", headers={"content-type": kind})
        assert answer.status_code == 415
    headers = {"content-type": "application/json"}
    for content in ("[]", "{", "[" * 100_000):
        assert page.http.post("/api/rows", content=content, headers=headers).status_code == 400


def test_large_requests_are_refused(page):
    content = b" " * (MAX_BODY_BYTES + 1)
    headers = {"content-type": "application/json"}
    assert page.http.post("/api/rows", content=content, headers=headers).status_code == 413
    assert page.http.get("/api/stages", params={"page": "x" * 20_000}).status_code == 414


def test_behind_a_proxy_that_knows_its_users_there_is_no_token(daemon):
    page = Page(daemon.address)
    page.server.app._site = Site(frozenset({"https://inspect.studio.com"}), "")
    with page.http:
        headers = {"host": "inspect.studio.com"}
        assert page.http.get("/api/stages", headers=headers).status_code == 200
        assert page.http.get("/api/stages").status_code == 421


# ------------------------------------------------------------------------------------- arguments


def options(*arguments: str) -> argparse.Namespace:
    return _command.parser().parse_args(arguments)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--listen", "0.0.0.0"], "put a proxy with TLS in front"),
        (["--listen", "0.0.0.0", "--url", "http://inspect.studio.com"], "put a proxy with TLS"),
        (["--listen", "studio"], "as a number"),
    ],
)
def test_arguments_that_would_expose_the_token_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        _command.check_exposure(options(*arguments))


def test_sites_of_arguments():
    assert _command.site_of(options(), 81).hosts == {"127.0.0.1:81", "localhost:81", "[::1]:81"}
    proxied = _command.site_of(options("--url", "https://inspect.studio.com/"), 81)
    assert proxied.hosts == {"inspect.studio.com"} and proxied.token and proxied.is_encrypted
    assert not _command.site_of(options("--url", "https://a.com", "--no-token"), 81).token
    with pytest.raises(ValueError, match="--url"):
        _command.site_of(options("--no-token"), 81)
    with pytest.raises(ValueError, match="without a path"):
        _command.site_of(options("--url", "https://a.com/inspect"), 81)


def test_the_url_names_what_to_show():
    site = _command.site_of(options(), 81)
    url = _command.page_url(site, options("/a b.usda", "--join", "review"), 81)
    assert url == f"http://127.0.0.1:81/?token={site.token}&session=review&stage=%2Fa+b.usda"


def test_asyncio_sends_on_the_connections_without_delay():
    async def option() -> int:
        listening = _command.bound_socket("127.0.0.1", 0)
        connected: asyncio.Future[asyncio.StreamWriter] = asyncio.Future()
        server = await asyncio.start_server(
            lambda _, writer: connected.set_result(writer), sock=listening
        )
        _, client = await asyncio.open_connection(*listening.getsockname())
        made = (await connected).get_extra_info("socket")
        found = made.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        for writer in (client, await connected, server):
            writer.close()
        return int(found)

    assert asyncio.run(option()) != 0


def test_the_next_port_is_taken_if_one_is_in_use():
    first = _command.bound_socket("127.0.0.1", 0)
    port = first.getsockname()[1]
    with pytest.raises(ValueError, match=f"cannot listen on port {port}.*--port"):
        _command.bound_socket("127.0.0.1", port)
    first.close()
