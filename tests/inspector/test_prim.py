"""The prim: its properties, and why they have their values."""

from __future__ import annotations

import re

from conftest import row
from playwright.sync_api import Page, expect


def value_of(page: Page, name: str):
    return page.get_by_role("row", name=re.compile(rf"^{re.escape(name)} ")).locator(
        ".property-value"
    )


def test_values_follow_the_time(show):
    page = show(prim="/Shot/Camera", time="1")
    expect(value_of(page, "focalLength")).to_have_text("35")
    page.get_by_role("button", name=re.compile("One frame forward")).click()
    expect(value_of(page, "focalLength")).not_to_have_text("35")
    expect(page).to_have_url(re.compile("time=2"))
    page.get_by_role("textbox", name=re.compile("Time code")).fill("12.5")
    page.keyboard.press("Enter")
    expect(value_of(page, "focalLength")).to_have_text("42.5")


def test_why_shows_the_opinions_and_the_lines_of_layers(show):
    page = show(prim="/Shot/Curtain/Cloth", time="7")
    page.get_by_role("button", name="wind", exact=True).click()
    why = page.get_by_role("region", name="Why")
    expect(why).to_contain_text("2.8685")
    expect(why).to_contain_text("interpolated between the samples at 5 and 9")
    expect(why.locator(".outcome").nth(0)).to_have_text("says nothing about the value")
    expect(why.locator(".outcome").nth(1)).to_have_text("wins")
    expect(why.locator(".line-marked").last).to_contain_text("double wind.timeSamples = {")
    expect(page).to_have_url(re.compile("property=wind"))
    why.get_by_text("How it was found").click()
    expect(why.get_by_text("active clip 0")).to_be_visible()


def test_why_names_what_loses(show, scenes):
    page = show(scenes.opinions, prim="/A", property="size")
    why = page.get_by_role("region", name="Why")
    expect(why.locator(".outcome")).to_have_text(["wins", "is weaker than what wins"])
    expect(why.locator(".opinion").nth(1)).to_contain_text("9")
    why.locator(".opinion").nth(1).locator("summary").click()
    expect(why.locator(".opinion").nth(1).locator(".line-marked")).to_contain_text(
        "double size = 9"
    )


def test_properties_are_filtered(show):
    page = show(prim="/Shot/Curtain/Cloth")
    page.get_by_role("textbox", name="Show properties").fill("wind")
    expect(page.locator(".properties tbody tr")).to_have_count(1)
    page.get_by_role("textbox", name="Show properties").fill("")
    page.get_by_label("authored only").check()
    expect(page.get_by_role("button", name="purpose", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="points", exact=True)).to_be_visible()


def test_composition_in_order_of_strength(show):
    page = show(prim="/Shot/Props/LampB")
    page.get_by_text("Composition (").click()
    arcs = page.get_by_role("list", name="Arcs in order of strength").get_by_role("button")
    expect(arcs.first).to_have_accessible_name(re.compile("^1: root to /Shot/Props/LampB in"))
    expect(arcs.nth(1)).to_have_accessible_name(re.compile("^2: .* to .* from /Shot/Props/LampB"))
    expect(page.locator(".arc-box svg .edge")).to_have_count(arcs.count() - 1)
    specs = page.locator(".arc-site")
    total = specs.count()
    specs.last.locator("summary").click()
    expect(page.locator(".arc-site .line-marked").first).to_be_visible()
    arcs.first.press("Enter")
    expect(arcs.first).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("heading", name="Specs at the chosen site")).to_be_visible()
    assert 0 < specs.count() < total
    arcs.first.press("Enter")
    expect(specs).to_have_count(total)


def test_the_graph_of_arcs_is_used_by_keyboard(show, scenes):
    page = show(scenes.arcs, prim="/Hero")
    page.get_by_text("Composition (").click()
    arcs = page.get_by_role("list", name="Arcs in order of strength").get_by_role("button")
    names = ["root to /Hero", "inherit to /Class", "reference to /Model", "reference to /Base"]
    expect(arcs).to_have_count(4)
    for i, name in enumerate(names):
        expect(arcs.nth(i)).to_have_accessible_name(re.compile(rf"^{i + 1}: {name}"))
    expect(arcs.nth(3)).to_have_accessible_name(re.compile("from /Model"))
    arcs.first.focus()
    for key, at in [("ArrowRight", 1), ("ArrowDown", 2), ("ArrowRight", 3), ("ArrowLeft", 2)]:
        page.keyboard.press(key)
        expect(arcs.nth(at)).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("Space")
    expect(page.locator(".arc-head .path")).to_have_text(["/Base"])


def test_material_and_lights(show):
    page = show(prim="/Shot/Theatre/Wall")
    page.get_by_text("Material, lights and bounds").click()
    expect(page.get_by_role("button", name="/Shot/Theatre/Looks/Plaster").first).to_be_visible()
    page.get_by_role("button", name="/Shot/Theatre/Looks/Plaster").first.click()
    expect(row(page, "Plaster")).to_have_attribute("aria-selected", "true")
    # The tree is ahead of the panel, which has to ask.
    expect(page.locator(".prim-head strong")).to_have_text("Material")
    page.get_by_text("Material, lights and bounds").click()
    expect(page.get_by_text("UsdPreviewSurface")).to_be_visible()


def test_targets_are_links(show):
    page = show(prim="/Shot/Curtain/Cloth")
    page.get_by_role("button", name="/Shot/Curtain/Looks/Velvet").click()
    expect(row(page, "Velvet")).to_have_attribute("aria-selected", "true")


def test_a_malicious_prim_is_text(show, scenes, page: Page):
    show(scenes.malicious, prim="/World", property="markup")
    expect(value_of(page, "markup")).to_contain_text("<img src=x")
    expect(value_of(page, "long")).to_contain_text("characters)")
    expect(value_of(page, "bidi")).to_contain_text("\\u202e")
    expect(value_of(page, "notANumber")).to_have_text('"nan"')
    expect(page.get_by_role("region", name="Why")).to_contain_text("<img src=x")
    assert page.locator("img").count() == 0 and page.evaluate("window.broken") is None


def test_a_prim_that_is_missing_says_so(show):
    page = show(prim="/Shot/Nobody")
    expect(page.get_by_role("alert")).to_contain_text("no prim at '/Shot/Nobody'")
    expect(page.get_by_role("alert")).to_contain_text("look for it in the tree")
