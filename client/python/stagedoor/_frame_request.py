"""Requests for frames: which one, and what belongs to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Union

from stagedoor import _motion, _times
from stagedoor._calls import Plan
from stagedoor._geom import PURPOSES, Paths
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor._values import Path, path_list, path_text
from stagedoor.errors import sendable
from stagedoor.types import Time, TimeCode

Texts = Union[str, Iterable[str], None]


@dataclass(frozen=True)
class FrameOptions:
    """The selection of a frame, and the samples of moving objects. See Stage.frame."""

    shutter: _motion.ShutterLike = None
    camera: Path | None = None
    roots: Paths = ()
    excluded: Paths = ()
    types: Texts = None
    purposes: Texts = None
    render_settings: Path | None = None
    render_pass: Path | None = None
    render_contexts: Texts = None
    material_purposes: Texts = None
    primvars: Texts = None
    flatten_primvars: bool = False
    skinning: bool = True
    invisible: bool = True

    @sendable()
    def fields(self, time: TimeCode) -> dict[str, Any]:
        """The fields that all requests for a frame have."""
        return {
            "time": _times.message(time),
            "sample_policy": _motion.policy(self.shutter),
            "selection": self._selection(),
        }

    def _selection(self) -> Message:
        return v1.FrameSelection(
            roots=path_list(self.roots),
            excluded=path_list(self.excluded),
            types=_texts(self.types),
            purposes=_purposes(self.purposes),
            render_settings=_path(self.render_settings),
            render_pass=_path(self.render_pass),
            camera=_path(self.camera),
            render_contexts=_texts(self.render_contexts),
            material_purposes=_texts(self.material_purposes),
            primvars=_texts(self.primvars),
            flatten_primvars=self.flatten_primvars,
            without_skinning=not self.skinning,
            without_invisible=not self.invisible,
        )


def fingerprint(session: Session, time: Time, options: FrameOptions) -> Plan[str]:
    request = v1.ComputeFrameFingerprintRequest(**options.fields(_times.time_code(time)))
    reply = yield from session.ask("ComputeFrameFingerprint", request)
    return bytes(reply.fingerprint).hex()


def _texts(texts: Texts) -> Sequence[str]:
    if texts is None:
        return ()
    return [texts] if isinstance(texts, str) else list(texts)


def _path(path: Path | None) -> str:
    return "" if path is None else path_text(path)


def _purposes(purposes: Texts) -> list[int]:
    found = _texts(purposes)
    for purpose in found:
        if purpose not in PURPOSES:
            raise ValueError(f"unknown purpose {purpose!r}; use one of {sorted(PURPOSES)}")
    return [PURPOSES[purpose] for purpose in found]
