// The stage as it looks: frames of the daemon, of which only what changed is sent.

import { get, isAborted } from "../api";
import { fill, h, iconButton, select, setText } from "../dom";
import { aboutStage, live, time, type Change } from "../live";
import { failure, report } from "../messages";
import { Panel } from "../panel";
import { go, place, type Place } from "../place";
import { isPlaying, nextTime } from "../player";
import { color, onTheme } from "../theme";
import { number } from "../units";
import type { Feed } from "../viewport/feed";
import type { CameraEntry } from "../viewport/frames";
import type { View } from "../viewport/view";

const PURPOSES = ["default", "render", "proxy", "guide"];
const SAID_EVERY = 250; // milliseconds
const CAMERAS_DELAY = 150; // milliseconds without a new time before cameras are read again

export class ViewportPanel extends Panel {
  private view: View | null = null;
  private left: Feed | null = null;
  private right: Feed | null = null;
  private cameras: CameraEntry[] = [];
  private purposes = new Set(["default", "render"]);
  private isFitted = false; // whether the free camera has been placed for the stage
  private shownStage = "";
  private arrivedTime: string | null = null; // of the newest frame; null until all of it has come
  private isNew = false; // whether it has not been drawn yet
  private said = 0; // when the status was written
  private shown: number[] = []; // when frames were drawn in the last second
  private timer = 0;
  private readonly bar = h("div", { class: "viewport-bar" });
  private readonly area = h("div", { class: "viewport-area" });
  private readonly status = h("p", { class: "viewport-status", role: "status" });
  private readonly problem = h("div", {});
  private readonly line = h("input", { type: "range", min: 0, max: 1, step: "any", class: "swipe-line", "aria-label": "Where the two sides meet", set: { value: "0.5" } });

  constructor() {
    super("viewport", "Viewport");
    this.element.classList.add("fills");
    this.element.append(this.bar, this.problem, this.area, this.status);
    this.area.append(this.line);
    this.line.addEventListener("input", () => this.view?.setSplit(Number(this.line.value)));
    onTheme(() => this.view?.setBackground(color("--view-back")));
  }

  override update(now: Place, before: Place | null): void {
    void this.show(now, before).catch((error: unknown) => fill(this.problem, failure(error, () => void this.show(now, null))));
  }

  override changed(_: Change): void {
    this.want();
    void this.readCameras();
  }

  override hide(): void {
    super.hide();
    this.left?.stop();
    this.right?.stop();
  }

  private async show(now: Place, before: Place | null): Promise<void> {
    await this.start();
    const stage = JSON.stringify([now.stage, now.load]);
    if (stage !== this.shownStage) {
      this.shownStage = stage;
      this.isFitted = false;
      this.arrivedTime = null;
      this.view!.left.clear();
      void this.showBoxes();
    }
    if (!before || now.view !== before.view) {
      this.applyCamera();
      this.showCameras();
    }
    if (!before || now.time !== before.time) this.readCamerasLater();
    if (!before || now.swipe !== before.swipe || now.scope !== before.scope) this.drawBar();
    if (!before || now.prim !== before.prim) {
      this.view!.left.select(now.prim);
      this.view!.draw();
    }
    this.want();
  }

  // Loads what draws, which is most of the page's code, when it is needed first.
  private async start(): Promise<void> {
    if (this.view) return;
    const [{ View }, { Feed }] = await Promise.all([import("../viewport/view"), import("../viewport/feed")]);
    if (this.view) return;
    const view = (this.view = new View(
      (path) => this.pick(path),
      () => go({ view: `free:${view.place}` }, true),
      () => this.drawn(),
      (done) => this.left!.refine(() => this.right!.refine(done)),
    ));
    view.canvas.setAttribute("aria-label", "The stage");
    view.canvas.setAttribute("role", "img");
    this.area.prepend(view.canvas);
    view.setBackground(color("--view-back"));
    const failed = (error: unknown): void => fill(this.problem, error ? failure(error, () => this.want()) : null);
    this.left = new Feed(view.left, (time) => this.arrived(time), failed, nextTime);
    this.right = new Feed(view.right, (time) => this.arrivedRight(time), failed);
    new ResizeObserver(() => view.resize(this.area.clientWidth, this.area.clientHeight)).observe(this.area);
  }

  // -------------------------------------------------------------------------------------- frames

  private want(): void {
    const { prim, scope, swipe } = place();
    const common = {
      path: scope === "prim" ? prim : "/",
      camera: "",
      purposes: PURPOSES.filter((name) => this.purposes.has(name)).join(","),
      snapshot: live.info?.snapshot ?? "",
    };
    this.left!.want({ ...common, about: aboutStage(), time: time() });
    const [kind, operand] = swipe.split(":") as [string, string?];
    this.line.hidden = !kind;
    if (!kind) {
      this.right!.stop();
      return this.view!.setSplit(null);
    }
    const about = kind === "base" ? { ...aboutStage(), session: "" } : aboutStage();
    this.right!.want({ ...common, about, time: kind === "time" ? operand || "default" : time() });
    this.view!.setSplit(Number(this.line.value));
  }

  // `now`: the time of the frame, when all of it has come.
  private arrived(now: string | null): void {
    const view = this.view!;
    const done = now !== null;
    view.left.select(place().prim);
    if (!this.isFitted && view.left.primCount) {
      if (!place().view) view.fit(view.left.bounds());
      this.isFitted = done;
    }
    if (done && this.arrivedTime === null) {
      this.drawBoxes([]);
      this.showCameras();
    }
    this.arrivedTime = now;
    this.isNew = true;
    view.draw();
  }

  private arrivedRight(now: string | null): void {
    this.view!.canvas.dataset["swiped"] = now ?? "";
    this.view!.draw();
  }

  // Called after each picture. Frames count when they are drawn, not when they arrive.
  private drawn(): void {
    const now = performance.now();
    if (this.isNew && this.arrivedTime !== null) this.shown.push(now);
    while (this.shown.length && this.shown[0]! < now - 1000) this.shown.shift();
    if (this.isNew) this.say();
    this.isNew = false;
  }

  private say(): void {
    const scene = this.view!.left;
    const { dataset } = this.view!.canvas;
    dataset["prims"] = String(scene.primCount);
    dataset["time"] = this.arrivedTime ?? "";
    // While it plays, a text that changes with each picture cannot be read.
    if (isPlaying() && performance.now() - this.said < SAID_EVERY) return;
    this.said = performance.now();
    const words = [`${number(scene.primCount)} prims${this.arrivedTime === null ? " so far…" : ""}`];
    if (scene.isCut) words.push("there are too many to show: choose a prim, and “only the prim”");
    if (this.shown.length > 1) words.push(`${this.shown.length} frames in the last second`);
    setText(this.status, words.join(" · "));
  }

  // Boxes stand for what has not come yet.
  private async showBoxes(): Promise<void> {
    try {
      const path = place().scope === "prim" ? place().prim : "/";
      const found = await get<{ boxes: (number | null)[][] }>("boxes", { ...aboutStage(), path, time: time() });
      const view = this.view!;
      if (view.left.primCount && this.isFitted) return;
      this.drawBoxes(found.boxes);
      if (!this.isFitted && !place().view) view.fit(view.left.bounds());
      view.draw();
    } catch (error) {
      if (!isAborted(error)) report(error);
    }
  }

  private drawBoxes(boxes: (number | null)[][]): void {
    this.view!.left.showBoxes(boxes);
    this.view!.canvas.dataset["boxes"] = String(boxes.length);
  }

  // -------------------------------------------------------------------------------------- camera

  private readCamerasLater(): void {
    window.clearTimeout(this.timer);
    // A camera that the viewport looks through is read at every time.
    if (place().view && !place().view.startsWith("free:")) void this.readCameras();
    else this.timer = window.setTimeout(() => void this.readCameras(), CAMERAS_DELAY);
  }

  private async readCameras(): Promise<void> {
    try {
      const found = await get<{ cameras: CameraEntry[] }>("cameras", { ...aboutStage(), time: time() });
      const same = found.cameras.length === this.cameras.length;
      this.cameras = found.cameras;
      if (!same) this.drawBar();
      this.applyCamera();
      this.showCameras();
    } catch (error) {
      if (!isAborted(error)) report(error);
    }
  }

  private applyCamera(): void {
    const wanted = place().view;
    if (!wanted || wanted.startsWith("free:")) {
      if (wanted) this.view!.place = wanted.slice(5);
      return this.view!.look(null);
    }
    this.view!.look(this.cameras.find((camera) => camera.path === wanted) ?? null);
  }

  // All cameras but the one that is looked through.
  private showCameras(): void {
    this.view!.left.showCameras(this.cameras.filter((camera) => camera.path !== place().view));
    this.view!.draw();
  }

  private pick(path: string | null): void {
    if (path) go({ prim: path, property: "" });
  }

  // ----------------------------------------------------------------------------------------- bar

  private drawBar(): void {
    const wanted = place().view.startsWith("free:") ? "" : place().view;
    const cameras: [string, string][] = [["", "Free camera"], ...this.cameras.map(({ path }): [string, string] => [path, path])];
    const only = h("input", { type: "checkbox", id: "view-only", set: { checked: place().scope === "prim" } });
    only.addEventListener("change", () => {
      this.isFitted = false;
      go({ scope: only.checked ? "prim" : "" });
    });
    fill(
      this.bar,
      select("Camera", cameras, wanted, (path) => go({ view: path })),
      iconButton("Show the chosen prim (f)", "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4M6 8h4M8 6v4", () => this.focus()),
      h("fieldset", { class: "purposes" }, h("legend", { class: "sr-only" }, "Purposes"), ...PURPOSES.map((name) => this.purposeBox(name))),
      h("label", { for: "view-only" }, only, " only the prim"),
      this.swipeChoice(),
    );
  }

  // Shows the chosen prim, or all if none is.
  focus(): void {
    const box = this.view?.left.select(place().prim) ?? this.view?.left.bounds();
    if (!box) return;
    this.view!.look(null);
    this.view!.fit(box);
    go({ view: `free:${this.view!.place}` }, true);
  }

  private purposeBox(name: string): HTMLElement {
    const box = h("input", { type: "checkbox", id: `purpose-${name}`, set: { checked: this.purposes.has(name) } });
    box.addEventListener("change", () => {
      if (box.checked) this.purposes.add(name);
      else this.purposes.delete(name);
      if (!this.purposes.size) this.purposes.add("default");
      this.drawBar();
      this.want();
    });
    return h("label", { for: `purpose-${name}` }, box, ` ${name}`);
  }

  private swipeChoice(): HTMLElement {
    const [kind, operand] = place().swipe.split(":") as [string, string?];
    const choices: [string, string][] = [["", "nothing"], ["time", "another time"]];
    if (place().session) choices.push(["base", "the stage without the session"]);
    const chosen = select("Swipe with", choices, kind, (value) => go({ swipe: value === "time" ? `time:${live.info?.end ?? 1}` : value }));
    const field = h("input", { type: "text", class: "time-field", "aria-label": "Time on the right", set: { value: operand ?? "" } });
    field.addEventListener("change", () => go({ swipe: `time:${field.value.trim()}` }));
    return h("span", {}, "Swipe with ", chosen, kind === "time" ? field : null);
  }
}

