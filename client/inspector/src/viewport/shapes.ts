// The shapes of geometries, as three.js draws them.

import {
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  PlaneGeometry,
  Sphere,
  SphereGeometry,
  Vector3,
} from "three";

import type { Numbers } from "../packed";
import { coarsen, take, type Coarse } from "./coarse";

// A value of a geometry: an array, a number or a text.
export interface Value {
  interpolation: string;
  array?: Numbers;
  indices?: Numbers;
  number?: number;
  text?: string;
}

export type Values = Map<string, Value>;
export type Kind = "faces" | "lines" | "points" | "none";

export interface Shape {
  kind: Kind;
  geometry: BufferGeometry;
  color: Color | null; // one for all of it
  hasColors: boolean; // whether its vertices have colors
  coarse?: Coarse | null; // for pictures that change; null if it is coarse enough
  isBehind?: boolean; // whether only its coarser shape has the newest points
}

const MAX_INDICES = 60_000_000;
const MIN_COARSENED = 200; // triangles

export function kindOf(type: string): Kind {
  if (/Curves$|Patch$/.test(type)) return "lines";
  if (type === "Points" || type === "ParticleField" || /^ParticleField/.test(type)) return "points";
  if (type === "PointInstancer" || type === "Volume") return "none";
  return "faces";
}

// The shape of a type with values. Arrays are those that have arrived, without a copy.
export function shapeOf(type: string, values: Values): Shape {
  const kind = kindOf(type);
  const made = simple(type, values) ?? fromPoints(kind, values);
  const { color, colors } = colorOf(values, made.getAttribute("position")?.count ?? 0);
  if (colors) made.setAttribute("color", new BufferAttribute(colors, 3));
  return { kind, geometry: made, color, hasColors: colors !== null };
}

// Takes values that have changed without the shape being made anew; false if that is not enough.
export function update(shape: Shape, changed: Set<string>, values: Values): boolean {
  if (changed.size !== 1 || !changed.has("points")) return false;
  const points = values.get("points")?.array;
  const position = shape.geometry.getAttribute("position") as BufferAttribute | undefined;
  if (!points || !position || position.array.length !== points.length) return false;
  position.array = points as Float32Array;
  position.needsUpdate = true;
  shape.geometry.boundingBox = null;
  shape.geometry.boundingSphere = null;
  shape.isBehind = false;
  if (shape.coarse) take(shape.coarse, shape.geometry, "position");
  return true;
}

export function triangleCount({ geometry }: Shape): number {
  return (geometry.index?.count ?? geometry.getAttribute("position")?.count ?? 0) / 3;
}

// The geometry that is drawn while the picture changes: a share of the triangles of the shape.
export function coarseGeometry(shape: Shape, share: number): BufferGeometry {
  if (share >= 1 || triangleCount(shape) < MIN_COARSENED) return shape.geometry;
  if (shape.coarse === undefined) shape.coarse = coarsen(shape.geometry, triangleCount(shape) * share);
  return shape.coarse?.geometry ?? shape.geometry;
}

// The geometry with the newest points.
export function newestGeometry(shape: Shape): BufferGeometry {
  return (shape.isBehind && shape.coarse?.geometry) || shape.geometry;
}

export function disposeShape(shape: Shape): void {
  shape.geometry.dispose();
  shape.coarse?.geometry.dispose();
}

function number(values: Values, name: string, usual: number): number {
  const found = values.get(name)?.number;
  return found !== undefined && Number.isFinite(found) ? found : usual;
}

// Shapes without points; null for those that have some.
function simple(type: string, values: Values): BufferGeometry | null {
  const radius = number(values, "radius", 1);
  const height = number(values, "height", 2);
  switch (type) {
    case "Sphere":
      return new SphereGeometry(radius, 24, 16);
    case "Cube": {
      const size = number(values, "size", 2);
      return new BoxGeometry(size, size, size);
    }
    case "Cylinder":
      return along(new CylinderGeometry(radius, radius, height, 24), values);
    case "Cylinder_1":
      return along(new CylinderGeometry(number(values, "radiusTop", 1), number(values, "radiusBottom", 1), height, 24), values);
    case "Cone":
      return along(new ConeGeometry(radius, height, 24), values);
    case "Capsule":
    case "Capsule_1":
      return along(new CapsuleGeometry(type === "Capsule" ? number(values, "radius", 0.5) : number(values, "radiusTop", 0.5), number(values, "height", 1), 6, 20), values);
    case "Plane":
      return plane(values);
    default:
      return null;
  }
}

// Turns a shape that stands along y to its axis.
function along(made: BufferGeometry, values: Values): BufferGeometry {
  const axis = values.get("axis")?.text ?? "Z";
  if (axis === "X") made.rotateZ(-Math.PI / 2);
  else if (axis === "Z") made.rotateX(Math.PI / 2);
  return made;
}

function plane(values: Values): BufferGeometry {
  const made = new PlaneGeometry(number(values, "width", 2), number(values, "length", 2));
  const axis = values.get("axis")?.text ?? "Z";
  if (axis === "X") made.rotateY(Math.PI / 2);
  else if (axis === "Y") made.rotateX(-Math.PI / 2);
  return made;
}

function fromPoints(kind: Kind, values: Values): BufferGeometry {
  const made = new BufferGeometry();
  const points = values.get("points")?.array;
  if (!points || kind === "none") return made;
  made.setAttribute("position", new BufferAttribute(points as Float32Array, 3));
  const count = points.length / 3;
  if (kind === "faces") made.setIndex(new BufferAttribute(triangles(values, count), 1));
  else if (kind === "lines") made.setIndex(new BufferAttribute(segments(values, count), 1));
  return made;
}

// The triangles of faces, as fans. Faces with wrong indices are left out.
function triangles(values: Values, points: number): Uint32Array<ArrayBuffer> {
  const counts = values.get("faceVertexCounts")?.array ?? new Int32Array();
  const indices = values.get("faceVertexIndices")?.array ?? new Int32Array();
  const holes = new Set(values.get("holeIndices")?.array ?? []);
  const flip = values.get("orientation")?.text === "leftHanded";
  let size = 0;
  for (const count of counts) size += Math.max(0, count - 2) * 3;
  const made = new Uint32Array(Math.min(size, MAX_INDICES));
  let at = 0;
  let first = 0;
  for (let face = 0; face < counts.length; face++) {
    const count = counts[face]!;
    const end = first + count;
    if (count < 0 || end > indices.length) break;
    if (!holes.has(face) && inRange(indices, first, end, points)) {
      for (let i = first + 1; i + 1 < end && at + 3 <= made.length; i++) {
        made[at++] = indices[first]!;
        made[at++] = indices[flip ? i + 1 : i]!;
        made[at++] = indices[flip ? i : i + 1]!;
      }
    }
    first = end;
  }
  return made.slice(0, at);
}

function inRange(indices: Numbers, first: number, end: number, points: number): boolean {
  for (let i = first; i < end; i++) if (indices[i]! < 0 || indices[i]! >= points) return false;
  return true;
}

// The lines through the points of curves.
function segments(values: Values, points: number): Uint32Array<ArrayBuffer> {
  const counts = values.get("curveVertexCounts")?.array ?? new Int32Array([points]);
  const closed = values.get("wrap")?.text === "periodic";
  const made: number[] = [];
  let first = 0;
  for (const count of counts) {
    if (count < 0 || first + count > points) break;
    for (let i = first; i + 1 < first + count; i++) made.push(i, i + 1);
    if (closed && count > 2) made.push(first + count - 1, first);
    first += count;
  }
  return new Uint32Array(made);
}

// The displayColor: one color, or one for each point.
function colorOf(values: Values, count: number): { color: Color | null; colors: Float32Array<ArrayBuffer> | null } {
  const found = values.get("primvars:displayColor");
  const array = found?.array;
  if (!array || array.length < 3) return { color: null, colors: null };
  const { interpolation, indices } = found!;
  const perPoint = interpolation === "vertex" || interpolation === "varying";
  const length = indices ? indices.length : array.length / 3;
  if (perPoint && length === count) return { color: null, colors: expanded(array, indices, count) };
  return { color: average(array), colors: null };
}

function expanded(array: Numbers, indices: Numbers | undefined, count: number): Float32Array<ArrayBuffer> {
  if (!indices) return Float32Array.from(array);
  const made = new Float32Array(count * 3);
  for (let i = 0; i < count; i++) {
    for (let part = 0; part < 3; part++) made[i * 3 + part] = array[indices[i]! * 3 + part] ?? 0;
  }
  return made;
}

function average(array: Numbers): Color {
  const sum = [0, 0, 0];
  for (let i = 0; i + 2 < array.length; i += 3) for (let part = 0; part < 3; part++) sum[part]! += array[i + part]!;
  const [red, green, blue] = sum.map((part) => Math.max(0, Math.min(1, part / (array.length / 3) || 0)));
  return new Color(red!, green!, blue!); // scene-linear, as three.js computes
}

// Measures a geometry, without points that are not finite, which three.js would take for all of it.
export function measure(geometry: BufferGeometry): void {
  if (geometry.boundingBox && geometry.boundingSphere) return;
  const box = new Box3();
  const positions = geometry.getAttribute("position")?.array ?? [];
  const point = new Vector3();
  for (let i = 0; i + 2 < positions.length; i += 3) {
    point.fromArray(positions as Float32Array, i);
    if (Number.isFinite(point.x + point.y + point.z)) box.expandByPoint(point);
  }
  geometry.boundingBox = box;
  geometry.boundingSphere = box.getBoundingSphere(new Sphere());
}
