"""What usd-core computes of the topology of geometry, in the form of imaging_dump."""
from pxr import Tf, UsdGeom, Vt

SIZES = [0, 1, 2, 3, 5, 8, 11, 14]
SCHEMAS = ["Mesh", "TetMesh", "BasisCurves", "HermiteCurves", "NurbsCurves", "NurbsPatch", "Points", "PointInstancer"]


class Untyped(Exception):
    """A value is not of the type that typed reads of C++ ask for, which Python does not have."""


def typed(attribute, time, kind):
    value = attribute.Get(time)
    if value is not None and not isinstance(value, kind):
        raise Untyped
    return kind() if value is None else value


def rows(array):
    return [list(v) for v in array]


def mesh(prim, time):
    geom = UsdGeom.Mesh(prim)
    yield {"key": "count", "elements": geom.GetFaceCount(time)}
    try:
        counts = typed(geom.GetFaceVertexCountsAttr(), time, Vt.IntArray)
        indices = typed(geom.GetFaceVertexIndicesAttr(), time, Vt.IntArray)
        points = typed(geom.GetPointsAttr(), time, Vt.Vec3fArray)
        yield {"key": "valid", "valid": UsdGeom.Mesh.ValidateTopology(indices, counts, len(points))[0]}
    except Untyped:
        yield {"key": "valid", "skip": True}


def tet_mesh(prim, time):
    geom = UsdGeom.TetMesh(prim)
    yield {"key": "surface", "faces": rows(UsdGeom.TetMesh.ComputeSurfaceFaces(geom, time))}
    try:
        points = len(typed(geom.GetPointsAttr(), time, Vt.Vec3fArray))
        tets = typed(geom.GetTetVertexIndicesAttr(), time, Vt.Vec4iArray)
        exist = all(0 <= v < points for tet in tets for v in tet)
        yield {"key": "valid", "valid": exist}
        # usd-core reads beyond the end of the points.
        inverted = {"skip": True} if points >= 4 and not exist else {"elements": list(UsdGeom.TetMesh.FindInvertedElements(geom, time))}
        yield {"key": "inverted", **inverted}
    except Untyped:
        yield {"key": "valid", "skip": True}
        yield {"key": "inverted", "skip": True}


def basis_curves(prim, time):
    geom = UsdGeom.BasisCurves(prim)
    yield {"key": "count", "elements": geom.GetCurveCount(time)}
    # usd-core divides by zero for another basis.
    if geom.GetBasisAttr().Get(time) not in ("bezier", "bspline", "catmullRom"):
        yield {"key": "sizes", "skip": True}
        return
    yield {"key": "sizes", "uniform": str(geom.ComputeUniformDataSize(time)), "varying": str(geom.ComputeVaryingDataSize(time)),
           "vertex": str(geom.ComputeVertexDataSize(time)),
           "interpolations": [str(geom.ComputeInterpolationForSize(n, time)) for n in SIZES]}


def hermite_curves(prim, time):
    geom = UsdGeom.HermiteCurves(prim)
    yield {"key": "count", "elements": geom.GetCurveCount(time)}
    try:
        points, tangents = (typed(a, time, Vt.Vec3fArray) for a in (geom.GetPointsAttr(), geom.GetTangentsAttr()))
        try:
            arrays = UsdGeom.HermiteCurves.PointAndTangentArrays(points, tangents)
            yield {"key": "hermite", "points": rows(arrays.GetPoints()), "tangents": rows(arrays.GetTangents())}
        except Tf.ErrorException:
            yield {"key": "hermite", "points": "unequal"}
    except Untyped:
        yield {"key": "hermite", "skip": True}


def nurbs_curves(prim, time):
    yield {"key": "count", "elements": UsdGeom.NurbsCurves(prim).GetCurveCount(time)}


def points(prim, time):
    yield {"key": "count", "elements": UsdGeom.Points(prim).GetPointCount(time)}


def point_instancer(prim, time):
    yield {"key": "count", "elements": UsdGeom.PointInstancer(prim).GetInstanceCount(time)}


RECORDS = {"Mesh": mesh, "TetMesh": tet_mesh, "BasisCurves": basis_curves, "HermiteCurves": hermite_curves,
           "NurbsCurves": nurbs_curves, "Points": points, "PointInstancer": point_instancer}


def topology_records(prim, times):
    path = str(prim.GetPath())
    schema = next((name for name in SCHEMAS if prim.IsA(getattr(UsdGeom, name))), "")
    yield {"path": path, "schema": schema}
    for name, time in times if schema in RECORDS else ():
        for record in RECORDS[schema](prim, time):
            yield {"path": path, "time": str(name), **record}
