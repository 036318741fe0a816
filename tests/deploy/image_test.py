#!/usr/bin/env python3
"""Makes the image's files, looks for what should not be there, and runs them as a container runtime would: image_test.py [--measure]

STAGEDOORD and STAGEDOOR are the paths of the programs. Prints a line for each check, and exits with 0 if all passed. Runs the image
only as root, and where mount namespaces may be made. --measure only measures how long the image takes from its start to an answer.
"""
import contextlib
import json
import os
import shutil
import signal
import stat
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
sys.path[:0] = [HERE, os.path.join(ROOT, "tools/image"), os.path.join(ROOT, "tests/remote"), os.path.join(ROOT, "tools/cluster")]

import contained
import exercise
import make_image
import moto_s3
import nginx
import processes

PROFILE = os.path.join(ROOT, "deploy/image/seccomp.json")
SCENE = "/scenes/stage_door/root.usda"
SOCKET = "unix:/run/stagedoor/stagedoor.sock"
# The whole image, stripped; 57 MiB when this was written.
MOST_BYTES = 80 << 20
UNKNOWN = "http://unknown.example"  # a host that the resolver asks a name server about, without an answer
CAPABILITY = "security.capability"
SHELLS = {"sh", "bash", "dash", "busybox", "ash", "zsh", "perl", "python3", "env"}
# A configuration with as much as possible switched on.
CONFIG = """
address: ["127.0.0.1:0", "unix:/run/stagedoor/stagedoor.sock"]
address-file: /run/stagedoor/address
metrics-address: 127.0.0.1:{port}
allow-root: /scenes
allow-url: {urls}
allow-network: 127.0.0.0/8
ca-file: /etc/stagedoor/ca.pem
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
        for name, text in (("hosts", "127.0.0.1 localhost\n"), ("resolv.conf", "nameserver 127.0.0.1\noptions attempts:1 timeout:1\n")):
            with open(os.path.join(self.root, "etc", name), "w", encoding="utf-8") as file:  # as container runtimes write them
                file.write(text)
        etc = os.path.join(self.root, "etc/stagedoor")
        exercise.make_certificates(etc)
        os.chmod(os.path.join(etc, "server.key"), 0o644)

    def command(self, *flags):
        return [sys.executable, os.path.join(HERE, "contained.py"), self.root, *flags]

    def daemon(self, flags, *contained_flags):
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(self.root, "run/stagedoor/address"))  # of a daemon that was killed
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

    @contextlib.contextmanager
    def started_as_is(self):
        """A daemon with the image's own configuration, on other ports, which may be in use: the daemon, its address, that of its metrics,
        and the seconds from the start to the answer to a question about a scene."""
        port = nginx.free_port()
        flags = ["--config=/etc/stagedoor/stagedoord.yaml", "--address=127.0.0.1:0", "--address-file=/run/stagedoor/address",
                 f"--metrics-address=127.0.0.1:{port}"]
        begin = time.monotonic()
        with self.daemon(flags) as daemon:
            address = daemon.wait_for_file(os.path.join(self.root, "run/stagedoor/address"))[0]
            daemon.ask(address, "open", SCENE)
            yield daemon, address, f"127.0.0.1:{port}", time.monotonic() - begin

    def run_as_is(self):
        with self.started_as_is() as (daemon, address, metrics, seconds):
            assert daemon.ask(address, "health") == "serving\n"
            daemon.ask_all(address, SCENE)
            assert exercise.get(metrics, "/readyz") == (200, "ok\n")
            status = daemon.stop()
            assert status == 0, f"exit status {status}:\n{daemon.text()}"
        return f"first answer after {seconds:.2f} s, drained"

    def measure_starts(self):
        """The median of ten starts."""
        found = []
        for _ in range(10):
            with self.started_as_is() as (daemon, _, _, seconds):
                found.append(seconds)
                assert daemon.stop() == 0, daemon.text()
        return f"first answer after {statistics.median(found):.3f} s (median of {len(found)}; {min(found):.3f} to {max(found):.3f})"

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
        with contextlib.ExitStack() as servers:
            webs, flags = self.asset_servers(servers)
            with open(os.path.join(self.root, "etc/stagedoor/all.yaml"), "w", encoding="utf-8") as file:
                file.write(CONFIG.format(port=port, urls=json.dumps([url + "/" for url in (*webs, UNKNOWN)])))
            with self.daemon(["--config=/etc/stagedoor/all.yaml", *flags], "--seccomp", PROFILE) as daemon:
                tcp, unix = daemon.wait_for_file(os.path.join(self.root, "run/stagedoor/address"))
                tls = ("--tls-ca", "/etc/stagedoor/ca.pem", "--tls-server-name", "localhost")
                assert daemon.ask(tcp, "health", flags=tls) == "serving\n"
                daemon.ask_all(tcp, SCENE, flags=tls)
                daemon.ask_all(unix, SCENE)
                for url in webs:
                    daemon.ask_all(unix, f"{url}/stage_door/root.usda", questions=exercise.QUESTIONS[:8])
                self.ask_for_unknown_host(daemon, unix)
                daemon.ask_all(unix, SCENE, questions=exercise.OPERATORS_QUESTIONS)
                os.utime(os.path.join(self.root, SCENE[1:]))
                daemon.process.send_signal(signal.SIGHUP)
                daemon.ask_all(unix, SCENE, questions=exercise.QUESTIONS[:4])
                metrics = exercise.get(f"127.0.0.1:{port}", "/metrics")[1]
                assert "stagedoor_remote_http_requests_total" in metrics, metrics
                assert daemon.stop() == 0, daemon.text()
        return f"no system call missing; assets from {', '.join(url.split(':')[0] for url in webs)}"

    def asset_servers(self, servers):
        """URLs below which the scene is served, and the flags that reading it there needs. `servers` stops the servers."""
        certificate = os.path.join(self.root, "etc/stagedoor/server")
        urls = [servers.enter_context(nginx.Nginx(self.web)).url, servers.enter_context(nginx.Nginx(self.web, certificate)).url]
        if moto_s3.find() is None:
            return urls, []
        s3 = servers.enter_context(moto_s3.MotoS3())
        scene = os.path.join(self.web, "stage_door")
        for folder, _, names in os.walk(scene):
            for name in names:
                path = os.path.join(folder, name)
                s3.put(os.path.relpath(path, self.web), make_image.read(path))
        with open(os.path.join(self.root, "etc/stagedoor/s3"), "w", encoding="utf-8") as file:
            file.write(f"[default]\naws_access_key_id = {moto_s3.KEY}\naws_secret_access_key = {moto_s3.SECRET}\n")
        return [*urls, s3.url], [*s3.flags(), "--s3-credentials=/etc/stagedoor/s3"]

    def ask_for_unknown_host(self, daemon, address):
        """The resolver of names needs system calls of its own."""
        try:
            daemon.ask(address, "open", f"{UNKNOWN}/root.usda")
        except RuntimeError as error:
            assert "unknown.example" in str(error) and daemon.process.poll() is None, error
            return
        raise AssertionError(f"{UNKNOWN} can be read")

    def run_with_session_store(self):
        """Sessions in Redis by TCP, TLS and a Unix socket, also while it is away, under the same profile."""
        if processes.find_redis() is None:
            return "skipped: redis-server is not installed"
        folder, port, tls_port = os.path.join(self.root, "run/stagedoor/redis"), nginx.free_port(), nginx.free_port()
        os.mkdir(folder)
        etc = os.path.join(self.root, "etc/stagedoor")
        redis = processes.Redis(folder, "--port", str(port), "--tls-port", str(tls_port), "--tls-cert-file", f"{etc}/server.pem", "--tls-key-file",
                                f"{etc}/server.key", "--tls-ca-cert-file", f"{etc}/ca.pem", "--tls-auth-clients", "no", "--unixsocketperm", "777")
        redis.start()
        try:
            urls = (f"redis://127.0.0.1:{port}", f"rediss://localhost:{tls_port}", "redis+unix:/run/stagedoor/redis/redis.sock")
            for url in urls:
                self.use_session_store(url, redis)
        finally:
            redis.close()
        return f"no system call missing with {', '.join(url.split(':')[0] for url in urls)}"

    def use_session_store(self, url, redis):
        port, address = nginx.free_port(), os.path.join(self.root, "run/stagedoor/address")
        flags = ["--address=127.0.0.1:0", "--address-file=/run/stagedoor/address", f"--metrics-address=127.0.0.1:{port}", "--allow-root=/scenes",
                 f"--session-store={url}", *(["--session-store-ca-file=/etc/stagedoor/ca.pem"] if url.startswith("rediss:") else [])]

        def metric(name):
            text = exercise.get(f"127.0.0.1:{port}", "/metrics")[1]
            return float(next(line.split()[1] for line in text.splitlines() if line.startswith(f"stagedoor_session_store_{name}_total ")))

        with self.daemon(flags, "--seccomp", PROFILE) as daemon:
            tcp = daemon.wait_for_file(address)[0]
            question = ("get", SCENE, "/Shot/Camera.focalLength", "--times", "12.5", "--join", "a session")
            assert daemon.ask(tcp, *question) == "12.5\t42.5\n"
            assert (metric("calls") > 0, metric("failures")) == (True, 0), f"{url}: {daemon.text()}"
            redis.signal(signal.SIGKILL)
            assert daemon.ask(tcp, *question[:-2]) == "12.5\t42.5\n"
            exercise.wait_for(lambda: metric("failures") > 0, f"{url}: no failures while Redis is away")
            redis.start()

            def joined():
                with contextlib.suppress(RuntimeError):  # calls fail for a moment after Redis is back
                    return daemon.ask(tcp, *question) == "12.5\t42.5\n"
            exercise.wait_for(joined, f"{url}: named sessions cannot be joined after Redis is back")
            assert daemon.stop() == 0, daemon.text()

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


def main(arguments):
    os.umask(0o022)  # the files made here are read by the unprivileged user
    checks = ["make", "scan"]
    if os.geteuid() == 0:
        checks.append("scan_notices")
    if contained.can_contain():
        checks += ["prepare", "is_contained", "run_as_is", "run_as_in_kubernetes", "run_with_seccomp", "run_with_session_store", "seccomp_denies"]
    else:
        print("image: skipped: running it needs mount namespaces, which this machine does not allow")
    if arguments == ["--measure"]:
        checks = ["make", "prepare", "measure_starts"]
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
    sys.exit(main(sys.argv[1:]))
