// The material that a prim is bound to and why, its lights and why, and where it is.

import { get } from "../api";
import { button, fill, h } from "../dom";
import { aboutStage, time } from "../live";
import { failure } from "../messages";
import { go } from "../place";
import { valueElement, type Value } from "../values";
import type { PrimInfo } from "./prim";

interface Candidate {
  material: string;
  relationship: string;
  collection: string;
  outcome: string;
  wrongTarget: string;
}

interface Looks {
  materials: { purpose: string; candidates: Candidate[] }[];
  lights: string[];
  lightCount: number;
}

interface Computed {
  error?: { message: string };
  visible?: boolean;
  purpose?: string;
  transform?: string[][];
  bounds?: (number | null)[][];
}

interface Network {
  terminals: { name: string; node: string; output: string }[];
  nodes: {
    path: string;
    id: string;
    inputs: { name: string; type: string; value: Value; from: string[]; valueSource: string }[];
  }[];
  nodeCount: number;
  base: string;
  broken: { attribute: string; reason: string; source: string }[];
}

const OUTCOMES: { [outcome: string]: string } = {
  wins: "wins",
  other_purpose: "is for all purposes, and one for this purpose wins",
  closer_wins: "one closer to the prim wins",
  stronger_above_wins: "one above that is stronger than descendants wins",
  collection_wins: "one of a collection on the same prim wins",
  earlier_wins: "one of an earlier collection wins",
  no_member: "the prim is not in its collection",
  broken: "binds nothing: its target is missing or is not a Material",
};

export function looksElement(info: PrimInfo): HTMLElement {
  const body = h("div", {});
  const made = h(
    "details",
    { class: "more" },
    h("summary", {}, "Material, lights and bounds"),
    body,
  );
  made.addEventListener("toggle", () => {
    if (made.open) void read(body, info);
  });
  return made;
}

async function read(body: HTMLElement, info: PrimInfo): Promise<void> {
  if (!body.childElementCount) fill(body, h("p", { class: "waiting" }, "Reading…"));
  const path = info.path;
  try {
    const isMaterial = info.type === "Material";
    const [looks, computed, network] = await Promise.all([
      get<Looks>("looks", { ...aboutStage(), path }),
      get<Computed>("computed", { ...aboutStage(), path, time: time() }),
      isMaterial ? get<Network>("network", { ...aboutStage(), path, time: time() }) : null,
    ]);
    fill(body, network && networkElement(network), materials(looks), lights(looks, path), placement(computed));
  } catch (error) {
    fill(body, failure(error, () => void read(body, info)));
  }
}

function pathLink(path: string): HTMLElement {
  const [prim, property] = path.split(".");
  return button(path, () => go({ prim: prim!, property: property ?? "" }), { class: "link path" });
}

function materials(looks: Looks): HTMLElement {
  return h(
    "section",
    {},
    h("h3", {}, "Material"),
    ...looks.materials.map(({ purpose, candidates }) =>
      h(
        "div",
        { class: "binding" },
        h("span", { class: "note" }, purpose ? `for the purpose ${purpose}` : "for all purposes"),
        !candidates.length && h("span", { class: "hint" }, " nothing binds it"),
        h("ul", {}, ...candidates.map(candidateElement)),
      ),
    ),
  );
}

function candidateElement(candidate: Candidate): HTMLElement {
  const wins = candidate.outcome === "wins";
  return h(
    "li",
    { class: wins ? "" : "row-dim" },
    candidate.material ? pathLink(candidate.material) : h("span", { class: "path" }, candidate.wrongTarget),
    h("span", { class: `outcome outcome-${wins ? "wins" : "weaker"}` }, OUTCOMES[candidate.outcome] ?? candidate.outcome),
    h("span", { class: "note path" }, candidate.relationship),
    candidate.collection && h("span", { class: "note path" }, candidate.collection),
  );
}

function lights(looks: Looks, path: string): HTMLElement {
  const more = looks.lightCount - looks.lights.length;
  return h(
    "section",
    {},
    h("h3", {}, "Lights that it is linked to"),
    !looks.lightCount && h("p", { class: "hint" }, "None."),
    h("ul", {}, ...looks.lights.map((light) => lightElement(light, path))),
    more > 0 && h("p", { class: "hint" }, `${more} more`),
  );
}

function lightElement(light: string, path: string): HTMLElement {
  const why = h("span", { class: "note" });
  const ask = button("Why?", () => {
    void get<{ reason: string; expression: string; rules: { path: string; rule: string; outcome: string }[] }>(
      "light-link",
      { ...aboutStage(), path, light },
    ).then(
      (found) => fill(why, ...linkWords(found)),
      (error) => fill(why, failure(error, () => ask.click())),
    );
  });
  return h("li", {}, pathLink(light), " ", ask, why);
}

function linkWords(found: { reason: string; expression: string; rules: { path: string; rule: string; outcome: string }[] }): string[] {
  if (found.expression) return [`the expression ${found.expression}`];
  if (!found.rules.length) return [found.reason.replaceAll("_", " ")];
  return found.rules.map(
    (rule) => `${rule.rule.replaceAll("_", " ")} at ${rule.path} ${rule.outcome.replaceAll("_", " ")}; `,
  );
}

function placement(computed: Computed): HTMLElement {
  const rows: [string, string][] = [
    ["Visible", computed.visible === undefined ? "unknown" : computed.visible ? "yes" : "no"],
    ["Purpose", computed.purpose ?? ""],
  ];
  if (computed.bounds) {
    const [least, most] = computed.bounds.map((corner) => corner.map((x) => round(x)).join(", "));
    rows.push(["Bounds, least", least!], ["Bounds, most", most!]);
  }
  return h(
    "section",
    {},
    h("h3", {}, "Place, in world space"),
    computed.error && h("p", { class: "hint" }, computed.error.message),
    h("dl", { class: "facts" }, ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])),
    computed.transform &&
      h(
        "table",
        { class: "matrix", "aria-label": "Local to world transform" },
        h("tbody", {}, ...computed.transform.map((row) => h("tr", {}, ...row.map((x) => h("td", { class: "number" }, x))))),
      ),
  );
}

function round(x: number | null): string {
  return x === null ? "∞" : String(Number(x.toPrecision(6)));
}

function networkElement(network: Network): HTMLElement {
  return h(
    "section",
    {},
    h("h3", {}, "Shaders"),
    ...network.terminals.map((terminal) =>
      h("p", {}, `${terminal.name}: `, pathLink(terminal.node), h("span", { class: "note" }, terminal.output)),
    ),
    ...network.nodes.map((node) =>
      h(
        "div",
        { class: "shader" },
        h("p", {}, pathLink(node.path), h("span", { class: "chip" }, node.id || "no identifier")),
        h(
          "dl",
          { class: "facts" },
          ...node.inputs.flatMap((input) => [
            h("dt", {}, input.name),
            h("dd", {}, input.from.length ? h("span", { class: "path" }, `← ${input.from.join(", ")}`) : valueElement(input.value),
              input.valueSource && h("span", { class: "note path" }, input.valueSource)),
          ]),
        ),
      ),
    ),
    ...network.broken.map((broken) =>
      h("p", { class: "problem" }, `${broken.attribute}: ${broken.reason.replaceAll("_", " ")} ${broken.source}`),
    ),
  );
}
