// The base of all panels: a panel shows what the URL says, or the error that prevents it.

import { isAborted } from "./api";
import { fill, h } from "./dom";
import type { Change } from "./live";
import { failure } from "./messages";
import type { Place } from "./place";

const WAIT_SHOWN = 300; // milliseconds after which a panel says that it waits

export abstract class Panel {
  readonly element = h("div", { class: "panel" });
  private running: AbortController | null = null;
  private waitTimer = 0;

  constructor(
    readonly id: string,
    readonly label: string,
  ) {}

  // Shows what the URL says. Called when the panel is chosen, and for each change while it is.
  abstract update(now: Place, before: Place | null): void;

  // Called if the stage has changed while the panel is shown.
  abstract changed(change: Change): void;

  // Called when another panel is chosen.
  hide(): void {
    this.running?.abort();
  }

  // Runs what asks the server and draws the answer; a later run ends an earlier one. An error is
  // shown in `where`, with a button that runs it again.
  protected async run(
    where: HTMLElement,
    what: string,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.running?.abort();
    const mine = (this.running = new AbortController());
    window.clearTimeout(this.waitTimer);
    this.waitTimer = window.setTimeout(() => {
      if (!where.childElementCount) fill(where, h("p", { class: "waiting", role: "status" }, `Reading ${what}…`));
      where.setAttribute("aria-busy", "true");
    }, WAIT_SHOWN);
    try {
      await work(mine.signal);
    } catch (error) {
      if (mine.signal.aborted || isAborted(error)) return;
      fill(where, failure(error, () => void this.run(where, what, work)));
    } finally {
      if (this.running === mine) {
        window.clearTimeout(this.waitTimer);
        where.removeAttribute("aria-busy");
      }
    }
  }
}
