// The time that everything is shown at, with a play head.

import { h, iconButton, setText } from "./dom";
import { live, onLive, time } from "./live";
import { go, onPlace, place } from "./place";
import { isPlaying, now, onPlayer, play, range, rate, setTime, stop } from "./player";

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
  private readonly rate = h("span", { class: "frame-rate", title: "Frames in the last second" });
  private readonly play = iconButton("Play (Space)", PLAY, () => this.togglePlay());

  constructor() {
    this.slider.addEventListener("input", () => setTime(Number(this.slider.value)));
    this.field.addEventListener("change", () => go({ time: this.field.value.trim() }, true));
    this.element = h(
      "footer",
      { class: "timebar", "aria-label": "Time" },
      iconButton("First time", "M4 3v10M13 3 6 8l7 5z", () => setTime(range().start)),
      iconButton("One frame back (,)", "M12 3 5 8l7 5z", () => this.step(-1)),
      this.play,
      iconButton("One frame forward (.)", "M4 3l7 5-7 5z", () => this.step(1)),
      iconButton("Last time", "M12 3v10M3 3l7 5-7 5z", () => setTime(range().end)),
      this.field,
      this.slider,
      this.range,
      this.rate,
    );
    onPlace((now, before) => {
      if (now.stage !== before.stage) stop();
      this.show();
    });
    onLive(() => this.show());
    onPlayer(() => this.showPlaying());
    this.show();
  }

  step(by: number): void {
    stop();
    const { start, end } = range();
    setTime(Math.max(start, Math.min(end, now() + by)));
  }

  togglePlay(): void {
    if (isPlaying()) stop();
    else play();
  }

  private show(): void {
    const { start, end } = range();
    const hasRange = live.info !== null && end > start;
    this.slider.disabled = !hasRange;
    if (this.slider.min !== String(start)) this.slider.min = String(start);
    if (this.slider.max !== String(end)) this.slider.max = String(end);
    this.slider.value = String(now());
    setText(this.range, hasRange ? `${start} – ${end}` : "no range of times");
    if (document.activeElement !== this.field) this.field.value = time();
    this.element.hidden = place().stage === "";
  }

  private showPlaying(): void {
    setText(this.rate, isPlaying() ? `${rate()} fps` : "");
    const label = isPlaying() ? "Pause (Space)" : "Play (Space)";
    if (this.play.title === label) return;
    this.play.title = label;
    this.play.setAttribute("aria-label", label);
    this.play.querySelector("path")!.setAttribute("d", isPlaying() ? PAUSE : PLAY);
  }
}
