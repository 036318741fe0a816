"""The inspector's server, for tests that ask it as its page does."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

import stagedoor.aio
from stagedoor.inspect._guard import local_site
from stagedoor.inspect._server import Server

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

ORIGIN = "http://127.0.0.1:8390"


class Page:
    """What a page that was opened with the token asks; `stage` is the one that it shows."""

    def __init__(self, address: str, stage: object = "", origins: Iterable[str] = ()) -> None:
        self.site = local_site(8390)
        self.server = Server(stagedoor.aio.connect(address), self.site, frozenset(origins))
        self.http = TestClient(self.server.app, base_url=ORIGIN)
        self.stage = str(stage)
        self.session = ""

    def __enter__(self) -> Page:
        self.http.__enter__()
        self.http.get("/", params={"token": self.site.token}, follow_redirects=False)
        return self

    def __exit__(self, *error: Any) -> None:
        self.http.__exit__(*error)

    def _about(self, parameters: dict[str, Any]) -> dict[str, Any]:
        return {"stage": self.stage, "session": self.session, **parameters}

    def answer(self, name: str, /, **parameters: Any) -> Any:
        """The response to a question."""
        return self.http.get(f"/api/{name}", params=self._about(parameters))

    def ask(self, name: str, /, **parameters: Any) -> Any:
        """The JSON of the answer, which must be no error."""
        answer = self.answer(name, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, name: str, /, **parameters: Any) -> Any:
        return self.http.post(f"/api/{name}", json=self._about(parameters))

    def change(self, name: str, /, **parameters: Any) -> Any:
        answer = self.post(name, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def lines(self, name: str, /, **parameters: Any) -> list[Any]:
        """The lines of a stream that ends by itself."""
        answer = self.answer(name, **parameters)
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.text.splitlines()]

    def error(self, name: str, status: int = 400, /, **parameters: Any) -> dict[str, str]:
        """The error that a question is answered with."""
        answer = self.answer(name, **parameters)
        assert answer.status_code == status, answer.text
        found: dict[str, str] = answer.json()["error"]
        return found


def unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    length = int.from_bytes(content[:4], "little")
    header = json.loads(content[4 : 4 + length])
    arrays, at = {}, 4 + length
    assert at % 8 == 0
    for entry in header["arrays"]:
        count = int(np.prod(entry["shape"]))
        array = np.frombuffer(content, "<" + entry["type"], count, at)
        arrays[entry["name"]] = array.reshape(entry["shape"])
        at += -(-array.nbytes // 8) * 8
    assert at == len(content)
    return header, arrays
