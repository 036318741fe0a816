#!/usr/bin/env python3
"""Every fault of a server against every remote backend: requests end with the right values or an error before their
deadline, nothing wrong is kept, and other requests are served.

    fault_matrix.py [--backend http|s3]… [--fault NAME]…

STAGEDOORD and STAGEDOOR are the paths of the daemon and the command. Prints a line for each pair, and at the end
'N passed, N failed'. Backends whose server is not installed are skipped, which is said.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import fault_proxy
import moto_s3
import nginx

DEADLINE = 5.0  # seconds of a call that may fail
PATIENCE = 30.0  # seconds of a call that must succeed, which a busy machine may need
# Seconds that the command may take beyond the deadline: to start, on a busy machine.
MARGIN = 20.0
QUERIES = (("get", "{root}", "/World/M1.points", "--arrays", "summary"),
           ("get", "{root}", "/World/M2.points", "--arrays", "summary"),
           ("get", "{root}", "/World/M1.x", "--times", "1,1.5,2"))
# Faults under which the values must be right all the same.
HARMLESS = {"slow", "flaky_500", "flaky_reset", "whole"}


def write_scene(folder, stagedoor):
    """A text layer that references a crate of some 400 kB."""
    meshes = []
    for mesh in range(3):
        points = ", ".join("(%d, %d, 0.5)" % (mesh, i) for i in range(10000))
        meshes.append('def Mesh "M%d" {\n point3f[] points = [%s]\n double x.timeSamples = { 1: %d, 2: 8 }\n}\n'
                      % (mesh, points, mesh))
    text = os.path.join(folder, "geo.usda")
    with open(text, "w", encoding="utf-8") as file:
        file.write('#usda 1.0\n( defaultPrim = "World" )\ndef Xform "World" {\n' + "".join(meshes) + "}\n")
    subprocess.run([stagedoor, "--embedded", "convert", text, os.path.join(folder, "geo.usdc")], check=True)
    os.remove(text)
    root = os.path.join(folder, "root.usda")
    with open(root, "w", encoding="utf-8") as file:
        file.write('#usda 1.0\ndef "World" ( references = @./geo.usdc@ ) {}\n')
    return root


class Daemon:
    """A daemon that trusts no version for longer than a request. Use it in a with statement."""

    def __init__(self, work, flags, environment):
        self.address_file = os.path.join(work, "address")
        self.log = open(os.path.join(work, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [os.environ["STAGEDOORD"], "--address=127.0.0.1:0", "--address-file=" + self.address_file, "--revalidate=0",
             "--check-interval=0", *flags], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**os.environ, **environment})
        end = time.monotonic() + 60
        while not (os.path.exists(self.address_file) and os.path.getsize(self.address_file)):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the daemon did not start")
            time.sleep(0.05)
        with open(self.address_file, encoding="utf-8") as file:
            self.address = file.read().split()[0]

    def ask(self, root, query, deadline=PATIENCE):
        """(status, output, error, seconds) of one query."""
        arguments = [part.format(root=root) for part in query]
        begin = time.monotonic()
        done = subprocess.run([os.environ["STAGEDOOR"], "--address=" + self.address, "--timeout=%g" % deadline, *arguments],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr.strip(), time.monotonic() - begin

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        finally:
            self.process.kill()
            self.log.close()


def judge(daemon, proxy, root, local, expected, fault):
    """What is wrong with the answers under a fault, or None."""
    proxy.fault = fault
    errors = 0
    deadline = PATIENCE if fault in HARMLESS else DEADLINE
    for query, right in zip(QUERIES, expected):
        status, output, error, seconds = daemon.ask(root, query, deadline)
        if seconds > deadline + MARGIN:
            return "%s took %.1f s" % (query[2], seconds)
        if status == 0 and output != right:
            return "%s: wrong value" % query[2]
        if status != 0:
            errors += 1
            if not error or moto_s3.SECRET in error:
                return "%s: unclear error %r" % (query[2], error)
            if "INTERNAL" in error or "UNKNOWN" in error:
                return "%s: %s" % (query[2], error)
    if errors and fault in HARMLESS:
        return "%d of %d queries failed: %s" % (errors, len(QUERIES), error)
    if daemon.ask(local, QUERIES[0])[1] != expected[0]:
        return "another client got no answer"
    proxy.fault = None
    for query, right in zip(QUERIES, expected):
        status, output, error, _ = daemon.ask(root, query)
        if status != 0 or output != right:
            return "%s is not right after the fault: %s" % (query[2], error or "wrong value")
    return None


def run(backend, faults, folder, root):
    """The number of failures of one backend."""
    failed = 0
    origin = nginx.Nginx("/") if backend == "http" else moto_s3.MotoS3(folder)
    with origin, fault_proxy.FaultProxy(origin.port) as proxy:
        endpoint = "http://127.0.0.1:%d" % proxy.port
        if backend == "http":
            url, flags, environment = endpoint, [], {}
        else:
            url, environment = origin.url, origin.environment()
            flags = ["--s3-endpoint=" + endpoint, "--s3-region=" + moto_s3.REGION]
        for fault in faults:
            with tempfile.TemporaryDirectory() as work:
                flags_now = [*flags, "--allow-url=" + url + "/", "--cache-dir=" + os.path.join(work, "cache")]
                proxy.fault = None
                with Daemon(work, flags_now, environment) as daemon:
                    expected = [daemon.ask(root, query)[1] for query in QUERIES]
                    if not all(expected):
                        raise RuntimeError("the daemon does not serve the local scene")
                    why = judge(daemon, proxy, url + root, root, expected, fault)
                    if why is None:
                        daemon.log.flush()
                        daemon.log.seek(0)
                        if moto_s3.SECRET in daemon.log.read():
                            why = "a secret is in the log"
            failed += why is not None
            print("%-5s %-20s %s" % (backend, fault, "ok" if why is None else "FAILED: " + why), flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", action="append", choices=("http", "s3"))
    parser.add_argument("--fault", action="append", choices=sorted(fault_proxy.FAULTS))
    options = parser.parse_args()
    faults = options.fault or list(fault_proxy.FAULTS)
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="stagedoor-faults-") as folder:
        folder = os.path.realpath(folder)
        root = write_scene(folder, os.environ["STAGEDOOR"])
        for backend in options.backend or ("http", "s3"):
            if (nginx if backend == "http" else moto_s3).find() is None:
                print("fault matrix: skipped: no server for %s is installed" % backend)
                continue
            wrong = run(backend, faults, folder, root)
            failed += wrong
            passed += len(faults) - wrong
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
