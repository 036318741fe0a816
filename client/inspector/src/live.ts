// The stage that is shown: its description, and what changes on it.

import { get, isAborted, lines, Problem } from "./api";
import { onPlace, place } from "./place";

export interface Field {
  name: string;
  text: string;
  cut?: boolean;
}

export interface Site {
  layer: string;
  path: string;
  arc: string;
  offset?: string;
}

export interface StageInfo {
  snapshot: string;
  root: string;
  session: string;
  load: string;
  defaultPrim: string;
  start: number | null;
  end: number | null;
  timeCodesPerSecond: number;
  framesPerSecond: number;
  metersPerUnit: number | null;
  upAxis: string;
  metadata: Field[];
  layers: Site[];
  layerCount: number;
  muted: string[];
  undo: number;
}

// A change of the stage: paths that were resynced with everything below them, and single paths that
// changed.
export interface Change {
  snapshot: string;
  resynced: string[];
  changed: string[];
}

export type Connection = "none" | "opening" | "live" | "lost";

let info: StageInfo | null = null;
let problem: unknown = null;
let connection: Connection = "none";
let watching: AbortController | null = null;
const RETRY_MILLISECONDS = 2000;

type Listener = (change: Change | null) => void;
const listeners = new Set<Listener>();

export const live = {
  get info(): StageInfo | null {
    return info;
  },
  // Why the stage cannot be shown, or null.
  get problem(): unknown {
    return problem;
  },
  get connection(): Connection {
    return connection;
  },
};

// Calls a function with each change of the stage, and with null if another stage is shown or its
// description or connection has changed; until the result is called.
export function onLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// The parameters that name the stage in a request.
export function aboutStage(): { stage: string; session: string; load: string } {
  const { stage, session, load } = place();
  return { stage, session, load };
}

// The time that is shown: that of the URL, or else the first one of the stage.
export function time(): string {
  if (place().time) return place().time;
  return info?.start === null || info?.start === undefined ? "default" : String(info.start);
}

// Whether something at or below a path, or above it, has changed.
export function affects(change: Change, path: string): boolean {
  const prim = path.split(".")[0]!;
  return (
    change.resynced.some((at) => {
      const changed = at.split(".")[0]!;
      return isAtOrBelow(prim, changed) || isAtOrBelow(changed, prim);
    }) || change.changed.some((at) => at.split(".")[0] === prim)
  );
}

export function isAtOrBelow(path: string, above: string): boolean {
  return above === "/" || path === above || path.startsWith(above + "/");
}

// Follows the URL from now on.
export function start(): void {
  onPlace((now, before) => {
    const same = now.stage === before.stage && now.session === before.session && now.load === before.load;
    if (!same) void open();
  });
  document.addEventListener("visibilitychange", () => {
    // A page in the background holds no connection, of which browsers have few for a server.
    if (document.hidden) watching?.abort();
    else if (info && connection !== "live") void open();
  });
  void open();
}

// Asks again for everything, as after an error.
export async function open(): Promise<void> {
  watching?.abort();
  const mine = (watching = new AbortController());
  info = null;
  problem = null;
  set(place().stage ? "opening" : "none");
  if (!place().stage) return;
  while (!mine.signal.aborted) {
    try {
      await watch(mine.signal);
    } catch (error) {
      if (isAborted(error) || mine.signal.aborted) return;
      if (!info || !isPassing(error)) {
        problem = error;
        set("lost");
        return;
      }
      set("lost");
    }
    await new Promise((done) => setTimeout(done, RETRY_MILLISECONDS));
  }
}

async function watch(signal: AbortSignal): Promise<void> {
  info = await get<StageInfo>("stage", aboutStage(), signal);
  set("live");
  for await (const line of lines<Partial<Change> & { closed?: boolean }>("events", aboutStage(), signal)) {
    if (line.closed) return;
    if (!line.snapshot || line.snapshot === info.snapshot) continue;
    info = await get<StageInfo>("stage", aboutStage(), signal);
    const change = { snapshot: line.snapshot, resynced: line.resynced ?? ["/"], changed: line.changed ?? [] };
    for (const listener of listeners) listener(change);
  }
  set("lost");
}

// Whether an error goes away by itself, as that of a daemon which is restarted.
function isPassing(error: unknown): boolean {
  return !(error instanceof Problem) || ["UNAVAILABLE", "DEADLINE_EXCEEDED"].includes(error.reason);
}

function set(next: Connection): void {
  connection = next;
  for (const listener of listeners) listener(null);
}
