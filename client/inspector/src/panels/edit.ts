// The session in which edits are made: begin, undo, export, end; which layers are muted.

import { url } from "../api";
import { button, fill, h } from "../dom";
import { begin, canEdit, edit, editState, end, isPrivate, onEdit, undo } from "../edits";
import { aboutStage, live, onLive } from "../live";
import { Panel } from "../panel";
import { place } from "../place";
import { fileName } from "../values";
import { showText } from "./why";

const SESSION_LAYER = "anon:session.usda";

export class EditPanel extends Panel {
  private readonly text = h("div", { class: "layer-text" });
  private drawn = "";

  constructor() {
    super("edit", "Edit");
    onEdit(() => this.redraw());
    onLive(() => this.redraw());
  }

  override update(): void {
    this.redraw();
  }

  override changed(): void {
    this.redraw();
  }

  private redraw(): void {
    if (place().panel !== this.id || !live.info) return;
    const key = JSON.stringify([aboutStage(), live.info.snapshot, editState()]);
    if (key === this.drawn) return;
    this.drawn = key;
    if (!canEdit()) return fill(this.element, ...beginning());
    fill(this.element, this.state(), muting(), this.layer());
    void showText(this.text, SESSION_LAYER, "/");
  }

  private state(): HTMLElement {
    const state = editState();
    const steps = state?.undo ?? live.info!.undo;
    const name = place().session;
    return h(
      "section",
      {},
      h("h2", {}, isPrivate() ? "A private session" : `The session ${name}`),
      h("p", {}, isPrivate()
        ? "Only pages with this link see its edits. They end with the session or with the inspector."
        : "All who open the stage with this session see its edits, and can edit, too."),
      h(
        "div",
        { class: "section-bar" },
        button(`Undo${state?.last ? `: ${state.last}` : ""}`, () => void undo(), { disabled: steps === 0 }),
        h("a", { class: "button", href: url("export", aboutStage()), download: true }, "Export as usda"),
        button(isPrivate() ? "End the session" : "Leave the session", () => void end()),
      ),
      h("p", { class: "hint" }, `${steps} ${steps === 1 ? "edit" : "edits"} can be undone. Values, variants, payloads and more are edited in the panel Prim.`),
    );
  }

  private layer(): HTMLElement {
    return h("section", {}, h("h2", {}, "Session layer"), this.text);
  }
}

function beginning(): HTMLElement[] {
  const name = h("input", { type: "text", id: "session-name", maxlength: 200, spellcheck: "false" });
  const form = h(
    "form",
    { class: "compare-form" },
    h("label", { for: "session-name" }, "Name of a session"),
    name,
    h("button", { type: "submit" }, "Join or begin it"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (name.value.trim()) void begin(name.value.trim());
  });
  return [
    h("h2", {}, "Edit without changing files"),
    h("p", {}, "Edits are overrides in a session: in a layer that is stronger than all others, and in no file. Nobody else sees them, unless they join the session by its name."),
    h("p", {}, button("Edit privately", () => void begin(""), { class: "primary" })),
    form,
  ];
}

function muting(): HTMLElement {
  const info = live.info!;
  const muted = new Set(info.muted);
  const all = new Set([...info.layers.map((site) => site.layer), ...info.muted]);
  const names = [...all].filter((layer) => !layer.startsWith("anon:"));
  return h(
    "section",
    {},
    h("h2", {}, "Layers of the stage"),
    h(
      "ul",
      { class: "layers" },
      ...names.map((layer) =>
        h(
          "li",
          {},
          h("span", { class: muted.has(layer) ? "path row-dim" : "path", title: layer }, fileName(layer)),
          " ",
          layer === info.root
            ? h("span", { class: "note" }, "root layer")
            : button(muted.has(layer) ? "Unmute" : "Mute", () => void edit("mute", { layer, on: !muted.has(layer) }), {
                "aria-label": `${muted.has(layer) ? "Unmute" : "Mute"} ${layer}`,
              }),
        ),
      ),
    ),
  );
}
