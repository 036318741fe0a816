// The composition of a prim: its arcs as a graph in order of strength, and the specs at their sites.

import { get } from "../api";
import { fill, h, lineDrawing } from "../dom";
import { aboutStage, type Site } from "../live";
import { failure } from "../messages";
import { fileName } from "../values";
import type { PrimInfo } from "./prim";
import { details, showText } from "./why";

// An arc to a site. `parent`: the number of the arc whose site has it.
interface Arc {
  type: string;
  layer: string;
  path: string;
  parent: number;
  implied: boolean;
  ancestral: boolean;
  specs: number;
}

// Sites that follow each other, of one arc and one path: the layers of a layer stack.
interface Step {
  arc: string;
  path: string;
  sites: Site[];
}

const ROW = 26; // pixels, as in style.css
const INDENT = 22;

export function compositionElement(info: PrimInfo): HTMLElement {
  const graph = h("div", {});
  const specs = h("div", {});
  showSpecs(specs, info, null);
  const made = details(
    `Composition (${info.stackCount} specs)`,
    h("p", { class: "hint" }, "Strongest first. A line leads from the site that has an arc to the site that the arc leads to."),
    graph,
    specs,
  );
  made.addEventListener("toggle", () => {
    if (made.open && !graph.childElementCount) void readGraph(graph, specs, info);
  });
  return made;
}

async function readGraph(where: HTMLElement, specs: HTMLElement, info: PrimInfo): Promise<void> {
  fill(where, h("p", { class: "waiting", role: "status" }, "Reading the arcs…"));
  try {
    const { arcs, total } = await get<{ arcs: Arc[]; total: number }>("arcs", { ...aboutStage(), path: info.path });
    fill(
      where,
      graphElement(arcs, (chosen) => showSpecs(specs, info, chosen === null ? null : rangeOf(arcs, chosen))),
      total > arcs.length && h("p", { class: "hint" }, `${total - arcs.length} more arcs`),
    );
  } catch (error) {
    fill(where, failure(error, () => void readGraph(where, specs, info)));
  }
}

// Which of the specs of the prim are at the site of an arc.
function rangeOf(arcs: Arc[], number: number): [number, number] {
  const first = arcs.slice(0, number).reduce((sum, arc) => sum + arc.specs, 0);
  return [first, first + arcs[number]!.specs];
}

// --------------------------------------------------------------------------------------- graph

// `choose` is called with the number of the arc that is pressed, or with null when it is released.
function graphElement(arcs: Arc[], choose: (number: number | null) => void): HTMLElement {
  const depths: number[] = [];
  arcs.forEach((arc, i) => depths.push(i === 0 ? 0 : depths[arc.parent]! + 1));
  const list = h("ol", { class: "arc-graph", "aria-label": "Arcs in order of strength" });
  const press = (number: number): void => {
    const presses = [...list.querySelectorAll("button")];
    const chosen = presses[number]!.getAttribute("aria-pressed") !== "true";
    presses.forEach((one, i) => one.setAttribute("aria-pressed", String(chosen && i === number)));
    choose(chosen ? number : null);
  };
  arcs.forEach((_, i) => list.append(h("li", {}, arcButton(arcs, depths, i, press))));
  list.addEventListener("keydown", (event) => moveFocus(event, list, arcs));
  return h("div", { class: "arc-box" }, edges(arcs, depths), list);
}

function arcButton(arcs: Arc[], depths: number[], number: number, press: (number: number) => void): HTMLElement {
  const arc = arcs[number]!;
  const notes = [
    ...(arc.implied ? ["implied"] : []),
    ...(arc.ancestral ? ["of an ancestor"] : []),
    ...(arc.specs === 1 ? [] : [`${arc.specs || "no"} specs`]),
  ];
  // The drawing in words, for those who cannot see it.
  const words = (text: string): HTMLElement => h("span", { class: "sr-only" }, text);
  return h(
    "button",
    {
      type: "button",
      class: `arc-node${arc.specs ? "" : " arc-node-empty"}`,
      title: arc.layer,
      "aria-pressed": "false",
      style: { "--depth": String(depths[number]) },
      on: { click: () => press(number) },
    },
    words(`${number + 1}:`),
    h("span", { class: "arc" }, arc.type),
    words("to"),
    h("span", { class: "path" }, arc.path),
    words("in"),
    h("span", { class: "note path" }, fileName(arc.layer)),
    number > 0 && words(`from ${arcs[arc.parent]!.path}`),
    notes.length > 0 && h("span", { class: "note" }, notes.join(", ")),
  );
}

// From each site to those of its arcs.
function edges(arcs: Arc[], depths: number[]): SVGSVGElement {
  const place = (i: number): [number, number] => [depths[i]! * INDENT + 9, i * ROW + ROW / 2];
  const paths = arcs.slice(1).map((arc, at) => {
    const [fromX, fromY] = place(arc.parent);
    const [x, y] = place(at + 1);
    return { d: `M${fromX} ${fromY + 5}V${y - 6}Q${fromX} ${y} ${fromX + 6} ${y}H${x - 5}`, class: `edge edge-${arc.type}${arc.implied ? " edge-implied" : ""}` };
  });
  const dots = arcs.map((arc, i) => {
    const [x, y] = place(i);
    return { d: `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`, class: `dot edge-${arc.type}${arc.specs ? "" : " dot-empty"}` };
  });
  return lineDrawing((Math.max(...depths) + 1) * INDENT, arcs.length * ROW, [...paths, ...dots]);
}

// The arrow keys move along the order of strength, and between a site and those of its arcs.
function moveFocus(event: KeyboardEvent, list: HTMLElement, arcs: Arc[]): void {
  const presses = [...list.querySelectorAll("button")];
  const at = presses.indexOf(event.target as HTMLButtonElement);
  const next = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    ArrowLeft: arcs[at]?.parent,
    ArrowRight: arcs.findIndex((arc, i) => i > 0 && arc.parent === at),
    Home: 0,
    End: presses.length - 1,
  }[event.key];
  if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  presses[next]?.focus();
  event.preventDefault();
}

// --------------------------------------------------------------------------------------- specs

// `range`: the first of the specs to show and the end; null for all.
function showSpecs(where: HTMLElement, info: PrimInfo, range: [number, number] | null): void {
  const sites = range ? info.stack.slice(...range) : info.stack;
  const steps: Step[] = [];
  for (const site of sites) {
    const last = steps.at(-1);
    if (last && last.arc === site.arc && last.path === site.path) last.sites.push(site);
    else steps.push({ arc: site.arc, path: site.path, sites: [site] });
  }
  const left = (range ? range[1] - range[0] : info.stackCount) - sites.length;
  fill(
    where,
    h("h3", {}, range ? "Specs at the chosen site" : "Specs"),
    h("p", { class: "hint" }, sites.length ? "Each line is a spec; open it to read its layer." : "None."),
    h("ol", { class: "arcs", "aria-label": "Specs in order of strength" }, ...steps.map(stepElement)),
    left > 0 && h("p", { class: "hint" }, `${left} more specs`),
  );
}

function stepElement(step: Step): HTMLElement {
  return h(
    "li",
    { class: `arc-step arc-${step.arc}` },
    h("div", { class: "arc-head" }, h("span", { class: "arc" }, step.arc), h("span", { class: "path" }, step.path)),
    ...step.sites.map(siteElement),
  );
}

function siteElement(site: Site): HTMLElement {
  const text = h("div", { class: "layer-text" });
  const made = h(
    "details",
    { class: "arc-site" },
    h(
      "summary",
      {},
      h("span", { class: "path", title: site.layer }, fileName(site.layer)),
      site.offset && h("span", { class: "note" }, `offset × scale: ${site.offset}`),
    ),
    h("p", { class: "path hint" }, site.layer),
    text,
  );
  made.addEventListener("toggle", () => {
    if (made.open && !text.childElementCount) void showText(text, site.layer, site.path);
  });
  return made;
}
