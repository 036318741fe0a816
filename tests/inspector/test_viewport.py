"""The stage as it looks."""

from __future__ import annotations

import re

from conftest import Gate, eventually, row
from playwright.sync_api import Page, expect

# The sizes that the browser has read of each answer with a frame.
FRAME_SIZES = """() => performance.getEntriesByType("resource")
  .filter((entry) => entry.name.includes("/api/frame"))
  .map((entry) => [entry.name, entry.encodedBodySize])"""


def canvas(page: Page):
    return page.get_by_role("img", name="The stage")


def shown(page: Page, at: str, prims: int = 9) -> None:
    expect(canvas(page)).to_have_attribute("data-time", at)
    expect(canvas(page)).to_have_attribute("data-prims", str(prims))


def picture(page: Page) -> bytes:
    expect(canvas(page)).to_have_attribute("data-detail", "all")
    return canvas(page).screenshot()


def expect_another_picture(page: Page, before: bytes) -> None:
    eventually(page, lambda: picture(page) != before)


def test_shows_the_frame_of_the_time_and_asks_only_for_what_changes(show):
    page = show(panel="viewport", time="12", view="/Shot/Camera")
    page.reload()
    shown(page, "12")
    before = picture(page)
    page.get_by_role("button", name=re.compile("One frame forward")).click()
    shown(page, "13")
    expect_another_picture(page, before)
    sizes = page.evaluate(FRAME_SIZES)
    first = max(size for url, size in sizes if "base=0" in url)
    later = max(size for url, size in sizes if "base=0" not in url)
    assert 0 < later < first / 2


def test_the_next_frame_is_read_ahead(show):
    page = show(panel="viewport", time="1")
    shown(page, "1")
    for at in "234":
        page.keyboard.press(".")
        shown(page, at)
    urls = "() => performance.getEntriesByType('resource').map((entry) => entry.name)"
    eventually(page, lambda: any("time=5&" in url for url in page.evaluate(urls)))
    expect(canvas(page)).to_have_attribute("data-time", "4")
    page.keyboard.press(".")
    shown(page, "5")
    page.keyboard.press(",")  # what was read ahead is not what is wanted
    shown(page, "4")
    page.get_by_role("button", name="First time").click()
    shown(page, "1")


def test_all_points_come_when_the_time_rests(show, scenes):
    page = show(scenes.waving, panel="viewport", time="1")
    shown(page, "1", 1)
    before = picture(page)
    for at in "23":
        page.keyboard.press(".")
        shown(page, at, 1)
    expect_another_picture(page, before)
    sizes = dict(page.evaluate(FRAME_SIZES))
    first = max(size for url, size in sizes.items() if "base=0" in url)
    coarse = [size for url, size in sizes.items() if "coarse=true" in url and "base=0" not in url]
    # The last ones have all points, for the picture that rests.
    assert coarse and min(coarse) < first / 4
    shown_at_once = show(scenes.waving, panel="viewport", time="3")
    shown(shown_at_once, "3", 1)
    all_points = picture(shown_at_once)
    page.keyboard.press(",")
    shown(page, "2", 1)
    page.keyboard.press(".")
    shown(page, "3", 1)
    eventually(page, lambda: picture(page) == all_points)


def test_a_click_selects_in_the_tree_and_back(show):
    page = show(panel="viewport", time="12", view="/Shot/Camera", prim="/")
    shown(page, "12")
    before = picture(page)
    area = canvas(page).bounding_box()
    page.mouse.click(area["x"] + area["width"] * 0.42, area["y"] + area["height"] * 0.75)
    expect(row(page, "Body")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile("prim=/Shot/Characters/Actor/Body"))
    expect_another_picture(page, before)  # the prim is marked
    page.get_by_role("button", name=re.compile("Show the chosen prim")).click()
    expect(page).to_have_url(re.compile("view=free:"))


def test_the_camera_is_chosen_and_in_the_url(show):
    page = show(panel="viewport", time="1")
    shown(page, "1")
    page.get_by_label("Camera", exact=True).select_option("/Shot/Camera")
    expect(page).to_have_url(re.compile("view=/Shot/Camera"))
    seen = picture(page)
    page.reload()
    shown(page, "1")
    expect(page.get_by_label("Camera", exact=True)).to_have_value("/Shot/Camera")
    assert len(seen) > 1000


def test_purposes_and_only_the_prim(show):
    page = show(panel="viewport", prim="/Shot/Theatre", time="1")
    shown(page, "1")
    page.get_by_label("render").uncheck()
    shown(page, "1", 8)
    page.get_by_label("only the prim").check()
    shown(page, "1", 3)
    expect(page).to_have_url(re.compile("scope=prim"))


def test_two_times_are_swiped(show):
    page = show(panel="viewport", time="1", view="/Shot/Camera")
    shown(page, "1")
    page.get_by_label("Swipe with").select_option("time")
    line = page.get_by_label("Where the two sides meet")
    expect(line).to_be_visible()
    expect(canvas(page)).to_have_attribute("data-swiped", "48")
    half = picture(page)
    line.focus()
    page.keyboard.press("Home")
    expect_another_picture(page, half)
    page.get_by_label("Swipe with").select_option("")
    expect(line).to_be_hidden()


def test_edits_are_seen(show):
    page = show(panel="edit", prim="/Shot/Curtain", time="1")
    page.get_by_role("button", name="Edit privately").click()
    page.get_by_role("tab", name="Viewport").click()
    shown(page, "1")
    page.get_by_role("tab", name="Prim").click()
    page.get_by_role("button", name="Deactivate").click()
    expect(row(page, "Curtain")).to_have_accessible_name(re.compile("inactive"))
    page.get_by_role("tab", name="Viewport").click()
    shown(page, "1", 8)


def test_bounds_are_shown_until_the_frame_has_come(show, page: Page):
    gate = Gate(page, "**/api/frame*")
    show(panel="viewport", time="1")
    expect(canvas(page)).to_have_attribute("data-boxes", re.compile("[1-9]"))
    empty = picture(page)
    gate.open()
    shown(page, "1")
    expect(canvas(page)).to_have_attribute("data-boxes", "0")
    expect_another_picture(page, empty)


def test_a_camera_that_is_gone_is_the_free_one(show):
    page = show(panel="viewport", time="1", view="/Nowhere")
    shown(page, "1")


def test_odd_geometry_does_no_harm(show, scenes, page: Page):
    show(scenes.geometry, panel="viewport")
    expect(canvas(page)).to_have_attribute("data-prims", "7")
