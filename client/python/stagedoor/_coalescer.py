"""Joins the queries that threads make at the same moment."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable

from stagedoor import _joined
from stagedoor._calls import Call
from stagedoor._proto import Message
from stagedoor.errors import Error


class _Query:
    """A query that another thread sends."""

    def __init__(self, made: Call) -> None:
        self.made = made
        self.answered = threading.Event()
        self.reply: Message | None = None  # None: to be asked again, by itself
        self.error: Error | None = None


class _Batch:
    """Queries that wait to be sent."""

    def __init__(self) -> None:
        self.queries: list[_Query] = []
        self.due = threading.Event()


class _Group:
    """The queries that may be joined with each other."""

    def __init__(self) -> None:
        self.calls = 0  # in flight
        self.large = False  # whether values of the latest reply were too large to join queries
        self.open: _Batch | None = None


class Coalescer:
    """Sends the queries of threads, several in one call if calls are in flight. Thread-safe.

    The thread of the first query of a batch makes the call for the others.
    """

    def __init__(self, ask: Callable[[Call], Message]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._groups: dict[_joined.Key, _Group] = {}

    def run(self, made: Call, key: _joined.Key) -> Message:
        query = None
        batch = None
        leads = False
        with self._lock:
            group = self._groups.setdefault(key, _Group())
            if group.large or (group.calls == 0 and group.open is None):
                group.calls += 1
            else:
                leads = group.open is None
                batch = group.open = group.open or _Batch()
                query = _Query(made)
                batch.queries.append(query)
                if len(batch.queries) >= _joined.MAX_QUERIES:
                    group.open = None
                    batch.due.set()
        if query is None or batch is None:
            return self._alone(made, key)
        if leads:
            self._lead(key, batch)
        # The thread that sends the batch has the same timeout, and began before this one.
        query.answered.wait()
        if query.error is not None:
            raise query.error
        return query.reply if query.reply is not None else self._ask(made)

    def _alone(self, made: Call, key: _joined.Key) -> Message:
        large = False
        with self._lock:
            large = self._groups[key].large
        try:
            reply = self._ask(made)
            large = _joined.is_large(reply, 1)
            return reply
        finally:
            self._ended(key, large)

    def _lead(self, key: _joined.Key, batch: _Batch) -> None:
        """Sends a batch when it is due, and answers its queries."""
        large = False
        try:
            batch.due.wait(_joined.WINDOW)
        finally:
            with self._lock:
                group = self._groups[key]
                group.calls += 1
                if group.open is batch:
                    group.open = None
        queries = batch.queries
        try:
            reply = self._ask(_joined.join([query.made for query in queries]))
            large = _joined.is_large(reply, len(queries))
            for query, part in zip(queries, _joined.split(reply, len(queries))):
                query.reply = part
        except Error as error:
            if _joined.concerns_all(error):
                for query in queries:
                    query.error = copy.copy(error)
        finally:  # also if the thread is interrupted: then the others ask by themselves
            self._ended(key, large)
            for query in queries:
                query.answered.set()

    def _ended(self, key: _joined.Key, large: bool) -> None:
        with self._lock:
            group = self._groups[key]
            group.large = large
            group.calls -= 1
            if group.calls:
                return
            if group.open is None:
                del self._groups[key]
            else:
                group.open.due.set()
