# Generated from ../_async/stage_frames.py by tools/python_client.py: ./dev python_client.
"""The calls of stages about frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stagedoor import _frame_request
from stagedoor._frame import OnProgress
from stagedoor._frame_request import FrameOptions, Texts
from stagedoor._geom import Paths
from stagedoor._motion import ShutterLike
from stagedoor._session import Session
from stagedoor._values import Path
from stagedoor.frame import Frame
from stagedoor.types import Time

if TYPE_CHECKING:
    from stagedoor._sync.client import ClientCalls


class StageFrames:
    """The calls of a stage about frames."""

    _client: ClientCalls
    _session: Session

    def frame(
        self,
        time: Time = None,
        *,
        shutter: ShutterLike = None,
        camera: Path | None = None,
        roots: Paths = (),
        excluded: Paths = (),
        types: Texts = None,
        purposes: Texts = None,
        render_settings: Path | None = None,
        render_pass: Path | None = None,
        render_contexts: Texts = None,
        material_purposes: Texts = None,
        primvars: Texts = None,
        flatten_primvars: bool = False,
        skinning: bool = True,
        invisible: bool = True,
        changes_between_snapshots: bool = False,
        progress: OnProgress | None = None,
    ) -> Frame:
        """All that a renderer needs of the stage at a time. Nothing is asked until it is read.

        shutter: a Shutter, or when it opens and closes around the time, such as (-0.25, 0.25): what
          moves has several samples then.
        camera: the path of a Camera; by default, that of the first product of the render settings.
        roots, excluded: the prims whose subtrees are drawn, and left out; by default, all is drawn.
        types: schema types such as "Mesh": only prims whose type is or derives from one are drawn.
        purposes: "default", "render", "proxy" and "guide"; by default, those of the settings, or
          else default and render.
        render_settings: the path of RenderSettings; by default, those of the stage, if it has some.
        render_pass: the path of a RenderPass, for FramePrim.pass_members.
        render_contexts: whose shaders to look for, such as ["ri"], before those for all renderers.
        material_purposes: such as "full" and "", in the order in which bindings are looked for; by
          default, those of the settings, or else these two.
        primvars: the names of those that are needed; by default, all.
        flatten_primvars: whether each index of a primvar is replaced by its elements.
        skinning: whether points are deformed by skeletons and blend shapes.
        invisible: whether prims that are invisible belong to the frame.
        changes_between_snapshots: whether the daemon remembers what it sent, so that less of the
          next frame may be sent if it is of another snapshot.
        progress: called as it goes on, with the number of prims that have come.

        See docs/frames.md.
        """
        options = FrameOptions(
            shutter=shutter,
            camera=camera,
            roots=roots,
            excluded=excluded,
            types=types,
            purposes=purposes,
            render_settings=render_settings,
            render_pass=render_pass,
            render_contexts=render_contexts,
            material_purposes=material_purposes,
            primvars=primvars,
            flatten_primvars=flatten_primvars,
            skinning=skinning,
            invisible=invisible,
        )
        return Frame(
            self,
            time,
            options,
            changes_between_snapshots=changes_between_snapshots,
            progress=progress,
        )

    def frame_fingerprint(self, time: Time = None, **options: Any) -> str:
        """A fingerprint of a frame, as hexadecimal digits: frames with equal ones are equal.

        The fingerprint does not depend on the time if nothing moves. The options are those of
        `frame` that say what belongs to it, and the shutter.
        """
        plan = _frame_request.fingerprint(self._session, time, FrameOptions(**options))
        return self._client.run(plan)
