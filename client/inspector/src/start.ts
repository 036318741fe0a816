// The page without a stage: which stages the daemon holds, and which were looked at here.

import { get, isAborted } from "./api";
import { button, fill, h } from "./dom";
import { failure } from "./messages";
import { go } from "./place";

interface Stages {
  here: { root: string; session: string; load: string }[];
  stages: { root: string; snapshot: string; leases: number; clients: string[] }[];
  next: string;
  problem?: { message: string; hint: string };
}

const RECENT = "stagedoor.recent";
const MAX_RECENT = 12;

export class StartPage {
  readonly element = h("main", { class: "start", "aria-label": "Stages" });
  private readonly list = h("div", {});
  private readonly path = h("input", {
    type: "text",
    id: "open-path",
    class: "wide",
    spellcheck: "false",
    placeholder: "/show/shot.usda",
  });

  constructor() {
    const form = h(
      "form",
      { class: "open-form" },
      h("label", { for: "open-path" }, "Root layer, as a path or URI that the daemon can read"),
      this.path,
      h("button", { type: "submit", class: "primary" }, "Open"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.path.value.trim()) show(this.path.value.trim());
    });
    this.element.append(h("h2", {}, "Open a stage"), form, this.list);
  }

  async update(): Promise<void> {
    this.path.focus();
    try {
      this.draw(await get<Stages>("stages"));
    } catch (error) {
      if (!isAborted(error)) fill(this.list, failure(error, () => void this.update()));
    }
  }

  private draw(found: Stages): void {
    fill(
      this.list,
      h("h2", {}, "Stages that the daemon holds"),
      found.problem && h("p", { class: "hint" }, `${found.problem.message} ${found.problem.hint}`),
      !found.problem && !found.stages.length && h("p", { class: "hint" }, "None at present."),
      found.stages.length > 0 && stageTable(found),
      this.more(found),
      ...recentList(),
    );
  }

  private more(found: Stages): HTMLElement | null {
    if (!found.next) return null;
    return button("More stages", () => {
      void get<Stages>("stages", { page: found.next }).then((next) =>
        this.draw({ ...next, stages: [...found.stages, ...next.stages] }),
      );
    });
  }
}

function stageTable(found: Stages): HTMLElement {
  return h(
    "table",
    { class: "stages" },
    h("thead", {}, h("tr", {}, ...["Root layer", "Leases", "Clients"].map((name) => h("th", { scope: "col" }, name)))),
    h(
      "tbody",
      {},
      ...found.stages.map((stage) =>
        h(
          "tr",
          {},
          h("td", {}, link(stage.root)),
          h("td", { class: "number" }, stage.leases),
          h("td", {}, stage.clients.join(", ")),
        ),
      ),
    ),
  );
}

function recentList(): HTMLElement[] {
  const recent = recentStages();
  if (!recent.length) return [];
  return [
    h("h2", {}, "Looked at before, in this browser"),
    h("ul", { class: "recent" }, ...recent.map((root) => h("li", {}, link(root)))),
  ];
}

function link(root: string): HTMLElement {
  const made = h("a", { href: `/?${new URLSearchParams({ stage: root }).toString()}` }, root);
  made.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(root);
  });
  return made;
}

function show(root: string): void {
  go({ stage: root, session: "", load: "all", prim: "/", property: "", time: "", find: "" });
}

export function remember(root: string): void {
  const others = recentStages().filter((other) => other !== root);
  localStorage.setItem(RECENT, JSON.stringify([root, ...others].slice(0, MAX_RECENT)));
}

function recentStages(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return Array.isArray(found) ? found.filter((root): root is string => typeof root === "string") : [];
  } catch {
    return [];
  }
}
