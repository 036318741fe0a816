# Generated from ../_async/edit_block.py by tools/python_client.py: ./dev python_client.
"""Blocks of edits as context managers."""

from __future__ import annotations

from types import TracebackType

from stagedoor._edits import EditBlock


class SyncEditBlock(EditBlock):
    def __enter__(self) -> SyncEditBlock:
        self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._end()
        if kind is None:
            self.snapshot = self._stage._edit(self._batch.send())
