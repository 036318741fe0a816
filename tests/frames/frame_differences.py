"""Compares the facts of a frame: what usd-core finds with what we sent."""
import numpy as np
from frame_geometry import Samples
from plain_values import UNCHECKED

# Relative, of what is computed. What layers have must be equal to the bit.
TOLERANCE = 1e-5
TRANSFORM_TOLERANCE = 2e-6
SINGLE_TOLERANCE = 3e-5  # instances and cameras, whose orientations are in single precision
TOLERANCES = {"transform": TRANSFORM_TOLERANCE, "instances": SINGLE_TOLERANCE, "samples": SINGLE_TOLERANCE,
              "value points": SINGLE_TOLERANCE, "value normals": SINGLE_TOLERANCE}
SMALLEST = 2e-6
TIME_TOLERANCE = 1e-9


def difference(expected, actual, tolerance, exact=False):
    """Why two values differ; an empty text if they do not."""
    if expected is UNCHECKED:
        return ""
    if isinstance(expected, Samples) and isinstance(actual, Samples):
        return samples_difference(expected, actual, tolerance)
    if isinstance(expected, np.ndarray) or isinstance(actual, np.ndarray):
        return array_difference(expected, actual, tolerance, exact)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return first(f"{key}: {text}" for key in sorted(expected.keys() | actual.keys(), key=str)
                     if (text := difference(expected.get(key), actual.get(key), tolerance)))
    if isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple)):
        if len(expected) != len(actual):
            return f"usd-core {expected}, ours {actual}"
        return first(text for a, b in zip(expected, actual) if (text := difference(a, b, tolerance)))
    if is_number(expected) and is_number(actual):
        return array_difference(np.array([expected]), np.array([actual]), tolerance, False)
    return "" if expected == actual else f"usd-core {expected!r}, ours {actual!r}"


def first(texts):
    return next(iter(texts), "")


def is_number(value):
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def samples_difference(expected, actual, tolerance):
    if list(expected.about) != list(actual.about):
        return f"usd-core {expected.about}, ours {actual.about}"
    if len(expected.values) != len(actual.values) or not np.allclose(expected.times, actual.times, TIME_TOLERANCE, TIME_TOLERANCE):
        return f"samples: usd-core {expected.times or 'one'}, ours {actual.times or 'one'}"
    if len(expected.indices) != len(actual.indices):
        return f"indices: usd-core {expected.indices}, ours {actual.indices}"
    if expected.single:
        tolerance = max(tolerance, SINGLE_TOLERANCE)
    pairs = [*zip(expected.values, actual.values), *zip(expected.indices, actual.indices)]
    return first(text for a, b in pairs if (text := difference(a, b, tolerance, expected.exact)))


def array_difference(expected, actual, tolerance, exact):
    if not isinstance(expected, np.ndarray) or not isinstance(actual, np.ndarray):
        return f"usd-core {expected}, ours {actual}"
    if expected.size != actual.size or (expected.size and expected.shape != actual.shape):
        return f"shapes: usd-core {expected.shape}, ours {actual.shape}"
    if expected.dtype == actual.dtype and expected.tobytes() == actual.tobytes():
        return ""
    if exact and (expected.dtype == actual.dtype or expected.size):
        return f"not equal to the bit: usd-core {shown(expected)}, ours {shown(actual)}"
    if expected.dtype.kind in "biu" or actual.dtype.kind in "biu":
        return "" if np.array_equal(expected, actual) else f"usd-core {shown(expected)}, ours {shown(actual)}"
    a, b = expected.astype(np.float64), actual.astype(np.float64)
    with np.errstate(all="ignore"):
        finite = np.abs(a[np.isfinite(a)])
        scale = 0.01 * finite.max() if finite.size else 0.0
        largest = np.maximum(np.maximum(np.abs(a), np.abs(b)), scale)
        near = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= SMALLEST + tolerance * largest)
    return "" if near.all() else f"usd-core {shown(expected)}, ours {shown(actual)}"


def shown(array):
    return np.array2string(array, threshold=24, precision=9).replace("\n", " ")


def differences(expected, actual):
    """Yields the differences between the facts of two frames, as text."""
    for name in sorted(expected.keys() | actual.keys()):
        if name not in expected or name not in actual:
            yield f"{name}: only by {'usd-core' if name in expected else 'ours'}"
            continue
        a, b = expected[name], actual[name]
        for field in sorted(a.keys() | b.keys()):
            if text := difference(a.get(field), b.get(field), TOLERANCES.get(field, TOLERANCE)):
                yield f"{name}, {field}: {text}"
