// Keeps a scene at the time that is wanted: asks for the frame, and then for what differs.

import { isAborted, type Params } from "../api";
import { blocks } from "./frames";
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
  private running: AbortController | null = null;

  // changed: called when the scene has changed. failed: with null when it works again.
  constructor(
    readonly scene: FrameScene,
    private readonly changed: (done: boolean) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  // Wants a frame. One is asked for at a time; of those that are wanted meanwhile, the last one.
  want(wanted: Wanted): void {
    this.wanted = wanted;
    const key = keyOf(wanted);
    if (this.running && key !== this.key) this.running.abort();
    if (!this.running) void this.run();
  }

  stop(): void {
    this.wanted = null;
    this.running?.abort();
  }

  private async run(): Promise<void> {
    while (this.wanted && JSON.stringify(this.wanted) !== this.held) {
      const wanted = this.wanted;
      const mine = (this.running = new AbortController());
      try {
        await this.read(wanted, mine.signal);
        this.held = JSON.stringify(wanted);
        this.failed(null);
      } catch (error) {
        this.base = 0;
        this.held = "";
        if (!isAborted(error) && !mine.signal.aborted) {
          this.failed(error);
          break;
        }
      } finally {
        this.running = null;
      }
    }
  }

  private async read(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const key = keyOf(wanted);
    if (key !== this.key) this.base = 0;
    this.key = key;
    const { about, time, path, camera, purposes } = wanted;
    const params: Params = { ...about, time, path, camera, purposes, viewer: this.viewer, base: this.base };
    let shown = performance.now();
    let pause = SHOWN_EVERY;
    for await (const block of blocks(params, signal)) {
      this.scene.apply(block);
      if (block.header.kind === "end") this.base = block.header.base!;
      // A large frame is shown while it arrives.
      const now = performance.now();
      if (now - shown > pause) {
        this.scene.settle();
        this.changed(false);
        shown = performance.now();
        pause = Math.max(SHOWN_EVERY, SHOWN_SHARE * (shown - now));
      }
    }
    this.scene.settle();
    this.changed(true);
  }
}

function keyOf(wanted: Wanted): string {
  const { about, path, camera, purposes } = wanted;
  return JSON.stringify([about, path, camera, purposes]);
}
