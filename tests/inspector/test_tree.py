"""The tree: lazy, virtual, used by keyboard, with what prims are."""

from __future__ import annotations

import re

from conftest import row
from playwright.sync_api import Page, expect
from scenes import MARKUP


def test_opens_and_closes_by_mouse(show):
    page = show()
    row(page, "Shot").locator(".chevron").click()
    expect(row(page, "Theatre")).to_be_visible()
    row(page, "Shot").locator(".chevron").click()
    expect(row(page, "Theatre")).to_have_count(0)


def test_is_used_by_keyboard(show):
    page = show()
    page.get_by_role("tree").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(row(page, "Theatre")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("End")
    expect(row(page, "Lights")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowLeft")
    expect(row(page, "Shot")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowLeft")
    expect(row(page, "Theatre")).to_have_count(0)


def test_says_what_prims_are(show):
    page = show(prim="/Shot/Props/LampA")
    lamp = row(page, "LampA")
    expect(lamp).to_have_accessible_name(re.compile("component.*instance"))
    expect(row(page, "Theatre")).to_have_accessible_name(re.compile("payload"))


def test_url_opens_the_prim_and_follows_the_selection(show):
    page = show(prim="/Shot/Curtain/Cloth")
    expect(row(page, "Cloth")).to_have_attribute("aria-selected", "true")
    row(page, "Camera").click()
    expect(page).to_have_url(re.compile("prim=/Shot/Camera"))
    page.go_back()
    expect(row(page, "Cloth")).to_have_attribute("aria-selected", "true")


def test_a_prim_with_many_children_has_few_elements(show, scenes, page: Page):
    show(scenes.crowded, prim="/Many")
    tree = page.get_by_role("tree")
    row(page, "Many").click()
    page.keyboard.press("ArrowRight")
    expect(row(page, "P000000")).to_be_visible()
    tree.focus()
    page.keyboard.press("End")
    expect(row(page, f"P{scenes.CROWD - 1:06}")).to_be_visible()
    assert page.get_by_role("treeitem").count() < 100


def test_markup_of_a_scene_is_text(show, scenes, page: Page):
    show(scenes.malicious, prim="/World", panel="stage")
    expect(row(page, "World")).to_have_accessible_name(re.compile(re.escape(MARKUP)))
    expect(page.get_by_text("</script><script>").first).to_be_visible()
    assert page.locator("img").count() == 0 and page.evaluate("window.broken") is None


def test_composition_errors_are_badges(show, scenes, page: Page):
    show(scenes.broken)
    expect(row(page, "World")).to_have_accessible_name(re.compile("1 composition error"))
    page.get_by_role("tab", name="Stage").click()
    expect(page.get_by_text("missing.usda").first).to_be_visible()
