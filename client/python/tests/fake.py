"""A server that answers as a test says, to see what a client does with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc

from stagedoor._proto import METHODS, error_details, v1

Handler = Callable[[Any, grpc.ServicerContext], Any]


class FakeDaemon(grpc.GenericRpcHandler):
    def __init__(self, address: str = "127.0.0.1:0", **handlers: Handler) -> None:
        self.calls: list[str] = []
        self.metadata: list[dict[str, str]] = []
        self._handlers = {"OpenStage": opened, "CloseStage": closed, **handlers}
        self._server = grpc.server(futures.ThreadPoolExecutor(8))
        self._server.add_generic_rpc_handlers((self,))
        port = self._server.add_insecure_port(address)
        self.address = address if address.startswith("unix:") else f"127.0.0.1:{port}"
        self._server.start()

    def service(self, details: Any) -> Any:
        method = METHODS[details.method.rpartition("/")[2]]

        def answer(request: Any, context: grpc.ServicerContext) -> Any:
            self.calls.append(method.name)
            self.metadata.append(dict(context.invocation_metadata()))
            return self._handlers[method.name](request, context)

        def answers(request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
            yield from answer(request, context)

        make = (
            grpc.unary_stream_rpc_method_handler
            if method.streams
            else (grpc.unary_unary_rpc_method_handler)
        )
        return make(
            answers if method.streams else answer,
            request_deserializer=method.request.FromString,
            response_serializer=method.response.SerializeToString,
        )

    def __enter__(self) -> FakeDaemon:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(None)


class FakeClock:
    """The clock of a client. It moves only while the client pauses and when a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def opened(request: Any, _: Any) -> Any:
    stage = {"root_layer": request.root_layer, "snapshot": "s1"}
    reply = v1.OpenStageResponse(handle="h", stage=stage)
    reply.lease_expire_time.seconds = int(time.time()) + 300
    return reply


def closed(_: Any, __: Any) -> Any:
    return v1.CloseStageResponse()


def number(value: float) -> Any:
    """A reply with one number."""
    column = {"type_name": "double", "doubles": [value]}
    return v1.BatchGetValuesResponse(snapshot="s1", path_count=1, time_count=1, columns=[column])


def fail(
    context: grpc.ServicerContext, code: grpc.StatusCode, reason: str, retry: float | None = None
) -> Any:
    """Ends a call with an error of the daemon."""
    status = error_details.Status(code=code.value[0], message="no")
    info = error_details.ErrorInfo(reason=reason, domain="stagedoor.dev", metadata={"path": "/A"})
    detail = status.details.add()
    detail.type_url = "type.googleapis.com/google.rpc.ErrorInfo"
    detail.value = info.SerializeToString()
    if retry is not None:
        advice = error_details.RetryInfo()
        advice.retry_delay.nanos = int(retry * 1e9)
        detail = status.details.add()
        detail.type_url = "type.googleapis.com/google.rpc.RetryInfo"
        detail.value = advice.SerializeToString()
    context.set_trailing_metadata([("grpc-status-details-bin", status.SerializeToString())])
    context.abort(code, "no")


def fail_first(count: int, failure: Handler, then: Handler) -> Handler:
    """Fails the first calls, then answers."""
    left = [count]

    def handler(request: Any, context: grpc.ServicerContext) -> Any:
        left[0] -= 1
        return failure(request, context) if left[0] >= 0 else then(request, context)

    return handler
