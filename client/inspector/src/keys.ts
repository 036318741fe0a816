// The keyboard shortcuts that work in every panel, and the list of them.

import { button, h } from "./dom";

interface Key {
  keys: string;
  does: string;
  press?: () => void;
}

const known: Key[] = [];

export function addKey(keys: string, does: string, press?: () => void): void {
  known.push({ keys, does, ...(press ? { press } : {}) });
}

export function startKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event)) return;
    const found = known.find((key) => key.press && key.keys === nameOf(event));
    if (!found) return;
    event.preventDefault();
    found.press!();
  });
}

function nameOf(event: KeyboardEvent): string {
  return event.key === " " ? "Space" : event.key;
}

// Whether the key is for what has the focus: a text field, or a button that Space presses.
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.closest("input, textarea, select, [contenteditable], dialog")) return event.key !== "Escape";
  const space = event.key === " " || event.key === "Enter";
  return space && target.closest("button, a, summary, [role=treeitem], [role=tree], [role=tab]") !== null;
}

export function showKeys(): void {
  const dialog = h(
    "dialog",
    { class: "keys", "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title" }, "Keys"),
    h(
      "table",
      {},
      h("tbody", {}, ...known.map((key) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key.keys)), h("td", {}, key.does)))),
    ),
  );
  dialog.append(h("p", {}, h("a", { href: "/licenses.txt", target: "_blank" }, "Licenses of what the page contains")));
  dialog.append(button("Close", () => dialog.close(), { class: "primary" }));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
