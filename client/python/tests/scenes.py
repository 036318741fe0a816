"""The scenes that the tests query."""

from __future__ import annotations

COUNT = 400  # points of the meshes: large enough to have digests


def points(offset: float) -> str:
    return "[" + ", ".join(f"({i}, {offset:g}, 0)" for i in range(COUNT)) + "]"


def mesh(name: str, attributes: str) -> str:
    return f"""
    def Mesh "{name}"
    {{
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        {attributes}
    }}
"""


TYPES = """
    def "Types"
    {
        bool flag = true
        uchar small = 200
        int whole = -3
        uint counted = 4000000000
        int64 long = -9000000000
        uint64 longest = 18000000000000000000
        half half = 0.5
        float float = 1.25
        double double = 2.5
        timecode code = 7
        string text = "hällo"
        token name = "upAxis"
        asset file = @./texture.png@
        float3 vector = (1, 2, 3)
        quatf turn = (1, 2, 3, 4)
        matrix4d matrix = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 6, 7, 1))
        int[] numbers = [1, 2, 3]
        half[] halves = [0.5, 1.5]
        string[] texts = ["a", "b"]
        token[] names = ["x", "y", "z"]
        asset[] files = [@./a.png@, @./b.png@]
        quatf[] turns = [(1, 2, 3, 4)]
        matrix3d[] matrices = [((1, 2, 3), (4, 5, 6), (7, 8, 9))]
        float3[] nothing = []
        double unset
        double blocked = None
        double wave.timeSamples = { 1: 0, 5: 8, 9: None }
    }
"""

SHOT = f"""#usda 1.0
(
    defaultPrim = "World"
    startTimeCode = 1
    endTimeCode = 48
    timeCodesPerSecond = 24
    metersPerUnit = 0.01
    upAxis = "Y"
    customLayerData = {{
        string who = "tests"
        dictionary deep = {{
            int one = 1
        }}
    }}
)

def Xform "World" (
    kind = "group"
    doc = "All of it"
    variants = {{
        string look = "red"
    }}
    prepend variantSets = "look"
    prepend apiSchemas = ["CollectionAPI:set"]
)
{{
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    rel proxyPrim = </World/Static>
    uniform token collection:set:expansionRule = "explicitOnly"
    rel collection:set:includes = [</World/Static>, </World/Moving>]
{mesh("Static", "point3f[] points = " + points(0))}
{mesh("Moving", "point3f[] points.timeSamples = { 1: " + points(1) + ", 2: " + points(2) + " }")}
{TYPES}
    def "Sizes"
    {{
{
    "".join(
        f'''        def Sphere "S{i:03}"
        {{
            double radius = {i}
            custom float tag = {i / 2:g}
        }}
'''
        for i in range(200)
    )
}
    }}
    variantSet "look" = {{
        "red" {{
            custom string color = "red"
        }}
        "blue" {{
            custom string color = "blue"
        }}
    }}
}}
"""

PAYLOAD = """#usda 1.0
( defaultPrim = "P" )
def "P" ( payload = @./payload.usda@ )
{
}
"""
PAYLOAD_CONTENT = """#usda 1.0
( defaultPrim = "P" )
def "P"
{
    def "Inside"
    {
        double size = 3
    }
}
"""
