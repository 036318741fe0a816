#!/usr/bin/env python3
"""Composes random small layer graphs with usd-core and with our composer and compares the results.

    random_scenes.py DUMP_INDEX [--count N] [--seed S] [--keep DIR] [--only I] [--jobs N]

DUMP_INDEX is the program //tests/tools:dump_index. Needs usd-core. Prints a scene on which the two disagree
and exits 1.
"""
import argparse
import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../random"))

import random_run  # noqa: E402
from pxr import Sdf, Usd  # noqa: E402

PRIMS = ["A", "B", "C", "D"]
CHILDREN = ["X", "Y", "Z"]
SETS = ["v", "w", "u"]
VARIANTS = ["a", "b"]
SESSION = "session.usd"
SECONDS = 4  # of processor time, for one scene


class Scene:
    """A few layers with prims, arcs of all kinds between them, and the errors that their combinations cause."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        r = self.rng
        self.layers = [f"l{i}.usd" for i in range(r.randint(1, 4))]
        self.weights = {k: r.choice([0, 0.1, 0.2, 0.35]) for k in
                        ("reference", "payload", "inherit", "specialize", "variant", "instance", "selection")}
        self.relocates = r.random() < 0.3
        self.max_depth = r.choice([1, 1, 2, 2, 3])
        self.expressions = r.choice([0, 0, 0.3, 0.6])
        self.rates = r.choice([0.05, 0.05, 0.6])
        self.session = r.random() < 0.25
        self.fallbacks = {"v": ["b"]} if r.random() < 0.3 else {}
        self.muted = [r.choice(self.layers[1:] + [SESSION])] if len(self.layers) > 1 and r.random() < 0.15 else []
        self.layer_index = self.prim_index = 0
        self.unloaded = [self.path(later=False)] if r.random() < 0.15 else []
        if r.random() < 0.05:
            self.unloaded = ["/"]

    def chance(self, p):
        return self.rng.random() < p

    def path(self, later=True):
        """A prim. `later` prefers prims that come later, so that scenes do not grow endlessly, with a few exceptions."""
        r = self.rng
        prims = PRIMS[self.prim_index + 1:] if later and not self.chance(0.04) else PRIMS
        text = "/" + r.choice(prims or PRIMS[-1:])
        for _ in range(r.choice([0, 0, 0, 1, 1, 2])):
            text += "/" + r.choice(CHILDREN)
        return text

    def offset(self):
        r = self.rng
        return f" (offset = {r.randint(-5, 5)}; scale = {r.choice([1, 2, 0.5])})" if self.chance(0.2) else ""

    def target(self):
        r = self.rng
        later = self.layers[self.layer_index + 1:]
        if self.chance(0.4) or not later:
            return f"<{self.path()}>{self.offset()}"
        path = self.path(later=False)
        layer = r.choice(later if not self.chance(0.03) else self.layers)
        return self.asset(layer) + ("" if self.chance(0.15) else f"<{path}>") + self.offset()

    def asset(self, layer):
        """An asset path, possibly as an expression."""
        if not self.chance(self.expressions):
            return f"@./{layer}@"
        name, number = layer.removesuffix(".usd"), layer[1]
        return "@`" + self.rng.choice([
            f"'./{layer}'", f"'./${{NAME{number}}}.usd'", "'./${NAME}.usd'", f"if(${{FLAG}}, './{layer}')",
            f"if(eq(${{N}}, {number}), './{layer}', './l0.usd')", f"if(defined('N'), './{name}.usd', '')",
            "'./l${N}.usd'", "${MISSING}"]) + "`@"

    def variables(self):
        r = self.rng
        rows = [f'string NAME{i} = "l{i}"' for i in range(4) if self.chance(0.7)]
        rows += [row for row in (f'string NAME = "l{r.randint(0, 3)}"', f"int N = {r.randint(0, 3)}",
                                 f"bool FLAG = {r.choice(['true', 'false'])}",
                                 f'string V = "{r.choice(VARIANTS)}"') if self.chance(0.6)]
        return "expressionVariables = {\n" + "\n".join(rows) + "\n}"

    def selection(self):
        if self.chance(self.expressions):
            return self.rng.choice(["`${V}`", "`if(${FLAG}, 'a', 'b')`", "`'a'`", "`''`", "`${MISSING}`"])
        return self.rng.choice(VARIANTS + [""])

    def class_path(self):
        # A child of the prim's own root prim, or a path below a later one.
        if self.chance(0.3):
            return f"</{PRIMS[self.prim_index]}/{self.rng.choice(CHILDREN)}>"
        return f"<{self.path()}>"

    def op(self):
        return self.rng.choice(["", "", "prepend ", "append ", "add "])

    def items(self, make):
        n = self.rng.choice([1, 1, 1, 2])
        items = list(dict.fromkeys(make() for _ in range(n)))
        return items[0] if len(items) == 1 else "[" + ", ".join(items) + "]"

    def metadata(self, sets):
        w, out = self.weights, []
        if self.chance(w["reference"]):
            out.append(f"{self.op()}references = {self.items(self.target)}")
        if self.chance(w["payload"] * 0.5):
            out.append(f"{self.op()}payload = {self.items(self.target)}")
        if self.chance(w["inherit"]):
            out.append(f"{self.op()}inherits = {self.items(self.class_path)}")
        if self.chance(w["specialize"]):
            out.append(f"{self.op()}specializes = {self.items(self.class_path)}")
        if self.chance(w["instance"] * 0.5):
            out.append("instanceable = true")
        if sets:
            out.append("variantSets = [" + ", ".join(f'"{s}"' for s in sets) + "]")
        if self.chance(w["selection"]):
            chosen = self.rng.sample(SETS, self.rng.randint(1, 2))
            out.append("variants = {\n" + "\n".join(
                f'string {s} = "{self.selection()}"' for s in chosen) + "\n}")
        return "(\n" + "\n".join(out) + "\n)" if out else ""

    def body(self, depth):
        out = []
        for _ in range(self.rng.choice([0, 0, 1])):
            out.append(f"int p{self.rng.randint(0, 3)} = {self.rng.randint(0, 9)}")
        out = list({line.split(" = ")[0]: line for line in out}.values())
        if depth < self.max_depth:
            for name in CHILDREN:
                if self.chance(0.3):
                    out.append(self.prim(name, depth + 1))
        return "\n".join(out)

    def prim(self, name, depth):
        sets = [s for s in SETS if self.chance(self.weights["variant"] * 0.6)]
        return (f'{self.rng.choice(["def", "def", "over", "class"])} "{name}" {self.metadata(sets)}\n{{\n'
                f"{self.body(depth)}\n{self.variants(sets, sets, depth)}}}")

    def variants(self, sets, outer, depth):
        """Variant sets, possibly with nested ones in their variants."""
        text = ""
        for s in sets:
            text += f'variantSet "{s}" = {{\n'
            for v in VARIANTS[:self.rng.choice([1, 2, 2, 2, 2, 2])]:
                nested = [t for t in SETS if t not in outer and self.chance(0.15)]
                text += (f'"{v}" {self.metadata(nested)} {{\n{self.body(depth)}\n'
                         f"{self.variants(nested, outer + nested, depth)}}}\n")
            text += "}\n"
        return text

    def relocate(self):
        source = self.path(later=False)
        if source.count("/") < 2:
            source += "/" + self.rng.choice(CHILDREN)
        target = source.rsplit("/", 1)[0] + "/" + self.rng.choice(CHILDREN + ["R", "S"])
        if self.chance(0.3):
            target = self.path(later=False) + "/" + self.rng.choice(["R", "S"])
        return f"<{source}>: <{'' if self.chance(0.1) else target}>"

    def layer(self, index, session=False):
        head, later = [], self.layers[index + 1:]
        if later and self.chance(0.15 if session else 0.5):
            chosen = self.rng.sample(later, self.rng.choice([1, 1, min(2, len(later))]))
            head.append("subLayers = [" + ", ".join(self.asset(name) + self.offset() for name in chosen) + "]")
        if self.chance(0.6):
            head.append(f'defaultPrim = "{self.rng.choice(PRIMS)}"')
        for field in ("timeCodesPerSecond", "framesPerSecond"):
            # The rate of a session layer that is muted later stays in what usd-core has composed.
            if self.chance(self.rates) and not (session and SESSION in self.muted):
                head.append(f"{field} = {self.rng.choice([24, 48, 30])}")
        if self.expressions and self.chance(0.6):
            head.append(self.variables())
        if self.relocates and self.chance(0.6):
            pairs = list(dict.fromkeys(self.relocate() for _ in range(self.rng.randint(1, 2))))
            head.append("relocates = {\n" + ",\n".join(pairs) + "\n}")
        text = "#usda 1.0\n"
        if head:
            text += "(\n" + "\n".join(head) + "\n)\n"
        self.layer_index = index
        for self.prim_index, name in enumerate(PRIMS):
            if self.chance(0.3 if session else 0.75):
                text += self.prim(name, 1) + "\n"
        return text

    def texts(self):
        """The layers as text, by name. To be called once."""
        texts = {name: self.layer(i) for i, name in enumerate(self.layers)}
        if self.session:
            texts[SESSION] = self.layer(0, session=True)
        return texts

    def command(self, folder):
        """The question for our program."""
        words = [os.path.join(folder, self.layers[0]), "--limit", "300"]
        if self.session:
            words += ["--session", os.path.join(folder, SESSION)]
        for name in self.muted:
            words += ["--mute", os.path.join(folder, name)]
        for path in self.unloaded:
            words += ["--unload", path]
        for name, variants in self.fallbacks.items():
            words += ["--fallback", name + "=" + ",".join(variants)]
        return words

    def open(self, folder):
        Usd.Stage.SetGlobalVariantFallbacks(self.fallbacks)
        root = Sdf.Layer.FindOrOpen(os.path.join(folder, self.layers[0]))
        session = Sdf.Layer.FindOrOpen(os.path.join(folder, SESSION)) if self.session else None
        stage = Usd.Stage.Open(root, session, Usd.Stage.LoadNone if "/" in self.unloaded else Usd.Stage.LoadAll)
        if self.muted:
            stage.MuteAndUnmuteLayers([os.path.join(folder, name) for name in self.muted], [])
        if self.unloaded and "/" not in self.unloaded:
            rules = Usd.StageLoadRules.LoadAll()
            for path in self.unloaded:
                rules.Unload(path)
            stage.SetLoadRules(rules)
        return stage


def load(text):
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    return layer


def write(folder, texts):
    """Writes the layers as crates."""
    for name, text in texts.items():
        load(text).Export(os.path.join(folder, name))


def relative(path, folder):
    return os.path.relpath(path, folder) if os.path.isabs(path) else path


def oracle(folder, stage):
    rows = {}
    # Not below instances, where usd-core shows the prims of the instance that it composed first.
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.PrimAllPrimsPredicate):
        index = prim.GetPrimIndex()
        stack = [[relative(s.layer.realPath, folder), str(s.path), o.offset, o.scale]
                 for s, o in prim.GetPrimStackWithLayerOffsets() if not s.layer.anonymous]
        rows[str(prim.GetPath())] = (stack, list(index.ComputePrimChildNames()[0]), index.IsInstanceable())
    errors = {e.errorType.name.replace("ErrorType_", "") for e in stage.GetCompositionErrors()}
    return rows, {"AutoGenerated_PcpErrorType_2" if e == "AutoGenerated_Pcp2" else e for e in errors}


def compose(composer, words, lines):
    """Our program's results for a scene; appends its lines to `lines`. None if the scene is too large."""
    rows = {}
    for line in composer.ask("\t".join(words)):
        lines.append(line)
        row = json.loads(line)
        if "limit" in row:
            return None
        if "errors" in row:
            return rows, set(row["errors"])
        rows[row["path"]] = (row["stack"], row["children"], row["instance"])


def same_stack(a, b):
    return len(a) == len(b) and all(
        x[:2] == y[:2] and abs(x[2] - y[2]) < 1e-4 and abs(x[3] - y[3]) < 1e-4 for x, y in zip(a, b))


def differences(expected, got):
    rows, errors = expected
    for path, (stack, children, instance) in rows.items():
        if path == "/":
            continue
        if path not in got[0]:
            yield f"{path}: missing"
            continue
        stack2, children2, instance2 = got[0][path]
        if not same_stack(stack, stack2):
            yield f"{path}: stack\n  usd-core {stack}\n  ours     {stack2}"
        if children != children2:
            yield f"{path}: children {children}, ours {children2}"
        if instance != instance2:
            yield f"{path}: instance {instance}, ours {instance2}"
    if errors != got[1]:
        yield f"errors {sorted(errors)}, ours {sorted(got[1])}"


class Checker(random_run.Checker):
    def scene(self, number):
        return Scene(self.options.seed * 1000003 + number)

    def check(self, number, folder):
        scene = self.scene(number)
        texts, lines = scene.texts(), []
        found = self.compare(scene, texts, folder, lines)
        if found and self.options.keep:
            write_readable(folder, texts, scene)
        if found == []:
            self.record(folder, texts, "\t".join(self.words(scene, folder)), lines)
        return None if found is None else self.report(number, folder, found, 3)

    def words(self, scene, folder):
        return scene.command(folder) + self.options.extra.split()

    def compare(self, scene, texts, folder, lines):
        """The differences in a scene of these layers, which are written to `folder`. None if it is too large."""
        write(folder, texts)
        try:
            got = compose(self.program, self.words(scene, folder), lines)
        except RuntimeError as error:
            self.forget_program()
            list(oracle(folder, scene.open(folder)))  # ends this process if usd-core does not finish either
            return [str(error)]
        if not got:  # some scenes grow endlessly in both
            return None
        return list(differences(oracle(folder, scene.open(folder)), got))


def write_readable(folder, texts, scene):
    """Writes the layers as text and our program's arguments, for examining a disagreement."""
    for name, text in texts.items():
        with open(os.path.join(folder, name + "a.txt"), "w") as f:
            f.write(text)
    with open(os.path.join(folder, "command"), "w") as f:
        f.write(" ".join(scene.command(".")) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    random_run.add_options(parser, count=5000)
    parser.add_argument("--extra", default="", help="options for the program")
    options = parser.parse_args()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # usd-core warns about every composition error
    sys.exit(random_run.run(options, random_run.numbers(options), Checker(options, "--batch"), SECONDS))


if __name__ == "__main__":
    main()
