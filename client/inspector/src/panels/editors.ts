// The parts of the panel Prim that edit: only in a session.

import { get } from "../api";
import { button, fill, h, select } from "../dom";
import { canEdit, edit } from "../edits";
import { aboutStage, time } from "../live";
import { report } from "../messages";
import type { PrimInfo } from "./prim";

// Buttons for the prim as a whole; null without a session.
export function primEditors(info: PrimInfo): HTMLElement | null {
  if (!canEdit() || info.path === "/") return null;
  const { path } = info;
  const flags = new Set(info.flags);
  const inactive = flags.has("inactive");
  const unloaded = flags.has("unloaded");
  return h(
    "div",
    { class: "section-bar", role: "group", "aria-label": "Edit the prim" },
    button(inactive ? "Activate" : "Deactivate", () => void edit("active", { path, on: inactive })),
    flags.has("has_payload") && button(unloaded ? "Load" : "Unload", () => void edit("load", { path, on: unloaded })),
    button("Revert", () => void edit("revert", { path }), { title: "Remove what the session has on the prim and below it" }),
  );
}

// A choice of variants; in a session, one that selects.
export function variantEditor(path: string, set: PrimInfo["variants"][number]): HTMLElement {
  if (!canEdit()) {
    return h("span", {}, ...set.choices.map((choice) => h("span", { class: choice === set.selection ? "chip chip-on" : "chip" }, choice)));
  }
  const choices: [string, string][] = [["", "as in the layers"], ...set.choices.map((name): [string, string] => [name, name])];
  return select(`Variant of ${set.name}`, choices, set.selection, (choice) => {
    void edit("variant", { path, set: set.name, choice });
  });
}

// A field for the value of an attribute; null without a session.
export function valueEditor(path: string): HTMLElement | null {
  if (!canEdit()) return null;
  const field = h("textarea", { rows: 2, class: "wide value", "aria-label": `Value of ${path}`, spellcheck: "false" });
  const atTime = h("input", { type: "radio", name: "edit-at", id: "edit-at-time", value: "time" });
  const atDefault = h("input", { type: "radio", name: "edit-at", id: "edit-at-default", value: "default", set: { checked: true } });
  const note = h("span", { class: "hint" });
  const form = h(
    "form",
    { class: "value-editor" },
    field,
    h(
      "div",
      { class: "section-bar" },
      h("label", { for: "edit-at-default" }, atDefault, " default value"),
      h("label", { for: "edit-at-time" }, atTime, ` sample at ${time()}`),
      h("button", { type: "submit", class: "primary" }, "Set"),
      button("Block", () => void edit("block", { path })),
      button("Clear", () => void edit("clear", { path }), { title: "Remove what the session has on the property" }),
      note,
    ),
  );
  atTime.disabled = !Number.isFinite(Number(time()));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void edit("set", { path, value: field.value, at: atTime.checked ? "time" : "default", time: time() });
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  void get<{ text: string; cut: boolean; type: string }>("editable", { ...aboutStage(), path, time: time() }).then(
    (found) => {
      // Somebody may have begun to write.
      if (!field.value && !found.cut) field.value = found.text;
      fill(note, found.cut ? `The value is too long to be edited here; a new ${found.type} can be set.` : found.type);
    },
    report,
  );
  return form;
}
