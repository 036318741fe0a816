"""What a client says about itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ClientStatistics:
    """How the values that a client reads travel (stagedoord --query-socket).

    query_socket: whether there is a connection to the query socket of the daemon at present.
    socket_queries, grpc_queries: the calls of BatchGetValues that were answered over it, and those
      that went over gRPC. Queries that travelled together count once.
    """

    query_socket: bool
    socket_queries: int
    grpc_queries: int
