"""Lets a daemon do every kind of work: for checks of the image, of the seccomp profile and of the metrics."""
import contextlib
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request

# Questions about tests/data/stage_door: arguments, and a part of the answer.
QUESTIONS = (
    (("open", "{scene}"), "timeCodesPerSecond"),
    (("tree", "{scene}"), "Camera"),
    (("get", "{scene}", "/Shot/Curtain/Cloth.points", "--times", "1,7"), "7\t["),
    (("get", "{scene}", "/Shot/Camera.focalLength", "--times", "12.5"), "12.5\t"),
    (("samples", "{scene}", "/Shot/Characters/Actor/Rig/Bow.rotations", "--values", "--interval", "1:7"), "1\t"),
    (("explain", "{scene}", "/Shot/Curtain/Cloth.wind", "--time", "7"), "/Shot/Curtain/Cloth.wind"),
    (("dump", "{scene}", "--skin", "--geom", "--collections", "--stack", "--times", "1,7"), '"record":"stage"'),
    (("flatten", "{scene}", "-o", "-"), "#usda 1.0"),
    (("convert", "{scene}", "-"), "#usda 1.0"),
    (("deps", "{scene}"), "found"),
    (("validate", "{scene}"), ""),
    (("prefetch", "{scene}", "/Shot/Curtain", "--interval", "1:48"), "clips open"),
    (("warm", "{scene}", "--interval", "1:48"), "clips"),
    (("open", "{scene}", "--on-change", "follow"), "timeCodesPerSecond"),
)
OPERATORS_QUESTIONS = ((("stages",), "root.usda"), (("stats", "--layers"), "stages "))


def wait_for(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"timed out: {what}")
        time.sleep(0.02)


class Daemon:
    """A daemon that is started by `prefix`, a command in front of its own; `command` is that of stagedoor."""

    def __init__(self, prefix, flags, log, command):
        self.command = command
        self.log = log
        with open(log, "wb") as file:
            self.process = subprocess.Popen([*prefix, *flags], stdin=subprocess.DEVNULL, stdout=file, stderr=file)

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_for_file(self, path):
        def there():
            if self.process.poll() is not None:
                raise RuntimeError(f"the daemon exited with {self.process.returncode}:\n{self.text()}")
            return os.path.exists(path) and os.path.getsize(path) > 0
        wait_for(there, f"the daemon does not write {path}")
        with open(path, encoding="utf-8") as file:
            return file.read().split()

    def ask(self, address, *arguments, flags=()):
        """The output of a command; raises if it fails."""
        done = subprocess.run([*self.command, "--address", address, *flags, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"stagedoor {' '.join(arguments)}: status {done.returncode}: {done.stderr}\n{self.text()[-3000:]}")
        return done.stdout

    def ask_all(self, address, scene, questions=QUESTIONS, flags=()):
        for question, part in questions:
            answer = self.ask(address, *(word.format(scene=scene) for word in question), flags=flags)
            if part not in answer:
                raise RuntimeError(f"stagedoor {' '.join(question)}: no {part!r} in {answer[:500]!r}")

    def stop(self):
        """Sends SIGTERM and returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()


def get(address, path):
    """Status and body of an HTTP resource of the daemon."""
    try:
        reply = urllib.request.urlopen(f"http://{address}{path}", timeout=10)
    except urllib.error.HTTPError as error:
        reply = error
    with contextlib.closing(reply):
        return reply.status, reply.read().decode()


def make_certificates(folder):
    """ca.pem, and server.pem and server.key for localhost, in a directory."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)
    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *new_key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test")
    openssl("req", *new_key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-copy_extensions", "copy", "-out", "server.pem")
