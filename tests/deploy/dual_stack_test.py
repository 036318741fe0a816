#!/usr/bin/env python3
"""Checks that the daemon of deploy/ is reached over IPv4 and IPv6, and where there is only one of them: dual_stack_test.py

STAGEDOORD and STAGEDOOR are the paths of the programs. Each case is a network namespace of its own; without the right to make them,
prints a line and exits with 0.
"""
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
CONFIGS = ("deploy/image/stagedoord.yaml", "deploy/kubernetes/base/stagedoord.yaml",
           "deploy/kubernetes/overlays/mtls/stagedoord.yaml", "deploy/compose/stagedoord.tls.yaml")
# The network of each namespace: commands of `ip`, and the addresses to ask.
CASES = {
    "both": (["link set lo up", "addr add fd00::1/128 dev lo nodad", "addr add 10.99.0.1/32 dev lo"],
             ["127.0.0.1", "[::1]", "[fd00::1]", "10.99.0.1"]),
    "ipv6-only": (["link set lo up", "-4 addr flush dev lo", "addr add fd00::1/128 dev lo nodad"], ["[::1]", "[fd00::1]"]),
    "ipv4-only": (["link set lo up", "-6 addr flush dev lo"], ["127.0.0.1"]),
}
NAMESPACE = ["unshare", "--user", "--map-root-user", "--net"]


def check_configs():
    for name in CONFIGS:
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            text = file.read()
        for port in (50051, 9464):
            assert f'"[::]:{port}"' in text and f"0.0.0.0:{port}" not in text, f"{name} does not listen on [::]:{port}"


def wait_for(path, daemon):
    deadline = time.monotonic() + 60
    while not (os.path.exists(path) and os.path.getsize(path)):
        assert daemon.poll() is None and time.monotonic() < deadline, "stagedoord did not start"
        time.sleep(0.05)


def inside(case):
    """Runs a daemon in the namespace of this process, and asks it at all addresses."""
    setup, hosts = CASES[case]
    for command in setup:
        subprocess.run(["ip", *command.split()], check=True)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "address")
        # The addresses of the configurations; what else they have needs the image.
        flags = ["--address=[::]:50051", "--metrics-address=[::]:9464", "--insecure=true", f"--address-file={file}"]
        daemon = subprocess.Popen([os.environ["STAGEDOORD"], *flags])
        try:
            wait_for(file, daemon)
            for host in hosts:
                asked = [os.environ["STAGEDOOR"], "health", f"--address={host}:50051", "--timeout=60"]
                done = subprocess.run(asked, capture_output=True, text=True, check=False)
                assert done.stdout == "serving\n", f"{host}: {done.stderr}"
                with urllib.request.urlopen(f"http://{host}:9464/healthz", timeout=60) as reply:
                    assert reply.status == 200, host
        finally:
            daemon.kill()
            daemon.wait()


def main():
    if len(sys.argv) == 2:
        return inside(sys.argv[1])
    check_configs()
    possible = subprocess.run([*NAMESPACE, "ip", "link"], capture_output=True, check=False)
    if possible.returncode != 0:
        print("dual-stack: skipped: this machine does not let the test make network namespaces")
        return 0
    failed = 0
    for case in CASES:
        done = subprocess.run([*NAMESPACE, sys.executable, os.path.abspath(__file__), case], capture_output=True, text=True, check=False)
        reason = re.sub(r"(?s).*\n(\S*(?:Error|assert).*)", r"\1", done.stderr).strip()
        print(f"dual-stack: {case}: {'ok' if done.returncode == 0 else 'FAILED: ' + reason}")
        failed += done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
