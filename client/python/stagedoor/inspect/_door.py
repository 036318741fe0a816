"""A door to the daemon for other web pages: its API over the protocols of Connect and gRPC-Web.

Messages in binary form are passed on as they are; those in JSON are turned into binary ones. A call
has the identity of the `authorization` that the page sends with it, or else that of the inspector.
Pages of other origins get in only if their origin is named (CORS) and they know the token.

https://connectrpc.com/docs/protocol describes the first, and the documentation of gRPC the second.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import grpc
from google.protobuf import json_format
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

import stagedoor.aio
from stagedoor._calls import Call, CallOptions
from stagedoor._proto import METHODS, Method, error_details
from stagedoor.inspect._guard import Guard

PREFIX = "/stagedoor.v1."
MAX_SECONDS = 600.0
_SECONDS = 60.0
_HEADERS = ("authorization", "x-request-id", "traceparent", "stagedoor-routing-key")
_CORS_HEADERS = ", ".join(
    [
        *("content-type", "connect-protocol-version", "connect-timeout-ms", "grpc-timeout"),
        *("x-grpc-web", "x-user-agent", "x-stagedoor-token"),
        *_HEADERS,
    ]
)
_EXPOSED = "grpc-status, grpc-message, grpc-status-details-bin"

# The statuses of HTTP for codes, as Connect has them.
_STATUS = {
    "cancelled": 499,
    "invalid_argument": 400,
    "deadline_exceeded": 504,
    "not_found": 404,
    "already_exists": 409,
    "permission_denied": 403,
    "resource_exhausted": 429,
    "failed_precondition": 400,
    "aborted": 409,
    "out_of_range": 400,
    "unimplemented": 501,
    "unavailable": 503,
    "unauthenticated": 401,
}
_UNITS = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}


class _Bytes:
    """Stands for a class of messages whose bytes are not looked at."""

    @staticmethod
    def SerializeToString(data: bytes) -> bytes:
        return data

    @staticmethod
    def FromString(data: bytes) -> bytes:
        return data


@dataclass(frozen=True)
class Failure:
    """Why a call has failed, as both protocols say it."""

    code: str  # "not_found"
    message: str
    details: bytes = b""  # a google.rpc.Status

    @property
    def number(self) -> int:
        return int(grpc.StatusCode[self.code.upper()].value[0])

    def connect(self) -> dict[str, Any]:
        """The JSON of Connect, which spells one code in another way."""
        found: dict[str, Any] = {
            "code": "canceled" if self.code == "cancelled" else self.code,
            "message": self.message,
        }
        if self.details:
            found["details"] = [
                {"type": detail.type_url.rpartition("/")[2], "value": _base64(detail.value)}
                for detail in error_details.Status.FromString(self.details).details
            ]
        return found


class Failed(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Door:
    """Answers calls of the API, each by a call to the daemon.

    origins: those of pages elsewhere that may call.
    """

    def __init__(
        self, client: stagedoor.aio.Client, guard: Guard, origins: frozenset[str] = frozenset()
    ) -> None:
        self._client = client
        self._guard = guard
        self._origins = origins

    async def __call__(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return self._preflight(request.headers)
        response = await self._answer(request)
        origin = request.headers.get("origin", "")
        if origin in self._origins:
            response.headers["access-control-allow-origin"] = origin
            response.headers["access-control-expose-headers"] = _EXPOSED
            response.headers["cross-origin-resource-policy"] = "cross-origin"
            response.headers["vary"] = "origin"
        return response

    def _preflight(self, headers: Headers) -> Response:
        origin = headers.get("origin", "")
        if origin not in self._origins:
            return Response("CORS is off for this origin.\n", 403)
        return Response(
            status_code=204,
            headers={
                "access-control-allow-origin": origin,
                "access-control-allow-methods": "POST",
                "access-control-allow-headers": _CORS_HEADERS,
                "access-control-max-age": "600",
                "vary": "origin",
            },
        )

    async def _answer(self, request: Request) -> Response:
        protocol = _protocol_of(request.headers.get("content-type", ""))
        if protocol is None:
            kinds = "application/json, application/proto, application/connect+json"
            return Response(f"The content must be {kinds} or application/grpc-web+proto.\n", 415)
        try:
            self._admit(request.headers)
            if request.headers.get("content-encoding", "identity") != "identity":
                raise Failed(Failure("unimplemented", "send the message without compression"))
            method = _method_of(request.url.path)
            if method.streams != protocol.streams and not protocol.is_grpc_web:
                raise Failed(Failure("unimplemented", f"{method.name} needs another content type"))
            data = protocol.message(await request.body(), method)
            messages = self._call(method, data, request.headers, _timeout(request.headers))
            return await protocol.answer(messages, method)
        except Failed as failed:
            return protocol.failed(failed.failure)

    def _admit(self, headers: Headers) -> None:
        """Lets in pages of this server, and those that know the token and may come from there."""
        origin = headers.get("origin")
        known = origin in self._origins
        if not known and self._guard.is_foreign(headers):
            raise Failed(Failure("permission_denied", "pages of this origin may not call"))
        token = headers.get("x-stagedoor-token", "")
        if not self._guard.knows(headers, token):
            raise Failed(
                Failure("unauthenticated", "send the token of the inspector in x-stagedoor-token")
            )

    async def _call(
        self, method: Method, data: bytes, headers: Headers, timeout: float
    ) -> AsyncIterator[bytes]:
        raw = Method(f"raw {method.name}", method.path, method.streams, _Bytes, _Bytes)
        await self._client._prepare()
        endpoint = self._client._endpoint
        function = self._client._callable(endpoint.address, Call(raw, data))
        rpc = function(data, timeout=timeout, metadata=_metadata(endpoint, headers))
        try:
            if method.streams:
                async for message in rpc:
                    yield message
            else:
                yield await rpc
        except grpc.RpcError as error:
            raise Failed(_failure(error)) from None
        finally:
            rpc.cancel()


def _metadata(endpoint: Any, headers: Headers) -> list[tuple[str, str]]:
    given = [(name, headers[name]) for name in _HEADERS if name in headers]
    entries: list[tuple[str, str]] = endpoint.metadata(CallOptions(metadata=tuple(given)))
    if "authorization" not in headers:
        return entries
    # Metadata from the page takes precedence over that of the inspector.
    return [*given, *(entry for entry in entries if entry[0] not in dict(given))]


def _timeout(headers: Headers) -> float:
    """The deadline that either protocol states, in seconds, within limits."""
    try:
        if "connect-timeout-ms" in headers:
            seconds = float(headers["connect-timeout-ms"]) / 1e3
        elif "grpc-timeout" in headers:
            text = headers["grpc-timeout"]
            seconds = float(text[:-1]) * _UNITS[text[-1]]
        else:
            seconds = _SECONDS
    except (ValueError, KeyError, IndexError):
        raise Failed(Failure("invalid_argument", "the timeout is malformed")) from None
    if not seconds > 0:
        raise Failed(Failure("deadline_exceeded", "the deadline is over before the call begins"))
    return min(seconds, MAX_SECONDS)


def _method_of(path: str) -> Method:
    for method in METHODS.values():
        if method.path == path:
            return method
    raise Failed(Failure("unimplemented", f"the daemon has no method {path[:200]}"))


def _failure(error: Any) -> Failure:
    code = error.code() or grpc.StatusCode.UNKNOWN
    # The metadata of old versions of gRPC pretends to be a mapping.
    trailing = {name: value for name, value in error.trailing_metadata() or ()}  # noqa: C416
    details = trailing.get("grpc-status-details-bin", b"")
    return Failure(code.name.lower(), error.details() or "", bytes(details))


# --------------------------------------------------------------------------------------- protocols


class _Protocol:
    """How a request has its message, and how answers are written."""

    streams = False
    is_grpc_web = False

    def __init__(self, content_type: str, is_json: bool) -> None:
        self._type = content_type
        self._is_json = is_json

    def message(self, body: bytes, method: Method) -> bytes:
        """The message of the body, in binary form."""
        raise NotImplementedError

    async def answer(self, messages: AsyncIterator[bytes], method: Method) -> Response:
        raise NotImplementedError

    def failed(self, failure: Failure) -> Response:
        raise NotImplementedError

    def _decoded(self, data: bytes, method: Method) -> bytes:
        if not self._is_json:
            return data
        try:
            made = json_format.Parse(data or b"{}", method.request())
            return bytes(made.SerializeToString())
        except (json_format.ParseError, UnicodeDecodeError, RecursionError) as error:
            message = f"the message is not one of {method.name}: {str(error)[:500]}"
            raise Failed(Failure("invalid_argument", message)) from None

    def _encoded(self, data: bytes, method: Method) -> bytes:
        if not self._is_json:
            return data
        made = method.response.FromString(data)
        return bytes(json_format.MessageToJson(made, indent=None).encode())


class _Unary(_Protocol):
    """Connect, of a method without a stream."""

    def message(self, body: bytes, method: Method) -> bytes:
        return self._decoded(body, method)

    async def answer(self, messages: AsyncIterator[bytes], method: Method) -> Response:
        found = [self._encoded(message, method) async for message in messages]
        return Response(found[0], media_type=self._type)

    def failed(self, failure: Failure) -> Response:
        status = _STATUS.get(failure.code, 500)
        return Response(json.dumps(failure.connect()), status, media_type="application/json")


class _Enveloped(_Protocol):
    """Messages with five bytes before each: flags, and the length."""

    end_flag = 0x02

    def message(self, body: bytes, method: Method) -> bytes:
        if len(body) < 5:
            raise Failed(Failure("invalid_argument", "the envelope of the message is missing"))
        flags, length = struct.unpack(">BI", body[:5])
        if flags != 0 or len(body) != 5 + length:
            raise Failed(Failure("invalid_argument", "one message without compression is needed"))
        return self._decoded(body[5:], method)

    async def answer(self, messages: AsyncIterator[bytes], method: Method) -> Response:
        async def content() -> AsyncIterator[bytes]:
            failure = None
            try:
                async for message in messages:
                    yield _envelope(0, self._encoded(message, method))
            except Failed as failed:
                failure = failed.failure
            yield _envelope(self.end_flag, self._end(failure))

        return StreamingResponse(content(), media_type=self._type)

    def failed(self, failure: Failure) -> Response:
        return Response(_envelope(self.end_flag, self._end(failure)), media_type=self._type)

    def _end(self, failure: Failure | None) -> bytes:
        raise NotImplementedError


class _Stream(_Enveloped):
    """Connect, of a method that answers with a stream."""

    streams = True

    def _end(self, failure: Failure | None) -> bytes:
        return json.dumps({} if failure is None else {"error": failure.connect()}).encode()


class _GrpcWeb(_Enveloped):
    """gRPC-Web, of any method."""

    is_grpc_web = True
    end_flag = 0x80

    def _end(self, failure: Failure | None) -> bytes:
        if failure is None:
            return b"grpc-status: 0\r\n"
        lines = [f"grpc-status: {failure.number}", f"grpc-message: {quote(failure.message)}"]
        if failure.details:
            lines.append(f"grpc-status-details-bin: {_base64(failure.details)}")
        return "".join(f"{line}\r\n" for line in lines).encode()


_PROTOCOLS: Mapping[str, tuple[type[_Protocol], bool]] = {
    "application/json": (_Unary, True),
    "application/proto": (_Unary, False),
    "application/connect+json": (_Stream, True),
    "application/connect+proto": (_Stream, False),
    "application/grpc-web": (_GrpcWeb, False),
    "application/grpc-web+proto": (_GrpcWeb, False),
    "application/grpc-web+json": (_GrpcWeb, True),
}


def _protocol_of(content_type: str) -> _Protocol | None:
    name = content_type.partition(";")[0].strip().lower()
    found = _PROTOCOLS.get(name)
    return None if found is None else found[0](name, found[1])


def _envelope(flags: int, data: bytes) -> bytes:
    return struct.pack(">BI", flags, len(data)) + data


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode().rstrip("=")
