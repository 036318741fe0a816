"""Watches of stages, as the synchronous client has them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from stagedoor._watch import CALL_SECONDS, PAUSE_SECONDS, Changes, WatchState, continues_after
from stagedoor.errors import Error, LeaseError

if TYPE_CHECKING:
    from stagedoor._sync.client import ClientCalls


# How long closing waits for the thread of a subscription.
_CLOSE_SECONDS = 2.0


class Watch:
    """An iterator over the changes of a stage, which waits for the next one. Use it in one thread.

    It continues after lost connections and restarts of the daemon. `close` may be called from
    another thread, and ends the iteration.
    """

    def __init__(self, client: ClientCalls, state: WatchState) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._rpc: Any = None
        self._changes = self._receive(client, state)

    def __iter__(self) -> Watch:
        return self

    def __next__(self) -> Changes:
        return next(self._changes)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._rpc is not None:
                self._rpc.cancel()

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _receive(self, client: ClientCalls, state: WatchState) -> Iterator[Changes]:
        while not self._closed:
            received = False
            lost = state.session.handle
            try:
                for message in client.stream(
                    state.call(), timeout=CALL_SECONDS, started=self._started
                ):
                    received = True
                    changes = state.take(message)
                    if changes is not None:
                        yield changes
            except LeaseError:
                if self._closed or state.session.closed:
                    return
                client.run(state.session.reopen(lost))
            except Error as error:
                if self._closed or state.session.closed:
                    return
                if not continues_after(error):
                    raise
            if not received:
                time.sleep(PAUSE_SECONDS)

    def _started(self, rpc: Any) -> None:
        """Takes note of the call that `close` has to cancel."""
        with self._lock:
            self._rpc = rpc
            if self._closed:
                rpc.cancel()


class Subscription:
    """Calls a function for each change of a stage, in a thread of its own, until it is closed.

    An exception ends the subscription; `close` raises it.
    """

    def __init__(self, watch: Watch, callback: Callable[[Changes], object]) -> None:
        self._watch = watch
        self._error: BaseException | None = None
        self._closed = False
        self._thread = threading.Thread(
            target=self._run, args=(callback,), name="stagedoor-watch", daemon=True
        )
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        """Ends the subscription. The callback is not called any more afterwards.

        Waits up to two seconds for a callback that is running.
        """
        self._closed = True
        self._watch.close()
        if threading.current_thread() is not self._thread:
            self._thread.join(_CLOSE_SECONDS)
        error, self._error = self._error, None
        if error is not None:
            raise error

    def __enter__(self) -> Subscription:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, callback: Callable[[Changes], object]) -> None:
        try:
            for changes in self._watch:
                if self._closed:
                    return
                callback(changes)
        except BaseException as error:
            self._error = error
