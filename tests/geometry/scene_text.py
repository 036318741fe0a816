"""Common parts of random scenes written as usda text; see random_geometry.py."""
import random
import re

TIMES = [0, 1, 2, 3.5, 5]


def f(x):
    return repr(round(x, 4))


def vector(items):
    return "(" + ", ".join(f(x) for x in items) + ")"


def tuples(rows):
    return "[" + ", ".join(vector(row) for row in rows) + "]"


def numbers(items):
    return "[" + ", ".join(str(x) if isinstance(x, int) else f(x) for x in items) + "]"


def tokens(items):
    return "[" + ", ".join(f'"{x}"' for x in items) + "]"


class ClipSet:
    """The value clips of a prim: layers with samples of attributes at and below it."""

    def __init__(self, rng, path, number):
        self.rng = rng
        self.path = path
        self.number = number
        self.count = rng.randint(1, 3)
        self.clips = [{} for _ in range(self.count)]  # lines by prim path
        self.manifest = {}

    def metadata(self):
        r = self.rng
        starts = sorted(r.sample([0, 1, 2, 3, 4], self.count))
        starts[0] = r.choice([0, starts[0]])
        active = [f"({start}, {i})" for i, start in enumerate(starts)]
        fields = [f"asset[] assetPaths = [{', '.join(f'@./{self.name(i)}@' for i in range(self.count))}]",
                  f'string primPath = "{self.path}"', f"double2[] active = [{', '.join(active)}]"]
        if r.random() < 0.6:
            slope, first = r.choice([1, 1, 2, 0.5]), r.choice([0, 0, 1])
            fields.append(f"double2[] times = [(0, {first}), (6, {first + 6 * slope})]")
        if r.random() < 0.7:
            fields.append(f"asset manifestAssetPath = @./{self.name('manifest')}@")
        if r.random() < 0.2:
            fields.append("bool interpolateMissingClipValues = 1")
        return "clips = { dictionary default = {\n" + "\n".join(fields) + "\n} }"

    def name(self, which):
        return f"clips{self.number}_{which}.usda"

    def add(self, path, declaration, make, times):
        if not self.manifest.setdefault(path, []) or self.rng.random() < 0.95:
            self.manifest[path].append(declaration)
        for clip in self.clips:
            if self.rng.random() < 0.12:
                continue  # not in this one
            at = sorted(self.rng.sample(times, self.rng.randint(1, len(times))))
            samples = "".join(f"{t}: {make()}, " for t in at)
            clip.setdefault(path, []).append(f"{declaration}.timeSamples = {{ {samples}}}")

    def layers(self):
        """Texts by file name."""
        named = {self.name(i): clip for i, clip in enumerate(self.clips)}
        named[self.name("manifest")] = self.manifest
        return {name: "#usda 1.0\n" + "\n".join(nested(lines)) + "\n" for name, lines in named.items()}


def nested(lines, below=""):
    """Nested overs for all these paths."""
    out = []
    names = sorted({path[len(below) + 1:].split("/")[0] for path in lines if path.startswith(below + "/")})
    for name in names:
        path = f"{below}/{name}"
        out += [f'over "{name}"', "{", *lines.get(path, []), *nested(lines, path), "}"]
    return out


class SceneText:
    """Lines of usda and a random generator. Some scenes (`broken`) contain a few errors."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.broken = self.rng.random() < 0.35
        self.lines = []
        self.depth = 0
        self.names = []  # of the open prims
        self.clip_sets = []
        self.clips_from = None  # the depth below which the last clip set applies

    def chance(self, p):
        return self.rng.random() < p

    def slip(self, p=0.12):
        """Whether to make an error."""
        return self.broken and self.chance(p)

    # ------------------------------------------------------------------ text
    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def open(self, head, *metadata):
        self.put(head + (" (" if metadata else ""))
        for m in metadata:
            self.put("    " + m)
        if metadata:
            self.put(")")
        self.put("{")
        self.depth += 1
        self.names.append(re.search('"(.*?)"', head).group(1))

    def close(self):
        self.depth -= 1
        self.names.pop()
        if self.clips_from is not None and self.depth <= self.clips_from:
            self.clips_from = None
        self.put("}")

    def layers(self):
        """The other files of the scene: texts by name."""
        return {name: text for clips in self.clip_sets for name, text in clips.layers().items()}

    def clips(self, path, likely):
        """Metadata for the prim that is opened next. If not empty, some samples below it are written to value clips."""
        if self.clips_from is not None or not self.chance(likely):
            return []
        self.clips_from = self.depth
        self.clip_sets.append(ClipSet(self.rng, path, len(self.clip_sets)))
        return [self.clip_sets[-1].metadata()]

    def in_clips(self, declaration, make, times=TIMES, metadata=""):
        """Writes the samples of an attribute to the clips, if chosen. Returns whether it did."""
        if self.clips_from is None or declaration.startswith("uniform") or not self.chance(0.6):
            return False
        self.clip_sets[-1].add("/" + "/".join(self.names), declaration, make, times)
        self.put(declaration + (f" ({metadata})" if metadata else ""))
        return True

    def attribute(self, declaration, make, animated=0.3, metadata=""):
        """Writes a default, samples, or both. make() returns the text of a value."""
        r = self.rng
        sampled = self.chance(animated)
        if sampled and self.in_clips(declaration, make, TIMES, metadata):
            return
        if not sampled or self.chance(0.2):
            value = "None" if self.slip(0.03) else make()
            self.put(f"{declaration} = {value}" + (f" ({metadata})" if metadata else ""))
        elif metadata:
            self.put(f"{declaration} ({metadata})")
        if sampled:
            self.samples(declaration, sorted(r.sample(TIMES, r.randint(1, 3))), make)

    def samples(self, declaration, times, make):
        self.put(f"{declaration}.timeSamples = {{")
        for t in times:
            self.put(f"    {t}: {'None' if self.slip(0.03) else make()},")
        self.put("}")

    # ------------------------------------------------------------------ values
    def vec(self, scale=2.0, n=3):
        return [self.rng.uniform(-scale, scale) for _ in range(n)]

    def unit_quat(self):
        q = self.vec(1, 4)
        length = sum(x * x for x in q) ** 0.5 or 1
        return [x / length for x in q]

    def quats(self, n):
        return tuples([[0, 0, 0, 0] if self.slip(0.02) else self.unit_quat() for _ in range(n)])

    def matrix(self):
        rows = [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], self.vec(3) + [1.0]]
        kind = self.rng.choice("itrrss")
        if kind == "i":
            rows[3][:3] = [0, 0, 0]
        elif kind == "r":
            w, x, y, z = self.unit_quat()
            rows[0][:3] = [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (z * x - y * w)]
            rows[1][:3] = [2 * (x * y - z * w), 1 - 2 * (z * z + x * x), 2 * (y * z + x * w)]
            rows[2][:3] = [2 * (z * x + y * w), 2 * (y * z - x * w), 1 - 2 * (y * y + x * x)]
        elif kind == "s":
            for i in range(3):  # well away from singular
                rows[i][:3] = self.vec(1.0)
                rows[i][i] += 2
        return "( " + ", ".join("(" + ", ".join(repr(round(x, 6)) for x in row) + ")" for row in rows) + " )"

    def matrices(self, n):
        return "[" + ", ".join(self.matrix() for _ in range(n)) + "]"
