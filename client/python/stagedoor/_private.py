"""The private daemon of this user, which is started where no address of another one is given.

One daemon serves all programs of the user that have the same version. Its socket, its log and the
lock of those who start it are in a folder that only the user may enter. The C++ library and the
command find it by the same names (client/cc/private_daemon.h).
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import select
import shutil
import socket
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from stagedoor._version import __version__
from stagedoor.errors import Error, make_error

PROGRAM = "stagedoord"
INSTALL = "pip install 'stagedoor[daemon]'"

_IDLE_SECONDS = 600
_MEMORY = "50%"  # the rest is for the programs that use it
# The variables that the daemon would take for its own, although they name the client's certificate.
_CLIENT_VARIABLES = ("STAGEDOOR_TLS_CERTIFICATE", "STAGEDOOR_TLS_KEY")
# Those by which the daemon may know where its query socket is, or that it has none.
_QUERY_VARIABLES = ("STAGEDOOR_QUERY_SOCKET", "STAGEDOOR_UPSTREAM", "STAGEDOOR_CONFIG")

_START_SECONDS = 60.0  # for a start, or to wait for that of another program
_END_SECONDS = 30.0  # for one that is ending
_LOOK_SECONDS = 0.02
_MAX_SOCKET_PATH = 107  # bytes
_LOG_TAIL_BYTES = 2000


def find_program() -> str | None:
    """The path of the daemon's program: of this installation, or else on the PATH."""
    if not sys.platform.startswith("linux"):
        return None
    package = pathlib.Path(__file__).resolve().parent
    folders = []
    if package.parent.name in ("site-packages", "dist-packages"):
        folders.append(package.parents[3] / "bin")  # of <prefix>/lib/python3.12/site-packages
    folders.append(package.parent / "bin")  # pip install --target
    folders.append(pathlib.Path(sys.prefix) / "bin")
    folders += [pathlib.Path(name) for name in os.get_exec_path() if os.path.isabs(name)]
    return shutil.which(PROGRAM, path=os.pathsep.join(str(folder) for folder in folders))


def runtime_folder() -> str:
    """The folder of the socket, whether or not it exists."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime):
        with contextlib.suppress(OSError):
            found = os.stat(runtime)
            if stat.S_ISDIR(found.st_mode) and _is_safe(found, stat.S_IWGRP | stat.S_IWOTH):
                return os.path.join(runtime, "stagedoor")
    return f"/tmp/stagedoor-{os.geteuid()}"


class Peer(NamedTuple):
    """The process that listens at a Unix socket."""

    process: int
    user: int


def peer_of(connection: socket.socket) -> Peer:
    """The process at the other end of a connection to a Unix socket."""
    size = struct.calcsize("3i")
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    process, user, _ = struct.unpack("3i", found)
    return Peer(process, user)


class PrivateDaemon:
    """The daemon of this user that `program` is, running or not. Thread-safe."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._folder = runtime_folder()
        self._socket = f"{__version__}.socket"
        self._log = f"{__version__}.log"
        path = os.path.join(self._folder, self._socket)
        if len(os.fsencode(path)) > _MAX_SOCKET_PATH:
            with self._errors():
                descriptor = self._open_folder()  # kept until the process ends
            path = f"/proc/self/fd/{descriptor}/{self._socket}"
        self._path = path

    @property
    def address(self) -> str:
        return f"unix:{self._path}"

    @property
    def log(self) -> str:
        """The path of its log."""
        return os.path.join(self._folder, self._log)

    def ensure(self) -> None:
        """Starts the daemon unless it runs. Raises an error that says why it cannot be started."""
        with self._errors():
            folder = self._open_folder()
            try:
                if self._answers(folder):
                    return
                with _locked(folder, f"{__version__}.start", _START_SECONDS) as held:
                    if not held:
                        raise _failure("another program has been starting it for a minute")
                    if not self._await_predecessor(folder):
                        self._start(folder)
            finally:
                os.close(folder)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if isinstance(error, Error):
                raise
            name = error.filename or self._folder
            raise _failure(f"{error.strerror or error}: '{name}'") from None

    def _open_folder(self) -> int:
        """A descriptor of the folder, which is made if it is missing."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(self._folder, 0o700)
        try:
            folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except NotADirectoryError:  # also for a link
            raise _failure(f"'{self._folder}' is not a directory; remove it") from None
        found = os.fstat(folder)
        if _is_safe(found, stat.S_IRWXG | stat.S_IRWXO):
            return folder
        os.close(folder)
        if found.st_uid != os.geteuid():
            problem = f"belongs to another user (uid {found.st_uid}); have it removed"
        else:
            problem = "is open to other users; remove it, or 'chmod 700' it if they left nothing"
        raise _failure(f"'{self._folder}' {problem}")

    def _answers(self, folder: int) -> bool:
        """Whether a daemon of this user accepts connections."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.setblocking(False)
            try:
                probe.connect(f"/proc/self/fd/{folder}/{self._socket}")
            except BlockingIOError:
                return True  # it has many connections to accept
            except (ConnectionRefusedError, FileNotFoundError):
                return False
            user = peer_of(probe).user
        if user not in (os.geteuid(), 0):
            raise _failure(f"the program at '{self._path}' is of another user (uid {user})")
        return True

    def _await_predecessor(self, folder: int) -> bool:
        """Waits until a daemon answers, or until there is none. Returns whether one answers."""
        deadline = time.monotonic() + _END_SECONDS
        while not self._answers(folder):
            # A daemon holds the lock of its socket from its start to its end.
            with _locked(folder, f"{self._socket}.lock", 0.0, create=False) as ended:
                if ended:
                    return False
            if time.monotonic() > deadline:
                raise _failure(f"the one before it does not end; its log is '{self.log}'")
            time.sleep(_LOOK_SECONDS)
        return True

    def _start(self, folder: int) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.replace(self._log, f"{self._log}.old", src_dir_fd=folder, dst_dir_fd=folder)
        mode = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        log = os.open(self._log, mode, 0o600, dir_fd=folder)
        alive, held = os.pipe()  # reading ends when the daemon does, which holds the other end
        try:
            self._spawn(log, held)
            os.close(held)
            held = -1
            self._await_start(folder, alive)
        finally:
            for descriptor in (log, alive, held):
                if descriptor >= 0:
                    os.close(descriptor)
        if sys.stderr is not None:
            what = "started a private daemon, which stops when it is idle"
            print(f"stagedoor: {what} (log: {self.log})", file=sys.stderr)

    def _spawn(self, log: int, held: int) -> None:
        """Runs the daemon, not as a child of this process, which might wait for its children."""
        environment = {k: v for k, v in os.environ.items() if k not in _CLIENT_VARIABLES}
        command = [self._program, f"--address=unix:{self._socket}", f"--log-file={self._log}"]
        queries = os.path.join(self._folder, f"{__version__}.queries.socket")  # not relative
        fits = len(os.fsencode(queries)) <= _MAX_SOCKET_PATH
        if fits and not any(environment.get(name) for name in _QUERY_VARIABLES):
            command.append(f"--query-socket={queries}")
        if not environment.get("STAGEDOOR_STOP_WHEN_IDLE"):
            command.append(f"--stop-when-idle={_IDLE_SECONDS}")
        if not environment.get("STAGEDOOR_MEMORY_LIMIT"):
            command.append(f"--memory-limit={_MEMORY}")
        subprocess.run(
            ["/bin/sh", "-c", 'exec "$@" &', "sh", *command],
            check=True,
            cwd=self._folder,  # so that the socket's path is short
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(held,),
            start_new_session=True,
        )

    def _await_start(self, folder: int, alive: int) -> None:
        deadline = time.monotonic() + _START_SECONDS
        poller = select.poll()
        poller.register(alive, select.POLLIN)
        while not self._answers(folder):
            if poller.poll(_LOOK_SECONDS * 1000):
                raise _failure(f"it ended: {self._last_words(folder)}")
            if time.monotonic() > deadline:
                raise _failure(f"it does not answer; its log is '{self.log}'")

    def _last_words(self, folder: int) -> str:
        """The last line of the log."""
        descriptor = os.open(self._log, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)
        with open(descriptor, "rb") as file:
            file.seek(max(0, os.fstat(descriptor).st_size - _LOG_TAIL_BYTES))
            lines = file.read().decode(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line), f"see '{self.log}'")


@contextlib.contextmanager
def _locked(folder: int, name: str, seconds: float, *, create: bool = True) -> Iterator[bool]:
    """Holds the lock of a file; yields whether that was possible within `seconds`.

    Without `create`, a file that does not exist has no lock that others could hold.
    """
    import fcntl  # not on all systems

    mode = os.O_RDWR | os.O_NOFOLLOW | (os.O_CREAT if create else 0)
    try:
        descriptor = os.open(name, mode, 0o600, dir_fd=folder)
    except FileNotFoundError:
        if create:
            raise
        yield True
        return
    deadline = time.monotonic() + seconds
    held = False
    try:
        while not held:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                held = True
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    break
                time.sleep(_LOOK_SECONDS)
        yield held
    finally:
        os.close(descriptor)


def _is_safe(found: os.stat_result, forbidden: int) -> bool:
    """Whether something belongs to this user and others have none of the `forbidden` rights."""
    return found.st_uid == os.geteuid() and not found.st_mode & forbidden


def _failure(why: str) -> Error:
    error = make_error(f"cannot start a private daemon: {why}", code="UNAVAILABLE")
    error.hint = "set STAGEDOOR_ADDRESS to use another daemon"
    error.__suppress_context__ = True  # the failure of a call, because of which it is started
    return error
