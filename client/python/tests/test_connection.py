from __future__ import annotations

import gc
import os
import pathlib
import socket
import subprocess
import threading
import time

import pytest
from daemon import Daemon

import stagedoor

OVER = '#usda 1.0\nover "World"\n{\n over "Types"\n {\n  double double = 77\n }\n}\n'


def unused_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def test_address_from_the_environment(daemon, folder, monkeypatch):
    monkeypatch.setenv("STAGEDOOR_ADDRESS", daemon.address)
    monkeypatch.chdir(folder)
    with stagedoor.open("shot.usda") as stage:
        assert stage.root_layer == str(folder / "shot.usda")
        assert stage["/World/Types.double"].get() == 2.5
    with pytest.raises(ValueError, match="is closed"):
        stage["/World/Types.double"].get()


def test_dropped_stages_are_closed(client, folder, calls):
    client.open(folder / "shot.usda")
    gc.collect()
    client.renew_leases()
    client.close()  # waits for the thread, which may have been faster
    assert calls.take().count("CloseStage") == 1


def test_missing_layer(client):
    with pytest.raises(stagedoor.NotFoundError) as info:
        client.open("/nowhere/x.usda")
    assert info.value.reason == "LAYER_NOT_FOUND" and info.value.asset == "/nowhere/x.usda"


def test_stages_are_closed_with_the_client(daemon, folder):
    watcher = stagedoor.connect(daemon.address)

    def leases() -> int:
        stages = watcher.stages()
        return sum(s.lease_count for s in stages if "closing" in s.client_names)

    with stagedoor.connect(daemon.address, client_name="closing") as client:
        held = client.open(folder / "shot.usda")
        assert leases() == 1
    assert leases() == 0 and "closed" in repr(held)
    with pytest.raises(ValueError, match="client is closed"):
        client.stages()
    watcher.close()


def test_lost_lease_is_opened_again_with_its_edits(own_daemon, folder):
    with stagedoor.open(folder / "shot.usda", own_daemon.address) as stage:
        stage.set_session_layer(OVER)
        snapshot = stage.snapshot
        own_daemon.stop()
        own_daemon.start()
        assert stage["/World/Types.double"].get() == 77.0
        assert stage.snapshot == snapshot
        own_daemon.stop()
        own_daemon.start()
        assert next(iter(stage.traverse("/World/Types"))).name == "Types"


def test_named_session_with_edits_is_not_opened_again(own_daemon, folder):
    stage = stagedoor.open(folder / "shot.usda", own_daemon.address, session="shared")
    stage.set_session_layer(OVER)
    own_daemon.stop()
    own_daemon.start()
    with pytest.raises(stagedoor.LeaseError, match="session 'shared' is gone"):
        stage["/World/Types.double"].get()
    stage.close()


def test_calls_wait_for_a_restart(own_daemon, folder):
    with stagedoor.open(folder / "shot.usda", own_daemon.address) as stage:
        own_daemon.stop()
        restart = threading.Timer(0.5, own_daemon.start)
        restart.start()
        assert stage["/World/Types.double"].get() == 2.5
        restart.join()


def test_other_address_takes_over(own_daemon, tmp_path_factory, folder):
    other = Daemon(tmp_path_factory.mktemp("other"))
    try:
        addresses = [own_daemon.address, other.address]
        with stagedoor.open(folder / "shot.usda", addresses) as stage:
            stage.set_session_layer(OVER)
            own_daemon.stop()
            assert stage["/World/Types.double"].get() == 77.0
    finally:
        other.stop()


def test_idle_leases_are_kept_alive(daemon, folder, monkeypatch):
    with stagedoor.connect(daemon.address, lease_ttl=3) as client:
        stage = client.open(folder / "shot.usda")
        assert stage._session.ttl <= 3
        renewed = threading.Event()
        original = stage._session.renew

        def renew():
            renewed.set()
            return original()

        monkeypatch.setattr(stage._session, "renew", renew)
        assert renewed.wait(30)


def test_leases_are_renewed_when_they_are_due(client, stage, calls):
    calls.take()
    client.renew_leases()
    assert calls.take() == []
    stage._session.used = time.monotonic() - stage._session.ttl / 2
    client.renew_leases()
    assert calls.take() == ["RenewLease"]


def test_deadline_that_has_passed(stage):
    with stagedoor.call_options(timeout=1e-9), pytest.raises(TimeoutError) as info:
        stage["/World/Types.double"].get()
    assert info.value.code == "DEADLINE_EXCEEDED"
    assert stage["/World/Types.double"].get() == 2.5


def test_metadata_reach_the_log_of_the_daemon(tmp_path, folder):
    daemon = Daemon(tmp_path, "--log-requests=all", "--log-format=json")
    trace = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
    try:
        with stagedoor.open(folder / "shot.usda", daemon.address) as stage:
            outer = stagedoor.call_options(request_id="frame-12", traceparent=trace)
            with outer, stagedoor.call_options(timeout=50):
                stage["/World/Types.double"].get()
        deadline = time.monotonic() + 30
        while "frame-12" not in daemon.log() and time.monotonic() < deadline:
            time.sleep(0.02)
        line = next(line for line in daemon.log().splitlines() if "frame-12" in line)
        assert "BatchGetValues" in line and trace[3:35] in line
    finally:
        daemon.stop()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_use_in_a_forked_child_is_a_clear_error(stage, monkeypatch):
    parent = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    with pytest.raises(stagedoor.Error, match="belongs to the parent process"):
        stage["/World/Types.double"].get()


def test_stream_may_be_left_early(stage):
    prims = stage.traverse()
    assert next(prims).name == "World"
    prims.close()
    assert stage["/World/Types.double"].get() == 2.5


def test_client_works_in_many_threads(stage):
    found: list[float] = []

    def work() -> None:
        for _ in range(20):
            found.append(stage["/World/Types.wave"].get(3))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [4.0] * 160


# -------------------------------------------------------------------------------------- security


def openssl(folder: pathlib.Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("certificates")
    new = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    openssl(folder, *new, "-subj", "/CN=CA", "-keyout", "ca.key", "-out", "ca.pem")
    for name in ("server", "client"):
        openssl(
            folder,
            *["req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}"],
            *["-keyout", f"{name}.key", "-out", f"{name}.csr"],
        )
        (folder / "extensions").write_text("subjectAltName=DNS:stage.example\n")
        openssl(
            folder,
            *["x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key"],
            *["-CAcreateserial", "-days", "2", "-extfile", "extensions", "-out", f"{name}.pem"],
        )
    return folder


def test_mutual_tls(tmp_path, folder, certificates):
    daemon = Daemon(
        tmp_path,
        f"--tls-certificate={certificates}/server.pem",
        f"--tls-key={certificates}/server.key",
        f"--tls-client-ca={certificates}/ca.pem",
    )
    ca = str(certificates / "ca.pem")
    try:
        tls = stagedoor.TLS(
            ca=ca,
            certificate=str(certificates / "client.pem"),
            key=str(certificates / "client.key"),
            server_name="stage.example",
        )
        with stagedoor.open(folder / "shot.usda", daemon.address, connection={"tls": tls}) as stage:
            assert stage["/World/Types.double"].get() == 2.5
        nobody = stagedoor.TLS(ca=ca, server_name="stage.example")
        client = stagedoor.connect(daemon.address, tls=nobody, connect_timeout=0.2)
        with client, pytest.raises(stagedoor.Error, match="requires a client certificate"):
            client.stages()
    finally:
        daemon.stop()
