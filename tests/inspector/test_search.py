"""Searching as one types."""

from __future__ import annotations

import re

from conftest import row
from playwright.sync_api import Page, expect


def hits(page: Page):
    return page.get_by_role("list", name="Found").get_by_role("button")


def test_finds_while_typing_and_leads_to_the_prim(show):
    page = show()
    page.keyboard.press("/")
    page.keyboard.type("clo")
    expect(hits(page)).to_have_count(1)
    page.keyboard.press("Enter")
    expect(row(page, "Cloth")).to_have_attribute("aria-selected", "true")
    expect(page).to_have_url(re.compile("find=clo"))
    page.keyboard.press("Escape")
    expect(hits(page)).to_have_count(0)


def test_finds_types_properties_and_values(show):
    page = show(find="type:Mesh")
    expect(hits(page)).to_have_count(4)
    page.get_by_role("searchbox").fill("prop:focalLength value:>1")
    expect(hits(page)).to_have_count(1)
    expect(hits(page)).to_contain_text("focalLength")
    expect(hits(page)).to_contain_text("35")
    hits(page).click()
    expect(page).to_have_url(re.compile("property=focalLength"))


def test_is_used_by_keyboard(show):
    page = show(find="lamp")
    expect(hits(page)).to_have_count(3)
    page.get_by_role("searchbox").press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(row(page, "LampB")).to_have_attribute("aria-selected", "true")


def test_a_wrong_search_says_what_to_write(show):
    page = show(find="value:>much")
    expect(page.get_by_role("alert")).to_contain_text("write, say, value:>0.5")


def test_a_crowd_is_searched(show, scenes, page: Page):
    show(scenes.crowded, find="p19999")
    expect(page.get_by_text("10 found")).to_be_visible()
    page.get_by_role("searchbox").fill("p")
    expect(page.get_by_text("500 found; there are more")).to_be_visible()
