// Why a property has its value: the opinions in order of strength, and the text of their layers.

import { get } from "../api";
import { button, fill, h } from "../dom";
import { aboutStage, time, type Site } from "../live";
import { failure } from "../messages";
import { fileName, sourceWords, valueElement, type Value } from "../values";

export interface Opinion {
  site: Site;
  outcome: string;
  source?: string;
  value?: Value;
}

export interface Why {
  path: string;
  relationship?: boolean;
  time?: string;
  type?: string;
  value?: Value;
  blocked?: boolean;
  source?: string;
  layerTime?: number | null;
  lower?: number | null;
  upper?: number | null;
  interpolated?: boolean;
  notes?: string[];
  warnings?: string[];
  opinions: Opinion[];
}

interface Text {
  first: number;
  lines: string[];
  total: number;
  marks: number[];
  cut: boolean;
}

const OUTCOMES: { [outcome: string]: string } = {
  wins: "wins",
  blocks: "blocks the value",
  nothing: "says nothing about the value",
  weaker: "is weaker than what wins",
  counts: "is one of the opinions",
};

const LINES = 24;
const MORE_LINES = 200;

// The explanation of a property at the time that is shown.
export async function explain(path: string, signal: AbortSignal): Promise<Why> {
  return get<Why>("why", { ...aboutStage(), path, time: time() }, signal);
}

export function whyElement(why: Why): HTMLElement {
  return h(
    "div",
    { class: "why-content" },
    summary(why),
    why.warnings?.length ? list("warnings", why.warnings) : null,
    h("h3", {}, why.opinions.length ? "Opinions, strongest first" : "No layer has an opinion"),
    h("ol", { class: "opinions" }, ...why.opinions.map(opinionElement)),
    why.notes?.length ? details("How it was found", list("notes", why.notes)) : null,
  );
}

function summary(why: Why): HTMLElement {
  if (why.relationship) {
    return h("p", {}, "A relationship: its targets are composed of all opinions below.");
  }
  const words = why.blocked ? ["blocked"] : [`from ${sourceWords(why.source ?? "")}`];
  if (why.interpolated) words.push(`interpolated between the samples at ${why.lower} and ${why.upper}`);
  else if (why.lower !== null && why.lower !== undefined) words.push(`of the sample at ${why.lower}`);
  if (why.layerTime !== null && why.layerTime !== undefined && String(why.layerTime) !== why.time) {
    words.push(`time ${why.layerTime} of its layer`);
  }
  return h(
    "p",
    { class: "why-value" },
    valueElement(why.value?.text || why.blocked ? why.value : { text: "", state: "none" }),
    h("span", { class: "note" }, `at ${why.time}: ${words.join(", ")}`),
  );
}

function opinionElement(opinion: Opinion): HTMLElement {
  const { site } = opinion;
  const wins = opinion.outcome === "wins" || opinion.outcome === "blocks";
  const text = h("div", { class: "layer-text" });
  const made = h(
    "details",
    { class: `opinion opinion-${opinion.outcome}`, open: wins },
    h(
      "summary",
      {},
      h("span", { class: `outcome outcome-${opinion.outcome}` }, OUTCOMES[opinion.outcome] ?? opinion.outcome),
      h("span", { class: "arc" }, site.arc),
      h("span", { class: "path", title: site.layer }, fileName(site.layer)),
      opinion.value && opinion.outcome !== "nothing" ? valueElement(opinion.value) : null,
      opinion.source && opinion.source !== "none" && h("span", { class: "note" }, sourceWords(opinion.source)),
    ),
    h(
      "dl",
      { class: "facts" },
      h("dt", {}, "Layer"), h("dd", { class: "path" }, site.layer),
      h("dt", {}, "Spec"), h("dd", { class: "path" }, site.path),
      site.offset && h("dt", {}, "Offset × scale"), site.offset && h("dd", {}, site.offset),
    ),
    text,
  );
  const read = (): void => {
    if (made.open && !text.childElementCount) void showText(text, site.layer, site.path);
  };
  made.addEventListener("toggle", read);
  read();
  return h("li", {}, made);
}

// Shows the lines of a layer around a spec. What the role does not permit is said in its place.
export async function showText(where: HTMLElement, layer: string, path: string): Promise<void> {
  fill(where, h("p", { class: "waiting" }, "Reading the layer…"));
  try {
    const text = await get<Text>("text", { ...aboutStage(), layer, path, count: LINES });
    draw(where, layer, path, text);
  } catch (error) {
    fill(where, failure(error, () => void showText(where, layer, path)));
  }
}

function draw(where: HTMLElement, layer: string, path: string, text: Text): void {
  const marks = new Set(text.marks);
  const last = text.first + text.lines.length - 1;
  const turn = async (first: number): Promise<void> => {
    draw(where, layer, path, await get<Text>("text", { ...aboutStage(), layer, path, first, count: MORE_LINES }));
  };
  fill(
    where,
    !text.marks.length && path !== "/" && h("p", { class: "hint" }, text.cut
      ? "The layer is too long for its line to be found here; use stagedoor cat --uncomposed."
      : "The layer has no line of its own for it."),
    text.first > 1 && button("Lines before", () => void turn(Math.max(1, text.first - MORE_LINES)), { class: "link" }),
    h(
      "pre",
      { class: "lines", tabindex: "0", "aria-label": `Lines ${text.first} to ${last} of ${fileName(layer)}, as usda text` },
      ...text.lines.map((line, i) => {
        const number = text.first + i;
        return h(
          "span",
          { class: marks.has(number) ? "line line-marked" : "line" },
          h("span", { class: "line-number", "aria-hidden": "true" }, String(number)),
          `${line}\n`,
        );
      }),
    ),
    last < text.total && button("Lines after", () => void turn(last + 1), { class: "link" }),
  );
}

function list(kind: string, lines: string[]): HTMLElement {
  return h("ul", { class: kind }, ...lines.map((line) => h("li", {}, line)));
}

export function details(label: string, ...content: HTMLElement[]): HTMLDetailsElement {
  return h("details", { class: "more" }, h("summary", {}, label), ...content);
}
