// The objects of a frame as objects of three.js. Blocks of a stream change them in place.

import {
  Box3,
  Box3Helper,
  BufferGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Points,
  PointsMaterial,
  Vector3,
  type Intersection,
  type Material,
  type Object3D,
} from "three";

import type { Numbers } from "../packed";
import { setPoints, type Coarse } from "./coarse";
import type { Block, BlockHeader, CameraEntry, GeometryEntry, ValueEntry } from "./frames";
import { faceMaterial } from "./material";
import {
  coarseGeometry,
  disposeShape,
  kindOf,
  measure,
  newestGeometry,
  shapeOf,
  triangleCount,
  update,
  type Shape,
  type Value,
  type Values,
} from "./shapes";

interface PrimEntry {
  path: string;
  type: string;
  geometry: number;
  material: number;
  prototype: number;
}

interface Geometry {
  values: Values;
  changed: Set<string>;
  shapes: Map<string, Shape>; // by type, of which a geometry usually has one
  instances: { prototypes: number[]; indices: Numbers; matrices: Numbers } | null;
  coarsePoints: Numbers | null; // newer than those of its values
  announced: Coarse | null; // the coarser shape that the server knows
}

// A coarser shape, for the server: the number of a geometry, its points, and which of them are left.
export interface CoarseEntry {
  number: number;
  points: number;
  sources: Uint32Array;
}

// A batch of prims that share a geometry and a color, so that one call draws them.
interface Batch {
  object: Object3D;
  prims: number[]; // of each instance
  shape: Shape;
}

const PLAIN = new Color(0.55, 0.57, 0.6);
const HIDDEN = new Matrix4().makeScale(0, 0, 0);
const MAX_DEPTH = 4; // of instancers in instancers
const MAX_INSTANCES = 200_000;
const MAX_MARKED = 2000; // prims whose bounds are joined for the selection
const COARSE_TRIANGLES = 8_000; // of a picture that changes, roughly

export class FrameScene {
  readonly root = new Group();
  private readonly content = new Group();
  private readonly glyphs = new Group();
  private readonly cameras = new Group();
  private readonly boxes = new Group();
  private readonly mark = new Box3Helper(new Box3(), new Color(1, 0.6, 0));
  private prims = new Map<number, PrimEntry>();
  private geometries = new Map<number, Geometry>();
  private materials = new Map<number, Color | null>();
  private lights = new Map<number, { path: string; type: string }>();
  private transforms = new Map<number, Matrix4>();
  private invisible = new Set<number>();
  private batches: Batch[] = [];
  private byPrim = new Map<number, { batch: Batch; index: number }[]>();
  private isStale = false; // whether the batches are to be made anew
  private hasOldGlyphs = false; // whether lights have come or moved
  isCoarse = false; // whether a picture that changes is drawn
  private moved = new Set<number>(); // prims whose matrices are to be set
  private extentThen: Box3 | null = null;
  isCut = false;
  upAxis = "Y";

  constructor() {
    this.mark.visible = false;
    this.root.add(this.content, this.glyphs, this.cameras, this.boxes, this.mark);
  }

  get primCount(): number {
    return this.prims.size;
  }

  // Takes a block of a frame.
  apply({ header, arrays }: Block): void {
    const column = (name: string): Numbers => arrays[name]!.data;
    switch (header.kind) {
      case "begin":
        if (header.complete) this.clear();
        this.isCut = false;
        this.upAxis = header.upAxis ?? "Y";
        this.root.rotation.x = this.upAxis === "Z" ? -Math.PI / 2 : 0;
        break;
      case "prims":
        this.addPrims(header, column);
        break;
      case "transforms":
        this.setTransforms(column("numbers"), column("matrices"));
        break;
      case "visibility":
        column("numbers").forEach((number, i) => this.setVisible(number, column("visible")[i] !== 0));
        break;
      case "geometry":
        for (const entry of header.geometry!) this.setGeometry(entry, column);
        break;
      case "materials":
        for (const { number, color } of header.materials!) {
          this.materials.set(number, color && new Color(color[0]!, color[1]!, color[2]!));
          this.isStale = true;
        }
        break;
      case "lights":
        for (const light of header.lights!) this.lights.set(light.number, light);
        this.hasOldGlyphs = true;
        break;
      case "removed":
        for (const number of column("numbers")) this.remove(number);
        break;
      case "cut":
        this.isCut = true;
        break;
    }
  }

  // Whether points of coarser shapes are newer than the others.
  get isBehind(): boolean {
    for (const { coarsePoints } of this.geometries.values()) if (coarsePoints) return true;
    return false;
  }

  // The coarser shapes that the server does not know yet.
  newCoarse(): CoarseEntry[] {
    const found: CoarseEntry[] = [];
    for (const [number, geometry] of this.geometries) {
      const [shape, ...more] = geometry.shapes.values();
      if (!shape?.coarse || more.length || shape.coarse === geometry.announced) continue;
      geometry.announced = shape.coarse;
      const points = shape.geometry.getAttribute("position").count;
      found.push({ number, points, sources: shape.coarse.sources });
    }
    return found;
  }

  // Brings what is drawn in line with the blocks so far.
  settle(): void {
    for (const [number, geometry] of this.geometries) {
      if (geometry.coarsePoints) showCoarsePoints(geometry, geometry.coarsePoints);
      if (!geometry.changed.size) continue;
      for (const shape of geometry.shapes.values()) {
        if (!update(shape, geometry.changed, geometry.values)) this.isStale = true;
      }
      if (this.isStale) this.forgetShapes(number);
      geometry.changed.clear();
    }
    if (this.isStale) this.build();
    else for (const number of this.moved) this.move(number);
    if (this.hasOldGlyphs) this.drawGlyphs();
    this.moved.clear();
  }

  clear(): void {
    this.dispose();
    for (const map of [this.prims, this.geometries, this.materials, this.lights, this.transforms, this.byPrim]) map.clear();
    this.invisible.clear();
    this.moved.clear();
    this.isStale = true;
  }

  // Draws with fewer triangles, or with all of them.
  setCoarse(coarse: boolean): void {
    if (coarse === this.isCoarse) return;
    this.isCoarse = coarse;
    this.chooseGeometry();
  }

  // Boxes for what has not come yet.
  showBoxes(boxes: (number | null)[][]): void {
    this.boxes.clear();
    this.extentThen = null;
    for (const [a, b, c, d, e, f] of boxes) {
      const box = new Box3();
      box.min.set(a!, b!, c!);
      box.max.set(d!, e!, f!);
      this.boxes.add(new Box3Helper(box, new Color(0.5, 0.5, 0.55)));
    }
  }

  // Cameras are drawn as the lines from where they are to what they see, a part of the way.
  showCameras(cameras: CameraEntry[]): void {
    for (const glyph of this.cameras.children) (glyph as LineSegments).geometry.dispose();
    this.cameras.clear();
    const box = this.extent;
    const far = box.isEmpty() ? 1 : box.getSize(new Vector3()).length() * 0.05;
    for (const { matrix, window, orthographic } of cameras) {
      if ([...matrix, ...window].some((x) => x === null)) continue;
      const made = new BufferGeometry();
      made.setAttribute("position", new Float32BufferAttribute(frustumLines(window as number[], far, orthographic), 3));
      const glyph = new LineSegments(made, CAMERA);
      glyph.matrixAutoUpdate = false;
      glyph.matrix.fromArray(matrix as number[]);
      glyph.frustumCulled = false;
      this.cameras.add(glyph);
    }
  }

  // The path of the prim that is hit.
  pathAt(hit: Intersection): string | null {
    const batch = this.batches.find((one) => one.object === hit.object);
    const number = batch?.prims[hit.instanceId ?? 0];
    return number === undefined ? null : (this.prims.get(number)?.path ?? null);
  }

  get pickable(): Object3D[] {
    for (const { object } of this.batches) measure((object as InstancedMesh).geometry);
    return this.batches.map((batch) => batch.object);
  }

  // Marks a prim, with what is below it, by a box; returns the box in the space of the root.
  select(path: string): Box3 | null {
    this.mark.visible = false;
    if (path === "/") return null;
    const box = new Box3();
    let count = 0;
    for (const [number, prim] of this.prims) {
      if (prim.path !== path && !prim.path.startsWith(path + "/")) continue;
      for (const place of this.byPrim.get(number) ?? []) box.union(boundsOf(place.batch, place.index));
      if (++count > MAX_MARKED) break;
    }
    if (box.isEmpty()) return null;
    this.mark.visible = true;
    this.mark.box.copy(box);
    return box;
  }

  // The bounds when prims last came or went, which is near enough for what depends on the size only.
  get extent(): Box3 {
    return (this.extentThen ??= this.bounds());
  }

  bounds(): Box3 {
    const box = new Box3();
    for (const batch of this.batches) {
      const count = Math.min(batch.prims.length, MAX_MARKED);
      for (let i = 0; i < count; i++) box.union(boundsOf(batch, i));
    }
    if (box.isEmpty()) for (const helper of this.boxes.children) box.union((helper as Box3Helper).box);
    return box;
  }

  dispose(): void {
    for (const { object } of this.batches) disposeObject(object);
    for (const number of this.geometries.keys()) this.forgetShapes(number);
    this.batches = [];
    this.content.clear();
    this.glyphs.clear();
  }

  // -------------------------------------------------------------------------------------- blocks

  private addPrims(header: BlockHeader, column: (name: string) => Numbers): void {
    header.paths!.forEach((path, i) => {
      this.prims.set(column("numbers")[i]!, {
        path,
        type: header.types![i]!,
        geometry: column("geometry")[i]!,
        material: column("materials")[i]!,
        prototype: column("prototypes")[i]!,
      });
    });
    this.isStale = true;
  }

  private setTransforms(numbers: Numbers, matrices: Numbers): void {
    numbers.forEach((number, i) => {
      // Matrices act on row vectors; so their rows are the columns of three.js.
      const found = this.transforms.get(number) ?? new Matrix4();
      found.fromArray(matrices as unknown as number[], i * 16);
      this.transforms.set(number, found);
      const prim = this.prims.get(number);
      if (prim && (prim.prototype || prim.type === "PointInstancer")) this.isStale = true;
      this.moved.add(number);
    });
  }

  private setVisible(number: number, visible: boolean): void {
    if (visible) this.invisible.delete(number);
    else this.invisible.add(number);
    this.moved.add(number);
  }

  private setGeometry(entry: GeometryEntry, column: (name: string) => Numbers): void {
    let geometry = this.geometries.get(entry.number);
    if (!geometry) {
      geometry = { values: new Map(), changed: new Set(), shapes: new Map(), instances: null, coarsePoints: null, announced: null };
      this.geometries.set(entry.number, geometry);
    }
    for (const name of entry.removed) {
      geometry.values.delete(name);
      geometry.changed.add(name);
    }
    for (const [name, value] of Object.entries(entry.values)) {
      if (name === "points") geometry.coarsePoints = value.coarse ? column(value.array!) : null;
      if (value.coarse) continue;
      geometry.values.set(name, valueOf(value, column));
      geometry.changed.add(name);
    }
    if (entry.instances) {
      const { prototypes, indices, matrices } = entry.instances;
      geometry.instances = { prototypes, indices: column(indices), matrices: column(matrices) };
      this.isStale = true;
    }
  }

  private remove(number: number): void {
    for (const map of [this.prims, this.materials, this.lights, this.transforms]) map.delete(number);
    this.forgetShapes(number);
    this.geometries.delete(number);
    this.invisible.delete(number);
    this.isStale = true;
  }

  private forgetShapes(number: number): void {
    const geometry = this.geometries.get(number);
    for (const shape of geometry?.shapes.values() ?? []) disposeShape(shape);
    geometry?.shapes.clear();
  }

  // ------------------------------------------------------------------------------------- batches

  private build(): void {
    this.isStale = false;
    this.extentThen = null;
    const before = this.batches;
    this.batches = [];
    this.byPrim.clear();
    this.content.clear();
    const groups = new Map<string, { prims: number[]; matrices: Matrix4[] }>();
    const parts = this.partsOfPrototypes();
    const put = (number: number, matrix: Matrix4): void => {
      const prim = this.prims.get(number)!;
      const key = `${prim.geometry} ${prim.type} ${this.materials.has(prim.material) ? prim.material : 0}`;
      const group = groups.get(key) ?? { prims: [], matrices: [] };
      group.prims.push(number);
      group.matrices.push(matrix);
      groups.set(key, group);
    };
    let left = MAX_INSTANCES;
    const place = (number: number, above: Matrix4 | null, depth: number): void => {
      const prim = this.prims.get(number)!;
      const own = this.transforms.get(number) ?? new Matrix4();
      const world = above ? new Matrix4().multiplyMatrices(above, own) : own;
      if (prim.type !== "PointInstancer") return put(number, world);
      const instances = this.geometries.get(prim.geometry)?.instances;
      if (!instances || depth > MAX_DEPTH || this.invisible.has(number)) return;
      for (let i = 0; i < instances.indices.length && left > 0; i++, left--) {
        const inner = new Matrix4().fromArray(instances.matrices as unknown as number[], i * 16).premultiply(world);
        for (const part of parts.get(instances.prototypes[instances.indices[i]!] ?? 0) ?? []) place(part, inner, depth + 1);
      }
    };
    for (const [number, prim] of this.prims) if (!prim.prototype) place(number, null, 0);
    for (const group of groups.values()) this.addBatch(group.prims, group.matrices);
    if (this.isCoarse) this.chooseGeometry();
    this.drawGlyphs();
    // Not before the new ones are there: shaders that nothing uses are compiled again.
    for (const { object } of before) disposeObject(object);
  }

  // Gives batches the geometry that is drawn: all of their shape, or a coarser one.
  private chooseGeometry(): void {
    const faces = this.batches.filter((batch) => batch.shape.kind === "faces");
    let total = 0;
    for (const { prims, shape } of faces) total += triangleCount(shape) * prims.length;
    const share = this.isCoarse ? COARSE_TRIANGLES / total : 1;
    for (const { object, shape } of faces) (object as InstancedMesh).geometry = coarseGeometry(shape, share);
  }

  // The prims that are drawn by instancers only, by their prototype.
  private partsOfPrototypes(): Map<number, number[]> {
    const found = new Map<number, number[]>();
    for (const [number, { prototype }] of this.prims) {
      if (prototype) found.set(prototype, [...(found.get(prototype) ?? []), number]);
    }
    return found;
  }

  private addBatch(prims: number[], matrices: Matrix4[]): void {
    const prim = this.prims.get(prims[0]!)!;
    const shape = this.shape(prim);
    if (!shape || shape.kind === "none" || !shape.geometry.getAttribute("position")) return;
    const color = shape.color ?? this.materials.get(prim.material) ?? PLAIN;
    if (shape.kind === "faces") this.addFaces(prims, matrices, shape, color);
    else prims.forEach((number, i) => this.addLines(number, matrices[i]!, shape, color));
  }

  private addFaces(prims: number[], matrices: Matrix4[], shape: Shape, color: Color): void {
    const object = new InstancedMesh(shape.geometry, faceMaterial(color, shape.hasColors), prims.length);
    object.frustumCulled = false;
    matrices.forEach((matrix, i) => object.setMatrixAt(i, this.invisible.has(prims[i]!) ? HIDDEN : matrix));
    this.keep({ object, prims, shape });
  }

  private addLines(number: number, matrix: Matrix4, shape: Shape, color: Color): void {
    const object =
      shape.kind === "lines"
        ? new LineSegments(shape.geometry, new LineBasicMaterial({ color: shape.hasColors ? 0xffffff : color, vertexColors: shape.hasColors }))
        : new Points(shape.geometry, new PointsMaterial({ color: shape.hasColors ? 0xffffff : color, vertexColors: shape.hasColors, size: 3, sizeAttenuation: false }));
    object.frustumCulled = false;
    object.matrixAutoUpdate = false;
    object.matrix.copy(matrix);
    object.visible = !this.invisible.has(number);
    this.keep({ object, prims: [number], shape });
  }

  private keep(batch: Batch): void {
    this.content.add(batch.object);
    this.batches.push(batch);
    batch.prims.forEach((number, index) => {
      const places = this.byPrim.get(number);
      if (places) places.push({ batch, index });
      else this.byPrim.set(number, [{ batch, index }]);
    });
  }

  private shape(prim: PrimEntry): Shape | null {
    if (kindOf(prim.type) === "none") return null;
    const geometry = this.geometries.get(prim.geometry);
    if (!geometry) return null;
    let shape = geometry.shapes.get(prim.type);
    if (!shape) geometry.shapes.set(prim.type, (shape = shapeOf(prim.type, geometry.values)));
    return shape;
  }

  // Sets the matrix of a prim that has moved, or that is not seen any more.
  private move(number: number): void {
    const matrix = this.transforms.get(number);
    if (this.lights.has(number)) this.hasOldGlyphs = true;
    if (!matrix) return;
    for (const { batch, index } of this.byPrim.get(number) ?? []) {
      const { object } = batch;
      const hidden = this.invisible.has(number);
      if (object instanceof InstancedMesh) {
        object.setMatrixAt(index, hidden ? HIDDEN : matrix);
        object.instanceMatrix.needsUpdate = true;
        object.boundingSphere = null;
      } else {
        object.matrix.copy(matrix);
        object.visible = !hidden;
      }
    }
  }

  // Lights are drawn as small stars.
  private drawGlyphs(): void {
    this.hasOldGlyphs = false;
    this.glyphs.clear();
    for (const number of this.lights.keys()) {
      const matrix = this.transforms.get(number);
      if (!matrix) continue;
      const glyph = new LineSegments(STAR, LIGHT);
      glyph.position.setFromMatrixPosition(matrix);
      this.glyphs.add(glyph);
    }
  }
}

function showCoarsePoints(geometry: Geometry, points: Numbers): void {
  for (const shape of geometry.shapes.values()) {
    if (!shape.coarse) continue;
    setPoints(shape.coarse, points as Float32Array);
    shape.isBehind = true;
  }
}

function disposeObject(object: Object3D): void {
  const drawn = object as InstancedMesh;
  (drawn.material as Material).dispose();
  if (drawn.isInstancedMesh) drawn.dispose();
}

// Four lines to the corners of the window at a distance, and the lines between these.
function frustumLines([left, bottom, right, top]: number[], far: number, orthographic: boolean): number[] {
  const corners = [[left!, bottom!], [right!, bottom!], [right!, top!], [left!, top!]];
  const reach = orthographic ? 1 : far;
  const ends = corners.map(([x, y]) => [x! * reach, y! * reach, -far]);
  const starts = corners.map(([x, y]) => (orthographic ? [x!, y!, 0] : [0, 0, 0]));
  return ends.flatMap((end, i) => [...starts[i]!, ...end, ...end, ...ends[(i + 1) % 4]!]);
}

const STAR = new BufferGeometry().setAttribute(
  "position",
  new Float32BufferAttribute([-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1].map((x) => x * 0.15), 3),
);

const LIGHT = new LineBasicMaterial({ color: 0xd9a400 });
const CAMERA = new LineBasicMaterial({ color: 0x3f74c0 });

function valueOf(entry: ValueEntry, column: (name: string) => Numbers): Value {
  const made: Value = { interpolation: entry.interpolation };
  if (entry.array !== undefined) made.array = column(entry.array);
  if (entry.indices !== undefined) made.indices = column(entry.indices);
  if (entry.number !== undefined) made.number = entry.number;
  if (entry.text !== undefined) made.text = entry.text;
  return made;
}

function boundsOf(batch: Batch, index: number): Box3 {
  const object = batch.object as InstancedMesh;
  const geometry = newestGeometry(batch.shape);
  measure(geometry);
  const matrix = new Matrix4();
  if (object.isInstancedMesh) object.getMatrixAt(index, matrix);
  else matrix.copy(object.matrix);
  // A hidden object has no size.
  if (matrix.determinant() === 0) return new Box3();
  return geometry.boundingBox!.clone().applyMatrix4(matrix);
}
