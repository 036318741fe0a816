"""Blocks of edits as context managers."""

from __future__ import annotations

from types import TracebackType

from stagedoor._edits import EditBlock


class AsyncEditBlock(EditBlock):
    async def __aenter__(self) -> AsyncEditBlock:
        self._begin()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()
        if kind is None:
            self.snapshot = await self._stage._edit(self._batch.send())
