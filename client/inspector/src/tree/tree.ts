// The tree of prims: lazily loaded, virtual, and used by keyboard as trees are.

import { get, isAborted } from "../api";
import { drawing, h, iconButton, select } from "../dom";
import { aboutStage, affects, live, onLive, time } from "../live";
import { report } from "../messages";
import { go, onPlace, place } from "../place";
import { ARROW, frameOf, HIDDEN, iconOf, INSTANCE, PAYLOAD, VARIANT, WARNING } from "./icons";
import { Node, openNodes, type Page, type Row } from "./model";
import { Rows } from "./rows";

const PAGE = 100;
const LOAD_DELAY = 30; // milliseconds without scrolling before rows are asked for
const MAX_REOPENED = 300; // nodes that are open again after a change

interface Errors {
  total: number;
  counts: { [path: string]: number };
}

export class Tree {
  readonly element: HTMLElement;
  private readonly rows: Rows;
  private root = newRoot();
  private selected = "/";
  private readonly asked = new Map<string, Promise<void>>(); // pages that have not come yet
  private loading: AbortController | null = null;
  private loadTimer = 0;
  private errors: Errors = { total: 0, counts: {} };
  private readonly summary = h("p", { class: "tree-summary", role: "status" });

  constructor() {
    this.rows = new Rows(
      { class: "tree", role: "tree", tabindex: "0", "aria-label": "Prims", id: "tree" },
      (row) => this.rowElement(row),
      (first, last) => this.loadLater(first, last),
    );
    this.rows.element.addEventListener("keydown", (event) => this.onKey(event));
    this.element = h(
      "div",
      { class: "tree-box" },
      h(
        "div",
        { class: "tree-bar" },
        select(
          "Which prims",
          [
            ["defined", "Defined prims"],
            ["all", "All prims, with overs and classes"],
          ],
          place().show,
          (show) => go({ show }),
        ),
        iconButton("Close all", "M3 6l5-4 5 4M3 10l5 4 5-4", () => this.closeAll()),
      ),
      this.rows.element,
      this.summary,
    );
    onPlace((now, before) => {
      if (now.show !== before.show) void this.restart();
      else if (now.prim !== before.prim) void this.reveal(now.prim);
    });
    onLive((change) => {
      if (change) void this.refresh((path) => affects(change, path));
      else if (live.info && this.shownStage !== stageText()) void this.restart();
      else this.rows.draw();
    });
  }

  private shownStage = "";

  focus(): void {
    this.rows.element.focus();
  }

  // Shows the stage of the URL from its root on.
  private async restart(): Promise<void> {
    this.shownStage = stageText();
    this.loading?.abort();
    this.loading = new AbortController();
    this.asked.clear();
    this.root = newRoot();
    this.errors = { total: 0, counts: {} };
    this.rows.draw(0);
    await this.load(this.root, 0);
    this.root.setOpen(true);
    await this.reveal(place().prim);
    void this.loadErrors();
  }

  // Opens the prims above a prim, and scrolls to it.
  private async reveal(path: string): Promise<void> {
    this.selected = path;
    if (path === "/" || !live.info) return this.drawAndShow(this.root);
    let node: Node = this.root;
    const known = this.knownNode(path);
    if (known) node = known;
    else {
      const answer = await this.ask<{ positions: { path: string; index: number; total: number }[] }>(
        "position",
        { path, show: place().show },
      );
      for (const step of answer?.positions ?? []) {
        node.setTotal(step.total);
        node.setOpen(true);
        node = node.at(step.index, step.path);
      }
    }
    if (this.selected !== path) return;
    for (let above = node.parent; above; above = above.parent) above.setOpen(true);
    this.drawAndShow(node);
  }

  private drawAndShow(node: Node): void {
    this.rows.draw(this.root.span);
    this.rows.show(node.rowNumber());
    this.rows.draw();
  }

  private knownNode(path: string): Node | null {
    let node: Node = this.root;
    for (const part of path.split("/").slice(1)) {
      const wanted: string = `${node.path === "/" ? "" : node.path}/${part}`;
      const next = [...node.known()].find((child) => child.path === wanted);
      if (!next) return null;
      node = next;
    }
    return node;
  }

  private closeAll(): void {
    for (const node of openNodes(this.root).reverse()) node.setOpen(node === this.root);
    this.rows.draw(this.root.span);
  }

  // ------------------------------------------------------------------------------------- loading

  private loadLater(first: number, last: number): void {
    window.clearTimeout(this.loadTimer);
    this.loadTimer = window.setTimeout(() => this.loadMissing(first, last), LOAD_DELAY);
  }

  private loadMissing(first: number, last: number): void {
    const wanted = new Map<string, [Node, number]>();
    for (let at = first; at < Math.min(last, this.root.span); at++) {
      const { node, parent, index } = this.root.find(at);
      if (node?.row || node === this.root) continue;
      const offset = index - (index % PAGE);
      wanted.set(`${parent.path} ${offset}`, [parent, offset]);
    }
    for (const [parent, offset] of wanted.values()) void this.load(parent, offset);
  }

  // Asks for a page of children, unless it has been asked for; waits until it has come.
  private load(parent: Node, offset: number): Promise<void> {
    const key = `${parent.path} ${offset}`;
    const known = this.asked.get(key);
    if (known) return known;
    const coming = this.read(parent, offset).finally(() => {
      if (this.asked.get(key) === coming) this.asked.delete(key);
    });
    this.asked.set(key, coming);
    return coming;
  }

  private async read(parent: Node, offset: number): Promise<void> {
    const page = await this.ask<Page>("children", {
      path: parent.path,
      offset,
      limit: PAGE,
      show: place().show,
      time: time(),
    });
    if (!page) return;
    parent.fill(offset, page, this.selected);
    this.rows.draw(this.root.span);
  }

  // Reads again what a change may have affected, and keeps open what is open.
  private async refresh(isAffected: (path: string) => boolean): Promise<void> {
    const open = openNodes(this.root).slice(0, MAX_REOPENED);
    this.asked.clear();
    for (const node of open) {
      if (!isAffected(node.path)) continue;
      const names = new Map([...node.known()].map((child) => [child.path, child.open]));
      const pages = new Set([...node.known()].map((child) => child.index - (child.index % PAGE)));
      for (const offset of pages.size ? pages : [0]) {
        const page = await this.ask<Page>("children", {
          path: node.path, offset, limit: PAGE, show: place().show, time: time(),
        });
        if (page) node.fill(offset, page, this.selected);
      }
      for (const child of node.known()) if (names.get(child.path)) child.setOpen(true);
    }
    this.rows.draw(this.root.span);
    void this.loadErrors();
  }

  private async loadErrors(): Promise<void> {
    const found = await this.ask<Errors>("errors", { limit: 1 });
    if (!found) return;
    this.errors = found;
    this.summary.textContent = found.total
      ? `${found.total} composition ${found.total === 1 ? "error" : "errors"}`
      : "";
    this.rows.draw();
  }

  private async ask<T>(name: string, params: { [name: string]: string | number }): Promise<T | null> {
    try {
      return await get<T>(name, { ...aboutStage(), ...params }, this.loading?.signal);
    } catch (error) {
      if (!isAborted(error)) report(error);
      return null;
    }
  }

  // --------------------------------------------------------------------------------------- rows

  private rowElement(at: number): HTMLElement {
    const { node, parent, index } = this.root.find(at);
    if (!node) return this.emptyRow(parent, index);
    const row = node.row;
    const made = h("div", {
      class: `row ${rowClass(row)}`,
      role: "treeitem",
      id: `row-${at}`,
      "aria-level": node.depth + 1,
      "aria-setsize": node.parent?.total ?? 1,
      "aria-posinset": node.index + 1,
      "aria-selected": String(node.path === this.selected),
      "aria-expanded": node.canOpen ? String(node.open) : null,
      style: { "--depth": String(node.depth) },
      on: { click: () => this.choose(node), dblclick: () => this.toggle(node) },
    });
    made.append(this.chevron(node), ...this.parts(node));
    if (node.path === this.selected) this.rows.element.setAttribute("aria-activedescendant", made.id);
    return made;
  }

  private emptyRow(parent: Node, index: number): HTMLElement {
    return h(
      "div",
      {
        class: "row row-empty",
        role: "treeitem",
        "aria-level": parent.depth + 2,
        "aria-selected": "false",
        "aria-setsize": parent.total ?? 1,
        "aria-posinset": index + 1,
        "aria-label": "not loaded yet",
        style: { "--depth": String(parent.depth + 1) },
      },
      "…",
    );
  }

  private chevron(node: Node): HTMLElement {
    const made = h("span", { class: node.canOpen ? "chevron" : "chevron chevron-none" });
    if (!node.canOpen) return made;
    made.append(drawing(ARROW, node.open ? "icon turned" : "icon"));
    made.addEventListener("click", (event) => {
      event.stopPropagation();
      this.toggle(node);
    });
    return made;
  }

  private parts(node: Node): (HTMLElement | SVGElement)[] {
    const row = node.row;
    if (!row) return [h("span", { class: "name" }, nodeName(node))];
    const flags = new Set(row.flags);
    const parts: (HTMLElement | SVGElement)[] = [
      this.icon(row),
      h("span", { class: "name" }, node.name),
      h("span", { class: "sr-only" }, this.words(node)),
    ];
    for (const [set, selection] of row.variants ?? []) {
      const words = `Variant ${set} = ${selection || "none"}`;
      parts.push(badge(VARIANT, words, selection || "–"));
    }
    if (flags.has("has_payload")) {
      parts.push(badge(PAYLOAD, flags.has("unloaded") ? "Payload, not loaded" : "Payload, loaded"));
    }
    if (flags.has("instance")) parts.push(badge(INSTANCE, `Instance of prototype ${row.prototype ?? ""}`));
    if (row.invisible) parts.push(badge(HIDDEN, "Invisible"));
    const errors = this.errorsAt(node);
    if (errors) parts.push(badge(WARNING, errorWords(errors), String(errors), "badge-error"));
    parts.push(h("span", { class: "type" }, row.message ? "cannot be read" : (row.type ?? "")));
    return parts;
  }

  private icon(row: Row): HTMLElement | SVGElement {
    const made = drawing(iconOf(row.type ?? "", row.specifier).paths, "icon type-icon");
    const kind = row.kind ?? "";
    if (!kind) return made;
    const frame = frameOf(kind);
    const box = h("span", { class: "kind-icon", title: `kind ${kind}`, "aria-hidden": "true" });
    box.append(made, frame ? drawing(frame, "icon kind-frame") : h("span", { class: "kind-word" }, kind));
    return box;
  }

  // The drawings of the row in words, for those who cannot see them.
  private words(node: Node): string {
    const row = node.row!;
    const flags = new Set(row.flags);
    const words: string[] = [];
    if (row.specifier === "class" || row.specifier === "over") words.push(row.specifier);
    if (row.kind) words.push(row.kind);
    for (const [set, selection] of row.variants ?? []) words.push(`${set} ${selection || "none"}`);
    if (flags.has("inactive")) words.push("inactive");
    if (flags.has("has_payload")) words.push(flags.has("unloaded") ? "payload not loaded" : "payload");
    if (flags.has("instance")) words.push("instance");
    if (row.invisible) words.push("invisible");
    const errors = this.errorsAt(node);
    if (errors) words.push(errorWords(errors));
    if (!row.type) words.push("no type");
    return words.join(", ");
  }

  // The errors of a prim, and those below it while it is closed.
  private errorsAt(node: Node): number {
    if (node.open || !this.errors.total) return this.errors.counts[node.path] ?? 0;
    let sum = 0;
    for (const [path, count] of Object.entries(this.errors.counts)) {
      if (path === node.path || path.startsWith(node.path + "/")) sum += count;
    }
    return sum;
  }

  // ---------------------------------------------------------------------------------------- using

  private choose(node: Node): void {
    this.selected = node.path;
    this.rows.draw();
    go({ prim: node.path, property: "" });
  }

  private toggle(node: Node): void {
    if (!node.canOpen) return;
    node.setOpen(!node.open);
    if (node.open && node.total === null) void this.load(node, 0);
    this.rows.draw(this.root.span);
  }

  private onKey(event: KeyboardEvent): void {
    const at = this.selectedRow();
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: this.rows.pageSize, PageUp: -this.rows.pageSize }[
      event.key
    ];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (step !== undefined) this.moveTo(at + step);
    else if (event.key === "Home") this.moveTo(0);
    else if (event.key === "End") this.moveTo(this.root.span - 1);
    else if (event.key === "ArrowRight") this.goIn(at);
    else if (event.key === "ArrowLeft") this.goOut(at);
    else if (event.key === "Enter" || event.key === " ") this.toggleAt(at);
    else return;
    event.preventDefault();
  }

  private selectedRow(): number {
    return this.knownNode(this.selected)?.rowNumber() ?? 0;
  }

  private moveTo(row: number): void {
    const at = Math.max(0, Math.min(this.root.span - 1, row));
    const { node, parent, index } = this.root.find(at);
    this.rows.show(at);
    if (node) this.choose(node);
    else void this.load(parent, index - (index % PAGE)).then(() => {
      const found = this.root.find(at).node;
      if (found) this.choose(found);
    });
  }

  private goIn(at: number): void {
    const { node } = this.root.find(at);
    if (!node?.canOpen) return;
    if (node.open) this.moveTo(at + 1);
    else this.toggle(node);
  }

  private goOut(at: number): void {
    const { node } = this.root.find(at);
    if (!node) return;
    if (node.open && node !== this.root) this.toggle(node);
    else if (node.parent) this.moveTo(node.parent.rowNumber());
  }

  private toggleAt(at: number): void {
    const { node } = this.root.find(at);
    if (node) this.toggle(node);
  }
}

function newRoot(): Node {
  return new Node(null, 0, 0, "/");
}

function stageText(): string {
  return JSON.stringify(aboutStage());
}

function rowClass(row: Row | null): string {
  const flags = new Set(row?.flags);
  const dim = flags.has("inactive") || flags.has("unloaded") || flags.has("undefined") || flags.has("abstract");
  return `${dim ? "row-dim" : ""} ${flags.has("instance_proxy") ? "row-proxy" : ""}`;
}

function nodeName(node: Node): string {
  return node.path === "/" ? "Stage root" : node.name;
}

function badge(paths: string, words: string, text = "", more = ""): HTMLElement {
  const made = h("span", { class: `badge ${more}`, title: words, "aria-hidden": "true" });
  made.append(drawing(paths));
  if (text) made.append(h("span", {}, text));
  return made;
}

function errorWords(count: number): string {
  return `${count} composition ${count === 1 ? "error" : "errors"}`;
}

