"""Plans that find the labels of prims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stagedoor import _times
from stagedoor._calls import Plan
from stagedoor._decode import checked, damaged
from stagedoor._geom import Query
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor.results import Labels, PathTable


def labels(
    session: Session, query: Query, taxonomies: Sequence[str], interval: _times.Interval
) -> Plan[PathTable[Any]]:
    if isinstance(taxonomies, str):
        taxonomies = [taxonomies]

    def some(part: Query, pin: str) -> Plan[PathTable[Any]]:
        request = v1.ComputeLabelsRequest(taxonomies=taxonomies)
        if interval is None:
            request.times.CopyFrom(part.times())
        else:
            request.interval.CopyFrom(_times.interval_message(interval))
        reply = yield from session.ask_about("ComputeLabels", part.paths, request, pin)
        rows = _rows(reply, part, interval is not None or part.single)
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from query.in_parts(some))


def _rows(reply: Message, query: Query, single: bool) -> list[Any]:
    """The labels of each path, or a list of them for several times."""
    count = 1 if single else len(query.codes)
    if len(reply.answer) != count * len(query.paths):
        raise damaged(f"{len(reply.answer)} results for {len(query.paths)} paths")
    answers = [{}, *map(_answer, reply.answers)]
    found = [answers[checked(number, len(answers))] for number in reply.answer]
    return found if single else [found[i : i + count] for i in range(0, len(found), count)]


def _answer(message: Message) -> dict[str, Labels]:
    applied = set(message.direct_taxonomies)
    return {
        row.taxonomy: Labels(row.taxonomy in applied, tuple(row.direct), tuple(row.inherited))
        for row in message.taxonomies
    }
