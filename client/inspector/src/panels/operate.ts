// The panel about the daemon: calls, stages, caches, memory, the slowest queries, and its replicas.

import { get, isAborted } from "../api";
import { fill, h, select } from "../dom";
import { failure } from "../messages";
import { Panel } from "../panel";
import { go } from "../place";
import { bytes, number, percent, seconds } from "../units";
import { History } from "./history";

interface Method {
  name: string;
  calls: number;
  errors: number;
  seconds: number;
  bytesIn: number;
  bytesOut: number;
}

interface Replica {
  address: string;
  version?: string;
  uptime?: number;
  resident?: number;
  stages?: number;
  leases?: number;
  methods?: Method[];
  problem?: { message: string; hint: string };
}

interface Caller {
  method: string;
  identity: string;
  peer: string;
  request: string;
  root: string;
}

interface State {
  replicas: Replica[];
  problems: { what: string; message: string; hint: string }[];
  inFlight?: number;
  waiting?: number;
  calls?: (Caller & { age: number; state: string; bytes: number; steps: number })[];
  slowest?: (Caller & { duration: number; queued: number; work: number; ago: number; code: number; message: string; reasons: string })[];
  caches?: { name: string; entries: number; bytes: number; budget: number | null; hits: number; misses: number; evictions: number; failures: number; openFiles: number | null }[];
  stages?: { root: string; leases: number; clients: string[] }[];
  moreStages?: boolean;
}

interface Sample {
  at: number; // seconds
  state: State;
}

const PERIOD = 2000; // milliseconds between two questions
const MAX_SAMPLES = 300;

export class OperatePanel extends Panel {
  private samples: Sample[] = [];
  private replica = 0;
  private timer = 0;
  private readonly plots = {
    calls: new History("Calls a second", number),
    mean: new History("Mean time of a call", seconds),
    flight: new History("Calls in flight", number),
    memory: new History("Resident memory", bytes),
  };
  private readonly pictures = h("div", { class: "histories" }, ...Object.values(this.plots).map((plot) => plot.element));
  private readonly bar = h("div", { class: "section-bar" });
  private readonly tables = h("div", {});

  constructor() {
    super("operate", "Operate");
    this.element.append(this.bar, this.pictures, this.tables);
  }

  override update(): void {
    if (this.timer) return;
    this.timer = window.setInterval(() => void this.read(), PERIOD);
    void this.read();
  }

  override changed(): void {
    // It is not about the stage.
  }

  override hide(): void {
    super.hide();
    window.clearInterval(this.timer);
    this.timer = 0;
  }

  private async read(): Promise<void> {
    if (document.hidden) return;
    try {
      const state = await get<State>("operate", { replica: this.replica });
      this.samples.push({ at: performance.now() / 1000, state });
      this.samples = this.samples.slice(-MAX_SAMPLES);
      this.draw(state);
    } catch (error) {
      if (!isAborted(error)) fill(this.tables, failure(error, () => void this.read()));
    }
  }

  private draw(state: State): void {
    this.drawBar(state);
    this.drawPlots();
    const before = this.samples.at(-2);
    const scrolled = new Map([...this.tables.querySelectorAll(".wide-table")].map((box) => [box.ariaLabel, box.scrollTop]));
    fill(
      this.tables,
      ...state.problems.map((problem) => h("p", { class: "hint" }, `${problem.what} is not shown: ${problem.message}. ${problem.hint}`)),
      state.replicas.length > 1 && replicaTable(state.replicas),
      slowestTable(state),
      callTable(state),
      methodTable(this.replicaOf(state), before && this.replicaOf(before.state), this.elapsed()),
      cacheTable(state),
      stageTable(state),
    );
    for (const box of this.tables.querySelectorAll(".wide-table")) box.scrollTop = scrolled.get(box.ariaLabel) ?? 0;
  }

  private drawBar(state: State): void {
    const replica = this.replicaOf(state);
    const choose =
      state.replicas.length > 1 &&
      select(
        "Replica",
        state.replicas.map((one, i) => [String(i), one.address]),
        String(this.replica),
        (value) => {
          this.replica = Number(value);
          this.samples = [];
          void this.read();
        },
      );
    // The list is not drawn anew while it is used.
    if (this.bar.contains(document.activeElement)) return;
    fill(
      this.bar,
      h("h2", {}, replica.address),
      choose,
      replica.problem
        ? h("span", { class: "value-error" }, replica.problem.message)
        : h("span", { class: "note" }, `stagedoord ${replica.version}, up ${seconds(replica.uptime!)}, ${replica.stages} stages, ${replica.leases} leases`),
    );
  }

  private replicaOf(state: State): Replica {
    return state.replicas[this.replica] ?? state.replicas[0]!;
  }

  private elapsed(): number {
    const [before, now] = [this.samples.at(-2), this.samples.at(-1)];
    return before && now ? now.at - before.at : 0;
  }

  private drawPlots(): void {
    const times = this.samples.map((sample) => sample.at);
    const calls: (number | null)[] = [];
    const mean: (number | null)[] = [];
    this.samples.forEach((sample, i) => {
      const before = this.samples[i - 1];
      const now = totals(this.replicaOf(sample.state));
      const then = before && totals(this.replicaOf(before.state));
      // Counters begin again if the daemon was restarted.
      const made = then && now.calls >= then.calls ? now.calls - then.calls : null;
      calls.push(made === null ? null : made / (sample.at - before!.at));
      mean.push(made ? (now.seconds - then!.seconds) / made : made);
    });
    this.plots.calls.show(times, calls);
    this.plots.mean.show(times, mean);
    this.plots.flight.show(times, this.samples.map((sample) => sample.state.inFlight ?? null));
    this.plots.memory.show(times, this.samples.map((sample) => this.replicaOf(sample.state).resident ?? null));
  }
}

function totals(replica: Replica): { calls: number; seconds: number } {
  const methods = replica.methods ?? [];
  return {
    calls: methods.reduce((sum, method) => sum + method.calls, 0),
    seconds: methods.reduce((sum, method) => sum + method.seconds, 0),
  };
}

type Cells = (string | number | HTMLElement)[];

function table(title: string, columns: string[], rows: Cells[], none = "None."): HTMLElement {
  return h(
    "section",
    { "aria-label": title },
    h("h2", {}, title),
    rows.length
      ? h(
          "div",
          { class: "wide-table", tabindex: "0", role: "group", "aria-label": title },
          h(
            "table",
            { class: "operate" },
            h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)))),
            h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells.map((cell) => h("td", { class: isText(cell) ? "cell-text" : "" }, cell))))),
          ),
        )
      : h("p", { class: "hint" }, none),
  );
}

// Whether a cell may be broken into lines, unlike numbers and short words.
function isText(cell: Cells[number]): boolean {
  return typeof cell === "object" || String(cell).length > 24;
}

function replicaTable(replicas: Replica[]): HTMLElement {
  return table(
    "Replicas",
    ["Address", "Version", "Up", "Memory", "Stages", "Leases", "Calls"],
    replicas.map((one) =>
      one.problem
        ? [one.address, h("span", { class: "value-error" }, one.problem.message), "", "", "", "", ""]
        : [one.address, one.version!, seconds(one.uptime!), bytes(one.resident!), one.stages!, one.leases!, number(totals(one).calls)],
    ),
  );
}

function slowestTable(state: State): HTMLElement | null {
  if (!state.slowest) return null;
  return table(
    "Slowest queries of the last ten minutes",
    ["Work", "Queued", "In all", "Method", "Why", "Stage", "Caller", "Ended"],
    state.slowest.map((call) => [
      seconds(call.work),
      seconds(call.queued),
      seconds(call.duration),
      call.method,
      h("span", {}, call.reasons, call.message && h("span", { class: "value-error" }, ` ${call.message}`)),
      stageName(call.root),
      call.identity,
      `${seconds(call.ago)} ago`,
    ]),
  );
}

function callTable(state: State): HTMLElement | null {
  if (!state.calls) return null;
  return table(
    `Calls in flight (${state.inFlight}, ${state.waiting} of them waiting)`,
    ["Age", "State", "Method", "Memory", "Steps", "Stage", "Caller", "Client"],
    state.calls.map((call) => [
      seconds(call.age), call.state, call.method, bytes(call.bytes), number(call.steps), stageName(call.root), call.identity, call.peer,
    ]),
  );
}

function methodTable(now: Replica, before: Replica | undefined, elapsed: number): HTMLElement | null {
  if (!now.methods) return null;
  const old = new Map((before?.methods ?? []).map((method) => [method.name, method]));
  const rows = [...now.methods]
    .sort((one, other) => other.calls - one.calls)
    .map((method): Cells => {
      const then = old.get(method.name);
      const made = then && method.calls >= then.calls ? method.calls - then.calls : 0;
      return [
        method.name,
        number(method.calls),
        elapsed ? number(made / elapsed) : "–",
        seconds(method.seconds / method.calls),
        number(method.errors),
        bytes(method.bytesIn),
        bytes(method.bytesOut),
      ];
    });
  return table("Methods", ["Method", "Calls", "A second", "Mean", "Errors", "In", "Out"], rows);
}

function cacheTable(state: State): HTMLElement | null {
  if (!state.caches) return null;
  return table(
    "Caches",
    ["Cache", "Entries", "Bytes", "Of the budget", "Hits", "Evictions", "Failures", "Open files"],
    state.caches.map((cache) => [
      cache.name,
      number(cache.entries),
      bytes(cache.bytes),
      cache.budget === null ? "no limit" : meter(cache.name, cache.bytes, cache.budget),
      percent(cache.hits, cache.hits + cache.misses),
      number(cache.evictions),
      number(cache.failures),
      cache.openFiles === null ? "" : number(cache.openFiles),
    ]),
  );
}

function meter(name: string, used: number, budget: number): HTMLElement {
  return h(
    "span",
    { class: "meter-cell" },
    h("meter", { min: 0, max: budget, value: used, "aria-label": `Budget of ${name}` }),
    ` ${percent(used, budget)} of ${bytes(budget)}`,
  );
}

function stageTable(state: State): HTMLElement | null {
  if (!state.stages) return null;
  const made = table(
    "Stages",
    ["Leases", "Root layer", "Clients"],
    state.stages.map((stage) => [stage.leases, stageName(stage.root), stage.clients.join(", ")]),
  );
  if (state.moreStages) made.append(h("p", { class: "hint" }, "There are more."));
  return made;
}

function stageName(root: string): HTMLElement | string {
  if (!root) return "";
  const made = h("a", { href: `/?${new URLSearchParams({ stage: root }).toString()}`, class: "path", title: root }, root.slice(root.lastIndexOf("/") + 1));
  made.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go({ stage: root, session: "", load: "all", prim: "/", property: "", time: "", panel: "prim" });
  });
  return made;
}
