"""The state of the daemon: calls, stages, caches and memory, as `stagedoor top` shows them.

What the inspector's role may not ask is left out, with the reason.
"""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import stagedoor.aio
from stagedoor._calls import call, call_options
from stagedoor._decode import enum_text
from stagedoor._proto import Message, v1
from stagedoor.errors import Error
from stagedoor.inspect._ask import Ask, Refused, cut, error_of

MAX_CALLS = 100
_MAX_STAGES = 100
_TIMEOUT = 5.0  # of a question; a daemon that is busy is asked again


class Replicas:
    """The daemons at the addresses of a client, each with a client of its own."""

    def __init__(self, client: stagedoor.aio.Client) -> None:
        options = client._endpoint.options
        self.addresses = options.addresses
        self._clients = [client]
        if len(options.addresses) > 1:
            self._clients = [
                stagedoor.aio.Client(dataclasses.replace(options, addresses=(address,)))
                for address in options.addresses
            ]

    async def close(self) -> None:
        if len(self._clients) > 1:
            await asyncio.gather(*(client.close() for client in self._clients))

    async def ask(self, number: int, method: str, request: Message) -> Message:
        with call_options(timeout=_TIMEOUT):
            return await self._clients[number]._invoke(call(method, request))


async def operate(replicas: Replicas, ask: Ask) -> dict[str, Any]:
    """The state of all daemons in short, and of one of them in full."""
    number = ask.whole("replica", 0, 0, 1 << 16)
    if number >= len(replicas.addresses):
        raise Refused(f"there are {len(replicas.addresses)} addresses of daemons")
    short = [_replica(replicas, i) for i in range(len(replicas.addresses))]
    full = [
        _part(replicas, number, "ListCalls", v1.ListCallsRequest(limit=MAX_CALLS), _calls),
        _part(replicas, number, "GetCacheStatistics", v1.GetCacheStatisticsRequest(), _caches),
        _part(replicas, number, "ListStages", v1.ListStagesRequest(page_size=_MAX_STAGES), _stages),
    ]
    answers = await asyncio.gather(*short, *full)
    count = len(short)
    found: dict[str, Any] = {"replicas": answers[:count], "problems": []}
    for part in answers[count:]:
        if "problem" in part:
            found["problems"].append(part["problem"])
        else:
            found |= part
    return found


async def _replica(replicas: Replicas, number: int) -> dict[str, Any]:
    found: dict[str, Any] = {"address": replicas.addresses[number]}
    try:
        reply = await replicas.ask(number, "GetServerStatistics", v1.GetServerStatisticsRequest())
    except Error as error:
        return found | {"problem": error_of(error)}
    return found | {
        "version": reply.version,
        "uptime": _seconds(reply.uptime),
        "resident": reply.resident_bytes,
        "stages": reply.open_stages,
        "leases": reply.leases,
        "followed": reply.follow.stages,
        "methods": [_method(method) for method in reply.methods if method.calls],
    }


async def _part(
    replicas: Replicas, number: int, method: str, request: Message, shown: Any
) -> dict[str, Any]:
    try:
        return shown(await replicas.ask(number, method, request))  # type: ignore[no-any-return]
    except Error as error:
        return {"problem": {"what": method, **error_of(error)}}


def _method(method: Message) -> dict[str, Any]:
    return {
        "name": method.method.rpartition("/")[2],
        "calls": method.calls,
        "errors": method.errors,
        "seconds": _seconds(method.handling_time),
        "bytesIn": method.bytes_in,
        "bytesOut": method.bytes_out,
    }


def _calls(reply: Message) -> dict[str, Any]:
    return {
        "inFlight": reply.calls_in_flight,
        "waiting": reply.waiting_calls,
        "calls": [
            {
                **_caller(entry),
                "age": _seconds(entry.age),
                "state": enum_text(v1.CallInFlight.State, "STATE_", entry.state),
                "bytes": entry.reserved_bytes,
                "steps": entry.steps,
            }
            for entry in reply.calls[:MAX_CALLS]
        ],
        "slowest": [
            {
                **_caller(entry),
                "duration": _seconds(entry.duration),
                "queued": _seconds(entry.queue_time),
                "work": _seconds(entry.work_time),
                "ago": _seconds(entry.ended_ago),
                "code": entry.code,
                "message": cut(entry.message),
                "reasons": cut(entry.reasons),
            }
            for entry in reply.slowest_calls[:MAX_CALLS]
        ],
    }


def _caller(entry: Message) -> dict[str, Any]:
    return {
        "method": entry.method.rpartition("/")[2],
        "identity": cut(entry.identity, 200),
        "peer": cut(entry.peer, 200),
        "request": cut(entry.request_id, 200),
        "root": cut(entry.root_layer),
    }


def _caches(reply: Message) -> dict[str, Any]:
    return {
        "caches": [
            {
                "name": cache.name,
                "entries": cache.entries,
                "bytes": cache.bytes,
                "budget": cache.budget_bytes if cache.HasField("budget_bytes") else None,
                "hits": cache.hits,
                "misses": cache.misses,
                "evictions": cache.evictions,
                "failures": cache.failures,
                "openFiles": cache.open_files if cache.HasField("open_files") else None,
            }
            for cache in reply.caches
        ]
    }


def _stages(reply: Message) -> dict[str, Any]:
    return {
        "stages": [
            {
                "root": cut(stage.root_layer),
                "leases": stage.lease_count,
                "clients": [cut(name, 200) for name in stage.client_names[:20]],
            }
            for stage in reply.stages
        ],
        "moreStages": bool(reply.next_page_token),
    }


def _seconds(duration: Message) -> float:
    return float(duration.seconds + duration.nanos / 1e9)
