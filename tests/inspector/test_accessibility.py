"""Accessibility (WCAG AA by axe-core), dark and light, the smallest screen, and a hostile scene."""

from __future__ import annotations

import os
import pathlib

import pytest
from conftest import STAGE_DOOR, Gate, row, settled
from playwright.sync_api import Browser, Page, expect

AXE = pathlib.Path(os.environ.get("AXE", "")).absolute()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
PLACES = {
    "prim": {"prim": "/Shot/Curtain/Cloth", "property": "wind", "time": "7"},
    "time": {"prim": "/Shot/Curtain/Cloth", "time": "7"},
    "viewport": {"time": "12"},
    "compare": {"with": "time:24", "time": "1"},
    "edit": {},
    "stage": {},
    "operate": {},
}


def problems(page: Page) -> list[str]:
    """What axe-core finds: the rules, and where they are broken."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: AXE does not name it")
    # Through the debugger, since the policy of the page permits no foreign script.
    page.evaluate(AXE.read_text(encoding="utf-8") + "; window.axe = axe; null")
    found = page.evaluate(
        "rules => axe.run(document, {runOnly: {type: 'tag', values: rules}})", RULES
    )
    return [
        f"{violation['id']}: {[node['html'][:160] for node in violation['nodes'][:3]]}"
        for violation in found["violations"]
    ]


@pytest.mark.parametrize("colors", ["light", "dark"])
@pytest.mark.parametrize("panel", PLACES)
def test_panels_are_accessible(show, page: Page, panel, colors):
    page.emulate_media(color_scheme=colors)
    show(panel=panel, find="lamp", **PLACES[panel])
    settled(page, panel)
    assert problems(page) == []


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_the_graph_of_arcs_is_accessible(show, page: Page, colors):
    page.emulate_media(color_scheme=colors)
    show(prim="/Shot/Props/LampB")
    page.get_by_text("Composition (").click()
    page.get_by_role("button", name="2: reference to /Lamp").click()
    settled(page)
    assert problems(page) == []


def test_the_page_without_a_stage_is_accessible(page: Page, inspector):
    page.goto(f"{inspector.origin}/")
    expect(page.get_by_role("heading", name="Open a stage")).to_be_visible()
    settled(page)
    assert problems(page) == []


def test_keys_are_listed(show):
    page = show()
    page.get_by_role("tree").focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("The search")
    assert problems(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_panels_are_chosen_by_keyboard(show):
    page = show()
    page.get_by_role("tree").focus()
    page.keyboard.press("2")
    expect(page.get_by_role("tab", name="Time")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Time").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Viewport")).to_be_focused()
    border = page.get_by_role("separator")
    expect(border).to_have_attribute("aria-valuenow", "400")
    border.focus()
    page.keyboard.press("ArrowRight")
    expect(border).to_have_attribute("aria-valuenow", "420")


def test_colors_are_chosen(show):
    page = show()
    page.get_by_role("button", name="Colors: system").click()
    page.get_by_role("button", name="Colors: light").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.get_by_role("button", name="Colors: dark")).to_be_visible()


@pytest.mark.parametrize("panel", PLACES)
def test_nothing_is_cut_off_on_the_smallest_screen(show, panel):
    page = show(panel=panel, **PLACES[panel])
    settled(page, panel)
    size = page.evaluate("[document.documentElement.scrollWidth, document.body.scrollHeight]")
    assert size[0] <= 1280 and size[1] <= 720
    panel_width = "e => e.scrollWidth - e.clientWidth"
    assert page.locator(".panel-body").evaluate(panel_width) <= 1


def test_markup_does_no_harm_in_any_panel(show, scenes, page: Page):
    for panel in PLACES:
        show(scenes.malicious, panel=panel, prim="/World", **{"with": f"stage:{STAGE_DOOR}"})
        settled(page)
        assert page.evaluate("window.broken") is None, panel
        assert page.locator("#app img, #app script").count() == 0, panel


def test_a_waiting_page_says_so(show):
    page = show(prim="/Shot")
    gate = Gate(page, "**/api/children*")
    row(page, "Shot").locator(".chevron").click()
    busy = page.get_by_role("progressbar", name="Waiting for the daemon")
    expect(busy).to_be_visible()
    gate.open()
    expect(busy).to_be_hidden()


def test_a_page_whose_inspector_has_ended_says_what_to_do(browser: Browser, daemon):
    from conftest import Inspector

    own = Inspector(daemon.address)
    page = browser.new_page()
    page.goto(own.url)
    page.goto(f"{own.origin}/?stage={STAGE_DOOR}")
    page.get_by_role("treeitem").first.wait_for()
    own.stop()
    expect(page.get_by_text("not connected")).to_be_visible()
    row(page, "Shot").click()
    expect(page.get_by_text("start it again and open the URL it prints").first).to_be_visible()
    page.close()


def test_a_page_without_the_token_says_where_it_is(browser: Browser, inspector):
    page = browser.new_page()
    page.goto(f"{inspector.origin}/?stage={STAGE_DOOR}")
    expect(page.get_by_text("Open the URL that 'stagedoor inspect' has printed")).to_be_visible()
    page.close()
