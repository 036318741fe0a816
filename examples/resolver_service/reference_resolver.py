"""A resolver service for Stagedoor: reference_resolver.py DIRECTORY URI ADDRESS, such as /show asset://show localhost:50061.

Serves the files of the directory below the URI. docs/resolver_service.md says how to run it.
"""
from __future__ import annotations

import os
import posixpath
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from stagedoor.resolver.v1 import resolver_pb2 as pb
from stagedoor.resolver.v1 import resolver_pb2_grpc as stubs

MAX_PATH_BYTES = 16384
MAX_PIECE_BYTES = 1 << 20
MAX_REPORTED_CHANGES = 1000
SHOWN_CHARACTERS = 300  # of a path, in messages
WATCH_SECONDS = 1.0

CODES = {
    ValueError: grpc.StatusCode.INVALID_ARGUMENT,
    FileNotFoundError: grpc.StatusCode.NOT_FOUND,
    PermissionError: grpc.StatusCode.PERMISSION_DENIED,
}


def code_of(error: Exception) -> grpc.StatusCode:
    return CODES.get(type(error), grpc.StatusCode.UNAVAILABLE)


def each(items: Iterable[str], answer: Callable[[str], Any], result: type) -> list[Any]:
    """The answer for each item of a bulk call. An item that fails is a `result` with an error, and the others are answered."""
    results = []
    for item in items:
        try:
            results.append(answer(item))
        except (OSError, ValueError) as error:
            code = f"ERROR_CODE_{code_of(error).name}"
            results.append(result(error=pb.ItemError(code=code, message=str(error))))
    return results


def info_of(status: os.stat_result) -> pb.AssetInfo:
    """Version and size of a file. The version will do for files that are replaced by renaming."""
    return pb.AssetInfo(version=f"{status.st_mtime_ns:x}-{status.st_size:x}", size=status.st_size)


class DirectoryService(stubs.ResolverServiceServicer):
    """Serves the files of a directory. Resolved paths are the identifiers themselves."""

    def __init__(self, directory: str, uri: str) -> None:
        self.root = os.path.realpath(directory)
        self.uri = uri.rstrip("/")

    # ------------------------------------------------------------------------------------- paths

    def normalized(self, path: str) -> str | None:
        """The path without "." and "..", if it is a URI below the service's; raises ValueError if it cannot be a path."""
        if not 0 < len(path.encode()) <= MAX_PATH_BYTES or "\0" in path:
            raise ValueError(f"not an asset path: {path[:SHOWN_CHARACTERS]}")
        if not path.startswith(self.uri + "/"):
            return None
        below = path[len(self.uri) :].lstrip("/")
        return self.uri + posixpath.normpath("/" + below)  # which does not lead above "/"

    def file_of(self, uri: str) -> str:
        """Where the file of a normalized URI would be."""
        return self.root + uri[len(self.uri) :]

    def find(self, path: str) -> tuple[str, str]:
        """The normalized URI and the file of an asset; raises FileNotFoundError if it does not exist."""
        uri = self.normalized(path)
        if uri is not None:
            file = os.path.realpath(self.file_of(uri))  # symbolic links may lead out of the directory
            if os.path.isfile(file) and os.path.commonpath([file, self.root]) == self.root:
                return uri, file
        raise FileNotFoundError(f"no such asset: {path[:SHOWN_CHARACTERS]}")

    def identifier(self, path: str, anchor: str) -> str:
        """The identifier of an asset path in a layer; paths of other services stay as they are."""
        uri = self.normalized(path)
        if uri is not None:
            return uri
        if "://" in path or path.startswith("/"):
            return path
        uri = self.normalized(posixpath.dirname(anchor) + "/" + path)
        is_search_path = path.split("/")[0] not in (".", "..")
        if uri is None or (is_search_path and not os.path.isfile(self.file_of(uri))):
            return path  # Stagedoor looks for it in the search paths of the stage
        return uri

    # ------------------------------------------------------------------------------------- calls

    def CreateIdentifier(self, request: pb.CreateIdentifierRequest, context: grpc.ServicerContext) -> pb.CreateIdentifierResponse:
        def answer(path: str) -> pb.IdentifierResult:
            return pb.IdentifierResult(identifier=self.identifier(path, request.anchor))

        return pb.CreateIdentifierResponse(results=each(request.asset_paths, answer, pb.IdentifierResult))

    def Resolve(self, request: pb.ResolveRequest, context: grpc.ServicerContext) -> pb.ResolveResponse:
        def answer(path: str) -> pb.ResolveResult:
            uri, _ = self.find(path)
            return pb.ResolveResult(resolved_path=uri)

        return pb.ResolveResponse(results=each(request.identifiers, answer, pb.ResolveResult))

    def GetVersions(self, request: pb.GetVersionsRequest, context: grpc.ServicerContext) -> pb.GetVersionsResponse:
        def answer(path: str) -> pb.VersionResult:
            _, file = self.find(path)
            return pb.VersionResult(info=info_of(os.stat(file)))

        return pb.GetVersionsResponse(results=each(request.resolved_paths, answer, pb.VersionResult))

    def Read(self, request: pb.ReadRequest, context: grpc.ServicerContext) -> Iterator[pb.ReadResponse]:
        try:
            _, name = self.find(request.resolved_path)
            file = os.open(name, os.O_RDONLY)
        except (OSError, ValueError) as error:
            context.abort(code_of(error), str(error))
        try:
            yield from self.parts(file, request, context)
        finally:
            os.close(file)

    def parts(self, file: int, request: pb.ReadRequest, context: grpc.ServicerContext) -> Iterator[pb.ReadResponse]:
        """The header and the ranges of an open file, all of the same version."""
        header = info_of(os.fstat(file))
        if request.version not in ("", header.version):
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"another version: {request.resolved_path}")
        yield pb.ReadResponse(header=header)
        if request.known_version == header.version:
            return
        for part in request.ranges:
            end = min(part.offset + part.size, header.size)
            for offset in range(part.offset, end, MAX_PIECE_BYTES):
                data = os.pread(file, min(end - offset, MAX_PIECE_BYTES), offset)
                if info_of(os.fstat(file)) != header:
                    context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"changed: {request.resolved_path}")
                yield pb.ReadResponse(piece=pb.Piece(offset=offset, data=data))

    def Watch(self, request: pb.WatchRequest, context: grpc.ServicerContext) -> Iterator[pb.WatchResponse]:
        """Compares the versions of all files once a second. A database would report its changes instead."""
        ended = threading.Event()
        context.add_callback(ended.set)
        before = self.watched_versions(request)
        yield pb.WatchResponse(started=pb.WatchStarted())
        while not ended.wait(WATCH_SECONDS):
            now = self.watched_versions(request)
            changed = [path for path in {**before, **now} if before.get(path) != now.get(path)]
            before = now
            if len(changed) > MAX_REPORTED_CHANGES:
                yield pb.WatchResponse(everything=pb.EverythingChanged())
            elif changed:
                yield pb.WatchResponse(changed=pb.AssetsChanged(resolved_paths=changed))

    def watched_versions(self, request: pb.WatchRequest) -> dict[str, str]:
        """The versions of the assets that exist and are watched, by resolved path."""
        paths, prefixes = set(request.resolved_paths), tuple(request.prefixes)
        found = {}
        for folder, _, names in os.walk(self.root):
            for name in names:
                uri = f"{self.uri}{folder[len(self.root) :]}/{name}"
                if uri in paths or uri.startswith(prefixes):
                    try:
                        found[uri] = info_of(os.stat(self.find(uri)[1])).version
                    except (OSError, ValueError):  # removed, a link that leads out of the directory, or not UTF-8
                        continue
        return found


def main(directory: str, uri: str, address: str) -> None:
    server = grpc.server(ThreadPoolExecutor(max_workers=32))
    stubs.add_ResolverServiceServicer_to_server(DirectoryService(directory, uri), server)
    server.add_insecure_port(address)
    server.start()
    print("serving", directory, uri, address, flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main(*sys.argv[1:])
