"""The inspector behind a proxy with TLS, with the configurations of docs/inspector.md."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from conftest import PATIENCE, REPOSITORY, SCREEN, STAGE_DOOR, Inspector, row
from playwright.sync_api import Browser, Page, expect

HOST = "inspect.localhost"  # browsers know that it is this machine


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def documented(program: str) -> str:
    """The configuration in the documentation."""
    page = (REPOSITORY / "docs/inspector.md").read_text()
    found = re.search(rf"```{program}\n(.*?)```", page, re.DOTALL)
    assert found is not None
    return found[1]


def certificate(folder: pathlib.Path) -> None:
    made = folder / "inspect.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run(
        [*command, "-subj", f"/CN={HOST}", "-out", made, "-keyout", folder / "inspect.key"],
        check=True,
        capture_output=True,
    )
    both = made.read_text() + (folder / "inspect.key").read_text()
    (folder / "inspect.both").write_text(both)


def configured(program: str, folder: pathlib.Path, port: int, inner: int) -> str:
    """The documented configuration with other ports and files."""
    text = documented(program).replace("8390", str(inner)).replace("/etc/ssl/", f"{folder}/")
    text = text.replace("inspect.studio.com", HOST)
    if program == "haproxy":
        return text.replace(":443", f"127.0.0.1:{port}")
    temporary = "\n".join(
        f"    {name}_temp_path {folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;\n" if os.getuid() == 0 else ""
    text = text.replace("listen 443", f"listen 127.0.0.1:{port}")
    return (
        f"{user}daemon off;\npid {folder}/pid;\nerror_log {folder}/log;\nevents {{}}\n"
        f"http {{\n    access_log off;\n{temporary}\n{text}}}\n"
    )


@contextlib.contextmanager
def proxied(program: str, folder: pathlib.Path, port: int, inner: int) -> Iterator[None]:
    path = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
    if path is None or shutil.which("openssl") is None:
        pytest.skip(f"{program} or openssl is not installed")
    certificate(folder)
    file = folder / "proxy.conf"
    file.write_text(configured(program, folder, port, inner))
    arguments = ["-p", str(folder), "-c", str(file)] if program == "nginx" else ["-f", str(file)]
    running = subprocess.Popen([path, *arguments])
    try:
        while running.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
            time.sleep(0.05)
        assert running.poll() is None, "the proxy has ended"
        yield
    finally:
        running.terminate()
        running.wait(20)


@contextlib.contextmanager
def inspected(*arguments: str) -> Iterator[Inspector]:
    running = Inspector(*arguments)
    try:
        yield running
    finally:
        running.stop()


@pytest.mark.parametrize("program", ["nginx", "haproxy"])
def test_all_works_behind_a_proxy_with_tls(program, browser: Browser, daemon, tmp_path):
    port, inner = free_port(), free_port()
    origin = f"https://{HOST}:{port}"
    with (
        proxied(program, tmp_path, port, inner),
        inspected(daemon.address, f"--url={origin}", f"--port={inner}") as own,
        browser.new_context(viewport=SCREEN, ignore_https_errors=True) as context,
    ):
        context.set_default_timeout(PATIENCE)
        one, other = context.new_page(), context.new_page()
        one.goto(origin)
        expect(one.get_by_text("Open the URL that 'stagedoor inspect' has printed")).to_be_visible()
        assert own.origin == origin
        one.goto(own.url)
        cookies = context.cookies()
        assert cookies and all(cookie["secure"] and cookie["httpOnly"] for cookie in cookies)
        looks_and_edits(one, other, f"{origin}/?stage={STAGE_DOOR}&session=behind-{program}")


def looks_and_edits(one: Page, other: Page, place: str) -> None:
    """Frames arrive, and what one page edits is seen in the other one."""
    one.goto(f"{place}&panel=viewport&time=12")
    canvas = one.get_by_role("img", name="The stage")
    expect(canvas).to_have_attribute("data-time", "12")
    one.goto(f"{place}&prim=/Shot/Props/LampB")
    one.get_by_label("Variant of bulb").select_option("warm")
    other.goto(f"{place}&prim=/Shot/Props/LampB")
    expect(row(other, "LampB")).to_have_accessible_name(re.compile("bulb warm"))
    one.get_by_label("Variant of bulb").select_option("cold")
    expect(row(other, "LampB")).to_have_accessible_name(re.compile("bulb cold"))
