"""A daemon for tests of the plug-in, on a socket of its own, which can be killed and started again."""
import os
import signal
import subprocess
import tempfile
import time


class Daemon:
    def __init__(self, *flags):
        self.folder = tempfile.TemporaryDirectory()
        self.address = f"unix:{self.folder.name}/socket"
        self.flags = flags
        self.process = None
        self.start()

    def start(self):
        file = os.path.join(self.folder.name, "address")
        if os.path.exists(file):
            os.remove(file)
        with open(os.path.join(self.folder.name, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [os.environ["STAGEDOORD"], f"--address={self.address}", f"--address-file={file}", *self.flags],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while not os.path.exists(file) or not os.path.getsize(file):
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(os.path.join(self.folder.name, "log"), encoding="utf-8") as log:
                    raise RuntimeError("stagedoord did not start: " + log.read()[-2000:])
            time.sleep(0.02)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def pause(self):
        """Stops all threads of the process until resume()."""
        self.process.send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + 60
        while any(state != "T" for state in self._states()):
            if time.monotonic() > deadline:
                raise RuntimeError("stagedoord does not stop")
            time.sleep(0.005)

    def _states(self):
        tasks = f"/proc/{self.process.pid}/task"
        for task in os.listdir(tasks):
            with open(f"{tasks}/{task}/stat", encoding="utf-8") as file:
                yield file.read().rpartition(")")[2].split()[0]

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def restart(self):
        self.kill()
        self.start()

    def close(self):
        self.kill()
        self.folder.cleanup()
