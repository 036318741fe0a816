// Errors and short messages, at the place where they concern somebody, or at the edge of the page.

import { isAborted, Problem } from "./api";
import { button, h } from "./dom";

const MAX_MESSAGES = 4;
const SECONDS = 12;
const box = h("div", { class: "messages", "aria-live": "polite" });

export function messages(): HTMLElement {
  return box;
}

// Shows a message for a while.
export function say(text: string): void {
  show(h("p", {}, text), "message");
}

// Shows an error of something that was not asked for at one place of the page.
export function report(error: unknown): void {
  if (isAborted(error)) return;
  show(described(error), "message message-error");
}

// An error with what to do about it, in place of what could not be shown.
export function failure(error: unknown, again: () => void): HTMLElement {
  return h(
    "div",
    { class: "failure", role: "alert" },
    described(error),
    button("Try again", again),
  );
}

function described(error: unknown): HTMLElement {
  if (!(error instanceof Problem)) {
    return h("div", {}, h("p", {}, `the page has an error: ${String(error)}`));
  }
  return h(
    "div",
    {},
    h("p", {}, error.message),
    error.hint && h("p", { class: "hint" }, error.hint),
    error.reason && h("p", { class: "reason" }, error.reason),
  );
}

function show(content: HTMLElement, kind: string): void {
  const text = content.textContent;
  for (const old of [...box.children]) if (old.firstElementChild?.textContent === text) old.remove();
  const made = h("div", { class: kind }, content);
  made.append(button("Dismiss", () => made.remove()));
  box.append(made);
  while (box.children.length > MAX_MESSAGES) box.firstElementChild!.remove();
  setTimeout(() => made.remove(), SECONDS * 1000);
}
