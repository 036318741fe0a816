"""The stages that the inspector has open, and shares among the pages that show them."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Any

import stagedoor.aio
from stagedoor import call_options
from stagedoor._tools import absolute
from stagedoor.inspect._ask import Ask, Refused

# A private session has a name that only its pages know. Other sessions have names that users give.
_PRIVATE = "private:"
_MAX_STAGES = 32
_OPEN_TIMEOUT = 600.0  # seconds: what else is asked may wait for a large stage
_MAX_UNDO_STEPS = 100
_MAX_UNDO_BYTES = 32 << 20


@dataclass(frozen=True)
class StageKey:
    """The arguments with which a stage is opened. `session`: empty to look only."""

    root: str
    session: str = ""
    load: str = "all"

    @property
    def is_private(self) -> bool:
        return self.session.startswith(_PRIVATE)


def stage_key(ask: Ask, prefix: str = "") -> StageKey:
    """The stage that a request is about."""
    root = ask.text(prefix + "stage")
    if not root:
        raise Refused("no stage is named", "open one by the path of its root layer")
    session = ask.text(prefix + "session", "", limit=200)
    return StageKey(absolute(root, ()), session, ask.choice(prefix + "load", ("all", "none")))


def private_session() -> str:
    """The name of a new private session."""
    return _PRIVATE + secrets.token_urlsafe(16)


@dataclass(eq=False)
class HeldStage:
    """A stage that is open. `cache` has what the parts of the inspector remember about it."""

    key: StageKey
    stage: stagedoor.aio.Stage
    cache: dict[str, Any] = field(default_factory=dict)
    edit_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    # The edits that undo those made here, the latest one last, with the size of each in bytes.
    undo: deque[tuple[Any, int]] = field(default_factory=lambda: deque(maxlen=_MAX_UNDO_STEPS))
    is_edited: bool = False
    used: float = field(default_factory=time.monotonic)
    watchers: int = 0  # pages that watch it

    @property
    def session(self) -> Any:
        return self.stage._session

    async def run(self, plan: Any) -> Any:
        """Carries out a plan of the package."""
        return await self.stage._client.run(plan)

    def remember_undo(self, step: Any, size: int) -> None:
        """Adds what undoes an edit; forgets the oldest steps beyond the limits."""
        self.undo.append((step, size))
        kept = sum(bytes_of for _, bytes_of in self.undo)
        while len(self.undo) > 1 and kept > _MAX_UNDO_BYTES:
            kept -= self.undo.popleft()[1]


class Stages:
    """The stages that are open. Those that no page has used for longest are closed first.

    Used by one event loop.
    """

    def __init__(self, client: stagedoor.aio.Client, most: int = _MAX_STAGES) -> None:
        self.client = client
        self._most = most
        self._held: OrderedDict[StageKey, asyncio.Task[HeldStage]] = OrderedDict()
        self._private: set[str] = set()

    def begin_private(self) -> str:
        """The name of a session that is private to the pages which know the name."""
        name = private_session()
        self._private.add(name)
        return name

    async def get(self, key: StageKey) -> HeldStage:
        """The stage, which is opened unless it is open already."""
        if key.is_private and key.session not in self._private:
            raise Refused(
                "the private session has ended with the inspector that held it",
                "look at the stage without it, and begin to edit again",
                status=404,
            )
        task = self._held.get(key)
        if task is None:
            await self._make_room()
            task = self._held.setdefault(key, asyncio.create_task(self._open(key)))
        self._held.move_to_end(key)
        try:
            held = await asyncio.shield(task)
        except BaseException:
            if task.done() and self._held.get(key) is task:
                del self._held[key]
            raise
        held.used = time.monotonic()
        return held

    async def close(self, key: StageKey) -> None:
        """Ends the lease on a stage, and with it a private session."""
        task = self._held.pop(key, None)
        self._private.discard(key.session)
        if task is not None and task.done() and task.exception() is None:
            await task.result().stage.close()

    def open_stages(self) -> list[HeldStage]:
        ready = (task for task in self._held.values() if task.done() and not task.cancelled())
        return [task.result() for task in ready if task.exception() is None]

    async def _open(self, key: StageKey) -> HeldStage:
        with call_options(timeout=_OPEN_TIMEOUT):
            stage = await self.client.open(
                key.root,
                load=key.load,
                session="" if key.is_private else key.session,
                on_change="follow",
            )
        return HeldStage(key, stage)

    async def _make_room(self) -> None:
        """Closes a stage if there are too many; not one with edits that would be lost."""
        while len(self._held) >= self._most:
            idle = [held for held in self.open_stages() if not held.watchers]
            idle = [held for held in idle if not (held.key.is_private and held.is_edited)]
            if not idle:
                raise Refused(
                    f"{self._most} stages are open",
                    "close pages that show them, or end private sessions with edits",
                    status=429,
                )
            await self.close(min(idle, key=lambda held: held.used).key)
