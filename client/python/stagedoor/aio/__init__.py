"""The asyncio client: the surface of `stagedoor`, with methods and properties that are awaited.

import stagedoor.aio

async with await stagedoor.aio.open("/show/shot.usda") as stage:
    points = await stage["/World/Char.points"].get(12)
    async for prim in stage.traverse(type="Mesh"):
        print(prim.path, await prim.kind)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from stagedoor._options import TLS, Address, make_options
from stagedoor.aio.attribute import Attribute, Relationship
from stagedoor.aio.camera import Camera
from stagedoor.aio.client import Client
from stagedoor.aio.frame import Frame
from stagedoor.aio.prim import Prim
from stagedoor.aio.stage import Stage


def connect(
    address: Address = None,
    *,
    tls: bool | TLS | None = None,
    token: str | Callable[[], str] | None = None,
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
    """A client of a daemon. See stagedoor.connect."""
    return Client(
        make_options(
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


async def open(
    root_layer: str | os.PathLike[str],
    address: Address = None,
    *,
    connection: dict[str, Any] | None = None,
    **options: Any,
) -> Stage:
    """Opens a stage with a connection of its own. See stagedoor.open."""
    client = connect(address, **(connection or {}))
    try:
        stage = await client.open(root_layer, **options)
    except BaseException:
        await client.close()
        raise
    return Stage(client, stage._session, owns_client=True)


__all__ = [
    "Attribute",
    "Camera",
    "Client",
    "Frame",
    "Prim",
    "Relationship",
    "Stage",
    "connect",
    "open",
]
