// A small plot of what was measured in the last minutes.

import uPlot from "uplot";

import { h } from "../dom";
import { color, onTheme } from "../theme";

const HEIGHT = 90;

export class History {
  readonly element: HTMLElement;
  private readonly box = h("div", { class: "history-plot" });
  private readonly latest = h("strong", {});
  private plot: uPlot | null = null;

  constructor(
    private readonly label: string,
    private readonly words: (value: number) => string,
  ) {
    this.element = h("figure", { class: "history" }, h("figcaption", {}, label, " ", this.latest), this.box);
    this.box.setAttribute("role", "img");
    onTheme(() => this.forget());
    new ResizeObserver(() => {
      const width = this.box.clientWidth;
      if (width && this.plot) this.plot.setSize({ width, height: HEIGHT });
    }).observe(this.box);
  }

  // Shows values at times, in seconds.
  show(times: number[], values: (number | null)[]): void {
    const last = values.at(-1);
    const text = last === null || last === undefined ? "–" : this.words(last);
    this.latest.textContent = text;
    this.box.setAttribute("aria-label", `${this.label}, now ${text}`);
    if (!this.box.clientWidth) return;
    this.plot ??= this.made();
    this.plot.setData([times, values]);
  }

  private forget(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  private made(): uPlot {
    const axis: uPlot.Axis = { stroke: color("--dim"), grid: { show: false }, ticks: { show: false } };
    const line = color("--plot-1");
    return new uPlot(
      {
        width: this.box.clientWidth,
        height: HEIGHT,
        pxAlign: 0,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, __, most) => [0, (most || 1) * 1.1] } },
        axes: [{ ...axis, show: false }, { ...axis, size: 62, space: 30, values: (_, splits) => splits.map(this.words) }],
        series: [{}, { stroke: line, width: 1.5, points: { show: false }, fill: color("--accent-back") }],
      },
      [[], []],
      this.box,
    );
  }
}
