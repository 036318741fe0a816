// Moves the time on while it plays. Times are skipped, not delayed, if they cannot be shown in time.

import { live, time } from "./live";
import { go, onPlace } from "./place";

let began = 0; // when playing began, by the clock of animation frames; 0 if it does not
let from = 0; // the time that it began at
let drawn: number[] = []; // when the time was moved on, in the last second
let lastRate = 0;
let rated = 0; // when that was
const RATED_EVERY = 250; // milliseconds
const listeners = new Set<() => void>();

// The range of the stage. Without one, `end` is `start`.
export function range(): { start: number; end: number } {
  const start = live.info?.start ?? 0;
  return { start, end: live.info?.end ?? start };
}

// The time that is shown, as a number.
export function now(): number {
  const number = Number(time());
  return Number.isFinite(number) ? number : range().start;
}

export function setTime(number: number): void {
  go({ time: textOf(number) }, true);
}

export function isPlaying(): boolean {
  return began !== 0;
}

// How many times were shown in the second before the last look, which is taken four times a second:
// a number that changes with each picture cannot be read.
export function rate(): number {
  return lastRate;
}

// Calls a function when playing begins or ends, and now and then while it plays.
export function onPlayer(listener: () => void): void {
  listeners.add(listener);
}

export function play(): void {
  const { start, end } = range();
  if (end <= start) return;
  from = now() >= end ? start : now();
  began = performance.now();
  drawn = [];
  notify();
  requestAnimationFrame(advance);
}

export function stop(): void {
  began = 0;
  notify();
}

// The time that will be shown next, if it is known: while it plays, and after steps of one size, as
// those of a key that is held.
export function nextTime(): string | null {
  if (isPlaying()) return textOf(wrapped(now() + step()));
  const { start, end } = range();
  const next = now() + steady;
  return steady !== 0 && next >= start && next <= end ? textOf(next) : null;
}

let last = NaN; // the time before the latest step
let size = 0; // of that step
let steady = 0; // the size of the latest steps, if they have one

onPlace((place, before) => {
  if (place.time === before.time) return;
  const by = now() - last;
  steady = Math.abs(by - size) < 1e-6 ? by : 0;
  size = by;
  last = now();
});

function advance(at: number): void {
  if (!began || !live.info) return;
  const played = Math.floor(Math.max(0, (at - began) / 1000) * live.info.framesPerSecond) * step();
  const next = wrapped(from + played);
  if (textOf(next) !== textOf(now())) {
    drawn.push(at);
    setTime(next);
  }
  while (drawn.length && drawn[0]! < at - 1000) drawn.shift();
  if (at - rated > RATED_EVERY) {
    rated = at;
    lastRate = drawn.length;
    notify();
  }
  requestAnimationFrame(advance);
}

// The time codes between two frames.
function step(): number {
  return live.info ? live.info.timeCodesPerSecond / live.info.framesPerSecond : 1;
}

function wrapped(number: number): number {
  const { start, end } = range();
  return start + ((number - start) % (end - start + step()));
}

function textOf(number: number): string {
  return String(Math.round(number * 1000) / 1000);
}

function notify(): void {
  for (const listener of listeners) listener();
}
