"""A program with the C++ library, tests/cluster/sdk_client, that answers one question after another."""
import os
import subprocess


class Refused(Exception):
    """An edit was refused because the store could not be reached."""


class SdkClient:
    def __init__(self, address, name):
        self._process = subprocess.Popen([os.environ["STAGEDOOR_SDK_CLIENT"], address, name], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, *words):
        """The answer to an order. Refused or RuntimeError if it fails."""
        try:
            self._process.stdin.write("\t".join(words) + "\n")
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RuntimeError(f"sdk_client ended with status {self._process.wait()}")
        result, *rest = line.rstrip("\n").split("\t")
        if result == "ok":
            return rest[0]
        if rest[0] == "STORE_UNAVAILABLE":
            raise Refused(rest[1])
        raise RuntimeError(": ".join(text for text in rest if text))

    def close(self):
        self._process.stdin.close()
        self._process.wait()
