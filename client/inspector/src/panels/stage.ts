// The stage as a whole: times, layers, metadata and composition errors.

import { get } from "../api";
import { button, fill, h } from "../dom";
import { aboutStage, live, type Change, type Field, type Site, type StageInfo } from "../live";
import { Panel } from "../panel";
import { go } from "../place";

interface Errors {
  total: number;
  errors: { type: string; path: string; message: string }[];
}

const ERRORS = 100; // of a page

export class StagePanel extends Panel {
  private shown = "";

  constructor() {
    super("stage", "Stage");
  }

  override update(): void {
    const info = live.info!;
    if (this.shown === info.snapshot) return;
    this.shown = info.snapshot;
    const errors = h("section", {}, h("h2", {}, "Composition errors"));
    const list = h("div", {});
    errors.append(list);
    fill(this.element, facts(info), layers(info), errors, metadata(info.metadata));
    void this.run(list, "composition errors", (signal) => showErrors(list, 0, signal));
  }

  override changed(_: Change): void {
    this.update();
  }
}

function facts(info: StageInfo): HTMLElement {
  const rows: [string, string][] = [
    ["Root layer", info.root],
    ["Snapshot", info.snapshot],
    ["Default prim", info.defaultPrim || "none"],
    ["Times", info.start === null ? "none authored" : `${info.start} – ${info.end ?? ""}`],
    ["Time codes per second", String(info.timeCodesPerSecond)],
    ["Frames per second", String(info.framesPerSecond)],
    ["Meters per unit", String(info.metersPerUnit)],
    ["Up axis", info.upAxis],
    ["Payloads", info.load === "none" ? "loaded on demand" : "all loaded"],
  ];
  return h(
    "section",
    {},
    h("h2", {}, "Stage"),
    h("dl", { class: "facts" }, ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])),
  );
}

function layers(info: StageInfo): HTMLElement {
  const muted = new Set(info.muted);
  const more = info.layerCount - info.layers.length;
  return h(
    "section",
    {},
    h("h2", {}, "Layer stack, strongest first"),
    h(
      "ol",
      { class: "layers" },
      ...info.layers.map((site: Site) =>
        h(
          "li",
          {},
          h("span", { class: "path" }, site.layer),
          site.offset && h("span", { class: "note" }, `offset × scale: ${site.offset}`),
          muted.has(site.layer) && h("span", { class: "note" }, "muted"),
        ),
      ),
    ),
    more > 0 && h("p", { class: "hint" }, `${more} more`),
  );
}

function metadata(fields: Field[]): HTMLElement {
  return h(
    "section",
    {},
    h("h2", {}, "Metadata"),
    h(
      "dl",
      { class: "facts" },
      ...fields.flatMap((field) => [h("dt", {}, field.name), h("dd", { class: "value" }, field.text)]),
    ),
  );
}

async function showErrors(list: HTMLElement, offset: number, signal: AbortSignal): Promise<void> {
  const found = await get<Errors>("errors", { ...aboutStage(), offset, limit: ERRORS }, signal);
  if (!offset) fill(list, !found.total && h("p", { class: "hint" }, "None."));
  else list.lastElementChild?.remove();
  for (const error of found.errors) {
    list.append(
      h(
        "div",
        { class: "problem" },
        button(error.path, () => go({ prim: error.path }), { class: "link path" }),
        h("span", { class: "note" }, error.type),
        h("p", {}, error.message),
      ),
    );
  }
  const next = offset + found.errors.length;
  if (next < found.total) {
    list.append(button(`More (${found.total - next})`, () => void showErrors(list, next, signal)));
  }
}
