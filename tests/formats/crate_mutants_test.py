"""Crates with one defect each are rejected if usd-core rejects them, and otherwise have the same specs and fields;
those that we open can be written as text and read back.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; otherwise it is skipped. Intended differences are
listed here and explained in docs/conformance.md.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from crate_mutants import mutants  # noqa: E402

SEED = """#usda 1.0
(
    defaultPrim = "A"
)
def Xform "A" (
    variantSets = ["v"]
    variants = {
        string v = "x"
    }
)
{
    int a = 5
    int a.connect = </A.t>
    custom double t.timeSamples = {
        1: 1,
        2: 2,
    }
    rel r = </A/B>
    variantSet "v" = {
        "x" {
            def "In"
            {
            }
        }
    }
    def "B" (
        doc = "text"
    )
    {
        token k = "v"
    }
    over "C"
    {
    }
}
class "_c"
{
}
"""

# Mutants that OpenUSD opens (or survives) and we reject.
REFUSED = [
    r"spec \d+ of type (0|12|99|-1)",
    r"path item \d+ jumps -?\d+",
    r"path item 0 named .*|path item 0 of the other kind",
    r"many paths more",
    r"token \d+ as the one before",
    r"string \d+ without a token",
    r"\w+ of spec \d+ is (a double|a token|an array of tokens|a list beyond the file)",
    r"\w+ of spec \d+ all twice",  # more children than the namespace has
]
# Mutants that usd-core rejects and we open; it rejects properties of the root with some names only.
TAKEN = [r"path item \d+ named -1 b'(a:b|\\xc3\\xa9)'", r"path item \d+ of the other kind"]
# Mutants that both open with different results.
SEEN_DIFFERENTLY = [
    r"spec \d+ of type \d+",         # a type that does not belong there
    r"spec \d+ with field set \d+",  # fields that do not belong there
    r"\w+ of spec \d+ is nothing",
    r"token \d+ .*",                 # renamed fields
    r"spec 0 dropped",
]


def matches(patterns, what):
    return any(re.fullmatch(pattern, what) for pattern in patterns)


def answers(command, files):
    """The output of list_specs or usd_core_specs.py, by file."""
    out = subprocess.run(command, input="\n".join(files) + "\n", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True, check=True).stdout
    return {answer["file"]: answer for answer in map(json.loads, out.splitlines())}


def comparable(specs):
    """Removes the required fields, which OpenUSD reports even for specs that lack them."""
    required = {"attribute": {"custom", "typeName", "variability"}, "relationship": {"custom", "variability"},
                "prim": {"specifier"}, "variant": {"specifier"}}
    return {path: [fields[0]] + [field for field in fields[1:] if field not in required.get(fields[0], ())]
            for path, fields in specs.items()}


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class CrateMutantsTest(unittest.TestCase):
    maxDiff = 20000

    def setUp(self):
        self.python = os.environ["STAGEDOOR_ORACLE_PYTHON"]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def seed(self):
        """SEED as usd-core writes it."""
        text, crate = (os.path.join(self.folder, "seed" + end) for end in (".usda", ".usdc"))
        with open(text, "w") as file:
            file.write(SEED)
        script = "import sys; from pxr import Sdf; Sdf.Layer.FindOrOpen(sys.argv[1]).Export(sys.argv[2])"
        subprocess.run([self.python, "-c", script, text, crate], check=True)
        with open(crate, "rb") as file:
            return file.read()

    def write(self, data):
        """Writes all mutants. Returns their descriptions by file."""
        names = {}
        for number, (what, mutant) in enumerate(mutants(data)):
            names[os.path.join(self.folder, f"{number}.usdc")] = what
            with open(os.path.join(self.folder, f"{number}.usdc"), "wb") as file:
                file.write(mutant)
        return names

    def test_mutants_are_handled_as_by_usd_core(self):
        names = self.write(self.seed())
        self.assertGreater(len(names), 1500)
        ours = answers([os.path.join(HERE, "list_specs")], names)
        theirs = answers([self.python, os.path.join(HERE, "usd_core_specs.py")], names)
        wrong, opened, refused = [], 0, 0
        for file, what in names.items():
            mine, other = ours[file], theirs[file]
            opened += mine["opens"]
            refused += not mine["opens"]
            problem = self.problem(what, mine, other)
            if problem:
                wrong.append(f"{what}: {problem}")
        self.assertEqual(wrong, [])
        self.assertGreater(min(opened, refused), 300)

    def problem(self, what, mine, other):
        if mine["opens"] and not mine["text"]:
            return "its text cannot be read back"
        if other["opens"] is None:
            return ""  # it crashes usd-core
        if not mine["opens"]:
            return "" if not other["opens"] or matches(REFUSED, what) else "we reject it: " + mine["reason"]
        if not other["opens"]:
            return "" if matches(TAKEN, what) else "usd-core rejects it"
        if "error" in other or matches(SEEN_DIFFERENTLY, what):
            return ""
        mine, other = comparable(mine["specs"]), comparable(other["specs"])
        differing = {path: (mine.get(path), other.get(path))
                     for path in mine.keys() | other.keys() if mine.get(path) != other.get(path)}
        return f"ours and theirs: {differing}" if differing else ""


if __name__ == "__main__":
    unittest.main()
