"""Streams what changes on a stage to the pages that show it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from stagedoor._watch import Changes
from stagedoor.inspect._ask import MAX_TEXT, Ask
from stagedoor.inspect._held import HeldStage

MAX_PATHS = 500
_INTERVAL = 0.05  # seconds between two messages, at least
# A line without a change tells the page that the connection is alive, and shows the inspector that
# the page has gone.
_SILENCE = 15.0


async def events(held: HeldStage, ask: Ask) -> AsyncIterator[dict[str, Any]]:
    """A line now, and one for each change: of any page or client that edits the session."""
    held.watchers += 1
    watching = held.stage.watch(interval=_INTERVAL)
    waiting: asyncio.Future[Changes] | None = None
    try:
        yield {"snapshot": held.session.snapshot}
        while True:
            if waiting is None:
                waiting = asyncio.ensure_future(watching.__anext__())
            done, _ = await asyncio.wait({waiting}, timeout=_SILENCE)
            if not done:
                yield {}
                continue
            changes = waiting.result()
            waiting = None
            yield _line(changes)
    except StopAsyncIteration:
        yield {"closed": True}
    finally:
        held.watchers -= 1
        if waiting is not None:
            waiting.cancel()
            with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration, Exception):
                await waiting
        await watching.aclose()


def _line(changes: Changes) -> dict[str, Any]:
    """The changed paths; everything may have changed, if they are too many to name."""
    resynced = [path for path in changes.resynced_paths if len(path) <= MAX_TEXT]
    changed = [path for path in changes.changed_info if len(path) <= MAX_TEXT]
    count = len(changes.resynced_paths) + len(changes.changed_info)
    if count > MAX_PATHS or count != len(resynced) + len(changed):
        resynced, changed = ["/"], []
    return {"snapshot": changes.snapshot, "resynced": resynced, "changed": changed}
