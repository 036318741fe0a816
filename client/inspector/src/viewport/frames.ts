// Asks for frames, and hands out their blocks as they arrive.

import { ask, Problem, url, type Params } from "../api";
import { unpack, type Packed } from "../packed";

export interface ValueEntry {
  interpolation: string;
  array?: string;
  indices?: string;
  coarse?: boolean; // whether the array has only the points of a coarser shape
  number?: number;
  text?: string;
}

export interface GeometryEntry {
  number: number;
  values: { [name: string]: ValueEntry };
  removed: string[];
  instances?: { prototypes: number[]; indices: string; matrices: string; total: number };
}

export interface CameraEntry {
  path: string;
  matrix: (number | null)[];
  orthographic: boolean;
  window: (number | null)[];
}

// The header of a block; what else it has depends on its kind.
export interface BlockHeader {
  kind: string;
  complete?: boolean;
  base?: number;
  time?: string;
  snapshot?: string;
  prims?: number;
  upAxis?: string;
  paths?: string[];
  types?: string[];
  purposes?: string[];
  geometry?: GeometryEntry[];
  materials?: { number: number; path: string; color: number[] | null }[];
  lights?: { number: number; path: string; type: string }[];
  errors?: { path: string; message: string }[];
  total?: number;
  error?: { message: string; reason: string; hint: string; path: string };
}

export type Block = Packed<BlockHeader>;

// The blocks of a frame.
export async function* blocks(params: Params, signal: AbortSignal): AsyncGenerator<Block, void, void> {
  const answer = await ask(url("frame", params), { signal });
  const reader = new Bytes(answer.body!.getReader());
  for (;;) {
    const prefix = await reader.take(8);
    if (!prefix) return;
    const length = new DataView(prefix).getUint32(0, true);
    const content = await reader.take(length);
    if (!content) throw new Problem("the frame ended early", "", "move the time to ask for it again");
    const block = unpack<BlockHeader>(content);
    const { error } = block.header;
    if (error) throw new Problem(error.message, error.reason, error.hint, error.path);
    yield block;
  }
}

// Takes bytes of a stream, as many as are asked for.
class Bytes {
  private parts: Uint8Array[] = [];
  private available = 0;

  constructor(private readonly reader: ReadableStreamDefaultReader<Uint8Array>) {}

  // The next bytes in a buffer of their own; null at the end.
  async take(count: number): Promise<ArrayBuffer | null> {
    while (this.available < count) {
      const { done, value } = await this.reader.read();
      if (done) return null;
      this.parts.push(value);
      this.available += value.length;
    }
    const made = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      const part = this.parts[0]!;
      const used = Math.min(part.length, count - filled);
      made.set(part.subarray(0, used), filled);
      filled += used;
      if (used === part.length) this.parts.shift();
      else this.parts[0] = part.subarray(used);
    }
    this.available -= count;
    return made.buffer;
  }
}
