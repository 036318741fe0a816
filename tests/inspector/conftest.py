"""A daemon, the inspector, and a browser for the tests of the inspector."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Playwright,
    Route,
    expect,
    sync_playwright,
)

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "client/python/tests"))

from daemon import Daemon  # noqa: E402

STAGE_DOOR = REPOSITORY / "tests/data/stage_door/root.usda"
CHROMIUM = os.environ.get("STAGEDOOR_CHROMIUM", "/usr/bin/chromium")
# Milliseconds: on a busy machine, everything may take ten times as long.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE / 2)
# The smallest screen that the page is made for.
SCREEN = {"width": 1280, "height": 720}


class Inspector:
    """The program, as users start it."""

    def __init__(self, daemon: str, *arguments: str) -> None:
        command = [sys.executable, "-m", "stagedoor.inspect", "--no-browser", "--port=0"]
        self._process = subprocess.Popen(
            [*command, f"--address={daemon}", *arguments], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            found = re.search(r"https?://\S+/\?token=\S+", line)
            if found:
                self.url = found[0]
                break
        else:
            raise RuntimeError("the inspector did not start")
        self.origin = self.url.partition("/?")[0]

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)


@pytest.fixture(scope="session")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    running = Daemon(tmp_path_factory.mktemp("daemon"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def inspector(daemon: Daemon) -> Iterator[Inspector]:
    running = Inspector(daemon.address)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


# One for each file, so that tests of other files do not fail with it: on a busy machine, it has
# ended in the middle of the tests. With the last two arguments, it does not give up on graphics
# that are slow.
@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    running = playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=[
            "--no-sandbox",
            "--disable-gpu",
            "--enable-unsafe-swiftshader",
            "--disable-gpu-watchdog",
            "--disable-gpu-process-crash-limit",
        ],
    )
    yield running
    running.close()


@pytest.fixture
def context(browser: Browser, inspector: Inspector) -> Iterator[BrowserContext]:
    """A browser of a user who has opened the URL that the inspector has printed."""
    made = browser.new_context(viewport=SCREEN, reduced_motion="reduce", color_scheme="light")
    made.set_default_timeout(PATIENCE)
    page = made.new_page()
    page.goto(inspector.url)
    page.close()
    yield made
    made.close()


class Faults(list[str]):
    """What a page has reported: errors of scripts, and what its policy has refused."""


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture
def page(context: BrowserContext, faults: Faults) -> Iterator[Page]:
    """A page, which must not have reported errors at the end of the test."""
    made = context.new_page()
    made.on("pageerror", lambda error: faults.append(str(error)))
    # Answers with an error are what some tests ask for; the page shows them.
    made.on(
        "console",
        lambda message: (
            faults.append(message.text)
            if message.type == "error" and "server responded with a status of" not in message.text
            else None
        ),
    )
    yield made
    assert faults == []


Show = Callable[..., Page]


@pytest.fixture
def show(page: Page, inspector: Inspector) -> Show:
    """Goes to a place: show(panel="time", prim="/Shot")."""

    def shown(stage: object = STAGE_DOOR, **place: str) -> Page:
        page.goto(f"{inspector.origin}/?{urlencode({'stage': str(stage), **place})}")
        # A stage with a million prims takes a busy daemon minutes to open.
        page.get_by_role("treeitem").first.wait_for(timeout=5 * PATIENCE)
        return page

    return shown


def row(page: Page, name: str):
    """The row of the tree of a prim of this name."""
    return page.get_by_role("treeitem", name=re.compile(rf"^{re.escape(name)}(\s|$)"))


# Selectors of elements that a panel has once its content is there.
CONTENT = {
    "prim": ".line-marked",
    "time": ".plot-box .u-over",
    "viewport": "canvas[data-detail=all][data-time='12']",
    "compare": ".differences",
    "edit": ".compare-form",
    "stage": ".layers li",
    "operate": "section[aria-label=Caches] td",
}


def settled(page: Page, panel: str = "") -> None:
    """Waits until the panel has its content, and the page waits for no answer."""
    if panel:
        page.locator(CONTENT[panel]).first.wait_for()
    expect(page.locator(".busy")).to_have_attribute("data-requests", "0")


class Gate:
    """Holds back requests of a page whose URLs match, until it is opened."""

    def __init__(self, page: Page, pattern: str) -> None:
        self._held: list[Route] = []
        self._is_open = False
        page.route(pattern, lambda route: self._pass(route))

    def open(self) -> None:
        self._is_open = True
        for route in self._held:
            route.continue_()

    def _pass(self, route: Route) -> None:
        if self._is_open:
            route.continue_()
        else:
            self._held.append(route)


def eventually(page: Page, holds: Callable[[], bool]) -> None:
    """Waits until something holds that the page does not say."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < deadline, "it never holds"
        page.wait_for_timeout(50)


@pytest.fixture(scope="session")
def scenes(tmp_path_factory: pytest.TempPathFactory):
    from scenes import Scenes

    return Scenes(tmp_path_factory.mktemp("scenes"))
