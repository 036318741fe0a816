"""Samples and batches as tables of pandas and Arrow."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scenes

VECTORS = (
    '#usda 1.0\ndef "A"\n{\n float3 x.timeSamples = { 1: (1, 2, 3), 2: None, 3: (4, 5, 6) }\n}\n'
)


@pytest.fixture
def pa():
    return pytest.importorskip("pyarrow")


@pytest.mark.parametrize(
    ("method", "module", "extra"),
    [("to_pandas", "pandas", "pandas"), ("to_arrow", "pyarrow", "arrow")],
)
def test_a_missing_package_is_named_with_its_extra(stage, monkeypatch, method, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    for table in (stage.values("/World/Types.wave", [1, 2]), stage["/World/Types.wave"].samples()):
        with pytest.raises(ImportError) as info:
            getattr(table, method)()
        assert str(info.value) == f'{method}() needs {module}: pip install "stagedoor[{extra}]"'


def test_pandas_of_samples(stage):
    pytest.importorskip("pandas")
    frame = stage["/World/Types.wave"].samples(2, 3).to_pandas()
    assert list(frame.index) == [1, 5] and list(frame["wave"]) == [0, 8]
    matrix = stage["/World/Types.matrix"].samples().to_pandas()
    assert list(matrix.columns) == ["matrix"] and matrix["matrix"].iloc[0].shape == (4, 4)


def test_pandas_of_samples_with_components(client):
    pytest.importorskip("pandas")
    with client.open("/a.usda", layers={"/a.usda": VECTORS}) as stage:
        frame = stage["/A.x"].samples().to_pandas()
    assert list(frame.columns) == ["x[0]", "x[1]", "x[2]"] and list(frame.index) == [1, 2, 3]
    assert frame["x[1]"].tolist()[::2] == [2, 5] and frame["x[1]"].isna().tolist()[1]


def test_pandas_of_values(stage):
    pytest.importorskip("pandas")
    table = stage.values(["/World/Types.wave", "/World/Types.text"], [1, 3]).to_pandas()
    assert table["/World/Types.wave"].tolist() == [0, 4]
    assert table["/World/Types.text"].tolist() == ["hällo", "hällo"]
    assert table.index.tolist() == [1, 3] and table.index.name == "time"


def type_of(pa, name):
    """The Arrow type of an attribute of the scene, by its name."""
    vector, matrix = pa.list_(pa.float32(), 3), pa.list_(pa.list_(pa.float64(), 4), 4)
    return {
        "flag": pa.bool_(),
        "small": pa.uint8(),
        "whole": pa.int32(),
        "counted": pa.uint32(),
        "long": pa.int64(),
        "longest": pa.uint64(),
        "half": pa.float16(),
        "float": pa.float32(),
        "double": pa.float64(),
        "code": pa.float64(),
        "text": pa.string(),
        "name": pa.string(),
        "file": pa.string(),
        "vector": vector,
        "turn": pa.list_(pa.float32(), 4),
        "matrix": matrix,
        "numbers": pa.large_list(pa.int32()),
        "halves": pa.large_list(pa.float16()),
        "texts": pa.large_list(pa.string()),
        "names": pa.large_list(pa.string()),
        "files": pa.large_list(pa.string()),
        "turns": pa.large_list(pa.list_(pa.float32(), 4)),
        "matrices": pa.large_list(pa.list_(pa.list_(pa.float64(), 3), 3)),
        "nothing": pa.large_list(vector),
    }[name]


def test_arrow_types(stage, pa, folder):
    types = stage["/World/Types"]
    names = [name for name in types.property_names if name not in ("unset", "blocked", "wave")]
    assert len(names) == 24
    table = stage.values([types[name] for name in names], 1).to_arrow()
    for name in names:
        field = table.schema.field(f"/World/Types.{name}")
        assert field.type == type_of(pa, name), name
        assert field.metadata == {b"stagedoor.type_name": types[name].type_name.encode()}
        samples = types[name].samples().to_arrow()
        assert samples.column_names == ["time", name]
        assert samples.schema.field(name).type == type_of(pa, name), name
    row = table.slice(0, 1).to_pylist()[0]
    expected = {
        "flag": True,
        "longest": 18000000000000000000,
        "half": 0.5,
        "text": "hällo",
        "file": str(folder / "texture.png"),
        "files": ["./a.png", "./b.png"],
        "vector": [1, 2, 3],
        "matrix": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [5, 6, 7, 1]],
        "numbers": [1, 2, 3],
        "names": ["x", "y", "z"],
        "turns": [[2, 3, 4, 1]],
        "matrices": [[[1, 2, 3], [4, 5, 6], [7, 8, 9]]],
        "nothing": [],
    }
    assert {name: row[f"/World/Types.{name}"] for name in expected} == expected


def test_arrow_times_and_nulls(stage):
    pytest.importorskip("pyarrow")
    table = stage.values("/World/Types.wave", [3, "default", "pre:9", 9]).to_arrow()
    assert table.column("time").to_pylist() == [3, None, 9, 9]
    assert table.column(1).to_pylist() == [4, None, 8, None]
    table = stage["/World/Types.wave"].samples().to_arrow()
    assert table.to_pydict() == {"time": [1, 5, 9], "wave": [0, 8, None]}


def test_arrow_columns_without_any_value_are_null(stage, pa):
    table = stage.values(["/World/Types.unset", "/World/Types.blocked"], [1, 2]).to_arrow()
    assert table.schema.types == [pa.float64(), pa.null(), pa.null()]
    assert table.column(1).to_pylist() == [None, None]
    assert stage["/World/Types.unset"].samples().to_arrow().schema.types[1] == pa.float64()


def test_arrow_points_are_those_of_the_arrays(stage, pa):
    values = stage.values("/World/Moving.points", [1, 2])
    column = values.to_arrow().column(1)
    assert column.type == pa.large_list(pa.list_(pa.float32(), 3))
    flat = column.combine_chunks().flatten().flatten().to_numpy(zero_copy_only=True)
    expected = values.array("/World/Moving.points")
    np.testing.assert_array_equal(flat.reshape(2, scenes.COUNT, 3), expected)


def test_arrow_vectors_with_a_missing_one(client, pa):
    with client.open("/a.usda", layers={"/a.usda": VECTORS}) as stage:
        table = stage["/A.x"].samples().to_arrow()
    assert table.schema.field("x").type == pa.list_(pa.float32(), 3)
    assert table.column("x").to_pylist() == [[1, 2, 3], None, [4, 5, 6]]


def test_arrow_tables_can_be_stored(stage, pa, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = stage.values(["/World/Moving.points", "/World/Types.matrix"], [1, 2]).to_arrow()
    parquet.write_table(table, tmp_path / "values.parquet")
    assert parquet.read_table(tmp_path / "values.parquet").equals(table)


def test_errors_are_raised(stage):
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    values = stage.values(["/World/Types.wave", "/Nope.x"], 1)
    samples = stage.samples("/Nope.x")[0]
    for method in (values.to_arrow, values.to_pandas, samples.to_arrow, samples.to_pandas):
        with pytest.raises(LookupError, match="/Nope"):
            method()
