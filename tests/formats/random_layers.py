"""Reads random layers that are often malformed with usd-core and with our program: they must agree.

    random_layers.py DESCRIBE_LAYER [--kinds names,crates] [--seed N] [--count N] [--jobs N] [--record FILE] …

DESCRIBE_LAYER is the program //tests/formats:describe_layer. Needs usd-core. Compares which layers are refused and what is read
of the others. What we write, as text and as a crate, must be for usd-core what it read itself, and we must read usd-core's crate
as it does. Prints the disagreements and exits 1.
"""
import argparse
import difflib
import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../random"))
sys.path.insert(0, HERE)

import random_names  # noqa: E402
import random_strings  # noqa: E402
import random_values  # noqa: E402
from crate_file import CrateFile  # noqa: E402
from random_run import Checker, add_options, numbers, run  # noqa: E402

from pxr import Sdf, Tf  # noqa: E402

TEXTS = {"names": random_names.text, "values": random_values.text, "strings": random_strings.text}  # by kind
KINDS = [*TEXTS, "crates"]


def commentary(error):
    """The text of an error, which may end in the middle of a character."""
    try:
        return str(error.commentary)
    except UnicodeDecodeError:
        return "not UTF-8"


class Reading:
    """What usd-core reads from text: `text` as it prints it, None if it refuses it, and the errors that it reports."""

    def __init__(self, text):
        self.layer = Sdf.Layer.CreateAnonymous("x.usda")
        empty, self.errors = self.layer.ExportToString(), []
        try:
            read = self.layer.ImportFromString(text)
        except Tf.ErrorException as error:
            self.errors = [commentary(one) for one in error.args]
            read = self.layer.ExportToString() != empty
        self.text = self.layer.ExportToString() if read else None


def printed(path):
    """The crate as usd-core prints it; begins with "refused" if it refuses it."""
    try:
        layer = Sdf.Layer.OpenAsAnonymous(path)
        return layer.ExportToString() if layer else "refused"
    except Tf.ErrorException as error:
        return "refused: " + str(error)


def difference(what, expected, found):
    if expected == found:
        return []
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "usd-core", what, n=0, lineterm="")
    return [f"{what}: {line}" for line in lines][:12] or [f"{what}: differs in line ends"]


def difference_in_text(what, expected, found):
    """As `difference`, for text of ours which usd-core has read and prints as `found`.

    What usd-core itself reads from text may go on after a zero byte, and it may be a list edit without lists: its own text has neither,
    though the quotes show the former. It cannot read all that it writes, such as the asset path "@\\".
    """
    again = Reading(expected).text
    return [] if again in (None, found) else difference(what, expected, found)


class LayerChecker(Checker):
    def check(self, number, folder):
        r = random.Random(f"{self.options.seed}/{number}")
        kinds = self.options.kinds.split(",")
        kind = kinds[number % len(kinds)]
        try:
            compare = self.check_crate if kind == "crates" else self.check_text
            found = compare(r, kind, folder)
        except RuntimeError as error:
            self.forget_program()
            found = [str(error)]
        return None if found is None else self.report(number, folder, found, 20)

    def ask(self, path):
        return json.loads(next(self.program.ask(path)))

    def check_text(self, r, kind, folder):
        text = TEXTS[kind](r)
        path = os.path.join(folder, "layer.usda")
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        ours = self.ask(path)
        found = self.compare(Reading(text), ours, folder)
        if not found:
            self.record(folder, {"layer.usda": text}, path, [json.dumps(ours)])
        return found and found + [repr(text)]

    def compare(self, core, ours, folder):
        if core.text is None or not ours["opens"]:
            if core.text is None and not ours["opens"]:
                return []
            return [f"usd-core reads it {core.errors}, but ours: {ours['reason']}" if core.text is not None else
                    f"usd-core refuses it: {core.errors}"]
        again = Reading(ours.get("text", ""))
        found = difference_in_text("our text", core.text, f"refused: {again.errors}" if again.text is None else again.text)
        return found + self.compare_crates(core, ours, folder)

    def compare_crates(self, core, ours, folder):
        own = os.path.join(folder, "own.usdc")
        try:
            core.layer.Export(own)
        except Tf.ErrorException:
            return []
        expected = printed(own)
        if expected.startswith("refused"):
            return [] if "crateFails" in ours else [f"usd-core cannot read its crate: {expected}, but we write one"]
        found = difference("our crate", expected, printed(os.path.join(folder, "layer.usda.ours.usdc")))
        again = Reading(ours.get("crate", ""))
        found += difference_in_text("our crate, read by us", expected, again.text or f"refused: {again.errors}")
        theirs = self.ask(own)
        if not theirs["opens"]:
            return found + ["usd-core's crate, read by us: " + theirs["reason"]]
        again = Reading(theirs.get("text", ""))
        return found + difference_in_text("usd-core's crate, read by us", expected, again.text or f"refused: {again.errors}")

    def check_crate(self, r, kind, folder):
        text, name = random_names.crate(r)
        core = Reading(text)
        path = os.path.join(folder, "layer.usdc")
        if core.text is None:
            return None
        core.layer.Export(path)
        with open(path, "rb") as source:
            crate = CrateFile.parse(source.read())
        crate.tokens = [token.replace(random_names.PLACEHOLDER.encode(), name.encode()) for token in crate.tokens]
        with open(path, "wb") as out:
            out.write(crate.serialize())
        expected, ours = printed(path), self.ask(path)
        if expected.startswith("refused"):
            found = [f"usd-core refuses it: {expected}"] if ours["opens"] else []
        elif not ours["opens"]:
            found = [f"usd-core reads it, but ours: {ours['reason']}"]
        else:
            found = difference("our crate of the crate", expected, printed(path + ".ours.usdc"))
        return found and found + [f"{text!r} with the name {name!r}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="describe_layer")
    parser.add_argument("--kinds", default=",".join(KINDS))
    add_options(parser, 400)
    options = parser.parse_args()
    return run(options, numbers(options), LayerChecker(options), 60)


if __name__ == "__main__":
    sys.exit(main())
