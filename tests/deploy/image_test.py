#!/usr/bin/env python3
"""Makes the image's files, looks for what should not be there, and runs them as a container runtime would: image_test.py

STAGEDOORD and STAGEDOOR are the paths of the programs. Prints a line for each check, and exits with 0 if all passed. Runs the image
only as root, and where mount namespaces may be made.
"""
import contextlib
import json
import os
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
sys.path[:0] = [HERE, os.path.join(ROOT, "tools/image"), os.path.join(ROOT, "tests/remote")]

import contained
import exercise
import make_image
import nginx

PROFILE = os.path.join(ROOT, "deploy/image/seccomp.json")
SCENE = "/scenes/stage_door/root.usda"
SOCKET = "unix:/run/stagedoor/stagedoor.sock"
# The whole image, stripped; 57 MiB when this was written.
MOST_BYTES = 80 << 20
CAPABILITY = "security.capability"
SHELLS = {"sh", "bash", "dash", "busybox", "ash", "zsh", "perl", "python3", "env"}
# A configuration with as much as possible switched on.
CONFIG = """
address: ["127.0.0.1:0", "unix:/run/stagedoor/stagedoor.sock"]
address-file: /run/stagedoor/address
metrics-address: 127.0.0.1:{port}
allow-root: /scenes
allow-url: "{url}/"
allow-network: 127.0.0.0/8
cache-dir: /var/cache/stagedoor
cache-sync: true
tls-certificate: /etc/stagedoor/server.pem
tls-key: /etc/stagedoor/server.key
log-level: debug
log-requests: all
log-file: /run/stagedoor/log
audit-log: /run/stagedoor/audit
follow-poll: 100
reflection: true
drain-delay: 1
access:
  roles:
    - name: everybody
      identities: ["local", "uid:*"]
      assets: "*"
      methods: [query, edit, tools, admin]
"""


def scan(root):
    """Problems of the files below a directory, as texts."""
    problems = []
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            where = path[len(root):]
            if stat.S_ISLNK(status.st_mode):
                if not os.path.lexists(os.path.join(root, os.path.join(os.path.dirname(where), os.readlink(path)).lstrip("/"))):
                    problems.append(f"{where} leads nowhere")
                continue
            if status.st_mode & (stat.S_ISUID | stat.S_ISGID):
                problems.append(f"{where} is setuid or setgid")
            if status.st_mode & stat.S_IWOTH:
                problems.append(f"{where} is world-writable")
            owners = (contained.USER,) if where[1:] in contained.WRITABLE else (0,)
            if os.geteuid() == 0 and status.st_uid not in owners:  # else all belongs to the caller
                problems.append(f"{where} belongs to user {status.st_uid}")
            if name in SHELLS and status.st_mode & 0o111 and stat.S_ISREG(status.st_mode):
                problems.append(f"{where} is a shell or interpreter")
            if stat.S_ISREG(status.st_mode) and has_capabilities(path):
                problems.append(f"{where} has capabilities")
    return problems


def has_capabilities(path):
    """Other extended attributes are of the machine, for example labels of SELinux."""
    with contextlib.suppress(OSError):  # a file system without them
        return CAPABILITY in os.listxattr(path)
    return False


def copy_readable(source, target):
    """Copies a file, or a directory, that the unprivileged user can read whatever the checkout's permissions are."""
    if os.path.isfile(source):
        shutil.copyfile(source, target)
        return
    shutil.copytree(source, target, copy_function=shutil.copyfile)
    for folder, _, _ in os.walk(target):
        os.chmod(folder, 0o755)


class ImageTest:
    def __init__(self, work):
        self.work = work
        self.root = os.path.join(work, "root")
        self.web = os.path.join(work, "web")
        self.log = os.path.join(work, "log")

    def make(self):
        programs = os.environ["STAGEDOORD"], os.environ["STAGEDOOR"]
        tree, materials = make_image.make_tree(*programs, 0, debug=False)
        assert tree.size() < MOST_BYTES, f"the image has {tree.size()} bytes"
        again, _ = make_image.make_tree(*programs, 0, debug=False)
        assert tree.tar(7) == again.tar(7), "a second image differs"
        tree.write_to(self.root)
        names = {package["name"] for package in json.loads(materials)["packages"]}
        assert {"stagedoor", "libc6", "libgrpc29", "libssl3", "ca-certificates", "tzdata"} <= names, names
        return f"{tree.size() / 2**20:.1f} MiB, {len(names)} packages"

    def scan(self):
        problems = scan(self.root)
        assert not problems, "\n".join(problems)
        return f"{sum(len(files) for _, _, files in os.walk(self.root))} files"

    def scan_notices(self):
        """The scan finds what it looks for."""
        bad = os.path.join(self.work, "bad")
        os.makedirs(bad)
        for name, mode in (("setuid", 0o4755), ("open", 0o666), ("sh", 0o755), ("alien", 0o644)):
            with open(os.path.join(bad, name), "w", encoding="utf-8"):
                pass
            os.chmod(os.path.join(bad, name), mode)
        os.chown(os.path.join(bad, "alien"), 1000, 1000)
        os.symlink("missing", os.path.join(bad, "link"))
        wanted = ["/alien belongs to user 1000", "/link leads nowhere", "/open is world-writable",
                  "/setuid is setuid or setgid", "/sh is a shell or interpreter"]
        with contextlib.suppress(OSError):  # a container or file system that does not allow capabilities
            with open(os.path.join(bad, "capable"), "w", encoding="utf-8"):
                pass
            # Version 2: CAP_NET_BIND_SERVICE is permitted.
            os.setxattr(os.path.join(bad, "capable"), CAPABILITY, struct.pack("<5I", 0x02000000, 1 << 10, 0, 0, 0))
            wanted.insert(1, "/capable has capabilities")
        assert sorted(scan(bad)) == wanted, scan(bad)
        return f"{len(wanted)} of {len(wanted)} found"

    def prepare(self):
        for folder in (os.path.join(self.root, "scenes"), self.web):
            copy_readable(os.path.join(ROOT, "tests/data/stage_door"), os.path.join(folder, "stage_door"))
        etc = os.path.join(self.root, "etc/stagedoor")
        exercise.make_certificates(etc)
        os.chmod(os.path.join(etc, "server.key"), 0o644)

    def command(self, *flags):
        return [sys.executable, os.path.join(HERE, "contained.py"), self.root, *flags]

    def daemon(self, flags, *contained_flags):
        prefix = self.command(*contained_flags, "/usr/bin/stagedoord")
        return exercise.Daemon(prefix, flags, self.log, self.command(*contained_flags, "/usr/bin/stagedoor"))

    def is_contained(self):
        """What the containment promises is so; otherwise the other checks would mean little."""
        code = ("import os, sys; sys.path.insert(0, sys.argv[1]); import contained; contained.enter(sys.argv[2]);"
                "contained.drop_privileges(); print(os.listdir('/'), os.getresuid(), os.access('/etc', os.W_OK),"
                "open('/proc/self/status').read())")
        text = subprocess.run([sys.executable, "-c", code, HERE, self.root], check=True, capture_output=True, text=True).stdout
        assert "'scenes'" in text and "(65532, 65532, 65532) False" in text, text
        assert "CapBnd:\t0000000000000000" in text and "NoNewPrivs:\t1" in text, text
        return "read-only root, user 65532, no capabilities"

    def run_as_is(self):
        """The image with its own configuration, on other ports, which may be in use."""
        port = nginx.free_port()
        flags = ["--config=/etc/stagedoor/stagedoord.yaml", "--address=127.0.0.1:0", "--address-file=/run/stagedoor/address",
                 f"--metrics-address=127.0.0.1:{port}"]
        begin = time.monotonic()
        with self.daemon(flags) as daemon:
            address = daemon.wait_for_file(os.path.join(self.root, "run/stagedoor/address"))[0]
            daemon.ask(address, "open", SCENE)
            seconds = time.monotonic() - begin
            assert daemon.ask(address, "health") == "serving\n"
            daemon.ask_all(address, SCENE)
            assert exercise.get(f"127.0.0.1:{port}", "/readyz") == (200, "ok\n")
            status = daemon.stop()
            assert status == 0, f"exit status {status}:\n{daemon.text()}"
        return f"first answer after {seconds:.2f} s, drained"

    def run_as_in_kubernetes(self):
        """With the configuration of the base: clients find the stage that the probe has warmed, and calls are answered while draining."""
        port = nginx.free_port()
        copy_readable(os.path.join(ROOT, "deploy/kubernetes/base/stagedoord.yaml"), os.path.join(self.root, "etc/stagedoor/base.yaml"))
        flags = ["--config=/etc/stagedoor/base.yaml", "--address=127.0.0.1:0", f"--address={SOCKET}",
                 "--address-file=/run/stagedoor/address", f"--metrics-address=127.0.0.1:{port}", "--drain-delay=300"]
        with self.daemon(flags) as daemon:
            tcp = daemon.wait_for_file(os.path.join(self.root, "run/stagedoor/address"))[0]
            daemon.ask(SOCKET, "warm", SCENE, "--interval", "1:48")
            daemon.ask(tcp, "open", SCENE)
            assert "stagedoor_stage_cache_opens_total 1\n" in exercise.get(f"127.0.0.1:{port}", "/metrics")[1]
            daemon.ask(SOCKET, "stats")
            try:
                daemon.ask(tcp, "stats")
                raise AssertionError("clients may ask for statistics")
            except RuntimeError as error:
                assert "PERMISSION_DENIED" in str(error), error
            daemon.process.send_signal(signal.SIGTERM)
            exercise.wait_for(lambda: exercise.get(f"127.0.0.1:{port}", "/readyz") == (503, "draining\n"), "/readyz is not 503")
            assert exercise.get(f"127.0.0.1:{port}", "/healthz") == (200, "ok\n")
            daemon.ask(tcp, "open", SCENE)
            assert daemon.stop() == 0, daemon.text()  # a second signal ends the delay
        return "warm stages are shared, and draining is orderly"

    def run_with_seccomp(self):
        """Everything switched on, with system calls that the profile does not allow being fatal."""
        port = nginx.free_port()
        with nginx.Nginx(self.web) as web:
            with open(os.path.join(self.root, "etc/stagedoor/all.yaml"), "w", encoding="utf-8") as file:
                file.write(CONFIG.format(port=port, url=web.url))
            flags = ["--config=/etc/stagedoor/all.yaml"]
            with self.daemon(flags, "--seccomp", PROFILE) as daemon:
                tcp, unix = daemon.wait_for_file(os.path.join(self.root, "run/stagedoor/address"))
                tls = ("--tls-ca", "/etc/stagedoor/ca.pem", "--tls-server-name", "localhost")
                assert daemon.ask(tcp, "health", flags=tls) == "serving\n"
                daemon.ask_all(tcp, SCENE, flags=tls)
                daemon.ask_all(unix, SCENE)
                daemon.ask_all(unix, f"{web.url}/stage_door/root.usda", questions=exercise.QUESTIONS[:8])
                daemon.ask_all(unix, SCENE, questions=exercise.OPERATORS_QUESTIONS)
                os.utime(os.path.join(self.root, SCENE[1:]))
                daemon.process.send_signal(signal.SIGHUP)
                daemon.ask_all(unix, SCENE, questions=exercise.QUESTIONS[:4])
                metrics = exercise.get(f"127.0.0.1:{port}", "/metrics")[1]
                assert "stagedoor_remote_http_requests_total" in metrics, metrics
                assert daemon.stop() == 0, daemon.text()
        return "no system call missing"

    def seccomp_denies(self):
        """A profile without a call that is needed is noticed, and namespaces are denied."""
        with open(PROFILE, encoding="utf-8") as file:
            profile = json.load(file)
        for rule in profile["syscalls"]:
            rule["names"] = [name for name in rule["names"] if name != "listen"]
        reduced = os.path.join(self.work, "reduced.json")
        with open(reduced, "w", encoding="utf-8") as file:
            json.dump(profile, file)
        with self.daemon(["--address=127.0.0.1:0"], "--seccomp", reduced) as daemon:
            status = daemon.process.wait(60)
        assert status == -signal.SIGSYS, f"status {status}:\n{daemon.text()}"
        code = ("import json, sys; sys.path.insert(0, sys.argv[1]); import contained, ctypes;"
                "contained.Filter(json.load(open(sys.argv[2]))).load(); contained.libc.unshare(0x10000000)")
        status = subprocess.run([sys.executable, "-c", code, HERE, PROFILE], check=False, capture_output=True).returncode
        assert status == -signal.SIGSYS, f"status {status}"
        return "missing calls are noticed"


def main():
    os.umask(0o022)  # the files made here are read by the unprivileged user
    checks = ["make", "scan"]
    if os.geteuid() == 0:
        checks.append("scan_notices")
    if contained.can_contain():
        checks += ["prepare", "is_contained", "run_as_is", "run_as_in_kubernetes", "run_with_seccomp", "seccomp_denies"]
    else:
        print("image: skipped: running it needs mount namespaces, which this machine does not allow")
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        test = ImageTest(work)
        for name in checks:
            begin = time.monotonic()
            try:
                result = getattr(test, name)()
                print(f"image: {name} ok ({time.monotonic() - begin:.1f} s){': ' + result if result else ''}", flush=True)
            except (AssertionError, OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
                print(f"image: {name} FAILED: {error}", flush=True)
                failed += 1
                if name in ("make", "prepare"):
                    break
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
