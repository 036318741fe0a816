#!/usr/bin/env python3
"""Makes the seed crates of this folder with usd-core: python3 make_corpus.py OUT_DIR.

Each version that can be written gets a file with values of all types it knows, small enough that a
fuzzer gets somewhere.
"""

import os
import subprocess
import sys

SCALARS = [
    ("bool", "true", "[true, false]"),
    ("uchar", "7", "[7, 255]"),
    ("int", "-3", "[1, -2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1600000]"),
    ("uint", "3", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 4000000000]"),
    ("int64", "-5000000000", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -5000000000]"),
    ("uint64", "3", "[9, 8, 7]"),
    ("half", "0.5", "[0.5, 2, 65504]"),
    ("float", "1.25", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]"),
    ("double", "0.1", "[0.5, 0.1, 0.1, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]"),
    ("string", '"text"', '["a", "", "a"]'),
    ("token", '"tok"', '["x", "y"]'),
    ("asset", "@a.usda@", "[@b.usd@, @@]"),
    ("int2", "(1, -2)", "[(1, 2)]"),
    ("half3", "(1, 2, 0.5)", "[(1, 2, 3)]"),
    ("float3", "(1, 2, 3)", "[(0.1, 0.2, 0.3), (4, 5, 6)]"),
    ("double4", "(1, 2, 3, 0.1)", "[(1, 2, 3, 4)]"),
    ("quatf", "(1, 0, 0, 0.5)", "[(1, 0, 0, 0)]"),
    ("matrix4d", "((1,0,0,0),(0,2,0,0),(0,0,3,0),(0,0,0,1))", "[((1,0,0,0),(0,2,0,0),(0,0,3,0),(0.5,0,0,1))]"),
]

BASE = """#usda 1.0
(
    defaultPrim = "P"
    subLayers = [@a.usda@ (offset = 2; scale = 0.5)]
    customLayerData = {
        int one = 1
        dictionary nested = {
            string[] s = ["a"]
            dictionary empty = {
            }
        }
    }
)
def Xform "P" (
    kind = "component"
    unknownThing = "kept"
    apiSchemas = ["One"]
    prepend references = [@r.usda@</R> (offset = 3; customData = { int x = 1 }), </Q>]
    payload = @p.usda@</P>
    prepend inherits = </Q>
    variants = { string v = "b" }
    prepend variantSets = "v"
)
{
    double s.timeSamples = { 1: 0.5, 2: None, 3.5: 7 }
    float3[] p.timeSamples = { 1: [(0, 0, 1)], 2: [(0, 0, 2)] }
    int c.connect = [</P.s>, </Q.t>]
    prepend rel r = [</Q>, </P.s>]
    delete rel r = </Gone>
%s
    def Scope "Child" {
        def Scope "Deep" {
        }
    }
    variantSet "v" = {
        "a" {
            def Scope "InA" {
                int x = 1
            }
        }
        "b" (
            kind = "group"
        ) {
            int y = 2
        }
    }
}
class "Q" {
}
"""

EXTRA = {
    9: "    timecode tc = 3\n    timecode[] tcs = [1, 2]\n",
    10: '    pathExpression e = "/World//Ball*"\n',
    12: "    double sp.spline = { bezier, pre: sloped(2), post: loop repeat, "
        "1: 2; pre (0, 0); post curve (1, 2); { string foo = \"x\" }, 3: 4 & 6; pre (1, 1); post held }\n"
        "    half h.spline = { hermite, 1: 2; pre (0); post curve (1), 2: 3; pre (0.5); post none }\n",
    13: "    double sa.spline = { 1: 2; pre (0, 0, autoEase); post curve (1, 2, custom), 3: 4; post held }\n",
    14: "    int[] ed = edit [prepend 3; write 2 to [0]; append [1]; minsize 5 fill 3; erase [-1]]\n",
    15: "    timecode st.spline = { 1: 5; post held, 2: 6; post held }\n",
    16: "    duration du = 3\n    duration[] dus = [1, 2.5]\n",
}


def write(out_dir, minor):
    from pxr import Sdf
    lines = []
    for i, (name, value, array) in enumerate(SCALARS):
        lines.append(f"    {name} s{i} = {value}\n    {name}[] a{i} = {array}\n")
    lines += [text for version, text in EXTRA.items() if version <= minor]
    text = BASE % "".join(lines)
    if minor >= 11:
        text = text.replace('    defaultPrim', '    relocates = {\n        </P/Child>: </P/Moved>\n    }\n    defaultPrim')
    if minor >= 14:
        text = text.replace("#usda 1.0", "#usda 1.0")
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    layer.Export(os.path.join(out_dir, f"v0.{minor}.usdc"))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        write(sys.argv[1], int(sys.argv[2]))
    else:
        for v in (4, 6, 7, 8, 11, 12, 16):
            env = dict(os.environ, USD_WRITE_NEW_USDC_FILES_AS_VERSION=f"0.{v}.0")
            subprocess.run([sys.executable, __file__, sys.argv[1], str(v)], env=env, check=True)
