"""Stages, as the asyncio client has them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator

from stagedoor import _values
from stagedoor._async.stage import StageCalls
from stagedoor._values import Path
from stagedoor._watch import CALL_SECONDS, PAUSE_SECONDS, Changes, WatchState, continues_after
from stagedoor.aio.prim import Prim
from stagedoor.errors import Error, LeaseError


class Stage(StageCalls):
    """An open stage: as stagedoor.Stage, but its methods and properties are awaited.

    A loop over `traverse` that blocks the event loop uses up the deadline of the traversal.
    """

    # With __getitem__ alone, Python would try stage[0], stage[1]...
    __iter__ = None  # use `async for`
    __contains__ = None  # use await stage[path].exists()

    def __aiter__(self) -> AsyncIterator[Prim]:
        return self.traverse()

    def watch(self, *paths: Path, interval: float = 0.0) -> AsyncGenerator[Changes, None]:
        """Iterates over what changes. See stagedoor.Stage.watch.

        async for changes in stage.watch("/World/Char"):
            print(changes.resynced_paths, changes.changed_info)
        """
        texts = [_values.path_text(path) for path in paths]
        return self._watch(WatchState(self._session, texts, interval))

    async def _watch(self, state: WatchState) -> AsyncGenerator[Changes, None]:
        while True:
            received = False
            lost = self._session.handle
            try:
                async for message in self._client.stream(state.call(), timeout=CALL_SECONDS):
                    received = True
                    changes = state.take(message)
                    if changes is not None:
                        yield changes
            except LeaseError:
                if self._session.closed:
                    return
                await self._client.run(self._session.reopen(lost))
            except Error as error:
                if self._session.closed:
                    return
                if not continues_after(error):
                    raise
            if not received:
                await asyncio.sleep(PAUSE_SECONDS)
