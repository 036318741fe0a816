"""The parameters of requests, and answers: JSON, arrays, streams of lines, and errors."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from stagedoor import _times
from stagedoor.errors import Error
from stagedoor.types import TimeCode

MAX_TEXT = 4096
MAX_LIST = 1000

# The status of HTTP for codes of gRPC; 502 for others.
_STATUS = {
    "INVALID_ARGUMENT": 400,
    "OUT_OF_RANGE": 400,
    "NOT_FOUND": 404,
    "PERMISSION_DENIED": 403,
    "UNAUTHENTICATED": 403,
    "ABORTED": 409,
    "ALREADY_EXISTS": 409,
    "FAILED_PRECONDITION": 409,
    "RESOURCE_EXHAUSTED": 429,
    "CANCELLED": 499,
    "UNIMPLEMENTED": 501,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}

# Advice for the user of the page, by error reason; the advice of the package is for programs.
_HINTS = {
    "ATTRIBUTE_NOT_FOUND": "look at the properties of the prim",
    "LEASE_EXPIRED": "open the stage again",
    "METHOD_FORBIDDEN": "ask the operator of the daemon for a role with this method",
    "PRIM_NOT_FOUND": "look for it in the tree; it may be inactive, unloaded or renamed",
    "REQUEST_TOO_LARGE": "look at a shorter range of times, or at fewer things at once",
    "SNAPSHOT_CONFLICT": "somebody else has edited the session; look again, then repeat the edit",
    "SNAPSHOT_GONE": "the daemon does not hold it any more; compare with something else",
    "STAGE_NOT_FOUND": "open the stage again",
    "UNAUTHENTICATED": "start the inspector with --token-file or a client certificate",
    "WRONG_KIND": "choose something of the kind that is needed",
}


class Refused(Exception):
    """A request that the inspector cannot answer. `hint` says what to do about it."""

    def __init__(self, message: str, hint: str = "", status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.status = status


class Ask:
    """The parameters of a request: those of the URL, or the JSON of its body.

    Each method checks a parameter, and refuses the request if it is wrong.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def text(self, name: str, default: str | None = None, limit: int = MAX_TEXT) -> str:
        value = self._values.get(name, default)
        if not isinstance(value, str):
            raise Refused(f"the parameter '{name}' is missing, or not a text")
        if len(value) > limit:
            raise Refused(f"the parameter '{name}' has {len(value)} characters; use up to {limit}")
        return value

    def texts(self, name: str, most: int = MAX_LIST) -> list[str]:
        values = self._values.get(name, [])
        if not isinstance(values, list) or not all(
            isinstance(value, str) and len(value) <= MAX_TEXT for value in values
        ):
            raise Refused(f"the parameter '{name}' is not a list of texts")
        if len(values) > most:
            raise Refused(f"the parameter '{name}' has {len(values)} elements; use up to {most}")
        return values

    def wholes(self, name: str, most: int, largest: int) -> list[int]:
        """Whole numbers from 0 to `largest`."""
        values = self._values.get(name, [])
        if not isinstance(values, list) or not all(
            type(value) is int and 0 <= value <= largest for value in values
        ):
            raise Refused(f"the parameter '{name}' is not a list of numbers from 0 to {largest}")
        if len(values) > most:
            raise Refused(f"the parameter '{name}' has {len(values)} elements; use up to {most}")
        return values

    def objects(self, name: str, most: int) -> list[Ask]:
        """The parameters of several things."""
        values = self._values.get(name, [])
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise Refused(f"the parameter '{name}' is not a list of objects")
        if len(values) > most:
            raise Refused(f"the parameter '{name}' has {len(values)} elements; use up to {most}")
        return [Ask(value) for value in values]

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of several words, by default the first one."""
        value = self.text(name, choices[0])
        if value not in choices:
            raise Refused(f"the parameter '{name}' is '{value}'; use one of {', '.join(choices)}")
        return value

    def flag(self, name: str) -> bool:
        return self._values.get(name) in (True, "1", "true")

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        number = self._number(name, default)
        if number != int(number) or not least <= number <= most:
            raise Refused(f"the parameter '{name}' must be a whole number from {least} to {most}")
        return int(number)

    def number(self, name: str, default: float | None = None) -> float:
        return self._number(name, default)

    def time(self, name: str = "time") -> TimeCode:
        """A time as users write it; without one, the default time."""
        try:
            code = _times.time_code(self.text(name, "default"))
        except ValueError as error:
            raise Refused(str(error)) from None
        if code.kind in ("numeric", "pre") and not math.isfinite(code.value):
            raise Refused(f"the time '{code.value}' is not finite")
        return code

    def _number(self, name: str, default: float | None) -> float:
        value = self._values.get(name, default)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise Refused(f"the parameter '{name}' must be a finite number")
        return number


async def ask_of(request: Request) -> Ask:
    """The parameters of a request. Those of a POST are a JSON object, which no form can send."""
    if request.method in ("GET", "HEAD"):
        return Ask(request.query_params)
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refused("the content of the request must be application/json", status=415)
    try:
        values = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise Refused("the content of the request is not JSON") from None
    if not isinstance(values, dict):
        raise Refused("the content of the request must be a JSON object")
    return Ask(values)


# ------------------------------------------------------------------------------------------ answers


def json_bytes(value: Any) -> bytes:
    # Half of a surrogate pair cannot be sent as UTF-8, so that all but ASCII is escaped.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def json_answer(value: Any, status: int = 200) -> Response:
    return Response(json_bytes(value), status, media_type="application/json")


def lines_answer(lines: AsyncIterator[Any]) -> Response:
    """A stream of lines of JSON, which ends if the browser goes away.

    An error in the middle is a last line: {"error": …}.
    """

    async def content() -> AsyncIterator[bytes]:
        try:
            async for line in lines:
                yield json_bytes(line) + b"\n"
        except (Error, Refused, ValueError) as error:
            yield json_bytes({"error": error_of(error)}) + b"\n"

    return StreamingResponse(content(), media_type="application/x-ndjson")


def error_of(error: Exception) -> dict[str, Any]:
    """An error as the page shows it."""
    if isinstance(error, Error):
        return {
            "message": cut(error.message or "the call failed"),
            "reason": error.reason or error.code,
            "path": cut(error.path),
            "asset": cut(error.asset),
            "hint": cut(_HINTS.get(error.reason, error.hint)),
        }
    hint = error.hint if isinstance(error, Refused) else ""
    return {"message": cut(str(error)), "reason": "", "path": "", "asset": "", "hint": hint}


def error_answer(error: Exception) -> Response:
    if isinstance(error, Error):
        status = _STATUS.get(error.code, 502)
    else:
        status = error.status if isinstance(error, Refused) else 400
    return json_answer({"error": error_of(error)}, status)


def cut(text: str, limit: int = 2000) -> str:
    """A text that is not longer than a person reads."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
