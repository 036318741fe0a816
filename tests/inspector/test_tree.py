"""The tree: lazy, virtual, used by keyboard, with what prims are."""

from __future__ import annotations

import re

from conftest import eventually, row
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


def test_a_prim_with_a_million_children_has_few_elements(show, scenes, page: Page):
    show(scenes.crowded, prim="/Many")
    tree = page.get_by_role("tree")
    row(page, "Many").click()
    page.keyboard.press("ArrowRight")
    expect(row(page, "P000000")).to_be_visible()
    tree.focus()
    page.keyboard.press("End")
    expect(row(page, f"P{scenes.CROWD - 1:06}")).to_be_visible()
    assert page.get_by_role("treeitem").count() < 100
    # All of the list is within reach of the scroll bar.
    for share, row_of_share in [(0, 0), (0.5, scenes.CROWD / 2), (1, scenes.CROWD)]:
        tree.evaluate(SCROLL, share)
        eventually(page, lambda wanted=row_of_share: abs(middle_row(page) - wanted) < 100)
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    heap = tools.send("Runtime.getHeapUsage")
    assert heap["usedSize"] + heap.get("backingStorageSize", 0) < 32 << 20


SCROLL = "(e, share) => { e.scrollTop = share * (e.scrollHeight - e.clientHeight); }"
# The number in the name of the row in the middle of those that have been read.
MIDDLE = r"""() => {
  const names = [...document.querySelectorAll(".tree .name")].map((e) => e.textContent);
  const numbers = names.filter((name) => /^P\d+$/.test(name)).map((name) => Number(name.slice(1)));
  return numbers[Math.floor(numbers.length / 2)] ?? -1000;
}"""


def middle_row(page: Page) -> int:
    return int(page.evaluate(MIDDLE))


def test_a_link_to_one_of_a_million_children_shows_it(show, scenes):
    page = show(scenes.crowded, prim="/Many/P777777", panel="prim")
    expect(row(page, "P777777")).to_have_attribute("aria-selected", "true")
    expect(row(page, "P777777")).to_be_visible()
    page.get_by_role("tree").focus()
    page.keyboard.press("ArrowUp")
    expect(row(page, "P777776")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowLeft")
    expect(row(page, "Many")).to_have_attribute("aria-selected", "true")


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
