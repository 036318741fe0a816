// Drawings of 16 × 16 units for kinds of prims.

const CUBE = "M8 1.5 14 5v6l-6 3.5L2 11V5zM2 5l6 3.5L14 5M8 8.5v6";
const ICONS: [RegExp, string, string][] = [
  [/^$/, "untyped", "M3 3h10v10H3z"],
  [/^Xform$/, "transform", "M8 2v12M2 8h12M8 2 6 4m2-2 2 2M14 8l-2-2m2 2-2 2"],
  [/^Scope$/, "folder", "M2 4h4l1.5 1.5H14V13H2z"],
  [/Mesh$/, "mesh", "M2 12 8 2l6 10zM5 7h6M8 12l-3-5m3 5 3-5"],
  [/Curves$|Patch$/, "curves", "M2 12c3-12 5 4 7-2s3-6 5-7"],
  [/Points$/, "points", "M4 5h.01M9 3h.01M12 7h.01M6 9h.01M11 12h.01M4 13h.01"],
  [/Instancer$/, "instancer", "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z"],
  [/Camera$/, "camera", "M2 5h8v6H2zM10 8l4-3v6z"],
  [/Light|^Portal|Dome/, "light", "M8 1.5v2M3 3.5 4.5 5M13 3.5 11.5 5M5 8a3 3 0 1 1 6 0c0 1.5-1.5 2-1.5 3.5h-3C6.5 10 5 9.500 5 8M6.500 14h3"],
  [/Material$/, "material", "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M4 6c2 1.500 6 1.500 8 0"],
  [/Shader$|NodeGraph$/, "shader", "M2 4h5v4H2zM9 8h5v4H9zM7 6h1v4h1"],
  [/^Skel/, "skeleton", "M8 2v5M8 7l-4 3v4M8 7l4 3v4M4 5l4 2 4-2"],
  [/Volume|Field|VDB/, "volume", "M4 12a3 3 0 0 1 0-6 4 4 0 0 1 7.500-1A3 3 0 0 1 12 12z"],
  [/^Render/, "render settings", "M2 3h12v10H2zM2 10l3-3 3 3 2-2 4 4"],
  [/^Physics/, "physics", "M8 2v9M5 8l3 3 3-3M2 14h12"],
  [/^GeomSubset$/, "subset", "M2 12 8 2l6 10zM8 2v10"],
  [/^(Sphere|Capsule|Cylinder|Cone|Cube|Plane)/, "shape", CUBE],
];

export function iconOf(type: string, specifier = "def"): { paths: string; word: string } {
  if (specifier === "class") return { paths: "M4 2H2v12h2M12 2h2v12h-2M6 8h4", word: "class" };
  for (const [pattern, word, paths] of ICONS) if (pattern.test(type)) return { paths, word };
  return { paths: CUBE, word: "prim" };
}

// Frames around the drawing of a type, by the kind of the prim. Other kinds are those of a studio,
// which are words.
const KINDS: { [kind: string]: string } = {
  component: "M1 4V1h3M12 1h3v3M15 12v3h-3M4 15H1v-3",
  subcomponent: "M1 4V1h3M15 12v3h-3",
  group: "M1 15V1h3M15 1v14h-3",
  assembly: "M1 1h14v14H1z",
};

// The frame for a kind; null for none.
export function frameOf(kind: string): string | null {
  return KINDS[kind] ?? null;
}

export const ARROW = "M6 4l4 4-4 4";
export const PAYLOAD = "M8 2v7M5 6.500 8 9.500l3-3M3 13h10";
export const HIDDEN = "M2 8s2.500-4 6-4 6 4 6 4-2.500 4-6 4-6-4-6-4M3 13 13 3";
export const INSTANCE = "M2 5h8v8H2zM5 5V2h9v9h-4";
export const WARNING = "M8 2 15 14H1zM8 6.500v3.500M8 12h.01";
export const VARIANT = "M3 3v10M3 8c5 0 4-5 9-5M3 8c5 0 4 5 9 5";
