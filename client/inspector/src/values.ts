// Values of attributes, as the server sends them.

import { h } from "./dom";

export interface Value {
  text: string;
  cut?: boolean;
  count?: number;
  color?: string;
  state?: "none" | "blocked" | "error";
  message?: string;
  hint?: string;
}

const STATES = { none: "no value", blocked: "blocked", error: "error" };

export function valueElement(value: Value | undefined): HTMLElement {
  if (!value) return h("span", { class: "value value-none" }, "…");
  if (value.state) {
    return h(
      "span",
      { class: `value value-${value.state}`, title: value.message ?? null },
      value.state === "error" ? (value.message ?? "error") : STATES[value.state],
    );
  }
  return h(
    "span",
    { class: "value" },
    value.color && h("span", { class: "swatch", style: { "background-color": value.color } }),
    value.text,
    value.count !== undefined && value.cut && h("span", { class: "note" }, `${value.count} elements`),
  );
}

const SOURCES: { [source: string]: string } = {
  none: "nothing",
  fallback: "fallback",
  default: "default",
  time_samples: "time samples",
  value_clips: "value clips",
  spline: "spline",
};

export function sourceWords(source: string): string {
  return SOURCES[source] ?? source;
}

// The last part of the identifier of a layer, which is enough to recognise it.
export function fileName(identifier: string): string {
  const inner = identifier.replace(/\]+$/, "");
  return inner.slice(Math.max(inner.lastIndexOf("/"), inner.lastIndexOf("[")) + 1) || identifier;
}
