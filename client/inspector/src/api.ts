// Asks the inspector's server. Errors are `Problem`s, which say what to do.

export type Params = { [name: string]: string | number | boolean | undefined };

// An error in the words of the server.
export class Problem extends Error {
  constructor(
    message: string,
    readonly reason = "",
    readonly hint = "",
    readonly path = "",
  ) {
    super(message);
  }
}

interface ErrorAnswer {
  error: { message: string; reason: string; hint: string; path: string };
}

export async function get<T>(name: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  const answer = await ask(url(name, params), { signal: signal ?? null });
  return (await answer.json()) as T;
}

export async function post<T>(name: string, body: object, signal?: AbortSignal): Promise<T> {
  const answer = await ask(url(name, {}), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
  return (await answer.json()) as T;
}

// The lines of a stream of JSON, as they arrive.
export async function* lines<T>(
  name: string,
  params: Params,
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  const answer = await ask(url(name, params), { signal });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n");
    text = parts.pop()!;
    for (const part of parts) {
      const line = JSON.parse(part) as T & Partial<ErrorAnswer>;
      if (line.error) throw problem(line as ErrorAnswer);
      yield line as T;
    }
  }
}

// Whether a request was given up by this page.
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

// A URL of the server, also for downloads.
export function url(name: string, params: Params): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value !== undefined && value !== "") query.set(key, String(value));
  }
  const text = query.toString();
  return `/api/${name}${text ? `?${text}` : ""}`;
}

export async function ask(target: string, options: RequestInit): Promise<Response> {
  const end = begin();
  try {
    const answer = await fetch(target, options);
    if (!answer.ok) throw await failure(answer);
    return answer;
  } catch (error) {
    if (error instanceof TypeError) {
      throw new Problem(
        "the inspector does not answer",
        "UNAVAILABLE",
        "check whether `stagedoor inspect` still runs; start it again and open the URL it prints",
      );
    }
    throw error;
  } finally {
    end();
  }
}

async function failure(answer: Response): Promise<Problem> {
  const text = await answer.text();
  try {
    return problem(JSON.parse(text) as ErrorAnswer);
  } catch {
    return new Problem(text.trim() || `the inspector answers with status ${answer.status}`);
  }
}

function problem(answer: ErrorAnswer): Problem {
  const { message, reason, hint, path } = answer.error;
  return new Problem(message, reason, hint, path);
}

// ----------------------------------------------------------------------------------------- waiting

let waiting = 0;
const listeners = new Set<(waiting: number) => void>();

// Calls a function whenever the number of requests changes that have not been answered.
export function onWaiting(listener: (waiting: number) => void): void {
  listeners.add(listener);
}

function begin(): () => void {
  change(1);
  return () => change(-1);
}

function change(by: number): void {
  waiting += by;
  for (const listener of listeners) listener(waiting);
}
