"""Frames, as the synchronous client has them."""

from __future__ import annotations

from stagedoor._sync.frame import FrameCalls


class Frame(FrameCalls):
    """All that a renderer needs of a stage at a time, which is read in one call.

        for part in stage.frame(12, shutter=(-0.25, 0.25)):
            print(part.kind)

    It may be read as it arrives, by a loop over its parts, or with `read`. It holds what has
    arrived, by kind: `prims`, `geometry` and so on. `next` asks for what another frame has that is
    different. Use it in one thread until all has arrived; after that, it is thread-safe.
    """

    def cancel(self) -> None:
        """Cancels the call that reads the frame, from any thread.

        The loop or `read` that waits for it raises an Error with the code CANCELLED.
        """
        with self._lock:
            self._cancelled = True
            if self._rpc is not None:
                self._rpc.cancel()
