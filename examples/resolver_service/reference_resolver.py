"""A resolver service for Stagedoor: reference_resolver.py DIRECTORY URI ADDRESS, such as /show asset://show localhost:50061.
Serves the files of the directory below the URI. docs/resolver_service.md says how to run it."""
import os
import posixpath
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
import grpc
from grpc import StatusCode as Code
from stagedoor.resolver.v1 import resolver_pb2 as pb, resolver_pb2_grpc as stubs

CODES = {ValueError: Code.INVALID_ARGUMENT, FileNotFoundError: Code.NOT_FOUND, PermissionError: Code.PERMISSION_DENIED}
info = lambda status: pb.AssetInfo(version=f"{status.st_mtime_ns:x}-{status.st_size:x}", size=status.st_size)


def each(items, answer, result):
    for item in items:
        try:
            yield answer(item)
        except (OSError, ValueError) as error:
            yield result(error=pb.ItemError(code=CODES.get(type(error), Code.UNAVAILABLE).value[0], message=str(error)))


class DirectoryService(stubs.ResolverServiceServicer):
    def __init__(self, directory, uri):
        self.root, self.uri = os.path.realpath(directory), uri.rstrip("/")

    def normalized(self, path):  # the URI without "." and ".."; None if it is not below the service's
        if not 0 < len(path.encode()) <= 16384 or "\0" in path:
            raise ValueError(f"not an asset path: {path[:300]}")
        if path.startswith(self.uri + "/"):
            return self.uri + posixpath.normpath("/" + path[len(self.uri):].lstrip("/"))

    def find(self, path):  # the normalized URI and the file of an existing asset
        uri = self.normalized(path)
        file = uri and os.path.realpath(self.root + uri[len(self.uri):])  # follows symbolic links
        if not uri or not os.path.isfile(file) or os.path.commonpath([file, self.root]) != self.root:
            raise FileNotFoundError(f"no such asset: {path[:300]}")
        return uri, file

    def identifier(self, path, anchor):
        if self.normalized(path) or "://" in path or path.startswith("/"):
            return self.normalized(path) or path
        uri = self.normalized(posixpath.dirname(anchor) + "/" + path)
        searched = path.split("/")[0] not in (".", "..")  # stays as it is unless it is beside the anchor
        return path if not uri or searched and not os.path.isfile(self.root + uri[len(self.uri):]) else uri

    def CreateIdentifier(self, request, context):
        return pb.CreateIdentifierResponse(results=each(request.asset_paths, lambda path: pb.IdentifierResult(
            identifier=self.identifier(path, request.anchor)), pb.IdentifierResult))

    def Resolve(self, request, context):
        return pb.ResolveResponse(results=each(
            request.identifiers, lambda path: pb.ResolveResult(resolved_path=self.find(path)[0]), pb.ResolveResult))

    def GetVersions(self, request, context):
        return pb.GetVersionsResponse(results=each(
            request.resolved_paths, lambda path: pb.VersionResult(info=info(os.stat(self.find(path)[1]))), pb.VersionResult))

    def Read(self, request, context):
        try:
            file = open(self.find(request.resolved_path)[1], "rb", buffering=0)
        except (OSError, ValueError) as error:
            context.abort(CODES.get(type(error), Code.UNAVAILABLE), str(error))
        with file:
            header = info(os.fstat(file.fileno()))
            if request.version not in ("", header.version):
                context.abort(Code.FAILED_PRECONDITION, f"another version: {request.resolved_path}")
            yield pb.ReadResponse(header=header)
            for part in request.ranges if request.known_version != header.version else ():
                for offset in range(part.offset, min(part.offset + part.size, header.size), 1 << 20):
                    data = os.pread(file.fileno(), min(part.offset + part.size - offset, 1 << 20), offset)
                    if info(os.fstat(file.fileno())) != header:
                        context.abort(Code.FAILED_PRECONDITION, f"changed: {request.resolved_path}")
                    yield pb.ReadResponse(piece=pb.Piece(offset=offset, data=data))

    def Watch(self, request, context):
        def versions():
            paths = [self.uri + folder[len(self.root):] + "/" + name for folder, _, names in os.walk(self.root) for name in names]
            paths = [p for p in paths if p in request.resolved_paths or p.startswith(tuple(request.prefixes))]
            found = self.GetVersions(pb.GetVersionsRequest(resolved_paths=paths), context).results
            return {path: result.info.version for path, result in zip(paths, found)}
        before, ended = versions(), threading.Event()
        context.add_callback(ended.set)
        yield pb.WatchResponse(started=pb.WatchStarted())
        while not ended.wait(1):  # second
            now = versions()
            changed = [path for path in {**before, **now} if before.get(path) != now.get(path)]
            few = len(changed) < 1000 and pb.WatchResponse(changed=pb.AssetsChanged(resolved_paths=changed))
            yield few or pb.WatchResponse(everything=pb.EverythingChanged())
            before = now


if __name__ == "__main__":
    server = grpc.server(ThreadPoolExecutor(max_workers=32))
    stubs.add_ResolverServiceServicer_to_server(DirectoryService(*sys.argv[1:3]), server)
    server.add_insecure_port(sys.argv[3])
    server.start()
    print("serving", *sys.argv[1:], flush=True)
    server.wait_for_termination()
