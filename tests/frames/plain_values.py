"""Values of usd-core and of the API's messages in one form, in which they can be compared bit by bit.

Numbers are NumPy arrays with a row for each element (a single one for what is not an array), text is a string or a list of strings, and no
value is None. Quaternions have the real part last.
"""
import base64

import numpy as np
from pxr import Gf, Sdf

# In place of what usd-core does not give, or gives at random.
UNCHECKED = object()

COMPONENTS = {"BOOL": np.bool_, "UINT8": np.uint8, "INT32": np.int32, "UINT32": np.uint32, "INT64": np.int64, "UINT64": np.uint64,
              "FLOAT16": np.float16, "FLOAT32": np.float32, "FLOAT64": np.float64, "TIME_CODE": np.float64, "DURATION": np.float64}
SCALARS = {"bool": np.bool_, "uchar": np.uint8, "int": np.int32, "uint": np.uint32, "int64": np.int64, "uint64": np.uint64,
           "half": np.float16, "float": np.float32, "double": np.float64, "timecode": np.float64}
QUATERNIONS = {Gf.Quath: np.float16, Gf.Quatf: np.float32, Gf.Quatd: np.float64}


def rows(array):
    """An array with a row for each element."""
    return array.reshape(len(array), -1) if array.size else np.zeros((0, 0), array.dtype)


def of_packed(packed):
    """Of a PackedValues message."""
    kind = COMPONENTS[packed["componentType"].removeprefix("COMPONENT_TYPE_")]
    array = np.frombuffer(base64.b64decode(packed.get("data", "")), kind)
    count = int(packed.get("count", 0))
    if count * packed.get("rows", 0) * packed.get("columns", 0) != array.size:
        raise ValueError(f"{count} elements have {array.size} components")
    return rows(array.reshape(count, -1) if count else array)


def of_message(value):
    """Of a Value message."""
    if not value:
        return None
    (kind, held), = value.items()
    if kind in ("tupleValue", "arrayValue"):
        return of_packed(held)
    if kind in ("stringArray", "tokenArray", "pathArray", "pathExpressionArray"):
        return held.get("values", [])
    if kind == "assetPathValue":
        return held.get("evaluated") or held.get("authored", "")
    if kind == "assetPathArray":
        return [of_message({"assetPathValue": path}) for path in held.get("values", [])]
    name = {"halfValue": "half", "floatValue": "float", "doubleValue": "double", "timeCodeValue": "timecode", "intValue": "int",
            "uintValue": "uint", "int64Value": "int64", "uint64Value": "uint64", "boolValue": "bool", "ucharValue": "uchar",
            "durationValue": "double"}.get(kind)
    if name is None:
        return held
    return np.array([[float(held) if "NaN" == held or "Infinity" in str(held) else held]]).astype(SCALARS[name])


def of_number(value, kind):
    """Of a Python number. A layer may have a double where the attribute is a float, which shows only by its digits."""
    array = np.array([[value]])
    found = array.astype(kind)
    return found if not isinstance(value, float) or np.array_equal(found, array, equal_nan=True) else array


def of_usd(value, type_name):
    """Of a value of usd-core, whose attribute has this type."""
    if value is None or isinstance(value, (str, dict)):
        return value
    if isinstance(value, Sdf.AssetPath):
        return value.evaluatedPath or value.authoredPath or value.path
    if isinstance(value, Sdf.PathExpression):
        return value.GetText()
    if isinstance(value, Sdf.TimeCode):
        return np.array([[value.GetValue()]])
    if isinstance(value, (bool, int, float)):
        return of_number(value, SCALARS.get(str(type_name), np.float64))
    if type(value) in QUATERNIONS:
        return np.array([[*value.imaginary, value.real]], QUATERNIONS[type(value)])
    if not str(type_name).endswith("[]"):
        return np.array(value).reshape(1, -1)
    items = list(value) if type(value).__name__ in ("TimeCodeArray", "StringArray", "TokenArray", "AssetPathArray",
                                                    "PathExpressionArray") else None
    if items is None:
        return rows(np.array(value))
    if items and isinstance(items[0], Sdf.TimeCode):
        return rows(np.array([item.GetValue() for item in items]))
    return [of_usd(item, "") for item in items]
