"""The errors of the package.

Every failed call, and every item of a batch that failed, raises an `Error`. Its subclasses are also
the built-in exceptions that Python programs expect.
"""

from __future__ import annotations

import contextlib
import http
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import grpc

from stagedoor._proto import error_details, v1

_REASON_PREFIX = "ERROR_REASON_"
_CODES = {code.value[0]: code.name for code in grpc.StatusCode}

_HINTS = {
    "STAGE_NOT_FOUND": "open the stage again",
    "LEASE_EXPIRED": "open the stage again",
    "SNAPSHOT_GONE": "use the stage without a pinned snapshot",
    "SNAPSHOT_CONFLICT": "read the stage again, then repeat the edit",
    "SESSION_CONFLICT": "use another session name, or the options it was opened with",
    "LAYER_NOT_FOUND": "check the path; it is the daemon that opens it",
    "ASSET_FORBIDDEN": "ask the operator of the daemon for access to this asset",
    "METHOD_FORBIDDEN": "ask the operator of the daemon for a role with this method",
    "UNAUTHENTICATED": "pass token, token_file or a client certificate to stagedoor.connect()",
    "PRIM_NOT_FOUND": "check the path, the load policy and the population mask",
    "ATTRIBUTE_NOT_FOUND": "prim.property_names lists what the prim has",
    "WRONG_KIND": "read the targets of a relationship with prim.relationship(name).targets",
    "BUDGET_EXHAUSTED": "try again later",
    "STORE_UNAVAILABLE": "repeat the edit later; what is open can be read",
    "REQUEST_TOO_LARGE": "ask for fewer paths or times",
}


# The message of gRPC for an answer whose HTTP status is not 200.
_HTTP_STATUS = re.compile(r"http2 header with status: ([0-9]{3})")

# The message of gRPC for a message that is larger than the receiver or the sender accepts.
_TOO_LARGE = re.compile(r"(?:Received|Sent) message larger than max \((\d+) vs\. (\d+)\)")

_DAEMON_IS_AWAY = "the proxy cannot reach the daemon: check whether it runs"
_PROXY_HINTS = {
    404: "check the address: the proxy does not send calls of gRPC to a daemon",
    413: "ask for fewer paths at a time, or raise the proxy's limit for the size of requests",
    502: _DAEMON_IS_AWAY,
    503: _DAEMON_IS_AWAY,
    504: "the daemon did not answer in the time that the proxy allows",
}


class EditError(NamedTuple):
    """An edit that failed."""

    edit: int  # its index in the block
    error: Error


class Error(Exception):
    """A call, or an item of a batch, failed.

    message: what the daemon says, for people.
    code: the gRPC code, for example "NOT_FOUND".
    reason: a stable name for programs, for example "PRIM_NOT_FOUND"; empty if there is none.
    path, asset: the scene path and the asset concerned; empty if unknown.
    hint: what to do about it; empty if nothing is known to help.
    metadata: all that the daemon says about the error, by name.
    retry_delay: the seconds after which the daemon expects that a repeated call may succeed.
    edit_errors: the edits that failed, if a call of edits did; perhaps not all of them.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "UNKNOWN",
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        retry_delay: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.retry_delay = retry_delay
        self.edit_errors: list[EditError] = []
        self._hint = ""

    @property
    def path(self) -> str:
        return self.metadata.get("path", "")

    @property
    def asset(self) -> str:
        return self.metadata.get("asset", "") or self.metadata.get("layer", "")

    @property
    def hint(self) -> str:
        return self._hint or _HINTS.get(self.reason, "")

    @hint.setter
    def hint(self, text: str) -> None:
        self._hint = text

    def __str__(self) -> str:
        name = self.reason or self.code
        text = self.message if self.message else "the call failed"
        return f"{text} [{name}]" + (f"\nhint: {self.hint}" if self.hint else "")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r}, code={self.code}, reason={self.reason})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.message,), self.__dict__)


class NotFoundError(Error, LookupError):
    """A layer, prim, attribute or collection does not exist."""


class InvalidArgumentError(Error, ValueError):
    """A path, time or option is invalid, or an object is of the wrong kind."""


class AccessError(Error, PermissionError):
    """The daemon does not know the caller, or refuses the asset or the method."""


class DeadlineError(Error, TimeoutError):
    """The call did not end before its deadline."""


class UnavailableError(Error, ConnectionError):
    """No daemon can be reached, or the daemon cannot take the call now."""


class LeaseError(Error):
    """The lease of a stage is gone, and the stage cannot be opened again as it was."""


class ConflictError(Error):
    """An edit expected another snapshot to be the newest."""


_BY_CODE: dict[str, type[Error]] = {
    "NOT_FOUND": NotFoundError,
    "INVALID_ARGUMENT": InvalidArgumentError,
    "PERMISSION_DENIED": AccessError,
    "UNAUTHENTICATED": AccessError,
    "DEADLINE_EXCEEDED": DeadlineError,
    "UNAVAILABLE": UnavailableError,
}
_BY_REASON: dict[str, type[Error]] = {
    "STAGE_NOT_FOUND": LeaseError,
    "LEASE_EXPIRED": LeaseError,
    "SNAPSHOT_CONFLICT": ConflictError,
}


def make_error(
    message: str,
    *,
    code: str,
    reason: str = "",
    metadata: Mapping[str, str] | None = None,
    retry_delay: float | None = None,
) -> Error:
    """An error of the class that fits its code and reason."""
    kind = _BY_REASON.get(reason) or _BY_CODE.get(code, Error)
    return kind(message, code=code, reason=reason, metadata=metadata, retry_delay=retry_delay)


@contextlib.contextmanager
def sendable() -> Iterator[None]:
    """Raises an error of ours for a path or another text that is not UTF-8, and cannot be sent."""
    try:
        yield
    except ValueError as error:
        refused = unsendable(error)
        if refused is None:
            raise
        raise refused from None


def unsendable(error: ValueError) -> Error | None:
    """The error of ours for one that a text which is not UTF-8 raises; None for any other."""
    # Old versions of protobuf raise another one for it.
    cause = error if isinstance(error, UnicodeEncodeError) else error.__context__
    return not_utf8(cause) if isinstance(cause, UnicodeEncodeError) else None


def not_utf8(error: UnicodeEncodeError) -> Error:
    return make_error(
        f"not UTF-8 text: {ascii(error.object)[:200]}",
        code="INVALID_ARGUMENT",
        reason="INVALID_FIELD",
    )


def from_item(status: Any, path: str = "") -> Error:
    """The error of an item of a batch, made from its ItemStatus."""
    reason = ""
    if status.reason:
        try:
            reason = v1.ErrorReason.Name(status.reason)[len(_REASON_PREFIX) :]
        except ValueError:
            reason = ""  # of a later version of the API
    code = _CODES.get(status.code, "UNKNOWN")
    return make_error(
        status.message, code=code, reason=reason, metadata={"path": path} if path else None
    )


def from_rpc(error: Any) -> Error:
    """The error of a call, made from what gRPC raised."""
    code = error.code() or grpc.StatusCode.UNKNOWN
    status = http_status(error)
    if status is not None:
        return _of_proxy(status, code)
    if _connection_broke(error, code):
        code = grpc.StatusCode.UNAVAILABLE
    reason, metadata, delay, edits = _details(error.trailing_metadata())
    too_large = None if reason else _TOO_LARGE.search(error.details() or "")
    if too_large:
        return _too_large(int(too_large[1]), int(too_large[2]))
    made = make_error(
        error.details() or "", code=code.name, reason=reason, metadata=metadata, retry_delay=delay
    )
    made.edit_errors = edits
    return made


def _too_large(size: int, limit: int) -> Error:
    """The error for a message, of the client or of the daemon, that gRPC did not accept."""
    return make_error(
        f"a message of {size:,} bytes exceeds the limit of {limit:,}",
        code="RESOURCE_EXHAUSTED",
        reason="REQUEST_TOO_LARGE",
    )


def http_status(error: Any) -> int | None:
    """The status of HTTP, if something else than a daemon has answered, such as a proxy."""
    found = None if has_details(error) else _HTTP_STATUS.search(error.details() or "")
    return int(found[1]) if found else None


def _of_proxy(status: int, code: grpc.StatusCode) -> Error:
    """The error of a call that a proxy has answered."""
    name, hint = describe_http(status)
    if status == 413:
        code = grpc.StatusCode.RESOURCE_EXHAUSTED
    elif status >= 500:
        code = grpc.StatusCode.UNAVAILABLE
    made = make_error(
        f"a proxy in front of the daemon refused the call with HTTP status {name}",
        code=code.name,
        metadata={"http_status": str(status)},
    )
    made.hint = hint
    return made


def describe_http(status: int) -> tuple[str, str]:
    """A status with which a proxy refuses, such as "502 (Bad Gateway)", and what to do about it."""
    try:
        name = f"{status} ({http.HTTPStatus(status).phrase})"
    except ValueError:
        name = str(status)
    return name, _PROXY_HINTS.get(status, "ask the operator of the proxy")


def _connection_broke(error: Any, code: grpc.StatusCode) -> bool:
    """Whether gRPC has another code for a stream that a proxy ended because it lost the daemon."""
    if has_details(error):
        return False
    if code == grpc.StatusCode.UNKNOWN:  # which no daemon sends: the stream ended without a status
        return True
    resets = (grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED)
    return code in resets and "RST_STREAM" in (error.details() or "")


def has_details(error: Any) -> bool:
    """Whether the error comes from a daemon, rather than from the connection."""
    return any(key == "grpc-status-details-bin" for key, _ in error.trailing_metadata() or ())


def _edit_errors(detail: bytes) -> list[EditError]:
    errors = v1.EditErrors.FromString(detail).errors
    return [EditError(status.item, from_item(status)) for status in errors]


def _details(trailing: Any) -> tuple[str, dict[str, str], float | None, list[EditError]]:
    reason: str = ""
    metadata: dict[str, str] = {}
    delay: float | None = None
    edits: list[EditError] = []
    for key, value in trailing or ():
        if key != "grpc-status-details-bin":
            continue
        try:
            for detail in error_details.Status.FromString(value).details:
                kind = detail.type_url.rpartition(".")[2]
                if kind == "ErrorInfo":
                    info = error_details.ErrorInfo.FromString(detail.value)
                    reason, metadata = info.reason, dict(info.metadata)
                elif kind == "EditErrors":
                    edits = _edit_errors(detail.value)
                elif kind == "RetryInfo":
                    wait = error_details.RetryInfo.FromString(detail.value).retry_delay
                    delay = max(0.0, wait.seconds + wait.nanos / 1e9)
        except Exception:  # DecodeError has moved between versions of protobuf
            continue  # the code and message are known all the same
    return reason, metadata, delay, edits
