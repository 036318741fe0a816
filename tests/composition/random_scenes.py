#!/usr/bin/env python3
"""Composes random small layer graphs with usd-core and with our composer and compares what they say.

    random_scenes.py DUMP_INDEX [--count N] [--seed S] [--keep DIR] [--only I]

DUMP_INDEX is the program //scene/composition:dump_index. Needs usd-core. Prints a scene on which the two disagree
and exits 1.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

from pxr import Sdf, Tf, Usd

PRIMS = ["A", "B", "C", "D"]
CHILDREN = ["X", "Y", "Z"]
SETS = ["v", "w"]
VARIANTS = ["a", "b"]
BATCH = 10  # scenes in one process


class Scene:
    """A few layers with prims, arcs of all kinds between them, and what goes wrong when they meet."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        r = self.rng
        self.layers = [f"l{i}.usd" for i in range(r.randint(1, 4))]
        self.weights = {k: r.choice([0, 0.1, 0.2, 0.35]) for k in
                        ("reference", "payload", "inherit", "specialize", "variant", "instance", "selection")}
        self.relocates = r.random() < 0.3
        self.max_depth = r.choice([1, 1, 2, 2, 3])
        self.layer_index = self.prim_index = 0

    def chance(self, p):
        return self.rng.random() < p

    def path(self, later=True):
        """A prim; `later` ones keep scenes from growing without end, but a few go back."""
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
        return f"@./{layer}@" + ("" if self.chance(0.15) else f"<{path}>") + self.offset()

    def class_path(self):
        # A child of the prim's own root, or of a later one.
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
                f'string {s} = "{self.rng.choice(VARIANTS + [""])}"' for s in chosen) + "\n}")
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
        text = f'{self.rng.choice(["def", "def", "over", "class"])} "{name}" {self.metadata(sets)}\n{{\n'
        text += self.body(depth) + "\n"
        for s in sets:
            text += f'variantSet "{s}" = {{\n'
            for v in VARIANTS:
                if self.chance(0.85):
                    nested = [t for t in SETS if t not in sets and self.chance(0.15)]
                    inner = "".join(
                        f'variantSet "{t}" = {{\n"a" {{\n{self.body(depth)}\n}}\n}}\n' for t in nested)
                    text += f'"{v}" {self.metadata(nested)} {{\n{self.body(depth)}\n{inner}}}\n'
            text += "}\n"
        return text + "}"

    def relocate(self):
        source = self.path(later=False)
        if source.count("/") < 2:
            source += "/" + self.rng.choice(CHILDREN)
        target = source.rsplit("/", 1)[0] + "/" + self.rng.choice(CHILDREN + ["R", "S"])
        if self.chance(0.3):
            target = self.path(later=False) + "/" + self.rng.choice(["R", "S"])
        return f"<{source}>: <{'' if self.chance(0.1) else target}>"

    def layer(self, index):
        head = []
        if index + 1 < len(self.layers) and self.chance(0.5):
            head.append(f"subLayers = [@./{self.rng.choice(self.layers[index + 1:])}@{self.offset()}]")
        if self.chance(0.6):
            head.append(f'defaultPrim = "{self.rng.choice(PRIMS)}"')
        if self.chance(0.1):
            head.append(f"timeCodesPerSecond = {self.rng.choice([24, 48, 30])}")
        if self.relocates and self.chance(0.6):
            pairs = list(dict.fromkeys(self.relocate() for _ in range(self.rng.randint(1, 2))))
            head.append("relocates = {\n" + ",\n".join(pairs) + "\n}")
        text = "#usda 1.0\n"
        if head:
            text += "(\n" + "\n".join(head) + "\n)\n"
        self.layer_index = index
        for self.prim_index, name in enumerate(PRIMS):
            if self.chance(0.75):
                text += self.prim(name, 1) + "\n"
        return text

    def write(self, folder):
        texts = {}
        for i, name in enumerate(self.layers):
            texts[name] = self.layer(i)
            layer = Sdf.Layer.CreateAnonymous(".usda")
            layer.ImportFromString(texts[name])
            layer.Export(os.path.join(folder, name))
        return texts


def relative(path, folder):
    return os.path.relpath(path, folder) if os.path.isabs(path) else path


def oracle(folder, root, fallbacks):
    Usd.Stage.SetGlobalVariantFallbacks(fallbacks)
    stage = Usd.Stage.Open(os.path.join(folder, root))
    rows = {}
    # Not below instances: there usd-core shows the prims of whichever instance it composed first.
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.PrimAllPrimsPredicate):
        index = prim.GetPrimIndex()
        stack = [[relative(s.layer.realPath, folder), str(s.path), o.offset, o.scale]
                 for s, o in prim.GetPrimStackWithLayerOffsets() if not s.layer.anonymous]
        rows[str(prim.GetPath())] = (stack, list(index.ComputePrimChildNames()[0]), index.IsInstanceable())
    errors = {e.errorType.name.replace("ErrorType_", "") for e in stage.GetCompositionErrors()}
    return rows, {"AutoGenerated_PcpErrorType_2" if e == "AutoGenerated_Pcp2" else e for e in errors}


class Composer:
    """Our program, asked about one scene after the other."""

    def __init__(self, program, seconds):
        # It ends with us, who may not live to end it.
        self.process = subprocess.Popen([program, "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True,
                                        preexec_fn=lambda: signal.alarm(seconds))

    def compose(self, folder, root, fallbacks, extra):
        """What it says about a scene; None for one that is too large."""
        command = [os.path.join(folder, root), "--limit", "300"] + extra
        for name, variants in fallbacks.items():
            command += ["--fallback", name + "=" + ",".join(variants)]
        self.process.stdin.write("\t".join(command) + "\n")
        self.process.stdin.flush()
        rows = {}
        for line in self.process.stdout:
            row = json.loads(line)
            if "limit" in row:
                return None
            if "errors" in row:
                return rows, set(row["errors"])
            rows[row["path"]] = (row["stack"], row["children"], row["instance"])
        raise RuntimeError(f"exit status {self.process.wait()}")


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


def run_apart(function, seconds):
    """The text that function returns, run in a process of its own; None when that takes too long or crashes.

    Only usd-core runs in it: our composer is a process of its own, whose end is reported.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(seconds)
        os.close(read)
        with os.fdopen(write, "w") as out:
            out.write((function() or "") + "\n.")
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as result:
        text = result.read()
    status = os.waitpid(pid, 0)[1]
    if text.endswith("\n."):
        return text[:-2]
    return None if os.WIFSIGNALED(status) else f"ended with status {status}: differences"


def check_all(args, numbers, seconds):
    """How many of the scenes were compared, and the reports of those that the two disagree on."""
    composer = Composer(args.program, seconds)
    reports = [r for r in (check(args, composer, i) for i in numbers) if r is not None]
    return "\n".join([str(len(reports))] + [r for r in reports if r])


def check(args, composer, i):
    """Composes scene i; a report of how the two disagree, empty if they agree, None if it can't be compared."""
    folder = os.path.realpath(tempfile.mkdtemp())
    scene = Scene(args.seed * 1000003 + i)
    fallbacks = {"v": ["b"]} if i % 3 == 0 else {}
    try:
        texts = scene.write(folder)
        got = composer.compose(folder, scene.layers[0], fallbacks, args.extra.split())
        if not got:  # some scenes grow without end, in both
            shutil.rmtree(folder)
            return None
        found = list(differences(oracle(folder, scene.layers[0], fallbacks), got))
    except Tf.ErrorException:  # not a layer, or usd-core complains about itself
        shutil.rmtree(folder)
        return None
    except RuntimeError as e:
        found = [str(e)]
    if found and args.keep:
        keep = os.path.join(args.keep, f"{args.seed}-{i}")
        shutil.rmtree(keep, ignore_errors=True)
        shutil.copytree(folder, keep)
        for name, text in texts.items():
            with open(os.path.join(keep, name + "a.txt"), "w") as f:
                f.write(text)
    shutil.rmtree(folder)
    head = f"scene {i} of seed {args.seed}: {len(found)} differences"
    return "\n".join([head] + found[:3]) if found else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--except", dest="known", type=int, action="append", default=[],
                        help="a scene that is known to disagree")
    parser.add_argument("--keep", help="keep the layers of disagreements in this folder")
    parser.add_argument("--stop-after", type=int, default=1)
    parser.add_argument("--extra", default="", help="options for the program")
    args = parser.parse_args()
    failures = compared = 0
    numbers = [args.only] if args.only is not None else [i for i in range(args.count) if i not in args.known]
    for begin in range(0, len(numbers), BATCH):
        batch = numbers[begin:begin + BATCH]
        answers = [run_apart(lambda: check_all(args, batch, 15), seconds=15)]
        if answers == [None]:  # usd-core takes too long for one of them, or crashes; the others count
            answers = [run_apart(lambda: check_all(args, [i], 8), seconds=8) for i in batch]
        for answer in filter(None, answers):
            count, _, report = answer.partition("\n")
            compared += int(count) if count.isdigit() else 0
            report = report if count.isdigit() else answer
            failures += report.count("differences")
            if report:
                print(report, flush=True)
        if failures >= args.stop_after:
            break
    print(f"{failures} disagreements in {compared} scenes")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
