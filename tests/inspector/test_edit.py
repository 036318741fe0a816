"""Editing in sessions, with two browsers."""

from __future__ import annotations

import re

from conftest import STAGE_DOOR, row
from playwright.sync_api import Page, expect


def begin(page: Page, name: str = "") -> None:
    page.get_by_role("tab", name="Edit").click()
    if name:
        page.get_by_label("Name of a session").fill(name)
        page.get_by_role("button", name="Join or begin it").click()
    else:
        page.get_by_role("button", name="Edit privately").click()
    expect(page.get_by_role("heading", name=name or "A private session")).to_be_visible()


def test_a_value_is_set_undone_and_exported(show):
    page = show(prim="/Shot/Camera", time="1")
    begin(page)
    page.get_by_role("tab", name="Prim").click()
    page.get_by_role("button", name="focalLength", exact=True).click()
    field = page.get_by_label("Value of /Shot/Camera.focalLength")
    expect(field).to_have_value("35")
    field.fill("99")
    page.get_by_label("sample at 1").check()
    page.get_by_role("button", name="Set", exact=True).click()
    why = page.get_by_role("region", name="Why")
    expect(why.locator(".why-value")).to_contain_text("99")
    expect(why.locator(".opinion").first).to_contain_text("wins")
    page.get_by_role("tab", name="Edit").click()
    expect(page.get_by_text("float focalLength.timeSamples = {")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as usda").click()
    assert download.value.suggested_filename == "root.session.usda"
    assert "1: 99" in download.value.path().read_text()
    page.get_by_role("button", name="Undo: set focalLength").click()
    expect(page.get_by_text("0 edits can be undone")).to_be_visible()
    page.get_by_role("tab", name="Prim").click()
    expect(why.locator(".why-value")).to_contain_text("35")


def test_two_browsers_see_the_same_session(show, context):
    page = show(prim="/Shot/Props/LampB")
    begin(page, "review")
    other = context.new_page()
    other.goto(page.url.replace("panel=edit", "panel=prim"))
    expect(other.get_by_label("Variant of bulb")).to_have_value("cold")
    page.get_by_role("tab", name="Prim").click()
    page.get_by_label("Variant of bulb").select_option("warm")
    expect(other.get_by_label("Variant of bulb")).to_have_value("warm")
    expect(row(other, "LampB")).to_have_accessible_name(re.compile("bulb warm"))
    other.keyboard.press("u")
    expect(page.get_by_label("Variant of bulb")).to_have_value("cold")
    other.close()


def test_prims_are_deactivated_unloaded_and_reverted(show):
    page = show(prim="/Shot/Theatre")
    begin(page)
    page.get_by_role("tab", name="Prim").click()
    page.get_by_role("button", name="Unload").click()
    expect(row(page, "Theatre")).to_have_accessible_name(re.compile("payload not loaded"))
    page.get_by_role("button", name="Load", exact=True).click()
    expect(row(page, "Theatre")).not_to_have_accessible_name(re.compile("not loaded"))
    page.get_by_role("button", name="Deactivate").click()
    expect(row(page, "Theatre")).to_have_accessible_name(re.compile("inactive"))
    page.get_by_role("button", name="Revert").click()
    expect(row(page, "Theatre")).not_to_have_accessible_name(re.compile("inactive"))


def test_layers_are_muted_and_the_session_compared_with_the_stage(show):
    page = show(time="24")
    begin(page)
    page.get_by_role("button", name=re.compile("^Mute .*animation.usda")).click()
    expect(page.get_by_role("button", name=re.compile("^Unmute .*animation.usda"))).to_be_visible()
    page.get_by_role("tab", name="Compare").click()
    page.get_by_label("Compare with").select_option("base")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text(re.compile(r"^[1-9]\d* differences\.$"))).to_be_visible()
    page.get_by_role("tab", name="Edit").click()
    page.get_by_role("button", name="End the session").click()
    expect(page.get_by_role("button", name="Edit privately")).to_be_visible()
    expect(page).not_to_have_url(re.compile("session="))


def test_a_wrong_value_says_what_to_write(show):
    page = show(prim="/Shot/Camera", property="focalLength")
    begin(page)
    page.get_by_role("tab", name="Prim").click()
    page.get_by_label("Value of /Shot/Camera.focalLength").fill("much")
    page.get_by_role("button", name="Set", exact=True).click()
    expect(page.locator(".message-error")).to_contain_text("write it as it is shown")


def test_what_is_only_looked_at_has_no_editors(show):
    page = show(STAGE_DOOR, prim="/Shot/Props/LampB", property="kind")
    expect(page.get_by_role("button", name="Deactivate")).to_have_count(0)
    expect(page.get_by_label("Variant of bulb")).to_have_count(0)
