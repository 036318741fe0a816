// The prim: properties with their values at the time, and why; composition, variants, metadata,
// material and lights.

import { get, isAborted, post } from "../api";
import { button, fill, h } from "../dom";
import { aboutStage, affects, time, type Change, type Field, type Site } from "../live";
import { failure, report } from "../messages";
import { Panel } from "../panel";
import { go, place, type Place } from "../place";
import { sourceWords, valueElement, type Value } from "../values";
import { compositionElement } from "./arcs";
import { primEditors, valueEditor, variantEditor } from "./editors";
import { looksElement } from "./looks";
import { details, explain, whyElement } from "./why";

export interface Property {
  name: string;
  authored: boolean;
  custom?: boolean;
  type?: string; // of attributes
  source?: string;
  uniform?: boolean;
  blocked?: boolean;
  varying?: boolean;
  connections?: string[];
  connectionCount?: number;
  targets?: string[]; // of relationships
  targetCount?: number;
}

export interface PrimInfo {
  path: string;
  type: string;
  specifier: string;
  kind: string;
  flags: string[];
  schemas: string[];
  ancestors: string[];
  variants: { name: string; selection: string; choices: string[] }[];
  metadata: Field[];
  stack: Site[];
  stackCount: number;
  propertyCount: number;
  properties: Property[];
}

const VALUES_AT_ONCE = 200;
const FLAG_WORDS: { [flag: string]: string } = {
  inactive: "inactive",
  unloaded: "payload not loaded",
  undefined: "not defined",
  abstract: "abstract",
  model: "model",
  group: "group",
  instance: "instance",
  instanceable: "instanceable",
  instance_proxy: "in an instance",
  has_payload: "has a payload",
};

export class PrimPanel extends Panel {
  private info: PrimInfo | null = null;
  private readonly top = h("div", { class: "prim-top" });
  private readonly why = h("section", { class: "why", "aria-label": "Why" });
  private readonly body = h("tbody", {});
  private readonly filter = h("input", {
    type: "text",
    "aria-label": "Show properties whose names contain",
    placeholder: "Filter properties",
  });
  private readonly authoredOnly = h("input", { type: "checkbox", id: "authored-only" });
  private readonly editor = h("div", {});
  private edited = ""; // what the field for a value is of
  private valueCells = new Map<string, HTMLElement>();
  private valueRun: AbortController | null = null;
  private whyRun: AbortController | null = null;

  constructor() {
    super("prim", "Prim");
    this.element.classList.add("fills");
    this.element.append(this.top, this.why);
    this.filter.addEventListener("input", () => this.drawRows());
    this.authoredOnly.addEventListener("change", () => this.drawRows());
  }

  override update(now: Place, before: Place | null): void {
    if (!before || now.prim !== before.prim || now.session !== before.session) void this.read();
    else if (now.time !== before.time) void this.readValues();
    const moved = !before || now.prim !== before.prim || now.property !== before.property;
    if (moved || now.time !== before.time) void this.readWhy();
    if (moved) this.markRow();
  }

  override changed(change: Change): void {
    if (!affects(change, place().prim)) return;
    void this.read();
    void this.readWhy();
  }

  override hide(): void {
    super.hide();
    this.valueRun?.abort();
    this.whyRun?.abort();
  }

  // ------------------------------------------------------------------------------------- reading

  private async read(): Promise<void> {
    await this.run(this.top, "the prim", async (signal) => {
      const path = place().prim;
      const info = await get<PrimInfo>("prim", { ...aboutStage(), path }, signal);
      const same = this.info?.path === info.path;
      this.info = info;
      this.draw(same);
      void this.readValues();
    });
  }

  private async readValues(): Promise<void> {
    this.valueRun?.abort();
    const mine = (this.valueRun = new AbortController());
    const info = this.info;
    if (!info || info.path !== place().prim) return;
    const attributes = info.properties.filter((found) => found.type !== undefined);
    try {
      for (let at = 0; at < attributes.length; at += VALUES_AT_ONCE) {
        const part = attributes.slice(at, at + VALUES_AT_ONCE);
        const names = part.map((found) => found.name);
        const types = part.map((found) => found.type);
        const body = { ...aboutStage(), path: info.path, names, types, time: time() };
        const answer = await post<{ values: { [name: string]: Value } }>("values", body, mine.signal);
        for (const name of names) {
          const cell = this.valueCells.get(name);
          if (cell) fill(cell, valueElement(answer.values[name]));
        }
      }
    } catch (error) {
      if (!isAborted(error)) report(error);
    }
  }

  private async readWhy(): Promise<void> {
    this.whyRun?.abort();
    const mine = (this.whyRun = new AbortController());
    const { prim, property } = place();
    this.why.hidden = !property;
    if (!this.edited.includes(JSON.stringify(`${prim}.${property}`))) {
      fill(this.editor);
      this.edited = "";
    }
    if (!property) return;
    const path = `${prim}.${property}`;
    const body = h("div", { class: "why-body" });
    try {
      const why = await explain(path, mine.signal);
      fill(body, whyElement(why));
      if (!why.relationship) this.showEditor(path);
    } catch (error) {
      if (mine.signal.aborted || isAborted(error)) return;
      fill(body, failure(error, () => void this.readWhy()));
    }
    fill(this.why, this.whyHead(property), this.editor, body);
  }

  // Keeps the field of an attribute for as long as the attribute is shown, because somebody may be
  // writing in it.
  private showEditor(path: string): void {
    const key = JSON.stringify([aboutStage(), path, time()]);
    if (key === this.edited) return;
    this.edited = key;
    fill(this.editor, valueEditor(path));
  }

  private whyHead(property: string): HTMLElement {
    const close = button("Close", () => {
      go({ property: "" });
      this.filter.focus();
    });
    return h("div", { class: "why-head" }, h("h2", {}, `Why ${property}`), h("span", { class: "spring" }), close);
  }

  // ------------------------------------------------------------------------------------- drawing

  // `same`: whether it is the prim that was shown before, so that what is open stays open.
  private draw(same: boolean): void {
    const info = this.info!;
    const open = same
      ? [...this.top.querySelectorAll("details[open] > summary")].map((found) => found.textContent)
      : [];
    const scrolled = same ? this.top.scrollTop : 0;
    this.valueCells = new Map();
    fill(this.top, head(info), primEditors(info), this.variants(info), this.properties(), ...sections(info));
    this.drawRows();
    for (const section of this.top.querySelectorAll("details")) {
      if (open.includes(section.querySelector("summary")!.textContent)) section.open = true;
    }
    this.top.scrollTop = scrolled;
    if (!same) this.body.querySelector("[data-marked]")?.scrollIntoView({ block: "center" });
  }

  private properties(): HTMLElement {
    return h(
      "section",
      { "aria-label": "Properties" },
      h(
        "div",
        { class: "section-bar" },
        h("h2", {}, `Properties (${this.info!.propertyCount})`),
        this.filter,
        h("label", { for: "authored-only" }, this.authoredOnly, " authored only"),
      ),
      h(
        "table",
        { class: "properties" },
        h("thead", {}, h("tr", {}, ...["Name", "Value", "Type", "From"].map((name) => h("th", { scope: "col" }, name)))),
        this.body,
      ),
      this.more(),
    );
  }

  private more(): HTMLElement | null {
    const info = this.info!;
    const left = info.propertyCount - info.properties.length;
    if (left <= 0) return null;
    const press = button(`More properties (${left})`, () => {
      const offset = info.properties.length;
      void get<PrimInfo>("properties", { ...aboutStage(), path: info.path, offset }).then((next) => {
        info.properties.push(...next.properties);
        this.draw(true);
        void this.readValues();
      }, report);
    });
    return press;
  }

  private drawRows(): void {
    const text = this.filter.value.trim().toLowerCase();
    const rows = this.info!.properties.filter(
      (found) =>
        (!text || found.name.toLowerCase().includes(text)) &&
        (found.authored || !this.authoredOnly.checked),
    );
    fill(this.body, ...rows.map((found) => this.row(found)));
    this.markRow();
  }

  private row(found: Property): HTMLElement {
    // Reuses the cell of a property, because it may have its value already.
    const cell = this.valueCells.get(found.name) ?? h("td", { class: "property-value" });
    this.valueCells.set(found.name, cell);
    if (found.targets) fill(cell, ...targets(found));
    else if (!cell.childElementCount) fill(cell, valueElement(undefined));
    const press = button(found.name, () => go({ property: found.name }), { class: "link property-name", title: "Why?" });
    return h(
      "tr",
      { "data-name": found.name, class: found.authored ? "" : "row-dim" },
      h("td", {}, press),
      cell,
      h("td", { class: "note" }, found.type ?? "rel"),
      h("td", { class: "note" }, fromWords(found)),
    );
  }

  private markRow(): void {
    for (const row of this.body.children) {
      const marked = (row as HTMLElement).dataset["name"] === place().property;
      row.toggleAttribute("data-marked", marked);
      row.querySelector("button")!.setAttribute("aria-current", String(marked));
    }
  }

  private variants(info: PrimInfo): HTMLElement | null {
    if (!info.variants.length) return null;
    return h(
      "section",
      {},
      h("h2", {}, "Variants"),
      h(
        "dl",
        { class: "facts" },
        ...info.variants.flatMap((set) => [
          h("dt", {}, set.name),
          h("dd", {}, variantEditor(info.path, set)),
        ]),
      ),
    );
  }
}

function head(info: PrimInfo): HTMLElement {
  const flags = info.flags.map((flag) => FLAG_WORDS[flag] ?? flag);
  if (info.specifier !== "def") flags.unshift(info.specifier);
  return h(
    "header",
    { class: "prim-head" },
    breadcrumb(info.path),
    h(
      "p",
      {},
      h("strong", {}, info.path === "/" ? "stage root" : info.type || "no type"),
      info.kind && h("span", { class: "chip" }, `kind ${info.kind}`),
      ...flags.map((flag) => h("span", { class: "chip" }, flag)),
      ...info.schemas.map((schema) => h("span", { class: "chip chip-schema" }, schema)),
    ),
  );
}

function breadcrumb(path: string): HTMLElement {
  const parts = path.split("/").slice(1).filter(Boolean);
  const made = h("nav", { class: "breadcrumb path", "aria-label": "Path" });
  made.append(button("/", () => go({ prim: "/", property: "" }), { class: "link" }));
  parts.forEach((part, i) => {
    const above = `/${parts.slice(0, i + 1).join("/")}`;
    if (i) made.append(" / ");
    made.append(
      i === parts.length - 1
        ? h("span", {}, part)
        : button(part, () => go({ prim: above, property: "" }), { class: "link" }),
    );
  });
  return made;
}

function fromWords(found: Property): string {
  const words = [found.blocked ? "blocked" : found.source ? sourceWords(found.source) : ""];
  if (found.varying) words.push("varies");
  if (found.connections) words.push(`← ${found.connections.join(", ")}`);
  return words.filter(Boolean).join(", ");
}

function targets(found: Property): (HTMLElement | string)[] {
  const links = found.targets!.map((path) =>
    button(path, () => go({ prim: path.split(".")[0]!, property: path.split(".")[1] ?? "" }), { class: "link path target" }),
  );
  const more = (found.targetCount ?? 0) - links.length;
  return [...links, ...(more > 0 ? [`and ${more} more`] : [])];
}

function sections(info: PrimInfo): HTMLElement[] {
  return [
    compositionElement(info),
    looksElement(info),
    details(
      `Metadata (${info.metadata.length})`,
      h(
        "dl",
        { class: "facts" },
        ...info.metadata.flatMap((field) => [h("dt", {}, field.name), h("dd", { class: "value" }, field.text)]),
      ),
    ),
    details("Schemas", h("p", {}, info.ancestors.length ? info.ancestors.join(" → ") : "The type has no schema.")),
  ];
}
