"""How points make up geometry, and what a stage consists of."""

from __future__ import annotations

import pytest

import stagedoor

SHAPES = """#usda 1.0
def Mesh "M"
{
    int[] faceVertexCounts.timeSamples = { 1: [3], 2: [4] }
    int[] faceVertexIndices = [0, 1, 2]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
}
def TetMesh "T"
{
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int4[] tetVertexIndices = [(0, 1, 3, 2)]
}
def BasisCurves "B"
{
    int[] curveVertexCounts = [4, 7]
}
def BasisCurves "Odd"
{
    uniform token basis = "odd"
    int[] curveVertexCounts = [4]
}
def HermiteCurves "H"
{
    point3f[] points = [(0, 0, 0), (1, 0, 0)]
    vector3f[] tangents = [(0, 1, 0), (0, 2, 0)]
}
def Xform "X" {}
"""


def test_topology(client):
    with client.open("memory.usda", layers={"memory.usda": SHAPES}) as stage:
        one, two = stage.topology("/M", [1, 2], problems=True)
        assert (one.schema_type, one.element_count, one.point_count) == ("Mesh", 1, 3)
        assert one.problem == "" and "add up to 4" in two.problem and two.time == 2
        [tets] = stage.topology("/T", 1, surface_faces=True, inverted_elements=True)
        assert tets.surface_faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]
        assert tets.inverted_elements.tolist() == [0]
        assert tets.data_sizes is None and tets.interleaved().shape == (0, 3)
        curves, odd, none = stage.topology(
            ["/B", "/Odd", "/X"], 1, segment_counts=True, data_sizes=[11, 3]
        )
        assert curves.segment_counts.tolist() == [1, 2]
        assert curves.data_sizes == stagedoor.results.CurveDataSizes(2, 5, 11, ("vertex", ""))
        assert odd.data_sizes.varying is None and odd.segment_counts.tolist() == []
        assert none.schema_type == "" and none.data_sizes is None
        [hermite] = stage.topology("/H", tangents=True)
        assert hermite.tangents.tolist() == [[0, 1, 0], [0, 2, 0]]
        assert hermite.interleaved().tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 2, 0]]
        assert stage.topology("/H")[0].points is None
        with pytest.raises(stagedoor.NotFoundError):
            stage.topology("/None", 1)


ASSETS = """#usda 1.0
def Xform "Chair" (
    kind = "component"
    assetInfo = {
        string name = "chair"
    }
)
{
    def Mesh "Seat" {}
    over "Gone" {}
}
def "One" (
    instanceable = true
    references = </Chair>
) {}
def Cube "Off" (
    active = false
) {}
"""


def test_statistics(client):
    with client.open("memory.usda", layers={"memory.usda": ASSETS}) as stage:
        found = stage.statistics()
        assert found.usd_dict() == {
            "assetCount": 1,
            "instancedModelCount": 1,
            "modelCount": 2,
            "primary": {
                "primCounts": {
                    "activePrimCount": 4,
                    "inactivePrimCount": 1,
                    "instanceCount": 1,
                    "pureOverCount": 1,
                    "totalPrimCount": 5,
                },
                "primCountsByType": {"Cube": 1, "Mesh": 1, "Xform": 2, "untyped": 1},
            },
            "prototypeCount": 1,
            "prototypes": {
                "primCounts": {
                    "activePrimCount": 2,
                    "inactivePrimCount": 0,
                    "instanceCount": 0,
                    "pureOverCount": 0,
                    "totalPrimCount": 2,
                },
                "primCountsByType": {"Mesh": 1, "untyped": 1},
            },
            "totalInstanceCount": 1,
            "totalPrimCount": 7,
            "usedLayerCount": 1,
        }
        assert stage.statistics("/Chair").primary.types == {"": 1, "Mesh": 1, "Xform": 1}
        assert stage.statistics(["/Off", "/Chair/Seat"]).prototype_count == 0
        assert "prototypes" not in stage.statistics("/Off").usd_dict()
        with pytest.raises(stagedoor.NotFoundError):
            stage.statistics("/None")
