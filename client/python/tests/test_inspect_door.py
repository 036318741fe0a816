"""The daemon's API for other web pages, through the inspector."""

from __future__ import annotations

import base64
import json
import struct

import grpc
import pytest
from fake import FakeDaemon, fail, number

pytest.importorskip("starlette")

from inspecting import ORIGIN, Page

from stagedoor._proto import METHODS, error_details, v1
from stagedoor.inspect import _command, _door

TOOL = "https://tool.studio.com"


@pytest.fixture
def page(daemon, folder):
    with Page(daemon.address, folder / "shot.usda") as page:
        yield page


def call(page, method, content, kind="application/json", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    headers = {"content-type": kind, **named}
    return page.http.post(METHODS[method].path, content=content, headers=headers)


def envelopes(content):
    found = []
    while content:
        flags, length = struct.unpack(">BI", content[:5])
        found.append((flags, content[5 : 5 + length]))
        content = content[5 + length :]
    return found


def handle_of(page):
    answer = call(page, "OpenStage", json.dumps({"rootLayer": page.stage}))
    assert answer.status_code == 200, answer.text
    return answer.json()["handle"]


def test_json(page):
    handle = handle_of(page)
    ask = {
        "stage": {"handle": handle},
        "paths": ["/World/Sizes/S003.radius"],
        "times": {"frames": [1]},
    }
    answer = call(page, "BatchGetValues", json.dumps(ask))
    assert answer.json()["columns"][0]["doubles"] == [3]
    assert answer.headers["content-type"] == "application/json"


def test_binary_messages_are_passed_on(page):
    request = v1.GetPrimRequest(stage=v1.StageRef(handle=handle_of(page)), path="/World")
    answer = call(page, "GetPrim", request.SerializeToString(), "application/proto")
    assert v1.GetPrimResponse.FromString(answer.content).prim.type_name == "Xform"


@pytest.mark.parametrize("kind", ["json", "proto"])
def test_streams(page, kind):
    request = v1.TraverseRequest(stage=v1.StageRef(handle=handle_of(page)))
    data = request.SerializeToString()
    if kind == "json":
        data = json.dumps({"stage": {"handle": request.stage.handle}}).encode()
    enveloped = struct.pack(">BI", 0, len(data)) + data
    answer = call(page, "Traverse", enveloped, f"application/connect+{kind}")
    *messages, end = envelopes(answer.content)
    assert end == (2, b"{}") and all(flags == 0 for flags, _ in messages)
    if kind == "json":
        paths = [prim["path"] for _, data in messages for prim in json.loads(data)["prims"]]
    else:
        found = [v1.TraverseResponse.FromString(data) for _, data in messages]
        paths = [prim.path for message in found for prim in message.prims]
    assert paths[:2] == ["/World", "/World/Static"] and len(paths) == 205


def test_grpc_web(page):
    data = v1.OpenStageRequest(root_layer=page.stage).SerializeToString()
    enveloped = struct.pack(">BI", 0, len(data)) + data
    answer = call(page, "OpenStage", enveloped, "application/grpc-web+proto")
    (_, message), (flags, trailers) = envelopes(answer.content)
    assert v1.OpenStageResponse.FromString(message).handle
    assert flags == 0x80 and trailers == b"grpc-status: 0\r\n"
    missing = v1.OpenStageRequest(root_layer="/nope.usda").SerializeToString()
    enveloped = struct.pack(">BI", 0, len(missing)) + missing
    answer = call(page, "OpenStage", enveloped, "application/grpc-web")
    ((flags, trailers),) = envelopes(answer.content)
    lines = dict(line.split(": ", 1) for line in trailers.decode().strip().split("\r\n"))
    assert flags == 0x80 and lines["grpc-status"] == "5" and "%" in lines["grpc-message"]
    details = lines["grpc-status-details-bin"]
    status = error_details.Status.FromString(base64.b64decode(details + "=" * (-len(details) % 4)))
    assert status.code == 5


def test_grpc_web_in_json(page):
    data = json.dumps({"rootLayer": page.stage}).encode()
    enveloped = struct.pack(">BI", 0, len(data)) + data
    answer = call(page, "OpenStage", enveloped, "application/grpc-web+json")
    (_, message), (flags, trailers) = envelopes(answer.content)
    assert json.loads(message)["handle"]
    assert flags == 0x80 and trailers == b"grpc-status: 0\r\n"


def test_compressed_messages_are_refused(page):
    answer = call(page, "GetCapabilities", "{}", content_encoding="gzip")
    assert answer.status_code == 501 and "without compression" in answer.json()["message"]


def test_errors_of_connect_have_details(page):
    answer = call(page, "OpenStage", json.dumps({"rootLayer": "/nope.usda"}))
    assert answer.status_code == 404
    found = answer.json()
    assert found["code"] == "not_found" and "/nope.usda" in found["message"]
    detail = next(d for d in found["details"] if d["type"] == "google.rpc.ErrorInfo")
    value = detail["value"] + "=" * (-len(detail["value"]) % 4)
    info = error_details.ErrorInfo.FromString(base64.b64decode(value))
    assert info.reason == "LAYER_NOT_FOUND"


def test_errors_of_streams_are_their_last_envelope(page):
    request = v1.TraverseRequest(stage=v1.StageRef(handle="nope")).SerializeToString()
    enveloped = struct.pack(">BI", 0, len(request)) + request
    answer = call(page, "Traverse", enveloped, "application/connect+proto")
    ((flags, end),) = envelopes(answer.content)
    assert answer.status_code == 200 and flags == 2
    assert json.loads(end)["error"]["code"] in ("not_found", "failed_precondition")


@pytest.mark.parametrize(
    ("method", "content", "kind", "status", "says"),
    [
        ("OpenStage", "{", "application/json", 400, "not one of OpenStage"),
        ("OpenStage", '{"nope": 1}', "application/json", 400, "nope"),
        ("OpenStage", "[" * 10_000, "application/json", 400, "not one of OpenStage"),
        ("OpenStage", b"\xff\xff", "application/proto", 400, ""),
        ("Traverse", "{}", "application/json", 501, "another content type"),
        ("OpenStage", "{}", "text/plain", 415, "application/json"),
        ("OpenStage", "{}", "application/x-www-form-urlencoded", 415, "application/json"),
    ],
)
def test_malformed_calls(page, method, content, kind, status, says):
    answer = call(page, method, content, kind)
    assert answer.status_code in (status, 500 if kind == "application/proto" else status)
    assert says in answer.text


@pytest.mark.parametrize("content", [b"", b"\0\0\0\0\5abc", b"\1\0\0\0\0"])
def test_malformed_envelopes(page, content):
    answer = call(page, "Traverse", content, "application/connect+proto")
    ((_, end),) = envelopes(answer.content)
    assert json.loads(end)["error"]["code"] == "invalid_argument"


def test_unknown_methods(page):
    headers = {"content-type": "application/json"}
    answer = page.http.post("/stagedoor.v1.NopeService/Nope", content="{}", headers=headers)
    assert answer.status_code == 501 and answer.json()["code"] == "unimplemented"
    # Methods of other services, such as reflection, are not those of the API.
    assert page.http.post("/grpc.health.v1.Health/Check", content="{}").status_code in (404, 405)


# ---------------------------------------------------------------------------------- who may call


def test_the_token_or_the_cookie_is_needed(daemon):
    page = Page(daemon.address)
    with page.http:
        assert call(page, "GetCapabilities", "{}").status_code == 401
        assert call(page, "GetCapabilities", "{}", x_stagedoor_token="wrong").status_code == 401
        answer = call(page, "GetCapabilities", "{}", x_stagedoor_token=page.site.token)
        assert answer.status_code == 200 and answer.json()["version"]


def test_other_origins_are_refused_unless_they_are_named(daemon):
    page = Page(daemon.address, origins=[TOOL])
    path = METHODS["GetCapabilities"].path
    with page.http:
        known = {"x_stagedoor_token": page.site.token, "sec_fetch_site": "cross-site"}
        refused = call(page, "GetCapabilities", "{}", origin="https://evil.com", **known)
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers
        answer = call(page, "GetCapabilities", "{}", origin=TOOL, **known)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == TOOL
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        preflight = page.http.options(path, headers={"origin": TOOL})
        assert preflight.status_code == 204
        assert "x-stagedoor-token" in preflight.headers["access-control-allow-headers"]
        refused = page.http.options(path, headers={"origin": "https://evil.com"})
        assert refused.status_code == 403
        assert (
            call(
                page, "GetCapabilities", "{}", origin=ORIGIN, x_stagedoor_token=page.site.token
            ).status_code
            == 200
        )
        # The host must be this server's in any case.
        assert call(page, "GetCapabilities", "{}", host="evil.com").status_code == 421


def test_the_identity_of_the_caller_is_passed_on():
    with FakeDaemon(BatchGetValues=lambda r, c: number(1)) as fake, Page(fake.address) as page:
        assert call(page, "BatchGetValues", "{}", authorization="Bearer mine").status_code == 200
        assert call(page, "BatchGetValues", "{}", x_request_id="r").status_code == 200
        first, second = fake.metadata[-2:]
        assert first["authorization"] == "Bearer mine"
        assert "authorization" not in second and second["x-request-id"] == "r"
        assert "cookie" not in first


def test_refusals_of_the_daemon_reach_the_page():
    def forbidden(_, context):
        return fail(context, grpc.StatusCode.PERMISSION_DENIED, "METHOD_FORBIDDEN")

    with FakeDaemon(ListStages=forbidden) as fake, Page(fake.address) as page:
        answer = call(page, "ListStages", "{}")
        assert answer.status_code == 403 and answer.json()["code"] == "permission_denied"


def test_deadlines(page):
    answer = call(page, "OpenStage", json.dumps({"rootLayer": page.stage}), connect_timeout_ms="0")
    assert answer.status_code == 504
    assert call(page, "GetCapabilities", "{}", connect_timeout_ms="x").status_code == 400
    assert call(page, "GetCapabilities", "{}", grpc_timeout="5S").status_code == 200
    assert call(page, "GetCapabilities", "{}", grpc_timeout="5y").status_code == 400


def test_origins_of_arguments():
    options = _command.parser().parse_args(["--allow-origin", TOOL, "--allow-origin", "http://a:1"])
    assert _command.origins_of(options) == {TOOL, "http://a:1"}
    for wrong in ("tool.studio.com", f"{TOOL}/", "*", "ftp://a"):
        with pytest.raises(ValueError, match="use an origin"):
            _command.origins_of(_command.parser().parse_args(["--allow-origin", wrong]))


def test_timeouts_have_a_limit():
    from starlette.datastructures import Headers

    assert _door._timeout(Headers({"grpc-timeout": "9H"})) == _door.MAX_SECONDS
    assert _door._timeout(Headers({"grpc-timeout": "250m"})) == 0.25
    assert _door._timeout(Headers({})) == 60
