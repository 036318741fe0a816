"""Parts of the page that compute, without the page: in Node.js."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest
from conftest import REPOSITORY

PACKAGES = pathlib.Path(os.environ.get("STAGEDOOR_INSPECTOR_PACKAGES", "")).absolute()
SOURCES = REPOSITORY / "client/inspector/src"


def computed(folder: pathlib.Path, script: str):
    """What a script in TypeScript prints, which may import from "@/"."""
    esbuild = PACKAGES / "node_modules/.bin/esbuild"
    if not esbuild.exists():
        pytest.skip("STAGEDOOR_INSPECTOR_PACKAGES does not name the packages of npm")
    (folder / "main.ts").write_text(script)
    options = ["--bundle", "--platform=node", "--outfile=main.cjs", "--log-level=error"]
    for command in ([esbuild, "main.ts", f"--alias:@={SOURCES}", *options], ["node", "main.cjs"]):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=folder,
            env={**os.environ, "NODE_PATH": str(PACKAGES / "node_modules")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_rows_that_are_far_away_are_forgotten(tmp_path):
    found = computed(
        tmp_path,
        """
import { Node } from "@/tree/model";
const total = 1_000_000;
const root = new Node(null, 0, 0, "/");
root.setOpen(true);
const row = (i: number) => ({ path: `/P${i}`, children: i === 300 ? 7 : 0 });
const rows = (first: number) => Array.from({ length: 100 }, (_, i) => row(first + i));
let most = 0;
for (let first = 0; first < 100_000; first += 100) {
  root.fill(first, { snapshot: "", total, rows: rows(first) }, "/P5");
  if (first === 300) root.child(300)!.setOpen(true);
  most = Math.max(most, [...root.known()].length);
}
console.log(JSON.stringify({
  most,
  span: root.span,
  selected: root.child(5)?.path,
  open: root.child(300)?.path,
  forgotten: root.child(6) === undefined,
  last: root.child(99_999)?.rowNumber(),
  found: root.find(99_999 + 1 + 7).node?.path,
}));
""",
    )
    assert found["most"] <= 4200
    assert found["span"] == 1_000_001 + 7
    assert (found["selected"], found["open"], found["forgotten"]) == ("/P5", "/P300", True)
    assert found["last"] == 99_999 + 1 + 7 and found["found"] == "/P99999"


GRID = """
import { BufferAttribute, BufferGeometry } from "three";
import { coarsen, take } from "@/viewport/coarse";

// A square of n by n faces.
function grid(n: number): BufferGeometry {
  const side = n + 1;
  const points = new Float32Array(side * side * 3);
  for (let i = 0; i < side * side; i++) points.set([i % side, Math.floor(i / side), 0], i * 3);
  const index: number[] = [];
  for (let y = 0; y < n; y++) {
    for (let x = 0; x < n; x++) {
      const a = y * side + x;
      index.push(a, a + 1, a + side + 1, a, a + side + 1, a + side);
    }
  }
  const made = new BufferGeometry();
  made.setIndex(new BufferAttribute(new Uint32Array(index), 1));
  made.setAttribute("position", new BufferAttribute(points, 3));
  return made;
}

// Twice the area, positive for triangles that keep their side.
function areas(made: BufferGeometry): number[] {
  const at = made.getAttribute("position");
  const index = made.index!.array;
  const found: number[] = [];
  for (let i = 0; i < index.length; i += 3) {
    const [a, b, c] = [index[i]!, index[i + 1]!, index[i + 2]!];
    const [x, y] = [at.getX(a), at.getY(a)];
    found.push((at.getX(b) - x) * (at.getY(c) - y) - (at.getX(c) - x) * (at.getY(b) - y));
  }
  return found;
}
"""


def test_a_coarser_shape_covers_the_same_with_fewer_triangles(tmp_path):
    found = computed(
        tmp_path,
        GRID
        + """
const fine = grid(64);
const made = coarsen(fine, 800)!;
const size = areas(made.geometry);
console.log(JSON.stringify({
  triangles: size.length,
  covered: size.reduce((sum, area) => sum + area, 0) / 2 / (64 * 64),
  turned: size.filter((area) => area < 0).length,
  points: made.geometry.getAttribute("position").count,
}));
""",
    )
    assert 100 < found["triangles"] <= 800 and found["points"] < 64 * 64 / 4
    assert 0.8 < found["covered"] <= 1
    assert found["turned"] == 0


def test_a_coarser_shape_follows_the_points(tmp_path):
    found = computed(
        tmp_path,
        GRID
        + """
const fine = grid(32);
const made = coarsen(fine, 400)!;
const points = fine.getAttribute("position").array as Float32Array;
for (let i = 2; i < points.length; i += 3) points[i] = i;
take(made, fine, "position");
const position = made.geometry.getAttribute("position");
const follows = (source: number, i: number) => position.getZ(i) === source * 3 + 2;
console.log(JSON.stringify([...made.sources].every(follows)));
""",
    )
    assert found is True


def test_what_cannot_become_coarser_stays(tmp_path):
    found = computed(
        tmp_path,
        GRID
        + """
const none = new BufferGeometry();
const apart = new BufferGeometry(); // triangles that share no points
apart.setIndex(new BufferAttribute(Uint32Array.from({ length: 3000 }, (_, i) => i), 1));
apart.setAttribute("position", new BufferAttribute(new Float32Array(9000), 3));
console.log(JSON.stringify([coarsen(none, 10), coarsen(apart, 10), coarsen(grid(1), 1)]));
""",
    )
    assert found == [None, None, None]


def test_a_light_that_varies_leaves_the_other_objects(tmp_path):
    found = computed(
        tmp_path,
        """
import { FrameScene } from "@/viewport/scene";

const scene = new FrameScene();
const apply = (header: object, columns: { [name: string]: number[] } = {}): void => {
  const entries = Object.entries(columns);
  const arrays = Object.fromEntries(
    entries.map(([name, data]) => [name, { data: new Float32Array(data), shape: [] }]),
  );
  scene.apply({ header, arrays } as never);
};
const at = (x: number): number[] => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];
const light = { kind: "lights", lights: [{ number: 3, path: "/Light", type: "SphereLight" }] };
const cube = { number: 2, values: { size: { interpolation: "constant", number: 2 } }, removed: [] };

apply({ kind: "begin", complete: true });
const one = { numbers: [1], geometry: [2], materials: [0], prototypes: [0] };
apply({ kind: "prims", paths: ["/Cube"], types: ["Cube"], purposes: ["default"] }, one);
apply({ kind: "geometry", geometry: [cube] });
apply(light);
apply({ kind: "transforms" }, { numbers: [1, 3], matrices: [...at(0), ...at(5)] });
scene.settle();
const before = scene.pickable[0];
const glyphs = (): number[] => scene.root.children[1]!.children.map((glyph) => glyph.position.x);
const first = glyphs();
apply({ kind: "begin", complete: false });
apply(light);
apply({ kind: "transforms" }, { numbers: [3], matrices: at(7) });
scene.settle();
console.log(JSON.stringify([scene.pickable[0] === before, first, glyphs()]));
""",
    )
    assert found == [True, [5], [7]]
