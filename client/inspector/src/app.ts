// The frame of the page: the bar above, the tree, the panels and the time.

import { onWaiting } from "./api";
import { button, drawing, fill, h, iconButton, setText } from "./dom";
import { undo } from "./edits";
import { addKey, showKeys, startKeys } from "./keys";
import { live, onLive, open } from "./live";
import { failure, messages, say } from "./messages";
import type { Panel } from "./panel";
import { go, onPlace, place, writeUrl } from "./place";
import { Search } from "./search";
import { remember, StartPage } from "./start";
import { nextTheme, theme } from "./theme";
import { TimeBar } from "./timebar";
import { Tree } from "./tree/tree";

const BUSY_SHOWN = 300; // milliseconds of waiting before it is shown
const CONNECTIONS = { none: "", opening: "opening…", live: "live", lost: "not connected" };

export class App {
  private readonly start = new StartPage();
  private readonly search = new Search();
  private readonly tree = new Tree();
  private readonly timebar = new TimeBar();
  private readonly title = h("h1", { class: "stage-name" });
  private readonly state = h("span", { class: "state", role: "status" });
  private readonly tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
  private readonly body = h("div", { class: "panel-body", role: "tabpanel", id: "panel", tabindex: "-1" });
  private readonly work = h("div", { class: "work" });
  private readonly content = h("div", { class: "content" });
  private readonly alone = h("main", { class: "panel-body", "aria-label": "Operate" });
  private shown: Panel | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly panels: Panel[],
  ) {
    this.work.append(
      h("nav", { class: "side", "aria-label": "Scene" }, this.search.element, this.tree.element, splitter(this.work)),
      h("main", { class: "panels" }, this.tabs, this.body),
    );
    this.makeTabs();
    this.addKeys();
  }

  run(): void {
    fill(this.root, this.header(), busyBar(), this.content, this.timebar.element, messages());
    onPlace((now, before) => this.update(before.stage === now.stage ? before : null));
    onLive((change) => {
      if (!change) this.update(null);
      else if (this.shown) this.shown.changed(change);
      this.showState();
    });
    startKeys();
    this.update(null);
  }

  private header(): HTMLElement {
    const home = button("Stages", () => go({ stage: "", session: "", find: "", panel: "prim" }), { class: "home" });
    home.prepend(drawing("M2 4h12M2 8h12M2 12h12"));
    const themeButton = iconButton(themeLabel(), "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12", () => {
      nextTheme();
      themeButton.title = themeLabel();
      themeButton.setAttribute("aria-label", themeLabel());
    });
    return h(
      "header",
      { class: "bar" },
      home,
      this.title,
      this.state,
      h("span", { class: "spring" }),
      button("Daemon", () => go({ panel: "operate" })),
      button("Copy link", () => void copyLink()),
      themeButton,
      iconButton("Keys (?)", "M6 6a2 2 0 1 1 3 1.700c-.700.500-1 .800-1 1.800M8 12h.01", showKeys),
    );
  }

  private update(before: Parameters<Panel["update"]>[1]): void {
    const { stage, panel } = place();
    setText(this.title, stage ? stage.slice(stage.lastIndexOf("/") + 1) : "Stagedoor inspector");
    this.title.title = stage;
    const title = stage ? `${this.title.textContent} – ${place().prim}` : "Stagedoor inspector";
    if (document.title !== title) document.title = title;
    this.showState();
    if (!stage) return this.updateWithoutStage(panel);
    if (live.problem) return this.showProblem();
    this.showContent(this.work, () => remember(stage));
    const next = this.panels.find((one) => one.id === panel) ?? this.panels[0]!;
    const chosen = next !== this.shown || !this.body.contains(next.element);
    if (chosen) this.choose(next);
    if (live.info) next.update(place(), chosen ? null : before);
  }

  // The daemon can be watched without a stage; else the stages are listed.
  private updateWithoutStage(panel: string): void {
    if (panel !== "operate") {
      this.shown?.hide();
      this.shown = null;
      return this.showContent(this.start.element, () => void this.start.update());
    }
    const operate = this.panels.find((one) => one.id === panel)!;
    this.shown?.hide();
    this.shown = operate;
    this.alone.replaceChildren(operate.element);
    this.showContent(this.alone, () => {});
    operate.update(place(), null);
  }

  private showContent(element: HTMLElement, first: () => void): void {
    if (this.content.firstElementChild === element) return;
    fill(this.content, element);
    first();
  }

  private showProblem(): void {
    const page = h("main", { class: "start" }, h("h2", {}, "The stage cannot be shown"));
    page.append(h("p", { class: "path" }, place().stage), failure(live.problem, () => void open()));
    fill(this.content, page);
  }

  private choose(next: Panel): void {
    this.shown?.hide();
    this.shown = next;
    fill(this.body, next.element);
    this.body.setAttribute("aria-labelledby", `tab-${next.id}`);
    for (const tab of this.tabs.children) {
      const selected = tab.id === `tab-${next.id}`;
      tab.setAttribute("aria-selected", String(selected));
      tab.setAttribute("tabindex", selected ? "0" : "-1");
    }
  }

  private makeTabs(): void {
    this.panels.forEach((panel, i) => {
      const tab = h(
        "button",
        { type: "button", role: "tab", id: `tab-${panel.id}`, "aria-controls": "panel", "aria-selected": "false", tabindex: "-1" },
        panel.label,
      );
      tab.addEventListener("click", () => go({ panel: panel.id }));
      this.tabs.append(tab);
      addKey(String(i + 1), `The panel ${panel.label}`, () => go({ panel: panel.id }));
    });
    this.tabs.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const at = this.panels.findIndex((panel) => panel === this.shown);
      const next = this.panels[(at + step + this.panels.length) % this.panels.length]!;
      go({ panel: next.id });
      this.tabs.querySelector<HTMLElement>(`#tab-${next.id}`)!.focus();
    });
  }

  private addKeys(): void {
    addKey("/", "The search", () => this.search.focus());
    addKey("t", "The tree", () => this.tree.focus());
    addKey("p", "The panel", () => this.body.focus());
    addKey("Space", "Play, pause", () => this.timebar.togglePlay());
    addKey(",", "One frame back", () => this.timebar.step(-1));
    addKey(".", "One frame forward", () => this.timebar.step(1));
    addKey("u", "Undo, in a session", () => void undo());
    addKey("?", "These keys", showKeys);
    addKey("↑ ↓ ← →", "In the tree: move, close and open");
    addKey("Home End", "In the tree: the first and the last row");
  }

  private showState(): void {
    const { session } = place();
    const words = [CONNECTIONS[live.connection]];
    if (session) words.push(session.startsWith("private:") ? "private session" : `session ${session}`);
    setText(this.state, words.filter(Boolean).join(" · "));
    this.state.dataset["state"] = live.connection;
  }
}

function themeLabel(): string {
  return `Colors: ${theme()}`;
}

async function copyLink(): Promise<void> {
  writeUrl();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link to what is shown is copied.");
  } catch {
    say(`The browser does not let the page copy: ${location.href}`);
  }
}

// A bar that moves while the page waits for the server for longer than a moment.
function busyBar(): HTMLElement {
  const bar = h("div", { class: "busy", role: "progressbar", "aria-label": "Waiting for the daemon", hidden: true });
  let timer = 0;
  onWaiting((waiting) => {
    bar.dataset["requests"] = String(waiting);
    if (waiting) {
      timer ||= window.setTimeout(() => (bar.hidden = false), BUSY_SHOWN);
      return;
    }
    window.clearTimeout(timer);
    timer = 0;
    bar.hidden = true;
  });
  return bar;
}

// The border between the tree and the panels, which the mouse and the arrow keys move.
function splitter(work: HTMLElement): HTMLElement {
  const least = 240;
  let width = 400;
  const made = h("div", {
    class: "splitter",
    role: "separator",
    tabindex: "0",
    "aria-orientation": "vertical",
    "aria-label": "Width of the tree",
    "aria-valuemin": least,
    "aria-valuemax": 900,
  });
  const set = (next: number): void => {
    width = Math.max(least, Math.min(900, next));
    work.style.setProperty("--side", `${width}px`);
    made.setAttribute("aria-valuenow", String(width));
  };
  made.addEventListener("pointerdown", (event) => made.setPointerCapture(event.pointerId));
  made.addEventListener("pointermove", (event) => {
    if (made.hasPointerCapture(event.pointerId)) set(event.clientX);
  });
  made.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
    if (step) set(width + step);
  });
  set(width);
  return made;
}
