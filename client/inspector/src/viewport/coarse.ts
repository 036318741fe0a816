// Coarser shapes for pictures that change. Without a graphics card, triangles cost the most, and a
// character of thousands of points is often a hundred pixels high.
//
// The points of a mesh are divided into regions of neighbours. One point of each region stands for
// it, and the faces that lie between three regions stay. Regions depend on the topology only, so
// they are found once, and hold for a deformed mesh at all times.

import { BufferAttribute, BufferGeometry } from "three";

export interface Coarse {
  geometry: BufferGeometry;
  sources: Uint32Array; // the points of the mesh that are left
}

const MAX_REACH = 8; // edges from the point that stands for a region to those around it
const MIN_SAVED = 0.3; // of the triangles: what is hardly coarser is not worth a shape of its own
const MIN_LEFT = 1 / 6; // of those that are wanted: small parts that are not connected would vanish

// The shape with about `wanted` triangles, or the coarsest one that is made; null if there is none
// that is worth it.
export function coarsen(shape: BufferGeometry, wanted: number): Coarse | null {
  const index = shape.index?.array as Uint32Array | undefined;
  const count = shape.getAttribute("position")?.count ?? 0;
  if (!index || count === 0) return null;
  const around = neighbours(index, count);
  let found: { seeds: Uint32Array; index: Uint32Array } | null = null;
  for (let reach = 1; reach <= MAX_REACH; reach++) {
    const seeds = spread(around, count, reach);
    const next = { seeds, index: between(index, regions(around, count, seeds)) };
    if (next.index.length < wanted * 3 * MIN_LEFT) break;
    found = next;
    if (found.index.length <= wanted * 3) break;
  }
  if (!found || found.index.length > index.length * (1 - MIN_SAVED)) return null;
  const geometry = new BufferGeometry();
  geometry.setIndex(new BufferAttribute(found.index, 1));
  const made = { geometry, sources: found.seeds };
  for (const name of ["position", "color"]) {
    if (!shape.hasAttribute(name)) continue;
    geometry.setAttribute(name, new BufferAttribute(new Float32Array(found.seeds.length * 3), 3));
    take(made, shape, name);
  }
  return made;
}

// Takes the points that are left.
export function setPoints({ geometry }: Coarse, points: Float32Array): void {
  const position = geometry.getAttribute("position") as BufferAttribute;
  if (points.length !== position.array.length) return;
  position.array = points;
  position.needsUpdate = true;
  geometry.boundingBox = geometry.boundingSphere = null;
}

// Takes the values of an attribute from the shape again.
export function take({ geometry, sources }: Coarse, shape: BufferGeometry, name: string): void {
  const from = shape.getAttribute(name).array;
  const attribute = geometry.getAttribute(name) as BufferAttribute;
  const to = attribute.array;
  for (let i = 0, at = 0; i < sources.length; i++) {
    const source = sources[i]! * 3;
    to[at++] = from[source]!;
    to[at++] = from[source + 1]!;
    to[at++] = from[source + 2]!;
  }
  attribute.needsUpdate = true;
  if (name === "position") geometry.boundingBox = geometry.boundingSphere = null;
}

// The neighbours of point p are points[starts[p]] to points[starts[p + 1] - 1].
interface Around {
  starts: Uint32Array;
  points: Uint32Array;
}

function neighbours(index: Uint32Array, count: number): Around {
  const starts = new Uint32Array(count + 1);
  for (const point of index) starts[point + 1]! += 2;
  for (let point = 0; point < count; point++) starts[point + 1]! += starts[point]!;
  const next = starts.slice();
  const points = new Uint32Array(index.length * 2);
  for (let i = 0; i < index.length; i += 3) {
    const [a, b, c] = [index[i]!, index[i + 1]!, index[i + 2]!];
    points[next[a]!++] = b;
    points[next[a]!++] = c;
    points[next[b]!++] = c;
    points[next[b]!++] = a;
    points[next[c]!++] = a;
    points[next[c]!++] = b;
  }
  return { starts, points };
}

// Points that have faces, each more than `reach` edges from those before it.
function spread({ starts, points }: Around, count: number, reach: number): Uint32Array {
  const covered = new Uint8Array(count);
  const queue = new Uint32Array(count);
  const seeds: number[] = [];
  for (let point = 0; point < count; point++) {
    if (covered[point] || starts[point] === starts[point + 1]) continue;
    seeds.push(point);
    covered[point] = 1;
    queue[0] = point;
    let [first, last] = [0, 1];
    for (let step = 0; step < reach; step++) {
      const end = last;
      for (; first < end; first++) {
        const at = queue[first]!;
        for (let i = starts[at]!; i < starts[at + 1]!; i++) {
          const near = points[i]!;
          if (covered[near]) continue;
          covered[near] = 1;
          queue[last++] = near;
        }
      }
    }
  }
  return new Uint32Array(seeds);
}

// The region of each point: the number of the seed that is nearest by edges; -1 without faces.
function regions({ starts, points }: Around, count: number, seeds: Uint32Array): Int32Array {
  const found = new Int32Array(count).fill(-1);
  const queue = new Uint32Array(count);
  queue.set(seeds);
  seeds.forEach((seed, number) => (found[seed] = number));
  for (let first = 0, last = seeds.length; first < last; first++) {
    const at = queue[first]!;
    for (let i = starts[at]!; i < starts[at + 1]!; i++) {
      const near = points[i]!;
      if (found[near] !== -1) continue;
      found[near] = found[at]!;
      queue[last++] = near;
    }
  }
  return found;
}

// The triangles whose points are in three regions, as triangles of these.
function between(index: Uint32Array, region: Int32Array): Uint32Array<ArrayBuffer> {
  const made: number[] = [];
  for (let i = 0; i < index.length; i += 3) {
    const [a, b, c] = [region[index[i]!]!, region[index[i + 1]!]!, region[index[i + 2]!]!];
    if (a !== b && b !== c && c !== a) made.push(a, b, c);
  }
  return new Uint32Array(made);
}
