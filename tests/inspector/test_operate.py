"""What the daemon does."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect


def test_shows_calls_caches_and_the_slowest_queries(show):
    page = show(panel="operate")
    expect(page.get_by_role("img", name=re.compile("Resident memory, now .* MiB"))).to_be_visible()
    slowest = page.get_by_role("region", name="Slowest queries of the last ten minutes")
    expect(slowest).to_contain_text("OpenStage")
    expect(slowest).to_contain_text("opened")
    expect(page.get_by_role("region", name="Caches")).to_contain_text("layers")
    expect(page.get_by_role("img", name=re.compile("Calls a second, now \\d"))).to_be_visible()


def test_is_there_without_a_stage(page: Page, inspector):
    page.goto(f"{inspector.origin}/")
    page.get_by_role("button", name="Daemon").click()
    expect(page.get_by_role("region", name="Methods")).to_be_visible()
    page.get_by_role("button", name="Stages").click()
    expect(page.get_by_role("heading", name="Open a stage")).to_be_visible()


def test_the_page_without_a_stage_lists_and_opens_stages(show, page: Page, inspector):
    show()
    page.get_by_role("button", name="Stages").click()
    page.get_by_role("link", name="stage_door/root.usda").first.click()
    expect(page.get_by_role("treeitem", name=re.compile("^Shot"))).to_be_visible()
    page.get_by_role("button", name="Stages").click()
    page.get_by_label("Root layer, as a path or URI").fill("/nowhere.usda")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text(
        "check the path; it is the daemon that opens it"
    )
