// Keeps a scene at the time that is wanted: asks for the frame, and then for what differs.

import { isAborted, post, type Params } from "../api";
import { blocks, type Block } from "./frames";
import type { FrameScene } from "./scene";

export interface Wanted {
  about: { stage: string; session: string; load: string };
  time: string;
  path: string; // whose subtree is drawn
  camera: string;
  purposes: string;
  snapshot: string;
}

const SHOWN_EVERY = 250; // milliseconds between two looks at a frame that is arriving, at least
const SHOWN_SHARE = 8; // and this many times what a look has cost, as it grows with the frame

export class Feed {
  // A name of its own for each viewport, because the server keeps what each one shows.
  private readonly viewer = crypto.randomUUID();
  private base = 0;
  private key = ""; // the selection of the frame that is held
  private held = ""; // all that the frame is of
  private wanted: Wanted | null = null;
  private ahead: { wanted: Wanted; blocks: Block[] } | null = null; // what was read before it is wanted
  private running: AbortController | null = null;
  private refined: (() => void) | null = null; // to be called when all points have come

  // changed: called when the scene has changed, with the time of the frame when all of it has come.
  // failed: with null when it works again. next: the time that will be wanted next, if it is known.
  constructor(
    readonly scene: FrameScene,
    private readonly changed: (time: string | null) => void,
    private readonly failed: (error: unknown) => void,
    private readonly next: () => string | null = () => null,
  ) {}

  // Wants a frame. One is asked for at a time; of those that are wanted meanwhile, the last one.
  want(wanted: Wanted): void {
    this.wanted = wanted;
    this.refined = null;
    const key = keyOf(wanted);
    if (this.running && key !== this.key) this.running.abort();
    if (!this.running) void this.run();
  }

  // Asks for the points that coarser shapes leave out, unless something else is wanted first.
  refine(done: () => void): void {
    if (!this.wanted || !this.scene.isBehind) return done();
    this.refined = done;
    if (!this.running) void this.run();
  }

  stop(): void {
    this.wanted = null;
    this.refined = null;
    this.running?.abort();
  }

  private async run(): Promise<void> {
    while (this.wanted) {
      const wanted = this.wanted;
      const mine = (this.running = new AbortController());
      try {
        if (!(await this.step(wanted, mine.signal))) break;
      } catch (error) {
        this.base = 0;
        this.held = "";
        this.ahead = null;
        if (!isAborted(error) && !mine.signal.aborted) {
          this.failed(error);
          break;
        }
      } finally {
        this.running = null;
      }
    }
  }

  // Does what is to be done next; false if that is nothing.
  private async step(wanted: Wanted, signal: AbortSignal): Promise<boolean> {
    if (JSON.stringify(wanted) === this.held) {
      return this.refined ? this.readAll(wanted, this.refined, signal) : this.readAhead(wanted, signal);
    }
    // A frame that was read ahead is the base of all that follows, even if something else is wanted now.
    if (this.ahead && keyOf(this.ahead.wanted) === keyOf(wanted)) this.showAhead(this.ahead);
    else await this.read(wanted, signal);
    this.failed(null);
    return true;
  }

  private async read(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const key = keyOf(wanted);
    if (key !== this.key || this.ahead) this.base = 0;
    this.ahead = null;
    this.key = key;
    let shown = performance.now();
    let pause = SHOWN_EVERY;
    for await (const block of this.blocks(wanted, signal)) {
      this.scene.apply(block);
      // A large frame is shown while it arrives.
      const now = performance.now();
      if (now - shown > pause) {
        this.scene.settle();
        this.changed(null);
        shown = performance.now();
        pause = Math.max(SHOWN_EVERY, SHOWN_SHARE * (shown - now));
      }
    }
    this.show(wanted);
  }

  // Reads the next frame while this one is drawn.
  private async readAhead(wanted: Wanted, signal: AbortSignal): Promise<boolean> {
    const time = this.ahead || !this.base ? null : this.next();
    if (time === null || time === wanted.time) return false;
    const next = { ...wanted, time };
    const found: Block[] = [];
    for await (const block of this.blocks(next, signal)) found.push(block);
    this.ahead = { wanted: next, blocks: found };
    return true;
  }

  private async readAll(wanted: Wanted, done: () => void, signal: AbortSignal): Promise<boolean> {
    for await (const block of this.blocks(wanted, signal, false)) this.scene.apply(block);
    this.ahead = null; // what differed from it has come
    this.scene.settle();
    if (this.refined === done) done();
    this.refined = null;
    return true;
  }

  private showAhead({ wanted, blocks }: { wanted: Wanted; blocks: Block[] }): void {
    this.ahead = null;
    for (const block of blocks) this.scene.apply(block);
    this.show(wanted);
  }

  private show(wanted: Wanted): void {
    this.held = JSON.stringify(wanted);
    this.scene.settle();
    this.changed(wanted.time);
  }

  // A picture that changes needs only the points that are drawn of it.
  private async *blocks(wanted: Wanted, signal: AbortSignal, coarse = this.scene.isCoarse): AsyncGenerator<Block, void, void> {
    const { about, time, path, camera, purposes } = wanted;
    if (coarse) await this.announce(about, signal);
    const params: Params = { ...about, time, path, camera, purposes, viewer: this.viewer, base: this.base, coarse: coarse || undefined };
    for await (const block of blocks(params, signal)) {
      if (block.header.kind === "end") this.base = block.header.base!;
      yield block;
    }
  }

  private async announce(about: Wanted["about"], signal: AbortSignal): Promise<void> {
    const found = this.scene.newCoarse();
    if (!found.length) return;
    const shapes = found.map(({ number, points, sources }) => ({ number, points, sources: [...sources] }));
    await post("coarse", { ...about, viewer: this.viewer, shapes }, signal);
  }
}

function keyOf(wanted: Wanted): string {
  const { about, path, camera, purposes } = wanted;
  return JSON.stringify([about, path, camera, purposes]);
}
