// A plot of one attribute over time, with its samples, blocks, tangents and value clips.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { h } from "../dom";
import type { Packed } from "../packed";
import { color } from "../theme";
import { fileName } from "../values";

export interface Knot {
  time: number | null;
  value: number | null;
  before: number | null;
  next: string;
  pre: [number | null, number | null];
  post: [number | null, number | null];
}

export interface CurveHeader {
  path: string;
  type: string;
  held?: boolean;
  blocked?: [number, number][];
  clips?: { start: number; end: number; layer: string }[];
  spline?: { curve: string; knots: Knot[]; problem?: { message: string } } | null;
}

export interface Residency {
  [layer: string]: { bytes: number; opens: number; hits: number; missing: boolean; inUse: boolean };
}

const HEIGHT = 190;
const AXIS = 34; // pixels of the times below
const BAND = 14; // pixels of a row of clips
const COMPONENTS = ["x", "y", "z", "w"];
const SERIES = ["--plot-1", "--plot-2", "--plot-3", "--plot-4"];
const BANDS = ["--band-1", "--band-2", "--band-3"];

export class CurvePlot {
  readonly element = h("div", { class: "plot" });
  private plot: uPlot | null = null;
  private readonly head = h("div", { class: "play-head" });
  private time = NaN;
  residency: Residency = {};

  // moved: called with the time at which the plot is pressed.
  constructor(
    readonly curve: Packed<CurveHeader>,
    private readonly range: [number, number],
    private readonly moved: (time: number) => void,
    private readonly zoomed: (range: [number, number] | null) => void,
  ) {
    new ResizeObserver(() => this.fit()).observe(this.element);
    this.element.setAttribute("role", "img");
    this.element.setAttribute("aria-label", describe(curve.header, this.knots.length));
  }

  get knots(): ArrayLike<number> {
    return this.curve.arrays["knots"]!.data;
  }

  get columns(): number {
    return this.curve.arrays["values"]?.shape[1] ?? 0;
  }

  // Draws everything anew, as after a change of colors.
  draw(): void {
    this.plot?.destroy();
    const width = Math.max(200, this.element.clientWidth);
    this.plot = new uPlot(this.options(width), this.data(), this.element);
    this.plot.over.append(this.head);
    this.plot.over.addEventListener("pointerdown", (event) => this.press(event));
    this.showTime(this.time);
  }

  redraw(): void {
    this.plot?.redraw(false);
  }

  showTime(time: number): void {
    this.time = time;
    if (!this.plot) return;
    const [first, last] = this.range;
    this.head.hidden = !(time >= first && time <= last);
    if (!this.head.hidden) {
      this.head.style.transform = `translateX(${this.plot.valToPos(time, "x")}px)`;
    }
  }

  destroy(): void {
    this.plot?.destroy();
  }

  private fit(): void {
    const width = this.element.clientWidth;
    if (width && this.plot && Math.abs(width - this.plot.width) > 1) {
      this.plot.setSize({ width, height: HEIGHT });
      this.showTime(this.time);
    } else if (width && !this.plot) this.draw();
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0 || event.shiftKey) return;
    const over = this.plot!.over;
    const set = (at: PointerEvent): void => {
      const time = this.plot!.posToVal(at.clientX - over.getBoundingClientRect().left, "x");
      this.moved(Math.max(this.range[0], Math.min(this.range[1], time)));
    };
    set(event);
    over.setPointerCapture(event.pointerId);
    const end = (): void => {
      over.removeEventListener("pointermove", set);
      over.removeEventListener("pointerup", end);
    };
    over.addEventListener("pointermove", set);
    over.addEventListener("pointerup", end);
  }

  // ------------------------------------------------------------------------------------- drawing

  private data(): uPlot.AlignedData {
    const times = this.curve.arrays["times"]?.data ?? new Float64Array([...this.range]);
    const values = this.curve.arrays["values"]?.data;
    const columns: (number | null)[][] = [];
    for (let column = 0; column < this.columns; column++) {
      // A gap where there is no value.
      columns.push(Array.from(times, (_, i) => finite(values![i * this.columns + column]!)));
    }
    return [Array.from(times), ...columns] as uPlot.AlignedData;
  }

  private options(width: number): uPlot.Options {
    const text = color("--dim");
    const line = color("--line");
    const axis: uPlot.Axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    const held = this.curve.header.held ?? false;
    return {
      width,
      height: HEIGHT,
      pxAlign: 0,
      legend: { show: false },
      cursor: {
        drag: { x: true, y: false, setScale: false },
        points: { show: false },
        // Without Shift, dragging moves the play head.
        bind: {
          mousedown: (_, __, handler) => (event) => {
            if (event.shiftKey) handler(event);
            return null;
          },
        },
      },
      scales: { x: { time: false, range: () => this.range }, y: { range: padded } },
      axes: [
        { ...axis, size: AXIS + this.bandRows * BAND },
        { ...axis, size: 58, values: (_, splits) => splits.map(short) },
      ],
      series: [
        {},
        ...Array.from({ length: this.columns }, (_, column) => ({
          label: this.columns > 1 ? COMPONENTS[column]! : "value",
          stroke: color(SERIES[column]!),
          width: 1.5,
          points: { show: false },
          ...(held ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
        })),
      ],
      hooks: {
        drawClear: [(plot) => this.drawBehind(plot)],
        draw: [(plot) => this.drawOver(plot), () => this.showTime(this.time)],
        setSelect: [(plot) => this.select(plot)],
      },
    };
  }

  private get bandRows(): number {
    return this.curve.header.clips?.length ? 1 : 0;
  }

  private select(plot: uPlot): void {
    if (plot.select.width < 8) return;
    const first = plot.posToVal(plot.select.left, "x");
    const last = plot.posToVal(plot.select.left + plot.select.width, "x");
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.zoomed([first, last]);
  }

  private drawBehind(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    for (const [start, end] of this.curve.header.blocked ?? []) {
      const [left, right] = [start, end].map((time) => plot.valToPos(time, "x", true)) as [number, number];
      hatch(ctx, left, bbox.top, right - left, bbox.height, color("--line"));
    }
    this.drawClips(plot);
    ctx.restore();
  }

  private drawClips(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const scale = devicePixelRatio;
    const top = bbox.top + bbox.height + AXIS * scale;
    ctx.font = `${10 * scale}px sans-serif`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    (this.curve.header.clips ?? []).forEach((clip, i) => {
      const left = Math.max(bbox.left, plot.valToPos(clip.start, "x", true));
      const right = Math.min(bbox.left + bbox.width, plot.valToPos(clip.end, "x", true));
      if (right <= left) return;
      const tone = color(BANDS[i % BANDS.length]!);
      ctx.fillStyle = tone;
      ctx.strokeStyle = tone;
      ctx.lineWidth = scale;
      // Clips that the daemon has open are filled; the others are outlines.
      if (this.residency[clip.layer]) ctx.fillRect(left, top, right - left - scale, (BAND - 2) * scale);
      else ctx.strokeRect(left + scale / 2, top, right - left - 2 * scale, (BAND - 2) * scale);
      ctx.fillStyle = color("--text");
      const name = fileName(clip.layer);
      if (ctx.measureText(name).width < right - left - 6 * scale) {
        ctx.fillText(name, left + 3 * scale, top + (BAND / 2 - 1) * scale);
      }
    });
  }

  private drawOver(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const margin = 4 * devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left - margin, bbox.top - margin, bbox.width + 2 * margin, bbox.height + 2 * margin);
    ctx.clip();
    const values = this.curve.arrays["knotValues"]?.data;
    for (let i = 0; i < this.knots.length; i++) {
      const x = plot.valToPos(this.knots[i]!, "x", true);
      if (!this.columns) this.tick(plot, x);
      for (let column = 0; column < this.columns; column++) {
        const value = values![i * this.columns + column]!;
        if (Number.isFinite(value)) dot(ctx, x, plot.valToPos(value, "y", true), color(SERIES[column]!));
      }
    }
    for (const knot of this.curve.header.spline?.knots ?? []) this.drawTangents(plot, knot);
    ctx.restore();
  }

  private tick(plot: uPlot, x: number): void {
    const { ctx, bbox } = plot;
    ctx.strokeStyle = color(SERIES[0]!);
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top + bbox.height * 0.3);
    ctx.lineTo(x, bbox.top + bbox.height * 0.7);
    ctx.stroke();
  }

  private drawTangents(plot: uPlot, knot: Knot): void {
    if (knot.time === null || knot.value === null) return;
    this.tangent(plot, knot.time, knot.before ?? knot.value, knot.pre, -1);
    if (knot.next === "curve") this.tangent(plot, knot.time, knot.value, knot.post, 1);
  }

  private tangent(plot: uPlot, time: number, value: number, [width, slope]: Knot["pre"], way: number): void {
    if (!width || slope === null) return;
    const { ctx } = plot;
    const at = (x: number, y: number): [number, number] => [plot.valToPos(x, "x", true), plot.valToPos(y, "y", true)];
    const end = at(time + way * width, value + way * width * slope);
    ctx.strokeStyle = color("--warn");
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(...at(time, value));
    ctx.lineTo(...end);
    ctx.stroke();
    ctx.strokeRect(end[0] - 2 * devicePixelRatio, end[1] - 2 * devicePixelRatio, 4 * devicePixelRatio, 4 * devicePixelRatio);
  }
}

// A plot described in words.
function describe(header: CurveHeader, knots: number): string {
  const words = [`${header.path}, ${header.type}`, `${knots} samples`];
  if (header.spline) words.push("a spline");
  if (header.blocked?.length) words.push(`blocked in ${header.blocked.length} spans`);
  if (header.clips?.length) words.push(`${header.clips.length} value clips`);
  return `Plot of ${words.join(", ")}`;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function padded(_: uPlot, least: number | null, most: number | null): uPlot.Range.MinMax {
  if (least === null || most === null || !Number.isFinite(most - least)) return [0, 1];
  const room = (most - least) * 0.1 || Math.abs(most) * 0.1 || 1;
  return [least - room, most + room];
}

function short(value: number): string {
  return Math.abs(value) >= 1e5 || (value && Math.abs(value) < 1e-3) ? value.toExponential(1) : String(Number(value.toPrecision(5)));
}

function dot(ctx: CanvasRenderingContext2D, x: number, y: number, fill: string): void {
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.arc(x, y, 2.6 * devicePixelRatio, 0, 2 * Math.PI);
  ctx.fill();
}

function hatch(ctx: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, stroke: string): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  for (let at = x - height; at < x + width; at += 8 * devicePixelRatio) {
    ctx.moveTo(at, y + height);
    ctx.lineTo(at + height, y);
  }
  ctx.stroke();
  ctx.restore();
}
