// Makes elements. Text of scenes gets into the page only here, and only as text.

export type Child = Node | string | number | null | undefined | false;

interface Attributes {
  class?: string;
  on?: { [name: string]: (event: never) => void };
  style?: { [name: string]: string };
  // Properties of the element, such as `value` of an input.
  set?: { [name: string]: unknown };
  [name: string]: unknown;
}

// An element with attributes. `true` is an attribute without a value; `false`, null and undefined
// are none.
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) apply(made, name, value);
  add(made, children);
  return made;
}

export function add(parent: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : shown(String(child)));
  }
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  add(parent, children);
}

// Sets a text, unless it is there already: the browser lays out again what is written again.
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

function apply(made: HTMLElement, name: string, value: unknown): void {
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, listener] of Object.entries(value as object)) {
      made.addEventListener(event, listener as EventListener);
    }
  } else if (name === "style") {
    for (const [property, text] of Object.entries(value as object)) {
      made.style.setProperty(property, String(text));
    }
  } else if (name === "set") {
    Object.assign(made, value);
  } else {
    made.setAttribute(name, value === true ? "" : shown(String(value)));
  }
}

// Characters that would hide, reorder or break what stands beside them. Names of scenes may have
// them, and must not look like other names.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

// A text with its invisible characters written out.
export function shown(text: string): string {
  return text.replace(HIDDEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// ------------------------------------------------------------------------------------- drawings

const SVG = "http://www.w3.org/2000/svg";

// A drawing of 16 × 16 units, in the color of the text. It says nothing that is not said in words.
export function drawing(paths: string, name = "icon"): SVGSVGElement {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("viewBox", "0 0 16 16");
  made.setAttribute("aria-hidden", "true");
  made.setAttribute("class", name);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", paths);
  made.append(path);
  return made;
}

// A drawing of lines in pixels, each with its class.
export function lineDrawing(width: number, height: number, paths: { d: string; class: string }[]): SVGSVGElement {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("width", String(width));
  made.setAttribute("height", String(height));
  made.setAttribute("aria-hidden", "true");
  for (const attributes of paths) {
    const path = document.createElementNS(SVG, "path");
    for (const [name, value] of Object.entries(attributes)) path.setAttribute(name, value);
    made.append(path);
  }
  return made;
}

// ------------------------------------------------------------------------------------- small parts

export function button(label: string, press: () => void, more: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", ...more, on: { click: press } }, label);
}

// A button that shows a drawing; its name is for those who cannot see it.
export function iconButton(
  label: string,
  paths: string,
  press: () => void,
  more: Attributes = {},
): HTMLButtonElement {
  const made = h("button", {
    type: "button",
    title: label,
    "aria-label": label,
    class: "icon-button",
    ...more,
    on: { click: press },
  });
  made.append(drawing(paths));
  return made;
}

export function select(
  label: string,
  choices: [string, string][],
  value: string,
  change: (value: string) => void,
): HTMLSelectElement {
  const made = h(
    "select",
    { "aria-label": label },
    ...choices.map(([key, text]) => h("option", { value: key, selected: key === value }, text)),
  );
  made.addEventListener("change", () => change(made.value));
  return made;
}
