"""Random animated scenes as layer texts: samples, splines, defaults and blocks across sublayers and references with
offsets, and value clips of all kinds.
"""

ATTRIBUTES = {
    "d": "double", "f": "float", "h": "half", "i": "int", "b": "bool", "s": "string", "t": "token", "c": "timecode",
    "v": "double3", "p": "point3f", "q": "quatf", "m": "matrix2d", "fa": "float[]", "ca": "timecode[]",
    "va": "float3[]", "sa": "string[]", "ia": "int[]", "qa": "quath[]"}


def number(r):
    return repr(r.choice([r.randint(-9, 9), r.randint(-40, 40) / 4]))


def text_of(r, kind):
    if kind.endswith("[]"):
        size = r.choice([0, 1, 2, 2, 2, 2, 3])
        return "[" + ", ".join(text_of(r, kind[:-2]) for _ in range(size)) + "]"
    if kind in ("double", "float", "half", "timecode"):
        return number(r)
    if kind == "int":
        return str(r.randint(-9, 9))
    if kind == "bool":
        return r.choice(["true", "false"])
    if kind in ("string", "token"):
        return '"' + r.choice("abcdef") + '"'
    if kind in ("double3", "point3f", "float3"):
        return "(" + ", ".join(number(r) for _ in range(3)) + ")"
    if kind in ("quatf", "quath"):
        return r.choice(["(1, 0, 0, 0)", "(0, 1, 0, 0)", "(0.6, 0, 0.8, 0)", "(-1, 0, 0, 0)", "(0.6, 0, 0, -0.8)"])
    return f"( ({number(r)}, {number(r)}), ({number(r)}, {number(r)}) )"


class Scene:
    """Layers as texts, and the times of interest for their root."""
    COMPARED = ("source", "varying")  # in addition to values and samples
    RATES = [24, 48, 12, 30]

    def __init__(self, rng):
        self.rng = rng
        self.texts = {}
        self.marks = set()  # times at which something happens somewhere

    def chance(self, p):
        return self.rng.random() < p

    def time(self, low=0, high=12):
        r = self.rng
        t = r.choice([r.randint(low, high), r.randint(low, high), r.randint(2 * low, 2 * high) / 2,
                      r.randint(low * 100, high * 100) / 100])
        self.marks.add(t)
        return t

    def samples(self, kind, count=None, blocks=0.1, low=0, high=12):
        r = self.rng
        times = sorted({self.time(low, high) for _ in range(r.choice([1, 1, 2, 3, 5, 9]) if count is None else count)})
        return "{" + ", ".join(f"{t!r}: {'None' if self.chance(blocks) else text_of(r, kind)}" for t in times) + "}"

    def offset(self, p=0.5):
        r = self.rng
        if not self.chance(p):
            return ""
        parts = []
        if self.chance(0.8):
            parts.append(f"offset = {r.choice([-10, -3, 1, 2.5, 10, 0.1])}")
        if self.chance(0.6):
            parts.append(f"scale = {r.choice([2, 0.5, 3, 0.1, 1.5])}")
        return " (" + "; ".join(parts) + ")" if parts else ""

    def attribute(self, name, default=0.4, samples=0.5, spline=0.0, block=0.1):
        kind = ATTRIBUTES[name[:-1]]
        lines = []
        if self.chance(default):
            value = "None" if self.chance(block) else text_of(self.rng, kind)
            if self.chance(0.05):
                value = "AnimationBlock"
            lines.append(f"{kind} {name} = {value}")
        if self.chance(samples):
            lines.append(f"{kind} {name}.timeSamples = {self.samples(kind, blocks=block)}")
        if kind in ("double", "float", "half", "timecode") and self.chance(spline):
            lines.append(f"{kind} {name}.spline = {self.spline(kind)}")
        return lines or ([f"{kind} {name}"] if self.chance(0.5) else [])

    def head(self, sublayers=(), extra=()):
        r = self.rng
        lines = list(extra)
        if sublayers:
            lines.append("subLayers = [" + ", ".join(f"@./{s}@{self.offset()}" for s in sublayers) + "]")
        if self.chance(0.25):
            lines.append(f"timeCodesPerSecond = {r.choice(self.RATES)}")
        if self.chance(0.15):
            lines.append(f"framesPerSecond = {r.choice([24, 48, 30])}")
        return "#usda 1.0\n" + ("(\n" + "\n".join(lines) + "\n)\n" if lines else "")

    # ---- splines

    def tangent(self, hermite, width_most):
        r = self.rng
        parts = ([] if hermite else [repr(self.width(width_most))]) + [repr(self.slope())]
        if self.chance(0.15):
            parts.append(r.choice(["autoEase", "autoEase", "custom"]))
        return "(" + ", ".join(parts) + ")"

    def width(self, most):
        return self.rng.choice([0, 0.25, 0.5, 1, 1.3, round(self.rng.uniform(0, most), 3)])

    def slope(self):
        r = self.rng
        return r.choice([0, 1, -1, round(r.uniform(-4, 4), 3)])

    def extrapolation(self):
        r = self.rng
        return r.choice(["held", "held", "none", "linear", f"sloped({self.slope()!r})", "loop repeat", "loop reset",
                         "loop oscillate"])

    def spline(self, kind):
        r = self.rng
        hermite = self.chance(0.2)
        lines = ["hermite" if hermite else "bezier"]
        if self.chance(0.7):
            lines.append("pre: " + self.extrapolation())
        if self.chance(0.7):
            lines.append("post: " + self.extrapolation())
        times = sorted({self.time() for _ in range(r.choice([1, 2, 3, 3, 4, 6]))})
        if self.chance(0.2):
            start = r.choice(times) if self.chance(0.8) else self.time()
            end = start + r.choice([1, 2, 3.5, 5])
            lines.append(f"loop: ({start!r}, {end!r}, {r.randint(0, 2)}, {r.randint(0, 2)}, {r.choice([0, 1.5, -2])})")
            self.marks.add(end)
        for i, t in enumerate(times):
            value = number(r)
            if self.chance(0.2):
                value = f"{number(r)} & {value}"
            parts = [f"{t!r}: {value}"]
            gap = times[i] - times[i - 1] if i else 3
            next_gap = times[i + 1] - t if i + 1 < len(times) else 3
            if self.chance(0.75):
                parts.append("pre " + self.tangent(hermite, 1.6 * gap))
            mode = r.choice(["curve", "curve", "curve", "linear", "held", "none", ""])
            if mode == "curve":
                parts.append("post curve" + (" " + self.tangent(hermite, 1.6 * next_gap) if self.chance(0.85) else ""))
            elif mode:
                parts.append("post " + mode)
            lines.append("; ".join(parts))
        return "{\n" + ",\n".join(lines) + ",\n}"


class SampleScene(Scene):
    """Samples, defaults and blocks in several layers."""
    SPLINE = 0.0

    def build(self):
        r = self.rng
        names = r.sample([n + "0" for n in self.names()], min(4, len(self.names())))
        layers = [f"l{i}.usda" for i in range(r.randint(1, 5))]
        for i, layer in enumerate(layers):
            later = layers[i + 1:]
            sublayers = [s for s in later[:2] if self.chance(0.5)]
            arcs = ""
            if later and self.chance(0.6):
                arcs = f"(\nprepend {r.choice(['references', 'payload'])} = @./{r.choice(later)}@</P>{self.offset()}\n)"
            body = [line for n in names if self.chance(0.7) for line in self.attribute(n, spline=self.SPLINE)]
            self.texts[layer] = self.head(sublayers) + f'def "P" {arcs}\n{{\n' + "\n".join(body) + "\n}\n"
        return layers[0]

    def names(self):
        return list(ATTRIBUTES)


class SplineScene(SampleScene):
    SPLINE = 0.7

    def names(self):
        return ["d", "f", "h", "c"]

    def attribute(self, name, **_):
        return super().attribute(name, default=0.2, samples=0.08, spline=self.SPLINE, block=0.2)


class ClipScene(Scene):
    """One or two clip sets of a prim, possibly across a sublayer or reference with an offset."""

    def build(self):
        r = self.rng
        self.names = [n + "0" for n in r.sample(list(ATTRIBUTES), 4)]
        self.low, self.high = r.choice([(0, 12), (0, 6), (-4, 8)])
        # A small range, so that samples and clip times overlap.
        anchor = "root.usda" if self.chance(0.4) else "anchor.usda"
        sets = [f"s{i}" for i in range(r.choice([1, 1, 1, 2]))]
        self.sub_clips = self.chance(0.5)
        clips = "\n".join(f'dictionary {s} = {{\n{self.clip_set(s)}\n}}' for s in sets)
        order = ""
        if len(sets) > 1 and self.chance(0.5):
            order = f'clipSets = ["{sets[1]}", "{sets[0]}"]\n'
        metadata = f"(\nclips = {{\n{clips}\n}}\n{order}{{arcs}})"
        weak = "weak.usda"
        if self.chance(0.5):
            self.texts[weak] = self.head() + self.prim("P", "", 0.5)
            arcs = f"prepend references = @./{weak}@</P>{self.offset(0.3)}\n"
        else:
            arcs = ""
        self.texts[anchor] = self.head() + self.prim("P", metadata.replace("{arcs}", arcs), 0.15)
        if anchor != "root.usda":
            if self.chance(0.5):
                self.texts["root.usda"] = self.head([anchor]) + self.prim("P", "", 0.1)
            else:
                arc = f"(\nprepend references = @./{anchor}@</P>{self.offset()}\n)"
                self.texts["root.usda"] = self.head() + self.prim("P", arc, 0.1)
        return "root.usda"

    def prim(self, name, metadata, weight):
        body = [line for n in self.names for line in self.attribute(n, 0.6 * weight, weight)]
        child = [line for n in self.names for line in self.attribute(n, 0.6 * weight, weight)]
        return f'def "{name}" {metadata}\n{{\n' + "\n".join(body) + '\ndef "C" {\n' + "\n".join(child) + "\n}\n}\n"

    def clip_set(self, name):
        r = self.rng
        lines = ['string primPath = "/Clip"']
        count = r.choice([1, 2, 3, 3, 4, 6])
        has = [n for n in sorted(self.names) if self.chance(0.8)]
        spline = [n for n in has if ATTRIBUTES[n[:-1]] in ("double", "float", "half", "timecode") and self.chance(0.2)]
        if self.chance(0.6):
            files, active_times = self.template(name, count, lines)
        else:
            files, active_times = self.explicit(name, count, lines)
        for file in files:
            if not self.chance(0.06):
                self.texts[file] = self.clip(has, spline)
        if self.chance(0.6):
            lines.append(f"asset manifestAssetPath = @./{name}.manifest.usda@")
            if not self.chance(0.03):
                self.texts[f"{name}.manifest.usda"] = self.manifest(has, spline, active_times)
        if self.chance(0.4):
            lines.append(f"bool interpolateMissingClipValues = {r.choice(['true', 'true', 'false'])}")
        return "\n".join(lines)

    def template(self, name, count, lines):
        r = self.rng
        stride = r.choice([1, 1, 1, 2, 0.5, 0.25])
        start = r.randint(0, 4)
        end = start + (count - 1) * stride + r.choice([0, 0, 0.1])
        digits = r.choice(["#", "##", "####"])
        fraction = {0.5: r.choice(["#", "##"]), 0.25: r.choice(["##", "##", "#"])}.get(stride, "")
        pattern = f"./{name}.{digits}{'.' + fraction if fraction else ''}.usda"
        lines += [f'string templateAssetPath = "{pattern}"', f"double templateStartTime = {start!r}",
                  f"double templateEndTime = {end!r}", f"double templateStride = {stride!r}"]
        if self.chance(0.3):
            lines.append(f"double templateActiveOffset = {r.choice([0.5, -0.5, 0.25, 1, -1]) * stride!r}")
        files, times = [], []
        for i in range(count):
            t = start + i * stride
            times.append(t)
            whole = str(int(t)).zfill(len(digits))
            file = f"{name}.{whole}"
            if fraction:
                file += "." + str(int(t % 1 * 10 ** len(fraction))).zfill(len(fraction))
            files.append(file + ".usda")
            self.marks.add(t)
        return files, times

    def explicit(self, name, count, lines):
        r = self.rng
        files = [f"{name}{i}.usda" for i in range(count)]
        lines.append("asset[] assetPaths = [" + ", ".join(f"@./{f}@" for f in files) + "]")
        times = sorted({self.time(self.low, self.high) for _ in range(r.choice([count, count, count + 2]))})
        active = [(t, i if i < count and self.chance(0.8) else r.randrange(count)) for i, t in enumerate(times)]
        if self.chance(0.1):
            r.shuffle(active)
        lines.append("double2[] active = [" + ", ".join(f"({t!r}, {i})" for t, i in active) + "]")
        if self.chance(0.75):
            lines.append("double2[] times = [" + ", ".join(f"({a!r}, {b!r})" for a, b in self.curve(times)) + "]")
        return files, times

    def curve(self, active):
        """Pairs of stage and clip times: identity, shifted, retimed, reversed, looping or with jumps."""
        r = self.rng
        style = r.choice(["identity", "shift", "random", "loop", "reverse", "mixed"])
        low, high = self.low, self.high
        if style == "identity":
            return [(low, low), (high, high)]
        if style == "shift":
            s, k = r.choice([0, 1, -2, 2.5]), r.choice([1, 2, 0.5])
            return [(t, (t - low) * k + s) for t in (low, high)]
        if style == "reverse":
            return [(low, high), (high, low)]
        if style == "loop":
            length, t, out = r.choice([1, 2, 3]), low, []
            while t < high:
                out += [(t, low), (t + length, low + length)]
                t += length
            return out
        pairs = []
        for t in sorted({self.time(low, high) if self.chance(0.6) else r.choice(active) for _ in range(r.randint(1, 6))}):
            pairs.append((t, self.time(low, high)))
            if self.chance(0.3):
                pairs.append((t, self.time(low, high)))
        if style == "mixed" and self.chance(0.3):
            r.shuffle(pairs)
        return pairs

    def clip(self, has, spline):
        body = [[], []]
        for lines in body:
            for n in has:
                kind = ATTRIBUTES[n[:-1]]
                if n in spline:
                    if self.chance(0.8):
                        lines.append(f"{kind} {n}.spline = {self.spline(kind)}")
                elif self.chance(0.75):
                    lines.append(f"{kind} {n}.timeSamples = {self.samples(kind, low=self.low, high=self.high)}")
                elif self.chance(0.2):
                    lines.append(f"{kind} {n} = {text_of(self.rng, kind)}")
        head = "#usda 1.0\n"
        if self.chance(0.08):
            head += f"(\ntimeCodesPerSecond = {self.rng.choice([48, 12])}\n)\n"
        return head + 'over "Clip"\n{\n' + "\n".join(body[0]) + '\nover "C" {\n' + "\n".join(body[1]) + "\n}\n}\n"

    def manifest(self, has, spline, active_times):
        body = [[], []]
        for lines in body:
            for n in has:
                kind = ATTRIBUTES[n[:-1]]
                if self.chance(0.1):
                    continue
                if self.chance(0.05):
                    lines.append(f"uniform {kind} {n}")
                    continue
                lines.append(f"{kind} {n}")
                if self.chance(0.2):
                    lines.append(f"{kind} {n} = {text_of(self.rng, kind) if self.chance(0.9) else 'None'}")
                if n in spline and self.chance(0.9):
                    lines.append(f"{kind} {n}.spline = {self.spline(kind)}")
                elif self.chance(0.3):
                    blocks = [t for t in active_times if self.chance(0.5)]
                    if blocks:
                        lines.append(f"{kind} {n}.timeSamples = {{" + ", ".join(f"{t!r}: None" for t in blocks) + "}")
        return '#usda 1.0\nover "Clip"\n{\n' + "\n".join(body[0]) + '\nover "C" {\n' + "\n".join(body[1]) + "\n}\n}\n"


class ClipArcScene(ClipScene):
    """Clip sets defined and changed in several layers, across nested references, payloads and sublayers."""
    COMPARED = ("source",)  # OpenUSD determines "varying" from any of several clip sets, not always the same one

    def build(self):
        r = self.rng
        self.names = [n + "0" for n in r.sample(list(ATTRIBUTES), 4)]
        self.low, self.high = r.choice([(0, 12), (0, 6), (-4, 8)])
        layers = ["root.usda"] + [f"l{i}.usda" for i in range(r.choice([1, 2, 2, 3]))]
        sets = ["s0", "s1"]
        for i, layer in enumerate(layers):
            defined = [s for s in sets if self.chance(0.8 if i == len(layers) - 1 else 0.3)]
            clips = [f"dictionary {s} = {{\n{self.clip_set(s + 'abcd'[i])}\n}}" for s in defined]
            if i < len(layers) - 1 and self.chance(0.2):
                clips.append(f"dictionary {r.choice(sets)} = {{\n{self.part()}\n}}")
            lines = ["clips = {\n" + "\n".join(clips) + "\n}"] if len(set(c.split()[1] for c in clips)) == len(clips) > 0 \
                else []
            lines += [self.order(sets)] if self.chance(0.4) else []
            sublayers = []
            if i + 1 < len(layers):
                if self.chance(0.35):
                    sublayers.append(layers[i + 1])
                else:
                    arc = r.choice(["references", "references", "payload"])
                    lines.append(f"prepend {arc} = @./{layers[i + 1]}@</P>{self.offset()}")
            metadata = "(\n" + "\n".join(lines) + "\n)" if lines else ""
            self.texts[layer] = self.head(sublayers) + self.prim("P", metadata, r.choice([0, 0.1, 0.3]))
        return layers[0]

    def part(self):
        """Part of a clip set's metadata, which composes with weaker opinions."""
        r = self.rng
        return r.choice([
            "double2[] times = [(0, 0), (8, 4)]", "double2[] times = [(0, 6), (6, 0)]",
            "bool interpolateMissingClipValues = true", 'string primPath = "/Clip/C"', "double templateActiveOffset = 0.5",
            "double2[] active = [(0, 0)]"])

    def order(self, sets):
        r = self.rng
        names = ", ".join(f'"{s}"' for s in r.sample(sets, r.choice([1, 2])))
        return f"{r.choice(['', '', 'prepend ', 'append ', 'delete '])}clipSets = [{names}]"


KINDS = {"samples": SampleScene, "splines": SplineScene, "clips": ClipScene, "arcs": ClipArcScene}
