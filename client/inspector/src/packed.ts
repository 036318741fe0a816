// Answers with arrays: a JSON header, and views of the bytes that arrived.

import { ask, url, type Params } from "./api";

export type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

interface Described {
  name: string;
  type: string;
  shape: number[];
}

const TYPES: { [type: string]: new (buffer: ArrayBuffer, offset: number, length: number) => Numbers } = {
  f8: Float64Array,
  f4: Float32Array,
  i4: Int32Array,
  u4: Uint32Array,
  u1: Uint8Array,
  b1: Uint8Array,
};

export interface Packed<H> {
  header: H;
  arrays: { [name: string]: { data: Numbers; shape: number[] } };
}

export async function getPacked<H>(name: string, params: Params, signal?: AbortSignal): Promise<Packed<H>> {
  const answer = await ask(url(name, params), { signal: signal ?? null });
  return unpack<H>(await answer.arrayBuffer());
}

export function unpack<H>(buffer: ArrayBuffer): Packed<H> {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as H & { arrays: Described[] };
  const arrays: Packed<H>["arrays"] = {};
  let at = 4 + length;
  for (const { name, type, shape } of header.arrays) {
    const make = TYPES[type];
    if (!make) throw new Error(`unknown type of an array: ${type}`);
    const count = shape.reduce((product, size) => product * size, 1);
    const data = new make(buffer, at, count);
    arrays[name] = { data, shape };
    at += Math.ceil(data.byteLength / 8) * 8;
  }
  return { header, arrays };
}
