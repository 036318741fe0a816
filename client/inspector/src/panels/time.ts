// Attributes over time.

import { get, isAborted, post } from "../api";
import { button, fill, h } from "../dom";
import { aboutStage, affects, live, time, type Change } from "../live";
import { failure, report } from "../messages";
import { getPacked } from "../packed";
import { Panel } from "../panel";
import { go, place, type Place } from "../place";
import { onTheme } from "../theme";
import { fileName, valueElement, type Value } from "../values";
import { CurvePlot, type CurveHeader, type Residency } from "./curve";

interface Attribute {
  name: string;
  type: string;
  varies: boolean;
  numbers: boolean;
}

const MAX_PLOTS = 12;
const USUAL_PLOTS = 4; // of a prim, if the URL does not say which
const POINTS = 800;
const RESIDENCY_MILLISECONDS = 2000;

interface Shown {
  path: string;
  box: HTMLElement;
  value: HTMLElement;
  plot: CurvePlot | null;
}

export class TimePanel extends Panel {
  private readonly chooser = h("div", { class: "plot-chooser" });
  private readonly plots = h("div", { class: "plots" });
  private attributes: Attribute[] = [];
  private shown: Shown[] = [];
  private zoom: [number, number] | null = null;
  private drawn = ""; // what is drawn: the paths and the range
  private valueRun: AbortController | null = null;
  private timer = 0;

  constructor() {
    super("time", "Time");
    this.element.append(this.chooser, this.plots);
    onTheme(() => {
      for (const one of this.shown) one.plot?.draw();
    });
  }

  override update(now: Place, before: Place | null): void {
    if (!before || now.prim !== before.prim) void this.readAttributes();
    else if (now.plot !== before.plot) this.drawAll();
    else if (now.time !== before.time) this.showTime();
    this.timer ||= window.setInterval(() => void this.readResidency(), RESIDENCY_MILLISECONDS);
  }

  override changed(change: Change): void {
    if (!this.paths().some((path) => affects(change, path)) && !affects(change, place().prim)) return;
    this.drawn = "";
    void this.readAttributes();
  }

  override hide(): void {
    super.hide();
    window.clearInterval(this.timer);
    this.timer = 0;
    this.valueRun?.abort();
  }

  private async readAttributes(): Promise<void> {
    await this.run(this.chooser, "attributes", async (signal) => {
      const params = { ...aboutStage(), path: place().prim };
      this.attributes = (await get<{ attributes: Attribute[] }>("plottable", params, signal)).attributes;
      this.drawAll();
    });
  }

  // The attributes that are plotted: those of the URL, or else those of the prim that vary.
  private paths(): string[] {
    if (place().plot) return place().plot.split(" ").filter(Boolean).slice(0, MAX_PLOTS);
    const varying = this.attributes.filter((one) => one.varies);
    const numbers = varying.filter((one) => one.numbers);
    return (numbers.length ? numbers : varying).slice(0, USUAL_PLOTS).map((one) => `${place().prim}.${one.name}`);
  }

  private range(): [number, number] {
    if (this.zoom) return this.zoom;
    const first = live.info?.start ?? 0;
    const last = live.info?.end ?? first;
    return last > first ? [first, last] : [first, first + 1];
  }

  private drawAll(): void {
    this.drawChooser();
    const key = JSON.stringify([this.paths(), this.range(), live.info?.snapshot]);
    if (key === this.drawn) return this.showTime();
    this.drawn = key;
    for (const one of this.shown) one.plot?.destroy();
    this.shown = this.paths().map((path) => this.plotBox(path));
    fill(this.plots, ...this.shown.map((one) => one.box));
    if (!this.shown.length) {
      fill(this.plots, h("p", { class: "hint" }, "No attribute of the prim varies. Choose one above, or another prim."));
    }
    for (const one of this.shown) void this.readCurve(one);
    this.showTime();
  }

  private drawChooser(): void {
    const shown = new Set(this.paths());
    const boxes = this.attributes.map((one, i) => {
      const path = `${place().prim}.${one.name}`;
      const id = `plot-${i}`;
      const box = h("input", { type: "checkbox", id, set: { checked: shown.has(path) } });
      box.addEventListener("change", () => this.toggle(path, box.checked));
      return h("label", { for: id, class: one.varies ? "" : "row-dim" }, box, ` ${one.name}`);
    });
    fill(
      this.chooser,
      h("fieldset", {}, h("legend", {}, `Attributes of ${place().prim}`), ...boxes,
        !boxes.length && h("span", { class: "hint" }, "none that can be plotted")),
      this.zoom && button("Whole range", () => this.setZoom(null)),
    );
  }

  private toggle(path: string, on: boolean): void {
    const others = this.paths().filter((other) => other !== path);
    go({ plot: (on ? [...others, path] : others).join(" ") });
  }

  private setZoom(range: [number, number] | null): void {
    this.zoom = range;
    this.drawAll();
  }

  // --------------------------------------------------------------------------------------- plots

  private plotBox(path: string): Shown {
    const value = h("span", { class: "plot-value" });
    const remove = button("Remove", () => this.toggle(path, false), { "aria-label": `Remove the plot of ${path}` });
    const [prim, property] = path.split(".") as [string, string];
    const name = button(path, () => go({ prim, property, panel: "prim" }), { class: "link path", title: "Why?" });
    const box = h("section", { class: "plot-box", "aria-label": path }, h("div", { class: "plot-head" }, name, value, h("span", { class: "spring" }), remove));
    return { path, box, value, plot: null };
  }

  private async readCurve(one: Shown): Promise<void> {
    const [first, last] = this.range();
    const body = h("div", {});
    try {
      const curve = await getPacked<CurveHeader>("curve", { ...aboutStage(), path: one.path, first, last, count: POINTS });
      if (!this.shown.includes(one)) return;
      one.plot = new CurvePlot(
        curve,
        [first, last],
        (moved) => go({ time: String(Math.round(moved * 100) / 100) }, true),
        (range) => this.setZoom(range),
      );
      body.append(one.plot.element, ...legend(curve.header, one.plot.columns), samplesTable(one.plot));
      one.box.append(body);
      one.plot.draw();
      this.showTime();
      void this.readResidency();
    } catch (error) {
      if (!isAborted(error)) one.box.append(failure(error, () => {
        this.drawn = "";
        this.drawAll();
      }));
    }
  }

  private showTime(): void {
    for (const one of this.shown) one.plot?.showTime(Number(time()));
    void this.readValues();
  }

  // The values at the play head; what is asked for an earlier time is given up.
  private async readValues(): Promise<void> {
    this.valueRun?.abort();
    const mine = (this.valueRun = new AbortController());
    const prims = new Map<string, Shown[]>();
    for (const one of this.shown) {
      const prim = one.path.split(".")[0]!;
      prims.set(prim, [...(prims.get(prim) ?? []), one]);
    }
    try {
      await Promise.all(
        [...prims].map(async ([prim, ones]) => {
          const names = ones.map((one) => one.path.slice(prim.length + 1));
          const types = ones.map((one) => one.plot?.curve.header.type ?? "double[]");
          const body = { ...aboutStage(), path: prim, names, types, time: time() };
          const found = await post<{ values: { [name: string]: Value } }>("values", body, mine.signal);
          ones.forEach((one, i) => fill(one.value, valueElement(found.values[names[i]!])));
        }),
      );
    } catch (error) {
      if (!isAborted(error)) report(error);
    }
  }

  private async readResidency(): Promise<void> {
    const layers = new Set<string>();
    for (const one of this.shown) for (const clip of one.plot?.curve.header.clips ?? []) layers.add(clip.layer);
    if (!layers.size || document.hidden) return;
    try {
      const found = await post<{ clips: Residency }>("residency", { ...aboutStage(), layers: [...layers].slice(0, 1000) });
      for (const one of this.shown) {
        if (!one.plot) continue;
        one.plot.residency = found.clips;
        one.plot.redraw();
        const open = (one.plot.curve.header.clips ?? []).filter((clip) => found.clips[clip.layer]).length;
        const words = one.box.querySelector(".clip-state");
        if (words) words.textContent = `${open} of ${one.plot.curve.header.clips!.length} open in the daemon`;
      }
    } catch {
      // The bands stay as they are: the role may not ask about caches.
    }
  }
}

function legend(header: CurveHeader, columns: number): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (columns > 1) {
    parts.push(...["x", "y", "z", "w"].slice(0, columns).map((name, i) => h("span", { class: `key key-${i + 1}` }, name)));
  }
  if (!columns) parts.push(h("span", { class: "note" }, `samples only: ${header.type} cannot be plotted`));
  if (header.spline) parts.push(h("span", { class: "note" }, header.spline.problem?.message ?? `spline (${header.spline.curve}) with tangents`));
  else if (header.held) parts.push(h("span", { class: "note" }, "held until the next sample"));
  if (header.blocked?.length) parts.push(h("span", { class: "note" }, "hatched: blocked"));
  if (header.clips?.length) {
    parts.push(h("span", { class: "note" }, "value clips: "), h("span", { class: "note clip-state", role: "status" }));
  }
  return [h("div", { class: "plot-legend" }, ...parts)];
}

// The samples and clips of a plot in words and numbers, for those who cannot see the plot.
function samplesTable(plot: CurvePlot): HTMLElement {
  const { header, arrays } = plot.curve;
  const most = 500;
  const made = h("details", { class: "more" }, h("summary", {}, `Samples (${plot.knots.length})${header.clips?.length ? ` and clips (${header.clips.length})` : ""}`));
  made.addEventListener("toggle", () => {
    if (!made.open || made.childElementCount > 1) return;
    const values = arrays["knotValues"]?.data;
    const rows = Array.from({ length: Math.min(most, plot.knots.length) }, (_, i) => {
      const row = Array.from({ length: plot.columns }, (_, column) => values![i * plot.columns + column]!);
      return h("tr", {}, h("td", { class: "number" }, plot.knots[i]!), h("td", { class: "value" }, row.join(", ")));
    });
    made.append(
      h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Time"), h("th", { scope: "col" }, "Value"))), h("tbody", {}, ...rows)),
      h("ul", {}, ...(header.clips ?? []).map((clip) => h("li", {}, `${clip.start} – ${clip.end}: `, h("span", { class: "path", title: clip.layer }, fileName(clip.layer))))),
    );
    if (plot.knots.length > most) made.append(h("p", { class: "hint" }, `the first ${most} of ${plot.knots.length}`));
  });
  return made;
}
