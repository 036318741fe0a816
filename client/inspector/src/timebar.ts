// The time that everything is shown at, with a play head.

import { h, iconButton } from "./dom";
import { live, onLive, time } from "./live";
import { go, onPlace, place } from "./place";

const PLAY = "M4 3v10l9-5z";
const PAUSE = "M4 3h3v10H4zM9 3h3v10H9z";

export class TimeBar {
  readonly element: HTMLElement;
  private readonly slider = h("input", { type: "range", "aria-label": "Time", step: "any" });
  private readonly field = h("input", {
    type: "text",
    class: "time-field",
    "aria-label": "Time code: a number, default or earliest",
    spellcheck: "false",
  });
  private readonly range = h("span", { class: "time-range" });
  private readonly rate = h("span", { class: "frame-rate", title: "Frames shown in the last second" });
  private readonly play = iconButton("Play (Space)", PLAY, () => this.togglePlay());
  private playing = 0; // when playing began, by the clock of animation frames; 0 if it does not
  private playedFrom = 0;
  private frames: number[] = [];

  constructor() {
    this.slider.addEventListener("input", () => this.set(Number(this.slider.value)));
    this.field.addEventListener("change", () => go({ time: this.field.value.trim() }, true));
    this.element = h(
      "footer",
      { class: "timebar", "aria-label": "Time" },
      iconButton("First time", "M4 3v10M13 3 6 8l7 5z", () => this.set(this.start)),
      iconButton("One frame back (,)", "M12 3 5 8l7 5z", () => this.step(-1)),
      this.play,
      iconButton("One frame forward (.)", "M4 3l7 5-7 5z", () => this.step(1)),
      iconButton("Last time", "M12 3v10M3 3l7 5-7 5z", () => this.set(this.end)),
      this.field,
      this.slider,
      this.range,
      this.rate,
    );
    onPlace((now, before) => {
      if (now.stage !== before.stage) this.stop();
      this.show();
    });
    onLive(() => this.show());
    this.show();
  }

  step(by: number): void {
    this.stop();
    this.set(Math.max(this.start, Math.min(this.end, this.now + by)));
  }

  togglePlay(): void {
    if (this.playing) return this.stop();
    if (this.end <= this.start) return;
    this.playedFrom = this.now >= this.end ? this.start : this.now;
    this.playing = performance.now();
    this.frames = [];
    this.showPlaying();
    requestAnimationFrame((at) => this.advance(at));
  }

  private stop(): void {
    this.playing = 0;
    this.rate.textContent = "";
    this.showPlaying();
  }

  private advance(at: number): void {
    if (!this.playing || !live.info) return;
    const { timeCodesPerSecond, framesPerSecond } = live.info;
    const each = timeCodesPerSecond / framesPerSecond;
    const played = Math.floor(Math.max(0, ((at - this.playing) / 1000) * framesPerSecond)) * each;
    const length = this.end - this.start + each;
    const next = this.start + ((this.playedFrom - this.start + played) % length);
    if (next !== this.now) {
      this.frames.push(at);
      this.set(next);
    }
    while (this.frames.length && this.frames[0]! < at - 1000) this.frames.shift();
    this.rate.textContent = `${this.frames.length} fps`;
    requestAnimationFrame((next) => this.advance(next));
  }

  private get start(): number {
    return live.info?.start ?? 0;
  }

  private get end(): number {
    return live.info?.end ?? this.start;
  }

  private get now(): number {
    const number = Number(time());
    return Number.isFinite(number) ? number : this.start;
  }

  private set(number: number): void {
    go({ time: String(Math.round(number * 1000) / 1000) }, true);
  }

  private show(): void {
    const hasRange = live.info !== null && this.end > this.start;
    this.slider.disabled = !hasRange;
    this.slider.min = String(this.start);
    this.slider.max = String(this.end);
    this.slider.value = String(this.now);
    this.range.textContent = hasRange ? `${this.start} – ${this.end}` : "no range of times";
    if (document.activeElement !== this.field) this.field.value = time();
    this.element.hidden = place().stage === "";
  }

  private showPlaying(): void {
    const label = this.playing ? "Pause (Space)" : "Play (Space)";
    this.play.title = label;
    this.play.setAttribute("aria-label", label);
    this.play.querySelector("path")!.setAttribute("d", this.playing ? PAUSE : PLAY);
  }
}
