"""Samples and batches as tables of pandas and Arrow, which are imported only here and on use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from stagedoor._encode import Packing, packing_of
from stagedoor.types import Array, TimeCode

# The metadata of a column that has the name of its type in the scene.
_TYPE_NAME = b"stagedoor.type_name"


def property_name(path: str) -> str:
    return path.rpartition(".")[2]


# ----------------------------------------------------------------------------------------- pandas


def pandas_of_samples(samples: Any) -> Any:
    """A row for each sample; the components of tuples are columns of their own."""
    pandas = _pandas()
    name, values = property_name(samples.path), list(samples.values)
    index = pandas.Index(samples.times, name="time")
    packing = packing_of(samples.type_name)
    if packing is None or packing.columns == 1 or packing.rows > 1:
        return pandas.DataFrame({name: values}, index=index)
    columns = [f"{name}[{i}]" for i in range(packing.columns)]
    rows = [[None] * len(columns) if value is None else list(value) for value in values]
    return pandas.DataFrame(rows, index=index, columns=columns)


def pandas_of_values(values: Any) -> Any:
    """A row for each time, a column for each path."""
    pandas = _pandas()
    index = pandas.Index(
        [c.value if c.kind == "numeric" else str(c) for c in values.times], name="time"
    )
    columns = {path: [values[path, time] for time in values.times] for path in values.paths}
    return pandas.DataFrame(columns, index=index)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError('to_pandas() needs pandas: pip install "stagedoor[pandas]"') from None
    return pandas


# ------------------------------------------------------------------------------------------ Arrow


def arrow_of_samples(samples: Any) -> Any:
    """A row for each sample, with the columns "time" and that of the attribute."""
    column = (property_name(samples.path), samples.type_name, samples.values)
    return _arrow_table(samples.codes, [column])


def arrow_of_values(values: Any) -> Any:
    """A row for each time, with the column "time" and one for each path."""
    columns = [
        (path, values.type_name(path), [values[path, time] for time in values.times])
        for path in values.paths
    ]
    return _arrow_table(values.times, columns)


def _arrow_table(
    codes: Iterable[TimeCode], columns: Iterable[tuple[str, str, Sequence[Any]]]
) -> Any:
    pa = _pyarrow()
    times = [code.value if code.kind in ("numeric", "pre") else None for code in codes]
    fields, arrays = [pa.field("time", pa.float64())], [pa.array(times, pa.float64())]
    for name, type_name, values in columns:
        array = _arrow_column(pa, type_name, values)
        fields.append(pa.field(name, array.type, metadata={_TYPE_NAME: type_name}))
        arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _arrow_column(pa: Any, type_name: str, values: Sequence[Any]) -> Any:
    """Values of one type; None becomes null."""
    if not type_name:
        return pa.nulls(len(values))
    present = [value for value in values if value is not None]
    if type_name.endswith("[]"):
        column = _arrow_lists(pa, type_name[:-2], present)
    else:
        column = _arrow_elements(pa, type_name, present)
    if len(present) == len(values):
        return column
    numbers = iter(range(len(present)))
    rows = [None if value is None else next(numbers) for value in values]
    return column.take(pa.array(rows, pa.int64()))


def _arrow_elements(pa: Any, type_name: str, values: Sequence[Any]) -> Any:
    packing = packing_of(type_name)
    if packing is None:  # texts
        return pa.array([str(value) for value in values], pa.string())
    return _arrow_numbers(pa, packing, np.array(values, packing.dtype))


def _arrow_lists(pa: Any, type_name: str, arrays: Sequence[Any]) -> Any:
    """Arrays, one after the other in one buffer. Lists are large: points pass 2³¹ numbers."""
    packing = packing_of(type_name)
    offsets = np.cumsum([0, *(len(array) for array in arrays)], dtype=np.int64)
    if packing is None:
        elements = pa.array([str(item) for texts in arrays for item in texts], pa.string())
    else:
        numbers = np.concatenate([np.ravel(array) for array in arrays]) if arrays else np.empty(0)
        elements = _arrow_numbers(pa, packing, np.asarray(numbers, packing.dtype))
    return pa.LargeListArray.from_arrays(pa.array(offsets), elements)


def _arrow_numbers(pa: Any, packing: Packing, numbers: Array) -> Any:
    """Scalars; vectors and quaternions as FixedSizeList, matrices as FixedSizeList of these."""
    column = pa.array(numbers.ravel())
    if packing.columns > 1:
        column = pa.FixedSizeListArray.from_arrays(column, packing.columns)
    if packing.rows > 1:
        column = pa.FixedSizeListArray.from_arrays(column, packing.rows)
    return column


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError('to_arrow() needs pyarrow: pip install "stagedoor[arrow]"') from None
    return pyarrow
