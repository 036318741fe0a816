"""Scenes of the tests: crowded, broken, and made to harm the page."""

from __future__ import annotations

import pathlib

CROWD = 1_000_000

# A name of USD cannot have markup, but types, kinds, variants, strings and names of layers can.
MARKUP = "<img src=x onerror=window.broken=1>"
SCRIPT = "</script><script>window.broken=1</script>"
LONG = "long " * 200_000


def _text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Scenes:
    CROWD = CROWD

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.crowded = self._write("crowded.usda", _crowded())
        self.malicious = self._write(f"{MARKUP.replace('/', '')}.usda", _malicious())
        self.broken = self._write("broken.usda", _BROKEN)
        self.arcs = self._write("arcs.usda", _ARCS)
        self.opinions = self._write("opinions.usda", _OPINIONS)
        self.curves = self._write("curves.usda", _CURVES)
        self.waving = self._write("waving.usda", _waving())
        self.geometry = self._write("geometry.usda", _GEOMETRY)

    def _write(self, name: str, text: str) -> pathlib.Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


def _crowded() -> str:
    children = "\n".join(f'    def "P{i:06}" {{}}' for i in range(CROWD))
    return f'#usda 1.0\ndef Xform "Many"\n{{\n{children}\n}}\n'


_BROKEN = """#usda 1.0
def Xform "World" ( references = @./missing.usda@ )
{
}
"""

_OPINIONS = """#usda 1.0
def "A" ( references = </B> )
{
    double size = 3
}
def "B"
{
    double size = 9
}
"""

_ARCS = """#usda 1.0
def "Hero" (
    inherits = </Class>
    references = </Model>
)
{
}
class "Class"
{
}
def "Model" (
    references = </Base>
)
{
}
def "Base"
{
}
"""

_CURVES = """#usda 1.0
(
    startTimeCode = 0
    endTimeCode = 12
)
def "A"
{
    double curve.spline = {
        bezier,
        0: 0; post curve (1, 0.5),
        4: 2 & 1.5; pre (1, 0.25); post curve (0.5, 1),
        10: 1; pre (1, 2); post held,
    }
    int steps.timeSamples = { 0: 1, 5: 3, 7: None, 9: 4 }
    double wild.timeSamples = { 0: nan, 1: 1e308, 2: 1, 3: inf }
}
"""

# Indices out of range, numbers that are not finite, and instancers in a circle.
_GEOMETRY = """#usda 1.0
(
    upAxis = "Z"
)
def Mesh "Wrong"
{
    point3f[] points = [(0, 0, 0), (nan, inf, 0), (1, 1, 0)]
    int[] faceVertexCounts = [3, 4, -1]
    int[] faceVertexIndices = [0, 1, 9, 0, 1, 2]
}
def Mesh "Empty"
{
}
def Sphere "Flat"
{
    double radius = nan
}
def BasisCurves "Curves"
{
    point3f[] points = [(0, 0, 0), (1, 0, 0)]
    int[] curveVertexCounts = [2, 7]
}
def Points "Points"
{
    point3f[] points = [(0, 0, 0), (1, 0, 0)]
    color3f[] primvars:displayColor = [(1, 0, 0), (0, 1, 0)] (
        interpolation = "vertex"
    )
}
def PointInstancer "Circle"
{
    rel prototypes = [</Circle>, </Nowhere>]
    int[] protoIndices = [0, 1]
    point3f[] positions = [(0, 0, 0), (1, 0, 0)]
}
"""


def _waving() -> str:
    """A mesh of 64 × 64 faces whose points move."""
    side = range(65)
    counts = "4, " * 64 * 64
    corners = [y * 65 + x for y in range(64) for x in range(64)]
    indices = ", ".join(f"{a}, {a + 1}, {a + 66}, {a + 65}" for a in corners)
    places = [(x, y) for y in side for x in side]
    points = {time: [f"({x}, {(x * time + y) % 7}, {y})" for x, y in places] for time in (1, 2, 3)}
    samples = "".join(f"        {time}: [{', '.join(those)}],\n" for time, those in points.items())
    return f"""#usda 1.0
(
    startTimeCode = 1
    endTimeCode = 3
)
def Mesh "Waves"
{{
    int[] faceVertexCounts = [{counts}]
    int[] faceVertexIndices = [{indices}]
    point3f[] points.timeSamples = {{
{samples}    }}
}}
"""


def _malicious() -> str:
    return f"""#usda 1.0
(
    doc = {_text(MARKUP + SCRIPT)}
    startTimeCode = nan
    endTimeCode = inf
)
def Xform "World" (
    kind = {_text(MARKUP)}
    doc = {_text(SCRIPT)}
    variants = {{ string look = "red" }}
    prepend variantSets = "look"
)
{{
    custom string long = {_text(LONG)}
    custom string markup = {_text(MARKUP)}
    custom string bidi = {_text(chr(0x202E) + "gnp.eman")}
    custom double notANumber = nan
    custom double endless = inf
    custom double[] odd = [nan, inf, -inf, 1e308]
    custom double wave.timeSamples = {{ 1: nan, 2: inf, 3: 1, 4: -1e308, 5: 1e308 }}
    variantSet "look" = {{
        "red" {{
        }}
    }}
}}
"""
