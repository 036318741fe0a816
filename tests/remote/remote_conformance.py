#!/usr/bin/env python3
"""Runs the shared corpus over scenes that a server holds, with the same recorded results as for files.

    remote_conformance.py http|s3 [--shared FOLDER] [OPTIONS OF run.py]

Starts the server (nginx, or moto's S3) and a daemon, both on free loopback ports. STAGEDOORD and STAGEDOOR are the paths of
the daemon and the command. The cases of the kind `stitch` copy their layers first, so these are read from the disk. Exits
with 0 if all cases pass, or if the server is not installed, which is said.
"""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

import moto_s3
import nginx


def server_for(kind, cases):
    """A server that holds the cases, or None."""
    if kind == "http":
        return nginx.Nginx("/") if nginx.find() else None
    return moto_s3.MotoS3(cases) if moto_s3.find() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("http", "s3"))
    parser.add_argument("--shared", default=os.environ.get("STAGEDOOR_SHARED", os.path.join(ROOT, "..", "shared")))
    options, rest = parser.parse_known_args()
    corpus = os.path.realpath(os.path.join(options.shared, "conformance"))
    cases = os.path.join(corpus, "cases")
    if not os.path.isdir(cases):
        print("remote conformance: skipped: no corpus at " + corpus)
        return 0
    server = server_for(options.kind, cases)
    if server is None:
        print("remote conformance: skipped: no server for %s is installed" % options.kind)
        return 0
    with server, tempfile.TemporaryDirectory() as cache:
        command = [os.path.join(HERE, "remote_command.sh"), cases, server.url, os.environ["STAGEDOOR"]]
        flags = ["--allow-url=" + server.url + "/", "--cache-dir=" + os.path.join(cache, "cache")]
        environment = dict(os.environ)
        if options.kind == "s3":
            flags += server.flags()
            environment.update(server.environment())
        environment["STAGEDOORD_FLAGS"] = " ".join(flags)
        environment.pop("STAGEDOOR_EMBEDDED", None)
        return subprocess.run([os.path.join(ROOT, "tools", "with_daemon.sh"), sys.executable, os.path.join(corpus, "run.py"),
                               "--command", shlex.join(command), *rest], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
