"""The private daemon of a user: where no address is given, one is started and shared."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from daemon import PROGRAM
from query_socket import await_socket

import stagedoor
from stagedoor import _private
from stagedoor._options import private_daemon_of
from stagedoor._private import Peer, PrivateDaemon, find_program, peer_of

STARTED = "stagedoor: started a private daemon"
ATTRIBUTE = "/World/Types.double"
TWO_LINES = f"""
import sys, stagedoor
print(stagedoor.open(sys.argv[1])["{ATTRIBUTE}"].get())
"""


@pytest.fixture
def runtime(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pathlib.Path]:
    """The user's folder for sockets, in an environment where only the daemon is installed."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "stagedoord").symlink_to(PROGRAM)
    for name in [name for name in os.environ if name.startswith("STAGEDOOR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(programs))
    # Its path is so short that the query socket has one, too.
    with tempfile.TemporaryDirectory(prefix="sd", dir="/tmp") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield pathlib.Path(folder)
        for path in pathlib.Path(folder).rglob("*.socket"):
            stop(path)


def socket_in(runtime: pathlib.Path) -> pathlib.Path:
    return runtime / "stagedoor" / f"{stagedoor.__version__}.socket"


def process_at(path: pathlib.Path) -> int:
    """The process that listens at a socket."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(f"/proc/self/fd/{folder}/{path.name}")
            return peer_of(probe).process
    finally:
        os.close(folder)


def stop(path: pathlib.Path) -> None:
    """Kills the daemon at a socket, if there is one."""
    with contextlib.suppress(ConnectionRefusedError, FileNotFoundError):
        os.kill(process_at(path), signal.SIGKILL)
        while True:  # until it has ended
            process_at(path)


def script(path: pathlib.Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def failure(program: str = PROGRAM) -> stagedoor.Error:
    """The error of a start."""
    with pytest.raises(stagedoor.UnavailableError, match="cannot start a private daemon: ") as info:
        PrivateDaemon(program).ensure()
    assert "STAGEDOOR_ADDRESS" in info.value.hint
    return info.value


# ------------------------------------------------------------------------------- it is there


def test_stage_is_opened_without_an_address(runtime, folder, capfd):
    with stagedoor.open(folder / "shot.usda") as stage:
        assert stage[ATTRIBUTE].get() == 2.5
        log = runtime / "stagedoor" / f"{stagedoor.__version__}.log"
        message = f"{STARTED}, which stops when it is idle (log: {log})\n"
        assert capfd.readouterr().err == message
        assert "serving on unix:" in log.read_text()
    with stagedoor.open(folder / "shot.usda") as stage:
        assert stage[ATTRIBUTE].get() == 2.5
    assert capfd.readouterr().err == ""
    assert (runtime / "stagedoor").stat().st_mode & 0o777 == 0o700


def test_its_query_socket_is_used(runtime, folder):
    with stagedoor.connect() as client, client.open(folder / "shot.usda") as stage:
        await_socket(client, stage[ATTRIBUTE].get)
        assert stage[ATTRIBUTE].get() == 2.5


def test_asyncio_client_has_the_same(runtime, folder, capfd):
    async def use() -> float:
        async with await stagedoor.aio.open(folder / "shot.usda") as stage:
            return await stage[ATTRIBUTE].get()

    assert asyncio.run(use()) == 2.5
    assert capfd.readouterr().err.count(STARTED) == 1


def test_programs_that_start_at_once_share_one(runtime, folder):
    command = [sys.executable, "-c", TWO_LINES, str(folder / "shot.usda")]
    programs = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    printed = [program.communicate() for program in programs]
    assert [output for output, _ in printed] == ["2.5\n"] * 3, printed
    assert sum(errors.count(STARTED) for _, errors in printed) == 1


def test_threads_of_a_program_share_one(runtime, folder, capfd):
    found = []

    def use() -> None:
        with stagedoor.open(folder / "shot.usda") as stage:
            found.append(stage[ATTRIBUTE].get())

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2.5] * 4
    assert capfd.readouterr().err.count(STARTED) == 1


def test_killed_daemon_is_replaced_and_stages_go_on(runtime, folder, capfd):
    with stagedoor.open(folder / "shot.usda") as stage:
        stop(socket_in(runtime))
        assert stage[ATTRIBUTE].get() == 2.5
        stop(socket_in(runtime))
        assert "World" in [prim.name for prim in stage.traverse()]
    assert capfd.readouterr().err.count(STARTED) == 3
    assert socket_in(runtime).with_suffix(".log.old").exists()


def test_killed_daemon_is_replaced_for_asyncio_too(runtime, folder, capfd):
    async def use() -> float:
        async with await stagedoor.aio.open(folder / "shot.usda") as stage:
            stop(socket_in(runtime))
            return await stage[ATTRIBUTE].get()

    assert asyncio.run(use()) == 2.5
    assert capfd.readouterr().err.count(STARTED) == 2


def test_closing_starts_no_daemon(runtime, folder, capfd):
    stage = stagedoor.open(folder / "shot.usda")
    stop(socket_in(runtime))
    stage.close()
    assert capfd.readouterr().err.count(STARTED) == 1


def test_idle_daemon_ends_and_the_next_call_starts_another(runtime, folder, monkeypatch, capfd):
    monkeypatch.setenv("STAGEDOOR_STOP_WHEN_IDLE", "1")
    with stagedoor.connect() as client:
        client.open(folder / "shot.usda").close()
        while socket_in(runtime).exists():
            time.sleep(0.02)
        assert client.open(folder / "shot.usda")[ATTRIBUTE].get() == 2.5
    assert capfd.readouterr().err.count(STARTED) == 2


def test_daemon_is_no_child_and_holds_nothing_of_the_program(runtime, folder):
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    PrivateDaemon(PROGRAM).ensure()
    os.close(writer)
    assert os.read(reader, 1) == b"", "the end of the pipe"
    os.close(reader)
    with pytest.raises(ChildProcessError):
        os.waitpid(process_at(socket_in(runtime)), os.WNOHANG)


def test_path_longer_than_that_of_a_socket(runtime, folder, monkeypatch, capfd):
    deep = runtime / ("x" * 100) / ("y" * 100)
    deep.mkdir(parents=True)
    deep.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    with stagedoor.connect() as client:
        assert client.options.addresses[0].startswith("unix:/proc/self/fd/")
        stage = client.open(folder / "shot.usda")
        assert stage[ATTRIBUTE].get() == 2.5
        stop(socket_in(deep))
        assert stage[ATTRIBUTE].get() == 2.5
    assert capfd.readouterr().err.count(STARTED) == 2


def test_home_is_not_needed(runtime, folder, tmp_path, monkeypatch):
    command = [sys.executable, "-c", TWO_LINES, str(folder / "shot.usda")]
    for home in (None, tmp_path / "missing"):
        monkeypatch.delenv("HOME", raising=False)
        if home is not None:
            monkeypatch.setenv("HOME", str(home))
        assert subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout == b"2.5\n"


def test_child_of_a_fork_is_refused_and_starts_nothing(runtime):
    client = stagedoor.connect()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            client.stages()
        except stagedoor.Error as error:
            status = 0 if "belongs to the parent process" in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert not socket_in(runtime).exists()


# ------------------------------------------------------------------------------- what it is given


def recorder(tmp_path: pathlib.Path) -> tuple[str, Callable[[], tuple[list[str], list[str]]]]:
    """A program that fails, and a function that returns its arguments and environment."""
    record = tmp_path / "record"
    text = f"printf '%s\\n' \"$@\" >{record}\n/usr/bin/env >{record}.env\nexit 1"

    def taken() -> tuple[list[str], list[str]]:
        return record.read_text().split("\n"), pathlib.Path(f"{record}.env").read_text().split("\n")

    return script(tmp_path / "recorder", text), taken


def test_daemon_has_half_of_the_memory_and_ends_after_ten_minutes(runtime, tmp_path, monkeypatch):
    monkeypatch.setenv("STAGEDOOR_TLS_CERTIFICATE", "/mine.pem")
    monkeypatch.setenv("STAGEDOOR_THREADS", "2")
    program, taken = recorder(tmp_path)
    failure(program)
    arguments, environment = taken()
    name = stagedoor.__version__
    assert arguments[:2] == [f"--address=unix:{name}.socket", f"--log-file={name}.log"]
    assert arguments[2] == f"--query-socket={runtime}/stagedoor/{name}.queries.socket"
    assert arguments[3:5] == ["--stop-when-idle=600", "--memory-limit=50%"]
    assert "STAGEDOOR_THREADS=2" in environment
    assert "STAGEDOOR_TLS_CERTIFICATE=/mine.pem" not in environment, "that of the client"


def test_environment_decides_about_memory_and_idle_time(runtime, tmp_path, monkeypatch):
    monkeypatch.setenv("STAGEDOOR_STOP_WHEN_IDLE", "60")
    monkeypatch.setenv("STAGEDOOR_MEMORY_LIMIT", "1G")
    program, taken = recorder(tmp_path)
    failure(program)
    assert not [word for word in taken()[0] if "idle" in word or "memory" in word]


@pytest.mark.parametrize("name", ["QUERY_SOCKET", "UPSTREAM", "CONFIG"])
def test_environment_decides_about_the_query_socket(runtime, tmp_path, monkeypatch, name):
    monkeypatch.setenv(f"STAGEDOOR_{name}", "/mine")
    program, taken = recorder(tmp_path)
    failure(program)
    assert not [word for word in taken()[0] if word.startswith("--query-socket")]


# ------------------------------------------------------------------------------------ it is off


def test_none_is_no_daemon(runtime, folder, monkeypatch):
    message = "pass address='HOST:PORT' or 'unix:PATH', or set STAGEDOOR_ADDRESS$"
    with pytest.raises(ValueError, match=message):
        stagedoor.open(folder / "shot.usda", "none")
    with pytest.raises(ValueError, match=message):
        stagedoor.aio.connect(["none"])
    monkeypatch.setenv("STAGEDOOR_ADDRESS", "none")
    with pytest.raises(ValueError, match=message):
        stagedoor.connect()
    assert not (runtime / "stagedoor").exists()


def test_settings_for_other_machines_are_no_private_daemon(runtime):
    for settings in ({"tls": True}, {"token": "t"}, {"token_file": "/t"}):
        with pytest.raises(ValueError, match="no address of a daemon"):
            stagedoor.connect(**settings)


def test_settings_of_the_environment_for_others_do_not_matter(runtime, folder, monkeypatch):
    monkeypatch.setenv("STAGEDOOR_TLS_CA", "/missing.pem")
    monkeypatch.setenv("STAGEDOOR_TOKEN_FILE", "/missing")
    monkeypatch.setenv("STAGEDOOR_PROXY", "http://proxy:3128")
    with stagedoor.open(folder / "shot.usda") as stage:
        assert stage[ATTRIBUTE].get() == 2.5


def test_what_to_install_is_said_where_nothing_is(runtime, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match=r"or install one with pip install 'stagedoor\[daemon\]'"):
        stagedoor.connect()


def test_program_of_the_installation_comes_before_the_path(runtime, tmp_path, monkeypatch):
    prefix = tmp_path / "env"
    package = prefix / "lib" / "python3.12" / "site-packages" / "stagedoor"
    for folder in (package, prefix / "bin", package.parent / "bin", tmp_path / "other" / "bin"):
        folder.mkdir(parents=True)
    monkeypatch.setattr(_private, "__file__", str(package / "_private.py"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "other"))
    assert find_program() == str(tmp_path / "programs" / "stagedoord")
    expected = [tmp_path / "other" / "bin", package.parent / "bin", prefix / "bin"]
    for folder in expected:
        program = script(folder / "stagedoord", "")
        assert find_program() == program
    monkeypatch.setattr(sys, "platform", "darwin")
    assert find_program() is None


def test_relative_folders_of_the_path_are_not_searched(runtime, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("programs", "", "."):
        monkeypatch.setenv("PATH", path)
        assert find_program() is None


# --------------------------------------------------------------------------- nobody else is trusted


def test_folder_of_another_user_is_refused(runtime, monkeypatch):
    monkeypatch.setattr(_private, "runtime_folder", lambda: str(runtime / "stagedoor"))
    monkeypatch.setattr(_private.os, "geteuid", lambda: os.getuid() + 1)
    assert f"'{runtime}/stagedoor' belongs to another user (uid {os.getuid()})" in str(failure())


def test_folder_that_others_may_enter_is_refused(runtime):
    for mode in (0o710, 0o701, 0o770, 0o707):
        (runtime / "stagedoor").mkdir(exist_ok=True)
        (runtime / "stagedoor").chmod(mode)
        assert "is open to other users" in str(failure())


def test_link_in_place_of_the_folder_is_refused(runtime):
    (runtime / "elsewhere").mkdir(0o700)
    (runtime / "stagedoor").symlink_to("elsewhere")
    assert f"'{runtime}/stagedoor' is not a directory; remove it" in str(failure())


def test_socket_of_another_user_is_refused(runtime, monkeypatch):
    (runtime / "stagedoor").mkdir(0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(runtime / "stagedoor")
        listening.bind(f"{stagedoor.__version__}.socket")
        listening.listen()
        PrivateDaemon(PROGRAM).ensure()
        other = os.getuid() + 1
        monkeypatch.setattr(_private, "peer_of", lambda _: Peer(1, other))
        assert f"is of another user (uid {other})" in str(failure())


def test_runtime_folder_is_that_of_the_user_or_else_in_tmp(runtime, monkeypatch):
    fallback = f"/tmp/stagedoor-{os.geteuid()}"
    assert _private.runtime_folder() == f"{runtime}/stagedoor"
    for folder in ("", "relative", str(runtime / "missing"), "/tmp"):
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        assert _private.runtime_folder() == fallback
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    for mode in (0o720, 0o702):
        runtime.chmod(mode)
        assert _private.runtime_folder() == fallback


# --------------------------------------------------------------------------- it cannot be started


def test_last_line_of_the_log_is_repeated_if_it_ends(runtime, tmp_path):
    program = script(tmp_path / "wrong", "echo first >&2; echo 'out of order' >&2; exit 2")
    assert "it ended: out of order" in str(failure(program))
    assert "it ended: " in str(failure(str(tmp_path / "missing")))


def test_full_disk_is_named(runtime, monkeypatch):
    real = os.open

    def full(path: str, flags: int, *rest: int, **options: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        return real(path, flags, *rest, **options)

    monkeypatch.setattr(_private.os, "open", full)
    assert f"No space left on device: '{stagedoor.__version__}.start'" in str(failure())


def test_folder_that_cannot_be_made_is_named(runtime, monkeypatch):
    monkeypatch.setattr(_private, "runtime_folder", lambda: "/proc/stagedoor")
    assert "'/proc/stagedoor'" in str(failure())


def test_one_that_does_not_end_is_named(runtime, monkeypatch):
    import fcntl

    monkeypatch.setattr(_private, "_END_SECONDS", 0.1)
    (runtime / "stagedoor").mkdir(0o700)
    lock = socket_in(runtime).with_name(f"{stagedoor.__version__}.socket.lock")
    with open(lock, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "the one before it does not end" in str(failure())
    PrivateDaemon(PROGRAM).ensure()


def test_start_by_another_program_that_hangs_is_named(runtime, monkeypatch):
    import fcntl

    monkeypatch.setattr(_private, "_START_SECONDS", 0.1)
    (runtime / "stagedoor").mkdir(0o700)
    with open(socket_in(runtime).with_suffix(".start"), "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "another program has been starting it" in str(failure())


def test_calls_say_why_it_cannot_be_started(runtime, folder, tmp_path, capfd):
    program = tmp_path / "programs" / "stagedoord"
    program.unlink()
    script(program, "echo 'no such flag' >&2; exit 2")
    with pytest.raises(stagedoor.UnavailableError, match="it ended: no such flag"):
        stagedoor.open(folder / "shot.usda")
    assert private_daemon_of(off=False).log.endswith(".log")
