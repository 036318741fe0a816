from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest
import scenes
from daemon import PROGRAM, Daemon
from fake import FakeClock

import stagedoor

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]


def pytest_configure() -> None:
    if not PROGRAM:
        raise pytest.UsageError("STAGEDOORD must be the path of the daemon")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder of the scenes."""
    folder = tmp_path_factory.mktemp("scenes")
    for name, content in {
        "shot.usda": scenes.SHOT,
        "payload_root.usda": scenes.PAYLOAD,
        "payload.usda": scenes.PAYLOAD_CONTENT,
    }.items():
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "texture.png").write_bytes(b"png")
    return folder


@pytest.fixture(scope="session")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    running = Daemon(tmp_path_factory.mktemp("daemon"))
    yield running
    running.stop()


@pytest.fixture
def own_daemon(tmp_path: pathlib.Path) -> Iterator[Daemon]:
    """A daemon that the test may stop and start again."""
    running = Daemon(tmp_path)
    yield running
    running.stop()


@pytest.fixture
def client(daemon: Daemon) -> Iterator[stagedoor.Client]:
    with stagedoor.connect(daemon.address) as client:
        yield client


@pytest.fixture
def stage(client: stagedoor.Client, folder: pathlib.Path) -> Iterator[stagedoor.Stage]:
    with client.open(folder / "shot.usda") as stage:
        yield stage


@pytest.fixture
def stage_door(client: stagedoor.Client) -> Iterator[stagedoor.Stage]:
    """The scene of the demo, which has clips, skinned meshes and instances."""
    with client.open(REPOSITORY / "tests/data/stage_door/root.usda") as stage:
        yield stage


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """The clock by which synchronous clients measure deadlines and pauses.

    The deadlines that they give to gRPC are of the real clock.
    """
    clock = FakeClock()
    for module in ("stagedoor._calls", "stagedoor._connection", "stagedoor._sync.client"):
        monkeypatch.setattr(f"{module}.time", clock)
    return clock


class CallCounter:
    """Counts the calls that a client makes, by method."""

    def __init__(self, client: stagedoor.Client, monkeypatch: pytest.MonkeyPatch) -> None:
        self.methods: list[str] = []
        self.requests: list[object] = []
        original = client._callable

        def counted(address: str, made: object) -> object:
            self.methods.append(made.method.name)  # type: ignore[attr-defined]
            self.requests.append(made.request)  # type: ignore[attr-defined]
            return original(address, made)  # type: ignore[arg-type]

        monkeypatch.setattr(client, "_callable", counted)

    def take(self) -> list[str]:
        """The methods called since the last time."""
        taken, self.methods, self.requests = self.methods, [], []
        return taken


@pytest.fixture
def calls(client: stagedoor.Client, monkeypatch: pytest.MonkeyPatch) -> CallCounter:
    return CallCounter(client, monkeypatch)
