"""Plans that compute what cameras see."""

from __future__ import annotations

from typing import Any

import numpy as np

from stagedoor import _motion
from stagedoor._calls import Plan
from stagedoor._decode import damaged, enum_text, unpack
from stagedoor._geom import Query
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor.results import CameraSample, Frustum, PathTable

# The columns of a reply that have the name and the type of a field of CameraSample.
_PLAIN = (
    "focal_length",
    "horizontal_aperture",
    "vertical_aperture",
    "horizontal_aperture_offset",
    "vertical_aperture_offset",
    "f_stop",
    "focus_distance",
    "shutter_open",
    "shutter_close",
    "exposure",
    "linear_exposure_scale",
)
_CONFORM: dict[str, int] = {
    "fit": v1.ConformPolicy.Value("CONFORM_POLICY_FIT"),
    "crop": v1.ConformPolicy.Value("CONFORM_POLICY_CROP"),
    "match_vertically": v1.ConformPolicy.Value("CONFORM_POLICY_MATCH_VERTICALLY"),
    "match_horizontally": v1.ConformPolicy.Value("CONFORM_POLICY_MATCH_HORIZONTALLY"),
    "dont_conform": v1.ConformPolicy.Value("CONFORM_POLICY_DONT_CONFORM"),
}


def conform_policy(conform: str) -> int:
    """The number of a policy for fitting a camera to an image."""
    if conform not in _CONFORM:
        raise ValueError(f"unknown policy {conform!r}; use one of {sorted(_CONFORM)}")
    return _CONFORM[conform]


def cameras(
    session: Session,
    query: Query,
    aspect_ratio: float,
    conform: str,
    shutter: _motion.ShutterLike = None,
) -> Plan[PathTable[Any]]:
    """Cameras at times: for each path, a CameraSample, or a list with one for each time.

    With a shutter, a Motion with a CameraSample for each sample in place of each CameraSample.
    """
    policy = conform_policy(conform)

    def some(part: Query, pin: str) -> Plan[PathTable[Any]]:
        request = v1.ComputeCamerasRequest(
            aspect_ratio=aspect_ratio,
            conform_policy=policy,
            sample_policy=_motion.policy(shutter),
            **part.fields(),
        )
        reply = yield from session.ask("ComputeCameras", request, pin)
        errors = part.errors(reply.path_errors)
        return part.table(_rows(part, reply), errors, reply.snapshot)

    return (yield from query.in_parts(some))


def _rows(query: Query, reply: Message) -> list[Any]:
    if len(reply.stereo_role) != len(query.paths):
        raise damaged(f"{len(reply.stereo_role)} roles of {len(query.paths)} cameras")
    if reply.HasField("samples"):
        roles = [reply.stereo_role[path] for path in _motion.owners(query, reply.samples)]
        return _motion.rows(query, reply.samples, _samples(reply, roles))
    samples = _samples(reply, [role for role in reply.stereo_role for _ in query.codes])
    return _motion.by_path(query, samples.__getitem__)


def samples_of_one(reply: Message) -> list[CameraSample]:
    """The samples of the only camera of a reply."""
    if len(reply.stereo_role) != 1:
        raise damaged(f"{len(reply.stereo_role)} cameras instead of one")
    count = 1
    if reply.HasField("samples"):
        count = len(reply.samples.times)
        if list(reply.samples.counts) != [count]:
            raise damaged(f"{count} samples of a camera that has {list(reply.samples.counts)}")
    return _samples(reply, list(reply.stereo_role) * count)


def _samples(reply: Message, stereo_roles: list[str]) -> list[CameraSample]:
    items = len(stereo_roles)
    world = _column(reply.local_to_world, items)
    clipping_range = _column(reply.clipping_range, items)
    planes = unpack(reply.clipping_planes)
    counts = np.fromiter(reply.clipping_plane_count, np.int64)
    ends = np.cumsum(counts)
    windows = _column(reply.window, items).reshape(items, 2, 2)
    angles = _column(reply.field_of_view, items)
    views = _column(reply.view_matrix, items)
    projections = _column(reply.projection_matrix, items)
    columns = [getattr(reply, name) for name in _PLAIN] + [reply.projection, counts]
    if any(len(column) != items for column in columns):
        raise damaged(f"columns of other lengths than {items}")
    if len(planes) != (ends[-1] if items else 0):
        raise damaged(f"{len(planes)} clipping planes for {items} cameras")

    def sample(i: int) -> CameraSample:
        projection = enum_text(v1.CameraProjection, "CAMERA_PROJECTION_", reply.projection[i])
        frustum = Frustum(
            orthographic=projection == "orthographic",
            window=windows[i],
            near=float(clipping_range[i][0]),
            far=float(clipping_range[i][1]),
            field_of_view=(float(angles[i][0]), float(angles[i][1])),
            view=views[i],
            projection=projections[i],
        )
        return CameraSample(
            transform=world[i],
            projection=projection,
            clipping_planes=planes[ends[i] - counts[i] : ends[i]],
            stereo_role=stereo_roles[i],
            frustum=frustum,
            **{name: getattr(reply, name)[i] for name in _PLAIN},
        )

    return [sample(i) for i in range(items)]


def _column(packed: Message, items: int) -> Any:
    found = unpack(packed)
    if len(found) != items:
        raise damaged(f"{len(found)} elements for {items} cameras")
    return found
