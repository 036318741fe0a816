"""Scenes written as usda text, what random ones have in common: see random_geometry.py."""
import random

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


class SceneText:
    """Lines of usda, and the dice. In some scenes (`broken`) a few things do not fit."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.broken = self.rng.random() < 0.35
        self.lines = []
        self.depth = 0

    def chance(self, p):
        return self.rng.random() < p

    def slip(self, p=0.12):
        """Whether to get something wrong."""
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

    def close(self):
        self.depth -= 1
        self.put("}")

    def attribute(self, declaration, make, animated=0.3, metadata=""):
        """A default, samples, or both; make() gives a value's text."""
        r = self.rng
        sampled = self.chance(animated)
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
