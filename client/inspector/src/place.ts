// The state of the page that is in the URL: stage, prim, time, panel. A colleague who opens the URL
// sees the same page.

export interface Place {
  stage: string; // the root layer; empty for the page that lists stages
  session: string; // empty to look only
  load: string;
  prim: string;
  property: string;
  time: string; // a number, "default" or "earliest"; empty for the first time of the stage
  panel: string;
  show: string; // which prims the tree has
  find: string; // what is searched for
  // Parameters of single panels; each reads its own.
  plot: string; // the names of the attributes, or their paths, separated by spaces
  with: string; // of Compare: what to compare with, as "time:24"
  scope: string; // of Compare and Viewport: "prim" for the prim and what is below it only
  view: string; // of Viewport: the path of a camera, or "free:" and where the free one is
  swipe: string; // of Viewport: what is right of the line, as "time:24"
}

const DEFAULTS: Place = {
  stage: "",
  session: "",
  load: "all",
  prim: "/",
  property: "",
  time: "",
  panel: "prim",
  show: "defined",
  find: "",
  plot: "",
  with: "",
  scope: "",
  view: "",
  swipe: "",
};

type Listener = (place: Place, before: Place) => void;

let current = read();
const listeners = new Set<Listener>();

export function place(): Place {
  return current;
}

// Calls a function after each change, until the result is called.
export function onPlace(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Goes elsewhere. `replace`: without a new entry in the browser's history, as for a moving time.
export function go(to: Partial<Place>, replace = false): void {
  const next = { ...current, ...to };
  if (same(next, current)) return;
  const before = current;
  if (!replace) writeUrl();
  current = next;
  if (replace) writeUrlLater();
  else history.pushState(null, "", href({}));
  for (const listener of listeners) listener(current, before);
}

// Browsers refuse to change the URL as often as a time moves: some 20 times a second, or three.
const URL_EVERY = 500; // milliseconds
let written = -Infinity;
let writing = 0;

// Brings the URL in line with what is shown, which it may follow with a delay.
export function writeUrl(): void {
  if (!writing) return;
  window.clearTimeout(writing);
  writing = 0;
  written = performance.now();
  history.replaceState(null, "", href({}));
}

function writeUrlLater(): void {
  writing ||= window.setTimeout(writeUrl, written + URL_EVERY - performance.now());
}

// The URL of another place, for links.
export function href(to: Partial<Place>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...current, ...to })) {
    if (value !== DEFAULTS[name as keyof Place]) query.set(name, value);
  }
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":");
  return text ? `/?${text}` : "/";
}

function read(): Place {
  const query = new URLSearchParams(location.search);
  const found = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof Place)[]) {
    found[name] = query.get(name) ?? DEFAULTS[name];
  }
  return found;
}

function same(one: Place, other: Place): boolean {
  return (Object.keys(DEFAULTS) as (keyof Place)[]).every((name) => one[name] === other[name]);
}

window.addEventListener("popstate", () => {
  window.clearTimeout(writing);
  writing = 0;
  const before = current;
  current = read();
  for (const listener of listeners) listener(current, before);
});
