"""The example of docs/inspector.md: the API from TypeScript, by code made from the protos."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from conftest import REPOSITORY, STAGE_DOOR, Inspector
from playwright.sync_api import Browser

PACKAGES = pathlib.Path(os.environ.get("STAGEDOOR_INSPECTOR_PACKAGES", "")).absolute()
EXAMPLE = re.compile(r"^```ts\n(.*?)^```", re.M | re.S)


def run(*command: object, **options: object) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_example_of_the_documentation(tmp_path, inspector):
    tools = PACKAGES / "node_modules/.bin"
    if not (tools / "protoc-gen-es").exists():
        pytest.skip("STAGEDOOR_INSPECTOR_PACKAGES does not name the packages of npm")
    (tmp_path / "node_modules").symlink_to(PACKAGES / "node_modules")
    protos = sorted((REPOSITORY / "proto/stagedoor/v1").glob("*.proto"))
    plugin = f"--plugin=protoc-gen-es={tools / 'protoc-gen-es'}"
    options = ["--es_opt=target=ts", f"--es_out={tmp_path / 'gen'}", f"-I{REPOSITORY / 'proto'}"]
    (tmp_path / "gen").mkdir()
    run(sys.executable, "-m", "grpc_tools.protoc", plugin, *options, *protos)
    (example,) = EXAMPLE.findall((REPOSITORY / "docs/inspector.md").read_text(encoding="utf-8"))
    (tmp_path / "example.ts").write_text(example)
    token = parse_qs(urlsplit(inspector.url).query)["token"][0]
    arguments = json.dumps([inspector.origin, token, str(STAGE_DOOR)])
    (tmp_path / "main.ts").write_text(
        f'import {{ prims }} from "./example";\n'
        f"prims(...({arguments} as [string, string, string])).then((found) => "
        'console.log(found.join("\\n")));\n'
    )
    checks = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext"]
    run(tools / "tsc", *checks, "--moduleResolution", "bundler", "main.ts", cwd=tmp_path)
    bundle = ["--bundle", "--platform=node", "--outfile=main.js", "--log-level=error"]
    run(tools / "esbuild", "main.ts", *bundle, cwd=tmp_path)
    found = run("node", "main.js", cwd=tmp_path).splitlines()
    assert found[0] == "Xform /Shot" and "Camera /Shot/Camera" in found


# A call of the API by a page, in JSON; the reason if the browser refuses it.
CALL = """([url, token]) => fetch(url + "/stagedoor.v1.StagesService/OpenStage", {
  method: "POST",
  headers: { "content-type": "application/json", "x-stagedoor-token": token },
  body: JSON.stringify({ rootLayer: "%s" }),
}).then((answer) => answer.json(), (error) => ({ refused: String(error) }))"""


class Empty(BaseHTTPRequestHandler):
    """A page without content."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def elsewhere():
    """The origin of a page that is not the inspector's."""
    server = HTTPServer(("127.0.0.1", 0), Empty)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_pages_of_other_origins_get_in_only_if_they_are_named(
    browser: Browser, daemon, inspector, elsewhere
):
    page = browser.new_page()
    page.goto(elsewhere)
    call = CALL % STAGE_DOOR
    token = parse_qs(urlsplit(inspector.url).query)["token"][0]
    assert "refused" in page.evaluate(call, [inspector.origin, token])
    open_one = Inspector(daemon.address, "--allow-origin", elsewhere)
    token = parse_qs(urlsplit(open_one.url).query)["token"][0]
    assert page.evaluate(call, [open_one.origin, token])["handle"]
    assert page.evaluate(call, [open_one.origin, "wrong"])["code"] == "unauthenticated"
    open_one.stop()
    page.close()
