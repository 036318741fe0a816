"""The server of the inspector: which URL is answered by what."""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import stagedoor.aio
from stagedoor import call_options
from stagedoor.errors import Error
from stagedoor.inspect import (
    _compare,
    _door,
    _edit,
    _events,
    _layer_text,
    _looks,
    _operate,
    _overview,
    _plots,
    _prim,
    _search,
    _tree,
    _viewport,
    _why,
)
from stagedoor.inspect._ask import (
    Ask,
    Refused,
    ask_of,
    error_answer,
    json_answer,
    lines_answer,
)
from stagedoor.inspect._guard import Guard, Site
from stagedoor.inspect._held import HeldStage, Stages, stage_key

WEB = pathlib.Path(__file__).with_name("web")
NOT_BUILT = (
    "This installation of the inspector has no page.\n\n"
    "Install the wheel of a release, or run tools/inspector_build.sh in the repository.\n"
)
_TIMEOUT = 30.0  # seconds of a call to the daemon

About = Callable[[HeldStage, Ask], Awaitable[dict[str, Any]]]
Packs = Callable[[HeldStage, Ask], Awaitable[Response]]
Streams = Callable[[HeldStage, Ask], AsyncIterator[dict[str, Any]]]

# Requests about a stage that are answered with a JSON object.
_READS: dict[str, About] = {
    "stage": _overview.describe,
    "boxes": _viewport.boxes,
    "cameras": _viewport.cameras,
    "children": _tree.children,
    "position": _tree.position,
    "errors": _tree.errors,
    "editable": _edit.editable,
    "plottable": _plots.plottable,
    "arcs": _prim.arcs,
    "prim": _prim.prim,
    "properties": _prim.properties,
    "why": _why.why,
    "text": _layer_text.lines,
    "looks": _looks.looks,
    "light-link": _looks.light_link,
    "network": _looks.network,
    "computed": _looks.computed,
}
_POSTS: dict[str, About] = {
    "coarse": _viewport.coarse,
    "rows": _tree.rows,
    "edit": _edit.edit,
    "undo": _edit.undo,
    "residency": _plots.residency,
    "values": _prim.values,
}
# Requests that are answered with arrays, or a file.
_PACKED: dict[str, Packs] = {
    "curve": _plots.curve,
    "export": _edit.export,
    "frame": _viewport.frame,
}
# Requests that are answered with a stream of lines.
_STREAMS: dict[str, Streams] = {
    "events": _events.events,
    "search": _search.search,
}


class Server:
    """The application and what it holds. `client` is closed with it.

    origins: those of other pages that may call the daemon through this server.
    """

    def __init__(
        self, client: stagedoor.aio.Client, site: Site, origins: frozenset[str] = frozenset()
    ) -> None:
        self.site = site
        self.stages = Stages(client)
        self.replicas = _operate.Replicas(client)
        routes = [
            Route("/", self._page),
            Route("/licenses.txt", self._licenses),
            Route("/api/stages", self._answer(self._list_stages)),
            Route("/api/operate", self._answer(self._operate)),
            Route("/api/compare", self._answer(self._compare)),
            Route("/api/session", self._answer(self._begin_session), methods=["POST"]),
            Route("/api/end", self._answer(self._end_session), methods=["POST"]),
            *(self._route(name, about, "GET") for name, about in _READS.items()),
            *(self._packed_route(name, about) for name, about in _PACKED.items()),
            *(self._stream_route(name, about) for name, about in _STREAMS.items()),
            *(self._route(name, about, "POST") for name, about in _POSTS.items()),
        ]
        if (WEB / "assets").is_dir():
            routes.append(Mount("/assets", _Assets(directory=WEB / "assets")))  # type: ignore[arg-type]
        routes.append(Route(_door.PREFIX + "{rest:path}", self._call, methods=["POST", "OPTIONS"]))
        self.app = Guard(
            Starlette(routes=routes, lifespan=self._life), site, open_paths=[_door.PREFIX]
        )
        self._door = _door.Door(client, self.app, origins)

    @contextlib.asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self.replicas.close()
            await self.stages.client.close()

    # ----------------------------------------------------------------------------------- answers

    def _route(self, name: str, about: About, method: str) -> Route:
        async def answer(ask: Ask) -> Response:
            held = await self.stages.get(stage_key(ask))
            return json_answer(await about(held, ask))

        return Route(f"/api/{name}", self._answer(answer), methods=[method])

    def _packed_route(self, name: str, about: Packs) -> Route:
        async def answer(ask: Ask) -> Response:
            return await about(await self.stages.get(stage_key(ask)), ask)

        return Route(f"/api/{name}", self._answer(answer))

    def _stream_route(self, name: str, about: Streams) -> Route:
        async def answer(ask: Ask) -> Response:
            return lines_answer(about(await self.stages.get(stage_key(ask)), ask))

        return Route(f"/api/{name}", self._answer(answer))

    def _answer(
        self, function: Callable[[Ask], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def answering(request: Request) -> Response:
            try:
                with call_options(timeout=_TIMEOUT):
                    return await function(await ask_of(request))
            except (Error, Refused, ValueError) as error:
                return error_answer(error)

        return answering

    async def _page(self, _: Request) -> Response:
        page = WEB / "index.html"
        return FileResponse(page) if page.is_file() else PlainTextResponse(NOT_BUILT, 501)

    async def _licenses(self, _: Request) -> Response:
        texts = WEB / "licenses.txt"
        return FileResponse(texts) if texts.is_file() else PlainTextResponse(NOT_BUILT, 501)

    async def _list_stages(self, ask: Ask) -> Response:
        return json_answer(await _overview.stages(self.stages, ask))

    async def _call(self, request: Request) -> Response:
        return await self._door(request)

    async def _begin_session(self, ask: Ask) -> Response:
        return json_answer(_edit.begin(self.stages, ask))

    async def _end_session(self, ask: Ask) -> Response:
        return json_answer(await _edit.end(self.stages, ask))

    async def _compare(self, ask: Ask) -> Response:
        return lines_answer(_compare.compare(self.stages, ask))

    async def _operate(self, ask: Ask) -> Response:
        return json_answer(await _operate.operate(self.replicas, ask))


class _Assets(StaticFiles):
    """The files that the page consists of, whose names change with their content."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        answer = super().file_response(*arguments, **options)
        answer.headers["cache-control"] = "max-age=31536000, immutable"
        return answer
