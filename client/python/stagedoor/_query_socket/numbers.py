"""The numbers that a client gives to stages and paths on its query connection."""

from __future__ import annotations

from stagedoor._proto import Message, v1

_MAX_PATHS = 100_000
_MAX_STAGES = 256


class _Stage:
    """A stage that has a number, as the daemon knows it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.snapshot: str | None = None  # None: not bound yet
        self.interpolation = 0
        self.paths: dict[str, int] = {}


class QueryNumbers:
    """Makes the frames that ask a request: what the daemon does not know yet, and the query.

    Keeps a bounded number of paths: beyond it, all of them are forgotten, here and by the daemon,
    and numbered anew as they are used. Not thread-safe.
    """

    def __init__(self, max_paths: int = _MAX_PATHS) -> None:
        self._max_paths = max_paths
        self._stages: dict[str, _Stage] = {}  # by handle
        self._path_count = 0  # of all stages

    def frames(self, request: Message, request_id: int) -> tuple[Message, Message]:
        """The ClientFrames to send, and the Query in it. The request must not name a path set."""
        made = v1.ClientFrames()
        paths = request.paths
        if self._path_count + len(paths) > self._max_paths:
            self._forget_all(made)
        stage = self._stage_of(request, made)
        numbers = [stage.paths.get(path) for path in paths]
        if None in numbers:
            self._bind_paths(stage, paths, made)
            numbers = [stage.paths[path] for path in paths]
        query = made.frames.add().query
        query.request_id = request_id
        query.stage = stage.number
        query.paths.extend(numbers)
        if request.HasField("times"):
            query.times.CopyFrom(request.times)
        if request.HasField("digest_options"):
            query.digest_options.CopyFrom(request.digest_options)
        query.paired = request.paired
        query.with_sources = request.with_sources
        return made, query

    def _stage_of(self, request: Message, made: Message) -> _Stage:
        ref = request.stage
        stage = self._stages.get(ref.handle)
        if stage is None:
            if len(self._stages) >= _MAX_STAGES:
                self._forget_all(made)
            stage = self._stages[ref.handle] = _Stage(len(self._stages))
        if (stage.snapshot, stage.interpolation) != (ref.snapshot, request.interpolation):
            stage.snapshot, stage.interpolation = ref.snapshot, request.interpolation
            bind = made.frames.add().bind_stage
            bind.stage = stage.number
            bind.ref.CopyFrom(ref)
            bind.interpolation = request.interpolation
        return stage

    def _bind_paths(self, stage: _Stage, paths: list[str], made: Message) -> None:
        """Gives consecutive numbers to the paths that have none."""
        new = list(dict.fromkeys(path for path in paths if path not in stage.paths))
        bind = made.frames.add().bind_paths
        bind.stage = stage.number
        bind.first = len(stage.paths)
        bind.paths.extend(new)
        stage.paths.update(zip(new, range(bind.first, bind.first + len(new))))
        self._path_count += len(new)

    def _forget_all(self, made: Message) -> None:
        for stage in self._stages.values():
            made.frames.add().unbind.stage = stage.number
        self._stages.clear()
        self._path_count = 0
