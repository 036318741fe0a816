"""The pictures of docs/inspector.md: what the page looks like, within a tolerance.

tools/inspector_test.sh --screenshots writes them anew.
"""

from __future__ import annotations

import base64
import os
import pathlib
import re

import pytest
from conftest import REPOSITORY, STAGE_DOOR, settled
from palette import palette_png
from playwright.sync_api import Browser, Page, expect

IMAGES = REPOSITORY / "docs/images"
# Mean difference of colors, from 0 to 255, of pictures that are made small: fonts differ a little
# between machines, whereas a part that is missing differs a lot.
TOLERANCE = 4.0

COMPARE = """async ([one, other]) => {
  const [width, height] = [160, 90];
  const pixels = async (png) => {
    const image = new Image();
    image.src = "data:image/png;base64," + png;
    await image.decode();
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, width, height);
    return context.getImageData(0, 0, width, height).data;
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i]);
  return sum / a.length;
}"""

# Pictures show the folder of the demo scene as if it were the same everywhere.
REWRITE = """([from, to]) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.data.includes(from)) text.data = text.data.replaceAll(from, to);
  }
  for (const field of document.querySelectorAll("input")) {
    if (field.value.includes(from)) field.value = field.value.replaceAll(from, to);
  }
}"""

PIXELS = """async (png) => {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const data = context.getImageData(0, 0, image.width, image.height).data;
  let text = "";
  for (let at = 0; at < data.length; at += 8192) {
    text += String.fromCharCode(...data.subarray(at, at + 8192));
  }
  return [btoa(text), image.width, image.height];
}"""


def pixels(browser: Browser, png: bytes) -> tuple[bytes, int, int]:
    page = browser.new_page()
    text, width, height = page.evaluate(PIXELS, base64.b64encode(png).decode())
    page.close()
    return base64.b64decode(text), width, height


def difference(browser: Browser, one: bytes, other: bytes) -> float:
    page = browser.new_page()
    texts = [base64.b64encode(png).decode() for png in (one, other)]
    found = float(page.evaluate(COMPARE, texts))
    page.close()
    return found


def check(browser: Browser, page: Page, name: str, panel: str = "") -> None:
    """Compares what is shown with the picture of this name, or makes it."""
    settled(page, panel)
    page.wait_for_timeout(300)  # for what the browser draws itself, such as scroll bars
    page.evaluate(REWRITE, [str(STAGE_DOOR.parent), "/show/stage_door"])
    made = page.screenshot(animations="disabled")
    path = IMAGES / f"inspector_{name}.png"
    if "STAGEDOOR_SCREENSHOTS" in os.environ:
        small = palette_png(*pixels(browser, made))
        pathlib.Path(os.environ["STAGEDOOR_SCREENSHOTS"], path.name).write_bytes(small)
        return
    found = difference(browser, made, path.read_bytes())
    if found > TOLERANCE:
        folder = pathlib.Path(os.environ["STAGEDOOR_FAILED_PICTURES"])
        folder.mkdir(parents=True, exist_ok=True)
        failed = folder / path.name
        failed.write_bytes(made)
        pytest.fail(
            f"{failed} differs from {path} by {found:.1f}; if it is right, run "
            "tools/inspector_test.sh --screenshots"
        )


def test_search(browser, show):
    page = show(prim="/Shot/Props/LampA", panel="stage", find="lamp")
    page.locator(".facts dd").nth(1).evaluate("e => e.textContent = '6a6a74f5…'")
    check(browser, page, "tree")


def test_why(browser, show):
    page = show(prim="/Shot/Curtain/Cloth", property="wind", time="7")
    expect(page.locator(".line-marked").first).to_be_visible()
    check(browser, page, "why")


def test_arcs(browser, show):
    page = show(prim="/Shot/Props/LampB")
    page.get_by_text("Composition (").click()
    page.get_by_role("list", name="Arcs in order of strength").get_by_role("button").nth(1).click()
    page.locator(".arc-site summary").first.click()
    expect(page.locator(".line-marked").first).to_be_visible()
    page.get_by_text("Composition (").scroll_into_view_if_needed()
    check(browser, page, "arcs")


def test_time(browser, show, page):
    page.emulate_media(color_scheme="dark")
    show(prim="/Shot/Camera", panel="time", time="13")
    expect(page.get_by_role("img")).to_have_count(2)
    check(browser, page, "time", "time")


def test_viewport(browser, show):
    page = show(panel="viewport", time="12", prim="/Shot/Characters/Actor")
    canvas = page.get_by_role("img", name="The stage")
    expect(canvas).to_have_attribute("data-time", "12")
    check(browser, page, "viewport", "viewport")


def test_compare(browser, show):
    page = show(panel="compare", time="1", **{"with": "time:24"})
    expect(page.get_by_text("differences.")).to_be_visible()
    check(browser, page, "compare")


def test_edit(browser, show):
    page = show(prim="/Shot/Props/LampB", panel="edit")
    page.get_by_label("Name of a session").fill("pictures")
    page.get_by_role("button", name="Join or begin it").click()
    page.get_by_role("tab", name="Prim").click()
    page.get_by_label("Variant of bulb").select_option("warm")
    page.get_by_role("tab", name="Edit").click()
    expect(page.get_by_text('string bulb = "warm"')).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Undo: select"))).to_be_visible()
    check(browser, page, "edit")
    page.get_by_role("button", name=re.compile("^Undo: select")).click()


def test_operate(browser, show):
    page = show(panel="operate")
    expect(page.get_by_role("img", name=re.compile("Calls a second, now \\d"))).to_be_visible()
    if "STAGEDOOR_SCREENSHOTS" in os.environ:  # numbers and heights of rows are never the same
        page.wait_for_timeout(20_000)  # for curves of some length
        check(browser, page, "operate")
    expect(page.get_by_role("region", name="Caches")).to_be_visible()
