"""Queries on a Unix socket without gRPC: docs/client_protocol.md, frames.proto.

`QueryChannel` knows the frames and no socket; `QueryLink` and `LoopLink` carry them for threads and
for an event loop; `Sight` decides when such a connection is looked for. Only for Linux.
"""
