"""Comparing stages and times."""

from __future__ import annotations

import re

from conftest import STAGE_DOOR
from playwright.sync_api import expect


def test_two_times(show):
    page = show(panel="compare", time="1", prim="/Shot/Camera")
    page.get_by_label("time ", exact=True).fill("24")
    page.get_by_label("only /Shot/Camera and below").check()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text("2 differences.")).to_be_visible()
    line = page.get_by_role("row", name=re.compile("^focalLength"))
    expect(line.locator("td").nth(1)).to_have_text("50")
    expect(line.locator("td").nth(2)).to_have_text("35")
    expect(page).to_have_url(re.compile("with=time:24"))
    page.get_by_role("button", name=re.compile("^focalLength")).click()
    expect(page.get_by_role("region", name="Why")).to_contain_text("35")


def test_two_stages_from_the_url(show):
    lamp = STAGE_DOOR.parent / "assets/lamp.usda"
    page = show(panel="compare", **{"with": f"stage:{lamp}"})
    expect(page.get_by_text(re.compile(r"^\d+ differences\.$"))).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^prim missing"))).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^defaultPrim"))).to_contain_text("/Lamp")


def test_two_snapshots(show):
    page = show(prim="/Shot/Props/LampB", panel="edit")
    page.get_by_role("button", name="Edit privately").click()
    page.get_by_role("tab", name="Prim").click()
    page.get_by_label("Variant of bulb").select_option("warm")
    # The page has heard of the change before the panel is opened for the first time.
    expect(page.get_by_role("treeitem", name=re.compile("LampB.*bulb warm"))).to_be_visible()
    page.get_by_role("tab", name="Compare").click()
    page.get_by_label("Compare with").select_option("snapshot")
    page.get_by_role("button", name="Compare", exact=True).click()
    selection = page.get_by_role("row", name=re.compile("cold.*warm"))
    expect(selection.first).to_be_visible()
    expect(page).to_have_url(re.compile("with=snapshot:"))


def test_without_an_earlier_snapshot_nothing_is_compared(show):
    page = show(panel="compare")
    page.get_by_label("Compare with").select_option("snapshot")
    expect(page.get_by_text("the stage has not changed since")).to_be_visible()
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_disabled()


def test_equal_sides_say_so(show):
    page = show(panel="compare", **{"with": f"stage:{STAGE_DOOR}"})
    expect(page.get_by_text("0 differences.")).to_be_visible()


def test_a_stage_that_is_missing_says_so(show):
    page = show(panel="compare", **{"with": "stage:/nowhere.usda"})
    expect(page.get_by_role("alert")).to_contain_text("/nowhere.usda")
