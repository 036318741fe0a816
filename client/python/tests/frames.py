"""Messages of frames, as a daemon sends them, and what clients hold after them."""

from __future__ import annotations

from typing import Any

import numpy as np

from stagedoor._digests import ArrayCache
from stagedoor._frame_arrays import FrameArrays, HeldArrays
from stagedoor._frame_contents import NOTHING, Arrival, Contents
from stagedoor._proto import v1
from stagedoor.types import TimeCode


def held(cache: ArrayCache | None = None, **known: Any) -> HeldArrays:
    """The arrays that the client has for a frame at time 1, by digest."""
    arrays = FrameArrays(ArrayCache(0) if cache is None else cache)
    return HeldArrays(arrays, TimeCode(1), {name.encode(): array for name, array in known.items()})


def prims(*ids: int, paths: Any = None, **columns: Any) -> Any:
    """FramePrims: by default, meshes with a geometry whose ID is 100 more."""
    count = len(ids)
    given = {
        "types": [0] * count,
        "type_names": ["Mesh"],
        "purposes": [1] * count,
        "materials": [0] * count,
        "light_sets": [1] * count,
        "shadow_sets": [1] * count,
        "geometry": [id + 100 for id in ids],
        "prototypes": [0] * count,
        **columns,
    }
    return v1.FramePrims(ids=ids, paths=paths or [f"/P{id}" for id in ids], **given)


def visibility(**visible: bool) -> Any:
    """FrameVisibility of objects such as _7."""
    ids = [int(name[1:]) for name in visible]
    return v1.FrameVisibility(ids=ids, visible=bytes(visible.values()))


def transforms(samples: dict[int, list[float]], times: Any = ()) -> Any:
    """FrameTransforms: for each object, samples that move by x."""
    values = [x for found in samples.values() for x in found]
    matrices = np.tile(np.eye(4), (len(values), 1, 1))
    matrices[:, 3, 0] = values
    counts = [len(found) for found in samples.values()]
    return v1.FrameTransforms(
        ids=samples, counts=counts, times=times, matrices=packed(matrices, rows=4, columns=4)
    )


def packed(array: Any, rows: int = 1, columns: int = 1, **fields: Any) -> Any:
    """PackedValues of an array of NumPy."""
    array = np.asarray(array)
    shape = 3 if rows > 1 else (2 if columns > 1 else 1)
    kinds = {"int32": 3, "uint32": 4, "int64": 5, "float32": 8, "float64": 9}
    return v1.PackedValues(
        component_type=kinds[array.dtype.name],
        shape=shape,
        rows=rows,
        columns=columns,
        count=len(array),
        **(fields or {"data": array.tobytes()}),
    )


def floats(*values: float, **fields: Any) -> Any:
    """A Value that is an array of floats."""
    return v1.Value(array_value=packed(np.array(values, np.float32), **fields))


def value(name: str, *values: Any, **fields: Any) -> Any:
    return v1.FrameValue(name=name, values=values, **fields)


def geometry(id: int, *values: Any, **fields: Any) -> Any:
    return v1.FrameGeometry(id=id, values=values, **fields)


def header(**fields: Any) -> Any:
    return v1.FrameHeader(**{"snapshot": "s1", "prim_count": 3, "up_axis": "Y", **fields})


def message(**fields: Any) -> Any:
    return v1.ExtractFrameResponse(**fields)


def frame(*messages: Any, token: bytes = b"t", **fields: Any) -> list[Any]:
    """The messages of a frame: a header, others, and a token."""
    return [message(header=header(**fields)), *messages, message(token=token)]


def settings(path: str = "/Render") -> Any:
    """RenderSettings without products."""
    return {"path": path, "defaults": {"data_window": [0, 0, 1, 1]}}


def camera(focal_length: float = 50.0) -> Any:
    """The reply about a camera, with one sample."""
    identity = packed(np.eye(4)[None], rows=4, columns=4)
    return v1.ComputeCamerasResponse(
        local_to_world=identity,
        view_matrix=identity,
        projection_matrix=identity,
        projection=[1],
        clipping_range=packed(np.ones((1, 2), np.float32), columns=2),
        clipping_planes=packed(np.empty((0, 4), np.float32), columns=4),
        clipping_plane_count=[0],
        window=packed(np.zeros((1, 4)), columns=4),
        field_of_view=packed(np.zeros((1, 2)), columns=2),
        stereo_role=["mono"],
        focal_length=[focal_length],
        **{
            name: [0]
            for name in (
                *["horizontal_aperture", "vertical_aperture", "horizontal_aperture_offset"],
                *["vertical_aperture_offset", "f_stop", "focus_distance", "shutter_open"],
                *["shutter_close", "exposure", "linear_exposure_scale"],
            )
        },
    )


# ---------------------------------------------------------------------------- frames that arrived

COMPLETE = {"complete": True}


def arrived(messages: Any, base: Contents = NOTHING, arrays: HeldArrays | None = None) -> Arrival:
    """A frame after all of its messages."""
    arrival = Arrival(base, held() if arrays is None else arrays)
    for one in messages:
        arrival.take(one)
    arrival.end()
    return arrival


def held_after(messages: Any, base: Contents = NOTHING) -> Contents:
    """What a frame holds after all of its messages."""
    return arrived(messages, base).contents()


def kinds(arrival: Arrival) -> list[str]:
    """The kinds of the parts that have come."""
    return [part.kind for part in arrival.parts]


FIRST = frame(
    message(lights=[{"id": 50, "path": "/L"}], light_sets=[{"id": 1, "lights": [50]}]),
    message(
        materials=v1.FrameMaterials(ids=[70], paths=["/M"], networks=[{"item": 0}]),
        prims=prims(1, 2, materials=[70, 0]),
        visibility=visibility(_1=True, _2=False, _50=True),
        transforms=transforms({1: [10], 2: [20], 50: [5]}),
        geometry=[
            geometry(101, value("points", floats(1, 2)), value("primvars:st", floats(3))),
            geometry(102, value("points", floats(4))),
        ],
        subsets=[{"id": 80, "prim": 1, "path": "/P1/s", "material": 70}],
    ),
    message(prims=prims(3), transforms=transforms({3: [30]}), geometry=[geometry(103)]),
    **COMPLETE,
)


def shape(contents: Contents, id: int = 101) -> dict[str, Any]:
    """The values of a geometry by name."""
    found = contents.view("geometry")[id]
    return {name: found[name].value.tolist() for name in found}
