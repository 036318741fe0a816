// Dark, light, or as the system is.

const KEY = "stagedoor.theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const listeners = new Set<() => void>();

export function theme(): Theme {
  const found = localStorage.getItem(KEY) as Theme;
  return THEMES.includes(found) ? found : "system";
}

export function startTheme(): void {
  document.documentElement.dataset["theme"] = theme();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", notify);
}

export function nextTheme(): Theme {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]!;
  localStorage.setItem(KEY, next);
  document.documentElement.dataset["theme"] = next;
  notify();
  return next;
}

// Calls a function when colors have changed that are not drawn by styles, as those of plots.
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}

// The color that a variable of the styles has at present, as canvases take it.
export function color(variable: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
