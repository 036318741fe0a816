// Draws one or two scenes with a camera that is free or that of the shot; the second one right of a
// line, to compare.

import {
  Color,
  OrthographicCamera,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
  type Box3,
  type Camera,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import type { CameraEntry } from "./frames";
import { FrameScene } from "./scene";

const FOV = 45;
// Without a graphics card, a picture that changes has fewer pixels and triangles.
const MOVING_PIXELS = 90_000;
const RESTS_AFTER = 400; // milliseconds without a change

export class View {
  readonly canvas: HTMLCanvasElement;
  readonly left = new FrameScene();
  readonly right = new FrameScene();
  private readonly renderer: WebGLRenderer;
  private readonly stageOf = new Map<FrameScene, Scene>();
  private readonly free = new PerspectiveCamera(FOV, 1, 0.01, 1e6);
  private readonly flat = new OrthographicCamera();
  private readonly shot = new PerspectiveCamera(FOV, 1, 0.01, 1e6);
  private readonly controls: OrbitControls;
  private entry: CameraEntry | null = null; // of the shot
  private split: number | null = null; // where the line is, from 0 to 1
  private frame = 0;
  private readonly isSlow = drawsOnProcessor();
  private resting = 0; // the timer that draws all of a picture that rests
  private pictures = 0; // that were drawn roughly
  private pressed = new Vector2();

  // picked: called with the path of the prim that is clicked. moved: when the free camera stands.
  // drawn: after each picture. refine: to call a function when all points of what is shown are there.
  constructor(
    private readonly picked: (path: string | null) => void,
    private readonly moved: () => void,
    private readonly drawn: () => void,
    private readonly refine: (done: () => void) => void,
  ) {
    this.renderer = new WebGLRenderer({ antialias: !this.isSlow, preserveDrawingBuffer: false });
    this.renderer.setPixelRatio(this.isSlow ? 1 : Math.min(devicePixelRatio, 2));
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    for (const scene of [this.left, this.right]) this.stageOf.set(scene, this.stage(scene));
    this.controls = new OrbitControls(this.free, this.canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.controls.addEventListener("end", () => this.moved());
    this.free.position.set(5, 4, 8);
    this.canvas.addEventListener("pointerdown", (event) => this.pressed.set(event.clientX, event.clientY));
    this.canvas.addEventListener("click", (event) => this.click(event));
  }

  private stage(content: FrameScene): Scene {
    const stage = new Scene();
    stage.add(content.root);
    return stage;
  }

  setBackground(color: string): void {
    for (const stage of this.stageOf.values()) stage.background = new Color(color);
    this.draw();
  }

  resize(width: number, height: number): void {
    if (width < 1 || height < 1) return;
    this.renderer.setSize(width, height, false);
    this.free.aspect = width / height;
    this.free.updateProjectionMatrix();
    this.draw();
  }

  // Looks through the camera of a shot; null: through the free one.
  look(entry: CameraEntry | null): void {
    this.entry = entry;
    this.controls.enabled = entry === null;
    this.draw();
  }

  setSplit(split: number | null): void {
    this.split = split;
    this.draw();
  }

  // Moves the free camera so that all of a box is seen.
  fit(box: Box3): void {
    if (box.isEmpty()) return;
    const center = box.getCenter(new Vector3()).applyEuler(this.left.root.rotation);
    const radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-3);
    const way = this.free.position.clone().sub(this.controls.target).normalize();
    if (way.lengthSq() === 0) way.set(0.5, 0.4, 0.8).normalize();
    this.controls.target.copy(center);
    this.free.position.copy(center).addScaledVector(way, (radius / Math.sin((FOV / 2) * (Math.PI / 180))) * 1.1);
    this.free.near = radius / 1000;
    this.free.far = radius * 1000;
    this.free.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  // Where the free camera is, for the URL.
  get place(): string {
    return [...this.free.position.toArray(), ...this.controls.target.toArray()].map((x) => Number(x.toPrecision(5))).join(",");
  }

  set place(text: string) {
    const numbers = text.split(",").map(Number);
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return;
    this.free.position.fromArray(numbers);
    this.controls.target.fromArray(numbers, 3);
    this.controls.update();
    this.draw();
  }

  // Draws when the browser does next.
  draw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.isSlow) this.drawInSteps();
      else this.renderWith(this.renderer.getPixelRatio(), false);
      this.drawn();
    });
  }

  // Draws roughly now, and with all details when no other picture has followed.
  private drawInSteps(): void {
    this.renderWith(this.movingRatio(), true);
    const picture = ++this.pictures;
    const finish = (): void => {
      if (picture === this.pictures) this.renderWith(1, false);
    };
    window.clearTimeout(this.resting);
    this.resting = window.setTimeout(() => this.refine(finish), RESTS_AFTER);
  }

  private movingRatio(): number {
    const { x, y } = this.renderer.getSize(new Vector2());
    return Math.min(1, Math.sqrt(MOVING_PIXELS / Math.max(1, x * y)));
  }

  private renderWith(ratio: number, coarse: boolean): void {
    // Another ratio makes all buffers anew.
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
    for (const scene of [this.left, this.right]) scene.setCoarse(coarse);
    this.render();
    this.canvas.dataset["detail"] = coarse ? "some" : "all";
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    window.clearTimeout(this.resting);
    this.left.dispose();
    this.right.dispose();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  private render(): void {
    const camera = this.camera();
    const size = this.renderer.getSize(new Vector2());
    const split = this.split;
    this.renderer.setScissorTest(split !== null);
    if (split === null) {
      this.renderer.render(this.stageOf.get(this.left)!, camera);
      return;
    }
    const line = Math.round(size.x * split);
    this.renderer.setScissor(0, 0, line, size.y);
    this.renderer.render(this.stageOf.get(this.left)!, camera);
    this.renderer.setScissor(line, 0, size.x - line, size.y);
    this.renderer.render(this.stageOf.get(this.right)!, camera);
  }

  private camera(): Camera {
    if (!this.entry) {
      this.free.updateMatrixWorld();
      return this.free;
    }
    const [left, bottom, right, top] = this.fitted(this.entry.window as number[]);
    const camera = this.entry.orthographic ? this.flat : this.shot;
    const box = this.left.extent;
    const reach = box.isEmpty() ? 1000 : box.getSize(new Vector3()).length() * 4 + 1;
    if (camera instanceof OrthographicCamera) {
      Object.assign(camera, { left, bottom, right, top, near: 0.001, far: reach });
      camera.updateProjectionMatrix();
    } else {
      const near = reach / 50_000;
      camera.projectionMatrix.makePerspective(left! * near, right! * near, top! * near, bottom! * near, near, reach);
      camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert();
    }
    camera.matrixAutoUpdate = false;
    camera.matrix.fromArray(this.entry.matrix as number[]);
    camera.matrix.premultiply(this.left.root.matrixWorld);
    // Cameras of scenes may have a scale, which does not change what they see.
    camera.matrix.decompose(camera.position, camera.quaternion, camera.scale.clone());
    camera.matrix.compose(camera.position, camera.quaternion, new Vector3(1, 1, 1));
    camera.matrixWorldNeedsUpdate = true;
    camera.updateMatrixWorld(true);
    return camera;
  }

  // The window of a camera, widened to the shape of the canvas.
  private fitted([left, bottom, right, top]: number[]): number[] {
    const size = this.renderer.getSize(new Vector2());
    const wanted = size.x / Math.max(1, size.y);
    const width = right! - left!;
    const height = top! - bottom!;
    if (!(width > 0) || !(height > 0)) return [-0.5 * wanted, -0.5, 0.5 * wanted, 0.5];
    const scale = width / height / wanted;
    const [x, y] = scale < 1 ? [1 / scale, 1] : [1, scale];
    const [cx, cy] = [(left! + right!) / 2, (bottom! + top!) / 2];
    return [cx - (width * x) / 2, cy - (height * y) / 2, cx + (width * x) / 2, cy + (height * y) / 2];
  }

  private click(event: MouseEvent): void {
    // A drag is not a click.
    if (this.pressed.distanceTo(new Vector2(event.clientX, event.clientY)) > 4) return;
    const area = this.canvas.getBoundingClientRect();
    const x = (event.clientX - area.left) / area.width;
    const y = (event.clientY - area.top) / area.height;
    const scene = this.split !== null && x > this.split ? this.right : this.left;
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(x * 2 - 1, 1 - y * 2), this.camera());
    for (const hit of caster.intersectObjects(scene.pickable, false)) {
      const path = scene.pathAt(hit);
      if (path) return this.picked(path);
    }
    this.picked(null);
  }
}

// Whether the browser draws without a graphics card.
function drawsOnProcessor(): boolean {
  const probe = document.createElement("canvas").getContext("webgl2");
  const names = probe?.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = names && probe!.getParameter(names.UNMASKED_RENDERER_WEBGL);
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  return typeof name === "string" && /swiftshader|llvmpipe|software|basic render/i.test(name);
}
