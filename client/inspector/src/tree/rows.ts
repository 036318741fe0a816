// A virtual list of rows of one height: only those in view are elements. A list that is longer than
// what browsers can scroll is scrolled in larger steps.

import { h } from "../dom";

export const ROW_HEIGHT = 24;
const MAX_HEIGHT = 8_000_000; // browsers give up between 17 and 33 million pixels
const OVERSCAN = 8;

export class Rows {
  readonly element: HTMLElement;
  private readonly spacer = h("div", { class: "rows-spacer", role: "presentation" });
  private readonly window = h("div", { class: "rows-window", role: "presentation" });
  private count = 0;
  private frame = 0;

  // make: the element of a row. seen: called with the rows in view after they were drawn.
  constructor(
    attributes: { [name: string]: unknown },
    private readonly make: (row: number) => HTMLElement,
    private readonly seen: (first: number, last: number) => void = () => {},
  ) {
    this.element = h("div", { ...attributes, class: `rows ${attributes["class"] ?? ""}` });
    this.element.append(this.spacer, this.window);
    this.element.addEventListener("scroll", () => this.later());
    new ResizeObserver(() => this.later()).observe(this.element);
  }

  // Draws the rows in view again.
  draw(count = this.count): void {
    this.count = count;
    this.spacer.style.height = `${Math.min(count * ROW_HEIGHT, MAX_HEIGHT)}px`;
    const { first, last, top } = this.range();
    this.window.style.transform = `translateY(${top}px)`;
    const made: HTMLElement[] = [];
    for (let row = first; row < last; row++) made.push(this.make(row));
    this.window.replaceChildren(...made);
    this.seen(first, last);
  }

  // Scrolls as little as makes a row visible.
  show(row: number): void {
    const top = this.firstInView();
    const visible = Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT));
    if (row < top) this.scrollTo(row);
    else if (row >= top + visible) this.scrollTo(row - visible + 1);
  }

  get pageSize(): number {
    return Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 1);
  }

  private later(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private get isScaled(): boolean {
    return this.count * ROW_HEIGHT > MAX_HEIGHT;
  }

  private firstInView(): number {
    const { scrollTop, clientHeight } = this.element;
    if (!this.isScaled) return Math.ceil(scrollTop / ROW_HEIGHT);
    const rest = Math.max(1, MAX_HEIGHT - clientHeight);
    return Math.round((scrollTop / rest) * Math.max(0, this.count - clientHeight / ROW_HEIGHT));
  }

  private scrollTo(row: number): void {
    const rest = Math.max(1, this.count - this.element.clientHeight / ROW_HEIGHT);
    this.element.scrollTop = this.isScaled
      ? (row / rest) * (MAX_HEIGHT - this.element.clientHeight)
      : row * ROW_HEIGHT;
    this.draw();
  }

  private range(): { first: number; last: number; top: number } {
    const { scrollTop, clientHeight } = this.element;
    const start = this.isScaled ? this.firstInView() : Math.floor(scrollTop / ROW_HEIGHT);
    const first = Math.max(0, start - OVERSCAN);
    const last = Math.min(this.count, start + Math.ceil(clientHeight / ROW_HEIGHT) + OVERSCAN);
    const top = this.isScaled ? scrollTop - (start - first) * ROW_HEIGHT : first * ROW_HEIGHT;
    return { first, last, top: Math.max(0, top) };
  }
}
