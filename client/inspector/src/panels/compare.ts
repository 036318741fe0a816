// Two stages, two times, two snapshots, or a session with what it was before: side by side.

import { lines, type Params } from "../api";
import { button, fill, h, select } from "../dom";
import { aboutStage, live, onLive, time, type Change } from "../live";
import { Panel } from "../panel";
import { go, place, type Place } from "../place";
import { number } from "../units";
import { valueElement, type Value } from "../values";

interface Difference {
  path: string;
  aspect: string;
  left: Value;
  right: Value;
}

interface Line {
  left?: Described;
  right?: Described;
  side?: string;
  read?: number;
  compared?: number;
  of?: number;
  differences?: Difference[];
  done?: boolean;
  more?: boolean;
}

interface Described {
  root: string;
  time: string;
  snapshot: string;
}

const KINDS: [string, string][] = [
  ["time", "another time"],
  ["stage", "another stage"],
  ["base", "the stage without the session"],
  ["snapshot", "an earlier snapshot"],
];
const MAX_SNAPSHOTS = 20;
const OPENED = 40; // differences up to which all prims are open

// The snapshots of the stage that this page has seen, the latest one last.
let seen: { snapshot: string; at: string }[] = [];
let seenOf = ""; // the stage they are of

export class ComparePanel extends Panel {
  private readonly form = h("form", { class: "compare-form" });
  private readonly results = h("div", { class: "compare-results" });
  private shown = ""; // what the results are of
  private pending = ""; // what is chosen in the form, but not compared yet

  constructor() {
    super("compare", "Compare");
    this.element.append(this.form, this.results);
    onLive(note); // also while another panel is shown
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  override update(now: Place, before: Place | null): void {
    if (!before || now.with !== before.with || now.prim !== before.prim) this.drawForm();
    if (!now.with) return fill(this.results);
    if (this.key() !== this.shown) void this.compare();
  }

  override changed(_: Change): void {
    this.drawForm();
    if (place().with) void this.compare();
  }

  // ---------------------------------------------------------------------------------------- form

  private drawForm(): void {
    const [kind, operand] = parts(this.pending || place().with);
    const path = place().prim;
    const chosen = select("Compare with", KINDS, kind, (value) => this.choose(value));
    const below = h("input", { type: "checkbox", id: "compare-below", set: { checked: place().scope === "prim" } });
    fill(
      this.form,
      h("label", {}, "Compare with ", chosen),
      ...this.operand(kind, operand),
      h("label", { for: "compare-below" }, below, ` only ${path} and below`),
      h("button", { type: "submit", class: "primary", set: { disabled: kind === "snapshot" && !snapshots(operand).length } }, "Compare"),
    );
  }

  private choose(kind: string): void {
    const operands: { [kind: string]: string } = { time: String(live.info?.end ?? ""), stage: "", base: "", snapshot: seen.at(-2)?.snapshot ?? "" };
    this.pending = `${kind}:${operands[kind] ?? ""}`;
    this.drawForm();
    this.form.querySelector<HTMLElement>("#compare-operand")?.focus();
  }

  private operand(kind: string, operand: string): (HTMLElement | string)[] {
    const id = "compare-operand";
    if (kind === "time") return [h("label", {}, "time ", h("input", { type: "text", id, class: "time-field", set: { value: operand } }))];
    if (kind === "stage") return [h("label", { class: "grow" }, "root layer ", h("input", { type: "text", id, class: "wide", set: { value: operand } }))];
    if (kind === "base") return place().session ? [] : [h("span", { class: "hint" }, "no session is shown; begin one in Edit")];
    const choices = snapshots(operand);
    if (!choices.length) return [h("span", { class: "hint" }, "the stage has not changed since the page was opened")];
    const made = select("Snapshot", choices.reverse(), operand, () => {});
    made.id = id;
    return [made];
  }

  private submit(): void {
    const [kind] = parts(this.pending || place().with);
    const field = this.form.querySelector<HTMLInputElement>("#compare-operand");
    const scope = this.form.querySelector<HTMLInputElement>("#compare-below")!.checked ? "prim" : "";
    this.shown = "";
    const wanted = `${kind}:${field?.value.trim() ?? ""}`;
    this.pending = "";
    if (wanted === place().with && scope === place().scope) void this.compare();
    else go({ with: wanted, scope });
  }

  // ------------------------------------------------------------------------------------- results

  private key(): string {
    const { with: other, scope, prim, stage, session } = place();
    return JSON.stringify([other, scope, scope ? prim : "", stage, session, time(), live.info?.snapshot]);
  }

  private async compare(): Promise<void> {
    this.shown = this.key();
    const status = h("p", { role: "status" }, "Comparing…");
    const list = h("div", {});
    const head = h("div", {});
    fill(this.results, status, head, list);
    await this.run(list, "both sides", async (signal) => {
      const found: Difference[] = [];
      for await (const line of lines<Line>("compare", params(), signal)) {
        if (line.left && line.right) fill(head, sides(line.left, line.right));
        found.push(...(line.differences ?? []));
        status.textContent = words(line, found.length);
        if (line.differences?.length || line.done) drawTree(list, found);
      }
    });
    if (list.querySelector(".failure")) status.textContent = "";
  }
}

// Takes note of the snapshot that is shown.
function note(): void {
  const stage = JSON.stringify(aboutStage());
  if (stage !== seenOf) seen = [];
  seenOf = stage;
  const snapshot = live.info?.snapshot;
  if (!snapshot || seen.at(-1)?.snapshot === snapshot) return;
  seen.push({ snapshot, at: new Date().toLocaleTimeString() });
  if (seen.length > MAX_SNAPSHOTS) seen.shift();
}

// The snapshots that can be chosen and their labels: those before the one that is shown, and `chosen`.
function snapshots(chosen: string): [string, string][] {
  const choices = seen.slice(0, -1).map((one): [string, string] => [one.snapshot, `${one.at}: ${one.snapshot.slice(0, 8)}`]);
  if (chosen && !choices.some(([snapshot]) => snapshot === chosen)) choices.push([chosen, chosen.slice(0, 8)]);
  return choices;
}

function parts(text = place().with): [string, string] {
  const [kind, ...rest] = (text || "time:").split(":");
  return [kind!, rest.join(":")];
}

function params(): Params {
  const [kind, operand] = parts();
  const { stage, session, load } = aboutStage();
  const path = place().scope === "prim" ? place().prim : "/";
  const now = time();
  const common = { stage, session, load, path, time: now, "other-load": load };
  if (kind === "time") return { ...common, "other-stage": stage, "other-session": session, "other-time": operand || "default" };
  if (kind === "stage") return { ...common, "other-stage": operand, "other-time": now };
  if (kind === "base") return { ...common, "other-stage": stage, "other-time": now };
  return { ...common, "other-stage": stage, "other-session": session, "other-snapshot": operand, "other-time": now };
}

function words(line: Line, count: number): string {
  if (line.done) return `${number(count)} differences${line.more ? "; there are more" : ""}.`;
  if (line.compared !== undefined) return `${number(line.compared)} of ${number(line.of!)} prims that differ are compared; ${number(count)} differences…`;
  if (line.read !== undefined) return `Reading the ${line.side} side: ${number(line.read)} prims…`;
  return "Comparing…";
}

function sides(left: Described, right: Described): HTMLElement {
  const side = (name: string, one: Described): HTMLElement[] => [
    h("dt", {}, name),
    h("dd", { class: "path" }, `${one.root} at ${one.time}, snapshot ${one.snapshot.slice(0, 8)}`),
  ];
  return h("dl", { class: "facts" }, ...side("Left", left), ...side("Right, as shown", right));
}

// ------------------------------------------------------------------------------------------- tree

// The prims with differences at or below them.
interface Branch {
  path: string;
  count: number;
  own: Difference[];
  below: Map<string, Branch>;
}

function drawTree(where: HTMLElement, found: Difference[]): void {
  const root: Branch = { path: "/", count: 0, own: [], below: new Map() };
  for (const difference of found) {
    const [prim] = difference.path.split(".") as [string];
    let branch = root;
    root.count++;
    for (const part of prim.split("/").filter(Boolean)) {
      let next = branch.below.get(part);
      if (!next) {
        next = { path: `${branch.path === "/" ? "" : branch.path}/${part}`, count: 0, own: [], below: new Map() };
        branch.below.set(part, next);
      }
      branch = next;
      branch.count++;
    }
    branch.own.push(difference);
  }
  fill(where, ...branchParts(root, found.length <= OPENED));
}

function branchParts(branch: Branch, open: boolean): HTMLElement[] {
  const parts: HTMLElement[] = branch.own.length ? [ownTable(branch.own)] : [];
  for (const below of branch.below.values()) parts.push(branchElement(below, open));
  return parts;
}

function branchElement(branch: Branch, open: boolean): HTMLElement {
  // A chain of prims with nothing of their own is one line.
  let end = branch;
  while (!end.own.length && end.below.size === 1) end = end.below.values().next().value!;
  const body = h("div", { class: "branch-body" });
  const made = h(
    "details",
    { class: "branch", open },
    h("summary", {}, h("span", { class: "path" }, end.path), h("span", { class: "note" }, `${end.count}`)),
    body,
  );
  const draw = (): void => {
    if (made.open && !body.childElementCount) fill(body, ...branchParts(end, open));
  };
  made.addEventListener("toggle", draw);
  draw();
  return made;
}

function ownTable(own: Difference[]): HTMLElement {
  return h(
    "table",
    { class: "differences" },
    h("thead", {}, h("tr", {}, ...["What", "Left", "Right"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...own.map(differenceRow)),
  );
}

function differenceRow(difference: Difference): HTMLElement {
  const [prim, property] = difference.path.split(".") as [string, string?];
  const name = property ? `${property} ${difference.aspect}` : difference.aspect === "prim" ? "prim" : difference.aspect;
  return h(
    "tr",
    {},
    h("td", {}, button(name, () => go({ prim, property: property ?? "", panel: "prim" }), { class: "link path" })),
    sideCell(difference.left, difference.aspect),
    sideCell(difference.right, difference.aspect),
  );
}

function sideCell(value: Value, aspect: string): HTMLElement {
  if (!value.text && !value.state) return h("td", { class: "note" }, aspect === "prim" ? "missing" : "nothing");
  return h("td", {}, valueElement(value));
}
