"""The figures of docs/inspector.md, on scenes of the benchmarks.

STAGEDOOR_BENCH_SCENES names a folder with city/root.usda and crowd/root.usda; without it, nothing
is measured. Prints what it measures: a machine that is busy with something else is not a reason to
fail.
"""

from __future__ import annotations

import os
import pathlib
import statistics
import time

import pytest
from conftest import STAGE_DOOR
from playwright.sync_api import Page, expect

SCENES = os.environ.get("STAGEDOOR_BENCH_SCENES", "")
pytestmark = pytest.mark.skipif(not SCENES, reason="STAGEDOOR_BENCH_SCENES names no scenes")
CITY = pathlib.Path(SCENES, "city/root.usda")
CROWD = pathlib.Path(SCENES, "crowd/root.usda")

# A function for all measurements: until(holds) resolves once it does, or fails after half a minute.
UNTIL = """const until = async (holds) => {
  const begin = performance.now();
  while (!holds()) {
    if (performance.now() - begin > 30000) throw new Error("it has not come");
    await new Promise((done) => setTimeout(done, 1));
  }
};"""

# Milliseconds since the navigation began until the page has an element.
SHOWN = f"""async (selector) => {{
  {UNTIL}
  await until(() => document.querySelector(selector));
  return performance.now();
}}"""

# Milliseconds from a press of a property's name to the explanation of its value.
EXPLAINED = f"""async (name) => {{
  {UNTIL}
  const buttons = [...document.querySelectorAll(".property-name")];
  const begin = performance.now();
  buttons.find((button) => button.textContent === name).click();
  const title = () => document.querySelector(".why-head h2")?.textContent;
  await until(() => title() === "Why " + name && document.querySelector(".why-content"));
  return performance.now() - begin;
}}"""

# Frames a second while the play head is moved on as soon as the last time is drawn.
SCRUBBED = """async (count) => {
  const slider = document.querySelector(".timebar input[type=range]");
  const canvas = document.querySelector(".viewport-area canvas");
  const drawn = (time) => new Promise((done) => {
    new MutationObserver((_, observer) => {
      if (canvas.dataset.time !== time) return;
      observer.disconnect();
      done();
    }).observe(canvas, { attributeFilter: ["data-time"] });
  });
  const begin = performance.now();
  for (let time = 2; time < 2 + count; time++) {
    slider.value = String(time);
    const coming = drawn(String(time));
    slider.dispatchEvent(new Event("input"));
    await coming;
  }
  return (count * 1000) / (performance.now() - begin);
}"""

# Frames a second that are drawn while it plays.
PLAYED = """async (seconds) => {
  const canvas = document.querySelector(".viewport-area canvas");
  const times = [];
  const observer = new MutationObserver(() => times.push(performance.now()));
  observer.observe(canvas, { attributeFilter: ["data-time"] });
  await new Promise((done) => setTimeout(done, seconds * 1000));
  observer.disconnect();
  return ((times.length - 1) * 1000) / (times.at(-1) - times[0]);
}"""

# Pictures a second of a canvas of the same size that is only cleared: the limit of the browser.
EMPTY = """async (seconds) => {
  const shown = document.querySelector(".viewport-area canvas");
  const canvas = shown.cloneNode();
  canvas.width = Math.floor(shown.clientWidth / 2);
  canvas.height = Math.floor(shown.clientHeight / 2);
  canvas.style.position = "absolute";
  canvas.style.top = "0";
  shown.parentElement.append(canvas);
  const context = canvas.getContext("webgl2", { antialias: false });
  const begin = performance.now();
  let count = 0;
  while (performance.now() - begin < seconds * 1000) {
    context.clearColor((count % 10) / 10, 0, 0, 1);
    context.clear(context.COLOR_BUFFER_BIT);
    count++;
    await new Promise(requestAnimationFrame);
  }
  const rate = (count * 1000) / (performance.now() - begin);
  canvas.remove();
  return rate;
}"""


def report(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with capsys.disabled():
        print(f"\ninspector: {text}; load {os.getloadavg()[0]:.1f}")


def heap(page: Page) -> float:
    """Megabytes of the page's objects and arrays, after the browser has collected garbage."""
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    found = tools.send("Runtime.getHeapUsage")
    return (found["usedSize"] + found.get("backingStorageSize", 0)) / 1e6


def opened(page: Page, url: str, selector: str) -> float:
    page.goto("about:blank")
    page.goto(url, wait_until="commit")
    return float(page.evaluate(SHOWN, selector))


def test_the_tree_of_the_city(page: Page, inspector, capsys):
    url = f"{inspector.origin}/?stage={CITY}&prim=/City/Region_1/District_2"
    rows = '.row[aria-level="4"]'
    first = opened(page, url, rows)
    times = [opened(page, url, rows) for _ in range(5)]
    report(
        capsys,
        f"tree of the city: {statistics.median(times):.0f} ms, "
        f"{first:.0f} ms when the daemon opens the stage",
    )
    page.get_by_role("searchbox").fill("room")
    expect(page.get_by_text("there are more")).to_be_visible()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("tree").focus()
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
    for _ in range(30):
        page.keyboard.press("PageDown")
    report(capsys, f"heap on the city: {heap(page):.0f} MB with 60 prims open and a search")


def test_why(page: Page, inspector, capsys):
    page.goto(f"{inspector.origin}/?stage={CITY}&prim=/City/Region_3/lighting_rig")
    page.get_by_role("button", name="inputs:intensity", exact=True).wait_for()
    names = ["inputs:radius", "inputs:exposure", "inputs:color", "inputs:intensity"]
    times = [float(page.evaluate(EXPLAINED, name)) for name in names * 3]
    report(capsys, f"why: {statistics.median(times):.0f} ms, at most {max(times):.0f} ms")


def test_a_part_of_the_city_in_the_viewport(page: Page, inspector, capsys):
    begin = time.monotonic()
    page.goto(f"{inspector.origin}/?stage={CITY}&panel=viewport")
    expect(page.locator(".viewport-status")).to_contain_text("too many", timeout=120_000)
    seconds = time.monotonic() - begin
    report(capsys, f"viewport of the city: full after {seconds:.1f} s, heap {heap(page):.0f} MB")


@pytest.mark.parametrize("stage", [CROWD, STAGE_DOOR], ids=["crowd", "demo scene"])
def test_scrubbing(page: Page, inspector, capsys, request, stage):
    page.goto(f"{inspector.origin}/?stage={stage}&panel=viewport&time=1")
    canvas = page.get_by_role("img", name="The stage")
    expect(canvas).to_have_attribute("data-time", "1", timeout=60_000)
    empty = float(page.evaluate(EMPTY, 2))
    page.evaluate(SCRUBBED, 5)  # the coarser shapes are made
    rates = [float(page.evaluate(SCRUBBED, 46)) for _ in range(3)]
    page.get_by_role("button", name="Play").click()
    played = [float(page.evaluate(PLAYED, 3)) for _ in range(3)]
    report(
        capsys,
        f"{request.node.callspec.id}: {statistics.median(rates):.1f} frames a second "
        f"while scrubbing, {statistics.median(played):.1f} while it plays; "
        f"an empty canvas: {empty:.1f}",
    )
