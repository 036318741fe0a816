// Edits in the session that is shown.

import { post } from "./api";
import { aboutStage, open } from "./live";
import { report, say } from "./messages";
import { go, place } from "./place";

export interface EditState {
  snapshot: string;
  undo: number;
  last: string;
}

let latest: EditState | null = null;
const listeners = new Set<() => void>();

// Whether a session is shown, rather than the stage to look at it only.
export function canEdit(): boolean {
  return place().session !== "";
}

export function isPrivate(session = place().session): boolean {
  return session.startsWith("private:");
}

// The result of the latest edit; null before the first.
export function editState(): EditState | null {
  return latest;
}

export function onEdit(listener: () => void): void {
  listeners.add(listener);
}

// Makes an edit; what it changes is shown when the stage reports it. Returns whether it was made.
export async function edit(kind: string, what: object): Promise<boolean> {
  return ask("edit", { kind, ...what });
}

export async function undo(): Promise<boolean> {
  if (!canEdit()) return false;
  const words = latest?.last;
  const done = await ask("undo", {});
  if (done && words) say(`Undone: ${words}`);
  return done;
}

// Begins a session, or joins the one of a name.
export async function begin(name: string): Promise<void> {
  try {
    const { stage, load } = aboutStage();
    const answer = await post<{ session: string }>("session", { stage, load, name });
    latest = null;
    go({ session: answer.session });
  } catch (error) {
    report(error);
  }
}

// Leaves the session; a private one ends, with its edits.
export async function end(): Promise<void> {
  try {
    if (isPrivate()) await post("end", aboutStage());
    latest = null;
    go({ session: "" });
    await open();
  } catch (error) {
    report(error);
  }
}

async function ask(name: string, what: object): Promise<boolean> {
  try {
    latest = await post<EditState>(name, { ...aboutStage(), ...what });
    for (const listener of listeners) listener();
    return true;
  } catch (error) {
    report(error);
    return false;
  }
}
