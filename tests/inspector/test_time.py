"""Plots over time, and the play head."""

from __future__ import annotations

import re

from conftest import STAGE_DOOR
from playwright.sync_api import Page, expect

WIND = "/Shot/Curtain/Cloth.wind"


def plot(page: Page, path: str):
    return page.get_by_role("region", name=path)


def test_plots_what_varies_with_its_clips(show):
    page = show(prim="/Shot/Curtain/Cloth", panel="time", time="7")
    box = plot(page, WIND)
    expect(box.get_by_role("img")).to_have_attribute("aria-label", re.compile("6 value clips"))
    expect(box).to_contain_text("2.8685")
    expect(box).to_contain_text("6 of 6 open in the daemon")
    box.get_by_text("Samples (12)").click()
    expect(box.get_by_role("row", name="5 2.74")).to_be_visible()
    expect(box.get_by_text("curtain.009.usda")).to_be_visible()


def test_pressing_a_plot_moves_the_play_head(show):
    page = show(prim="/Shot/Curtain/Cloth", panel="time", time="7")
    expect(plot(page, WIND)).to_contain_text("6 of 6 open in the daemon")
    over = plot(page, WIND).locator(".u-over")
    box = over.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.down()
    expect(page).to_have_url(re.compile(r"time=24\.\d"))
    page.mouse.move(box["x"] + box["width"], box["y"] + 20)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"time=48(&|$)"))
    expect(page.get_by_role("textbox", name=re.compile("Time code"))).to_have_value("48")
    expect(page.get_by_role("button", name="Whole range")).to_have_count(0)


def test_dragging_with_shift_zooms(show):
    page = show(prim="/Shot/Curtain/Cloth", panel="time")
    expect(plot(page, WIND)).to_contain_text("6 of 6 open in the daemon")
    box = plot(page, WIND).locator(".u-over").bounding_box()
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 20, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(plot(page, WIND).get_by_text("Samples (3)")).to_be_visible()
    page.get_by_role("button", name="Whole range").click()
    expect(plot(page, WIND).get_by_text("Samples (12)")).to_be_visible()


def test_attributes_are_chosen_and_in_the_url(show):
    page = show(prim="/Shot/Camera", panel="time")
    expect(plot(page, "/Shot/Camera.focalLength")).to_be_visible()
    page.get_by_label("fStop", exact=True).check()
    expect(plot(page, "/Shot/Camera.fStop")).to_be_visible()
    page.get_by_role("button", name="Remove the plot of /Shot/Camera.focalLength").click()
    expect(plot(page, "/Shot/Camera.focalLength")).to_have_count(0)
    expect(page).to_have_url(re.compile("plot=.*fStop"))
    page.reload()
    expect(plot(page, "/Shot/Camera.fStop")).to_be_visible()


def test_plays(show):
    page = show(prim="/Shot/Camera", panel="time", time="1")
    page.keyboard.press("Space")
    expect(page.locator(".frame-rate")).to_contain_text(re.compile(r"\d+ fps"))
    expect(page).to_have_url(re.compile(r"time=(?!1(&|$))"))
    page.keyboard.press("Space")
    expect(page.locator(".frame-rate")).to_have_text("")
    page.keyboard.press(",")


def test_splines_blocks_and_odd_numbers(show, scenes):
    page = show(scenes.curves, prim="/A", panel="time")
    expect(plot(page, "/A.curve").get_by_role("img")).to_have_attribute(
        "aria-label", re.compile("a spline")
    )
    expect(plot(page, "/A.curve")).to_contain_text("spline (bezier) with tangents")
    expect(plot(page, "/A.steps")).to_contain_text("hatched: blocked")
    expect(plot(page, "/A.wild").get_by_role("img")).to_be_visible()


def test_a_prim_without_variation_says_so(show):
    page = show(STAGE_DOOR, prim="/Shot/Theatre", panel="time")
    expect(page.get_by_text("No attribute of the prim varies")).to_be_visible()
