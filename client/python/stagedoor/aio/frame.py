"""Frames, as the asyncio client has them."""

from __future__ import annotations

from stagedoor._async.frame import FrameCalls


class Frame(FrameCalls):
    """All that a renderer needs of a stage at a time: as stagedoor.Frame, but read with `await`.

    To cancel the call, end the loop over its parts, or cancel the task.
    """
