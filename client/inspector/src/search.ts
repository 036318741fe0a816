// The field above the tree, and what is found while one types.

import { isAborted, lines } from "./api";
import { drawing, fill, h, iconButton } from "./dom";
import { aboutStage, live, onLive, time } from "./live";
import { failure } from "./messages";
import { go, onPlace, place } from "./place";
import { iconOf } from "./tree/icons";

interface Hit {
  path: string;
  type: string;
  property?: string;
  value?: { text: string };
}

interface Line {
  found?: Hit[];
  examined?: number;
  done?: boolean;
  more?: boolean;
}

const TYPING_DELAY = 120; // milliseconds without a key before a search begins
const HELP: [string, string][] = [
  ["chair", "the name contains it"],
  ["*_proxy", "a pattern for the whole name"],
  ["/World/Char", "the path contains it"],
  ["type:Mesh", "of this type, or one derived from it"],
  ["kind:comp*  api:CollectionAPI", "of a kind, or with a schema"],
  ["prop:inputs:*", "properties whose names match"],
  ["value:>0  value:~*.exr", "values at the time that is shown"],
];

export class Search {
  readonly element: HTMLElement;
  private readonly field = h("input", {
    type: "text",
    id: "find",
    class: "wide",
    role: "searchbox",
    "aria-label": "Find prims, properties and values",
    placeholder: "Find: name, type:Mesh, prop:…, value:>0",
    spellcheck: "false",
    autocomplete: "off",
  });
  private readonly list = h("ul", { class: "hits", "aria-label": "Found" });
  private readonly status = h("p", { class: "hits-status", role: "status" });
  private readonly clear = iconButton("Clear the search (Escape)", "M4 4l8 8M12 4l-8 8", () => this.end());
  private readonly results = h("div", { class: "results" }, this.status, this.list);
  private timer = 0;
  private running: AbortController | null = null;
  private begun = ""; // what the results are of

  constructor() {
    this.field.value = place().find;
    this.field.addEventListener("input", () => this.later());
    this.field.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("keydown", (event) => this.onListKey(event));
    this.element = h(
      "div",
      { class: "search", role: "search" },
      h("div", { class: "search-bar" }, this.field, this.clear, help()),
      this.results,
    );
    onPlace((now, before) => {
      if (now.find !== this.field.value) this.field.value = now.find;
      const again = now.find !== before.find || now.stage !== before.stage || now.show !== before.show;
      const timed = now.time !== before.time && /(^|\s)value:/.test(now.find);
      if (again || timed) this.begin();
    });
    onLive(() => {
      if (live.info && this.begun !== this.key()) this.begin();
    });
    this.showResults();
  }

  focus(): void {
    this.field.focus();
    this.field.select();
  }

  private key(): string {
    return JSON.stringify([aboutStage(), live.info?.snapshot, place().find, place().show]);
  }

  private later(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => go({ find: this.field.value.trim() }, true), TYPING_DELAY);
  }

  private end(): void {
    window.clearTimeout(this.timer);
    this.field.value = "";
    go({ find: "" }, true);
    this.field.focus();
  }

  private begin(): void {
    this.running?.abort();
    this.showResults();
    if (!live.info || !place().find) return;
    this.begun = this.key();
    void this.run((this.running = new AbortController()).signal);
  }

  private async run(signal: AbortSignal): Promise<void> {
    let count = 0;
    this.status.textContent = "Searching…";
    try {
      const params = { ...aboutStage(), find: place().find, show: place().show, time: time() };
      for await (const line of lines<Line>("search", params, signal)) {
        // The results of the search before stay until there are new ones.
        if (!count) this.list.replaceChildren();
        for (const hit of line.found ?? []) this.list.append(hitElement(hit));
        count += line.found?.length ?? 0;
        if (line.done) this.status.textContent = `${count} found${line.more ? "; there are more" : ""}`;
        else if (line.examined) this.status.textContent = `${count} found, ${line.examined} prims read…`;
      }
    } catch (error) {
      if (isAborted(error) || signal.aborted) return;
      this.list.replaceChildren();
      fill(this.status, failure(error, () => this.begin()));
    }
  }

  private showResults(): void {
    const any = place().find !== "";
    this.results.hidden = !any;
    this.clear.hidden = !any;
    if (!any) this.list.replaceChildren();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key === "Escape") this.end();
    else if (event.key === "ArrowDown") this.list.querySelector("button")?.focus();
    else if (event.key === "Enter") this.list.querySelector("button")?.click();
    else return;
    event.preventDefault();
  }

  private onListKey(event: KeyboardEvent): void {
    const item = (event.target as HTMLElement).closest("li");
    const next = { ArrowDown: item?.nextElementSibling, ArrowUp: item?.previousElementSibling }[event.key];
    if (event.key === "Escape") this.end();
    else if (next) next.querySelector("button")!.focus();
    else if (event.key === "ArrowUp") this.field.focus();
    else return;
    event.preventDefault();
  }
}

function hitElement(hit: Hit): HTMLElement {
  const name = hit.property ?? hit.path.slice(hit.path.lastIndexOf("/") + 1);
  const above = hit.property ? hit.path : hit.path.slice(0, hit.path.lastIndexOf("/")) || "/";
  const press = h("button", { type: "button", class: "hit" });
  press.append(
    drawing(hit.property ? "M3 8h10M3 4h10M3 12h6" : iconOf(hit.type).paths, "icon type-icon"),
    h("span", { class: "name" }, name),
    hit.value ? h("span", { class: "value hit-value" }, hit.value.text) : "",
    h("span", { class: "type" }, hit.type),
    h("span", { class: "hit-path" }, above),
  );
  press.addEventListener("click", () => {
    go({ prim: hit.path, property: hit.property ?? "" });
  });
  return h("li", {}, press);
}

function help(): HTMLElement {
  return h(
    "details",
    { class: "search-help" },
    h("summary", { "aria-label": "What can be written", title: "What can be written" }, "?"),
    h(
      "dl",
      {},
      ...HELP.flatMap(([text, means]) => [h("dt", {}, h("code", {}, text)), h("dd", {}, means)]),
    ),
  );
}
