"""Values of the read shim: Gf, Vt and Sdf."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from stagedoor.pxr import Gf, Sdf, Tf, Vt


def test_vectors_are_rounded_to_their_precision():
    assert list(Gf.Vec3f(0.1, 2, 3)) == [np.float32(0.1), 2, 3]
    assert repr(Gf.Vec3d(1, 2, 3)) == "Gf.Vec3d(1.0, 2.0, 3.0)"
    assert str(Gf.Vec3f(1, 2.5, 1 / 3)) == "(1, 2.5, 0.33333334)"
    assert not hasattr(Gf.Vec3f(), "__iter__")


def test_vectors_compare_and_calculate():
    vector = Gf.Vec3d(1, 2, 2)
    assert vector == (1, 2, 2) and vector == Gf.Vec3f(1, 2, 2) and vector != Gf.Vec3d(0)
    assert vector * vector == 9 and 2 * vector == Gf.Vec3d(2, 4, 4)
    assert vector.GetLength() == 3 and (vector / 3).GetNormalized().GetLength() == pytest.approx(1)
    assert Gf.Vec3d.XAxis() ^ Gf.Vec3d.YAxis() == Gf.Vec3d.ZAxis()
    with pytest.raises(TypeError):
        Gf.Vec3d(1, 2)


def test_values_can_be_copied_and_pickled():
    for value in (Gf.Vec2f(1, 2), Gf.Matrix4d(2), Gf.Quatf(1, 2, 3, 4), Vt.IntArray([1, 2])):
        assert copy.deepcopy(value) == value
        assert pickle.loads(pickle.dumps(value)) == value


def test_matrices_act_on_row_vectors():
    matrix = Gf.Matrix4d().SetRotate(Gf.Rotation((0, 0, 1), 90)).SetTranslateOnly((1, 2, 3))
    assert Gf.IsClose(matrix.Transform((1, 0, 0)), Gf.Vec3d(1, 3, 3), 1e-9)
    assert Gf.IsClose(matrix.TransformDir((1, 0, 0)), Gf.Vec3d(0, 1, 0), 1e-9)
    assert Gf.IsClose(matrix * matrix.GetInverse(), Gf.Matrix4d(1), 1e-9)
    assert matrix[3, 1] == 2 and matrix[3] == Gf.Vec4d(1, 2, 3, 1)
    assert matrix.ExtractRotation().GetAngle() == pytest.approx(90)


def test_singular_matrix_has_a_huge_inverse():
    assert Gf.Matrix4d(0).GetInverse()[0, 0] > 1e38


def test_rotation_is_decomposed_into_angles_the_last_axis_first():
    axes = Gf.Vec3d.ZAxis(), Gf.Vec3d.YAxis(), Gf.Vec3d.XAxis()
    angles = (30, -20, 70)
    turn = Gf.Rotation()
    for axis, angle in zip(reversed(axes), reversed(angles)):
        turn = turn * Gf.Rotation(axis, angle)
    assert list(turn.Decompose(*axes)) == pytest.approx(angles)


def test_ranges_and_boxes():
    box = Gf.Range3d()
    assert box.IsEmpty()
    box.UnionWith(Gf.Vec3d(1, 2, 3)).UnionWith(Gf.Vec3d(3, 2, 1))
    assert box == Gf.Range3d((1, 2, 1), (3, 2, 3)) and box.GetMidpoint() == (2, 2, 2)
    moved = Gf.BBox3d(box, Gf.Matrix4d().SetTranslate((1, 0, 0)))
    assert moved.ComputeAlignedRange().min == (2, 2, 1)
    assert 1.5 in Gf.Interval(1, 2) and 1 not in Gf.Interval(1, 2, False, True)


def test_arrays_share_the_array_of_numpy_until_they_are_changed():
    data = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    data.flags.writeable = False
    array = Vt.Vec3fArray._of(data)
    assert np.asarray(array) is data and array[1] == Gf.Vec3f(4, 5, 6)
    array[0] = (7, 8, 9)
    assert data[0, 0] == 1 and array[0] == (7, 8, 9)
    assert repr(Vt.FloatArray([1 / 3])) == "Vt.FloatArray(1, (0.3333333432674408,))"
    assert array[1:] == Vt.Vec3fArray([(4, 5, 6)]) and list(Vt.TokenArray(["a"])) == ["a"]


def test_paths():
    path = Sdf.Path("/World/Char.points")
    assert path.GetPrimPath() == "/World/Char" and path.name == "points"
    assert path.GetPrimPath().AppendProperty("normals") == Sdf.Path("/World/Char.normals")
    assert Sdf.Path("/A{v=a}B").GetParentPath().GetVariantSelection() == ("v", "a")
    assert Sdf.Path("../C").MakeAbsolutePath("/A/B") == "/A/C"
    assert Sdf.Path("/A/B").ReplacePrefix("/A", "/X/Y") == "/X/Y/B"
    assert [str(p) for p in Sdf.Path("/A/B.c").GetPrefixes()] == ["/A", "/A/B", "/A/B.c"]
    assert sorted([Sdf.Path("/B"), Sdf.Path("/A/C"), Sdf.Path("/A")])[0] == "/A"


@pytest.mark.parametrize("text", ["//A", "/A/", "/A.", "A B", "/1", "/A.x/B", "/A[/B]", "/A{v}"])
def test_text_that_is_not_a_path_is_the_empty_path(text, capsys):
    assert Sdf.Path(text).isEmpty and not Sdf.Path.IsValidPathString(text)
    assert "ill-formed" in capsys.readouterr().err


def test_types_by_name():
    assert Sdf.ValueTypeNames.Point3fArray == "point3f[]"
    assert Sdf.ValueTypeNames.Point3fArray.scalarType == Sdf.ValueTypeNames.Point3f
    assert Sdf.ValueTypeNames.Color3f.role == "Color"
    assert Tf.IsValidIdentifier("a1") and not Tf.IsValidIdentifier("1a")


def test_values_of_sdf_print_as_such():
    asset = "Sdf.AssetPath(authoredPath='a')"
    assert repr(Sdf.AssetPathArray(["a"])) == f"Sdf.AssetPathArray(1, ({asset},))"
    assert repr(Vt.TimeCodeArray([1])) == "Vt.TimeCodeArray(1, (Gf.TimeCode(1),))"
    assert Sdf.TimeCode is Gf.TimeCode
