// The composition of a prim as a graph: the sites of its specs in order of strength, those of one
// layer stack together, with the arcs that lead to them.

import { h } from "../dom";
import type { Site } from "../live";
import { fileName } from "../values";
import type { PrimInfo } from "./prim";
import { showText } from "./why";

// Sites that follow each other, of one arc and one path: the layers of a layer stack.
interface Step {
  arc: string;
  path: string;
  sites: Site[];
}

export function arcsElement(info: PrimInfo): HTMLElement {
  const steps: Step[] = [];
  for (const site of info.stack) {
    const last = steps.at(-1);
    if (last && last.arc === site.arc && last.path === site.path) last.sites.push(site);
    else steps.push({ arc: site.arc, path: site.path, sites: [site] });
  }
  const left = info.stackCount - info.stack.length;
  return h(
    "div",
    {},
    h("p", { class: "hint" }, "Strongest first. Each line is a spec; open it to read its layer."),
    h("ol", { class: "arcs", "aria-label": "Arcs in order of strength" }, ...steps.map(stepElement)),
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
