"""Composed USD scenes from a Stagedoor daemon, as NumPy arrays.

import stagedoor

with stagedoor.open("/show/shot.usda") as stage:
    points = stage["/World/Char.points"].get(12)
    for prim in stage.traverse(type="Mesh"):
        print(prim.path, prim["points"].get(12).shape)
"""

from __future__ import annotations

import os as _os
from collections.abc import Callable as _Callable
from typing import Any as _Any

from stagedoor._calls import call_options
from stagedoor._options import TLS
from stagedoor._options import Address as _Address
from stagedoor._options import make_options as _make_options
from stagedoor._path import SharedPath as _SharedPath
from stagedoor._version import __version__
from stagedoor._watch import Changes
from stagedoor.attribute import Attribute, Relationship
from stagedoor.batch import Values
from stagedoor.camera import Camera
from stagedoor.client import Client
from stagedoor.errors import (
    AccessError,
    ConflictError,
    DeadlineError,
    Error,
    InvalidArgumentError,
    LeaseError,
    NotFoundError,
    UnavailableError,
)
from stagedoor.frame import Frame
from stagedoor.prim import Prim
from stagedoor.results import Shutter
from stagedoor.stage import Stage
from stagedoor.types import AssetPath, State, TimeCode
from stagedoor.watch import Subscription, Watch

__path__ = _SharedPath(__path__)  # so that code generated from our protos is found beside it

from stagedoor import aio


def connect(
    address: _Address = None,
    *,
    tls: bool | TLS | None = None,
    token: str | _Callable[[], str] | None = None,
    token_file: str | None = None,
    timeout: float = 60.0,
    connect_timeout: float | None = None,
    max_attempts: int = 4,
    array_cache_bytes: int = 256 << 20,
    query_socket: bool = True,
    coalescing: bool = True,
    lease_ttl: float | None = None,
    client_name: str = "",
    proxy: str | None = None,
) -> Client:
    """A client of a daemon. Nothing is sent before the first call.

    address: "HOST:PORT" or "unix:PATH"; several, as a list or separated by commas, for daemons that
      serve the same scenes: if one cannot be reached, the client turns to the next. By default, the
      environment variable STAGEDOOR_ADDRESS, or else a private daemon of this user: the first call
      starts it, if its program is installed and none runs, and says so on standard error. "none",
      also in the variable, means that there is to be none.
    tls: True, or a TLS object with files; by default, as STAGEDOOR_TLS_CA and others say.
    token, token_file: a bearer token, a function that returns it, or a file that is read again
      when it may have changed (STAGEDOOR_TOKEN_FILE). Sent only over TLS, or to this machine.
    timeout: the deadline of each call in seconds, retries included; see `call_options`. That of
      Stage.skinned_points includes the time of the loop that receives the prims.
    connect_timeout: how long a call is repeated while no daemon has ever answered; by default 10
      seconds, but not if nothing listens at an address of this machine.
    max_attempts: of a call that the daemon asks to repeat.
    array_cache_bytes: how much memory the arrays may take that are kept, so that the daemon need
      not send them again; 0 for none.
    query_socket: whether values are read over the query socket of a daemon at a Unix socket, if it
      offers one (stagedoord --query-socket); see `Client.statistics`.
    coalescing: whether values that threads or tasks ask for while others are in flight travel in
      one call over gRPC.
    lease_ttl: how long the daemon keeps a stage after this process has died, in seconds.
    client_name: a name for lists of the daemon's operators, for example "farm/node-17".
    proxy: the URL of an HTTP proxy to connect through, such as "http://proxy:3128", or
      "environment" for the one that http_proxy and the like name; by default, what STAGEDOOR_PROXY
      says, or else none.
    """
    return Client(
        _make_options(
            address,
            tls=tls,
            token=token,
            token_file=token_file,
            timeout=timeout,
            connect_timeout=connect_timeout,
            max_attempts=max_attempts,
            array_cache_bytes=array_cache_bytes,
            query_socket=query_socket,
            coalescing=coalescing,
            lease_ttl=lease_ttl,
            client_name=client_name,
            proxy=proxy,
        )
    )


def open(
    root_layer: str | _os.PathLike[str],
    address: _Address = None,
    *,
    connection: dict[str, _Any] | None = None,
    **options: _Any,
) -> Stage:
    """Opens a stage with a connection of its own. The options are those of `Client.open`.

    connection: the options of `connect`.
    """
    client = connect(address, **(connection or {}))
    try:
        stage = client.open(root_layer, **options)
    except BaseException:
        client.close()
        raise
    return Stage(client, stage._session, owns_client=True)


__all__ = [
    "TLS",
    "AccessError",
    "AssetPath",
    "Attribute",
    "Camera",
    "Changes",
    "Client",
    "ConflictError",
    "DeadlineError",
    "Error",
    "Frame",
    "InvalidArgumentError",
    "LeaseError",
    "NotFoundError",
    "Prim",
    "Relationship",
    "Shutter",
    "Stage",
    "State",
    "Subscription",
    "TimeCode",
    "UnavailableError",
    "Values",
    "Watch",
    "__version__",
    "aio",
    "call_options",
    "connect",
    "open",
]
