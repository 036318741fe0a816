#!/usr/bin/env python3
"""Runs the daemon's wheel where nothing else is: unpacked into an empty root. wheel_checks.py WHEEL…

release_test.py does this for the wheel of a release. The root has no C library and no /usr, /proc or /dev; it has the demo scene, a folder
for temporary files and, in /etc, what says how names are resolved.
"""
import contextlib
import datetime
import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
sys.path[:0] = [HERE, os.path.join(ROOT, "tests/remote")]

import exercise
import nginx

SCENE = "/scene/root.usda"
NAME_SERVER = "127.0.53.1"
ZONE, HOURS = "Asia/Tokyo", 9  # without summer time
CERTIFICATES = "data/libexec/stagedoor/etc/ssl/certs/ca-certificates.crt"


def tool(name):
    """The path of a program that users need not have on their PATH."""
    return shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin") or name


class NameServer:
    """Answers each question about an IPv4 address with 127.0.0.1, and others with nothing, as a name server at NAME_SERVER."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((NAME_SERVER, 53))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        while True:
            query, sender = self._socket.recvfrom(512)
            if not query:
                return
            end = query.index(b"\0", 12) + 5  # behind the name, the type and the class
            is_address = query[end - 4:end - 2] == b"\0\x01"
            header = query[:2] + b"\x81\x80" + b"\0\x01" + (b"\0\x01" if is_address else b"\0\0") + bytes(4)
            answer = b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\x7f\0\0\x01" if is_address else b""
            self._socket.sendto(header + query[12:end] + answer, sender)

    def close(self):
        self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()


class EmptyRoot:
    """The wheel in a new folder, which its programs have as their root."""

    def __init__(self, wheel, folder):
        self.folder = folder
        with zipfile.ZipFile(wheel) as archive:
            for info in archive.infolist():
                os.chmod(archive.extract(info, folder), info.external_attr >> 16)
        (self.wheel,) = [os.path.basename(path) for path in glob.glob(f"{folder}/*.data")]
        shutil.copytree(os.path.join(ROOT, "tests/data/stage_door"), f"{folder}/scene")
        os.mkdir(f"{folder}/tmp")
        enter = [] if os.geteuid() == 0 else [tool("unshare"), "--user", "--map-root-user"]
        self._enter = [*enter, tool("chroot")]

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def command(self, program, *variables):
        return ["env", "-i", *variables, *self._enter, self.folder, f"/{self.wheel}/scripts/{program}"]

    def problem(self):
        """Why this process may not give a program another root; None if it may."""
        done = subprocess.run([*self._enter, self.folder, "/missing"], capture_output=True, text=True, check=False)
        return None if done.returncode == 127 else done.stderr.strip()

    def trust(self, path):
        """Adds an authority to those of the wheel, which are in /public.pem without it."""
        bundle = f"{self.folder}/{self.wheel}/{CERTIFICATES}"
        shutil.copy(bundle, f"{self.folder}/public.pem")
        with open(path, encoding="utf-8") as authority, open(bundle, "a", encoding="utf-8") as file:
            file.write(authority.read())


class Checks:
    """The checks of an unpacked wheel. The caller closes `servers`, which stops the servers that the checks start."""

    def __init__(self, wheel, work, servers):
        self.root = EmptyRoot(wheel, os.path.join(work, "empty"))
        self.servers = servers
        self.work = work

    @contextlib.contextmanager
    def daemon(self, *flags, variables=()):
        """A daemon and its address."""
        place = os.path.join(self.root.folder, "tmp/address")
        with contextlib.suppress(FileNotFoundError):
            os.remove(place)
        with exercise.Daemon(self.root.command("stagedoord", *variables), ["--address=127.0.0.1:0", "--address-file=/tmp/address", *flags],
                             os.path.join(self.work, "log"), self.root.command("stagedoor")) as daemon:
            yield daemon, daemon.wait_for_file(place)[0]

    def web_servers(self):
        """URLs of the scene at a web server by its names, and at one with TLS whose authority is ca.pem of the working folder."""
        exercise.make_certificates(self.work)
        folder = f"{self.root.folder}/scene"
        plain = self.servers.enter_context(nginx.Nginx(folder))
        secure = self.servers.enter_context(nginx.Nginx(folder, os.path.join(self.work, "server")))
        self.root.write("etc/hosts", "127.0.0.1 files.test\n")
        self.root.write("etc/resolv.conf", f"nameserver {NAME_SERVER}\n")
        names = ["files.test"]
        with contextlib.suppress(OSError):  # port 53 is not for all users, or in use
            self.servers.enter_context(contextlib.closing(NameServer()))
            names.append("dns.test")
        return [f"http://{name}:{plain.port}" for name in names], secure.url

    def run(self):
        webs, secure = self.web_servers()
        self.root.trust(os.path.join(self.work, "ca.pem"))
        urls = [f"--allow-url={url}/" for url in (*webs, secure)]
        with self.daemon(*urls, "--allow-network=127.0.0.0/8", variables=[f"TZ={ZONE}"]) as (daemon, address):
            daemon.ask_all(address, SCENE)
            for url in (*webs, secure):
                daemon.ask_all(address, f"{url}/root.usda", questions=exercise.QUESTIONS[:4])
            with open(f"/proc/{daemon.process.pid}/comm", encoding="utf-8") as file:
                assert (name := file.read()) == "stagedoord\n", f"the process has the name {name}"
            stamp = datetime.datetime.strptime(re.match(r"\[(\S+ \S+)\.\d+\]", daemon.text())[1], "%Y-%m-%d %H:%M:%S")
            here = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
            assert abs(stamp - here - datetime.timedelta(hours=HOURS)) < datetime.timedelta(minutes=30), f"the log has the time {stamp}"
            assert daemon.stop() == 0, daemon.text()
        self.only_named_authorities(secure)
        return f"files, {', '.join(re.split('[/:]+', url)[1] for url in webs)}, TLS"

    def only_named_authorities(self, url):
        """With --ca-file, neither the authorities of the wheel nor those in the folder of the system count."""
        shown = subprocess.run(["openssl", "x509", "-hash", "-in", os.path.join(self.work, "ca.pem")], check=True, capture_output=True, text=True).stdout
        hashed, _, certificate = shown.partition("\n")
        self.root.write(f"etc/ssl/certs/{hashed}.0", certificate)
        with self.daemon(f"--allow-url={url}/", "--ca-file=/public.pem") as (daemon, address):
            try:
                daemon.ask(address, "open", f"{url}/root.usda")
            except RuntimeError as error:
                assert "certificate is not valid" in str(error), error
                return
        raise AssertionError("an authority that --ca-file does not name is trusted")


def check(wheel, work):
    """Raises if the wheel does not work in an empty root; else returns what has been tried, or why nothing was."""
    with contextlib.ExitStack() as servers:
        checks = Checks(wheel, work, servers)
        problem = checks.root.problem()
        return f"skipped: {problem}" if problem else checks.run()


def main(wheels):
    for wheel in wheels:
        with tempfile.TemporaryDirectory() as work:
            print(f"{os.path.basename(wheel)}: {check(wheel, work)}")


if __name__ == "__main__":
    main(sys.argv[1:])
