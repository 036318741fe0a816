"""64 clients of two large scenes, at a daemon that may use 512 MiB: memory_limit_test.py [SCENES].

The limit is a control group if the test may make one, so that the kernel would kill the daemon that exceeds it; else
--memory-limit, and a watcher of anonymous memory. Nobody may be killed, no call may fail outside of the contract, and everybody
gets some answers. SCENES has scenes of the benchmarks (`city`, `clips`); without it, small ones of the same kind are made."""
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import hostile_test
import http2
from bystander import Watched

LIMIT = 512 << 20
CLIENTS = 64
SECONDS = 8
GROUPS = "/sys/fs/cgroup/memory"  # version 1
SCENES = None
CONTRACT = (http2.OK, http2.CANCELLED, http2.DEADLINE_EXCEEDED, http2.RESOURCE_EXHAUSTED, http2.UNAVAILABLE)
FRAMES, POINTS, LOTS = 24, 60000, 3000


def write_scenes(folder):
    """A city of instances and a mesh whose points are in one clip for each frame. Returns their roots and an attribute."""
    city, clips = os.path.join(folder, "city.usda"), os.path.join(folder, "clips.usda")
    with open(os.path.join(folder, "house.usda"), "w") as file:
        file.write('#usda 1.0\n(defaultPrim = "House")\ndef Xform "House" {\n'
                   + "".join(f' def Mesh "Part{i}" {{\n  point3f[] points = [{", ".join(["(1, 2, 3)"] * 50)}]\n }}\n' for i in range(12))
                   + "}\n")
    with open(city, "w") as file:
        file.write("#usda 1.0\n" + "".join(f'def "Lot{i}" (prepend references = @./house.usda@) {{\n double height = {i}\n}}\n'
                                           for i in range(LOTS)))
    points = ", ".join(f"({i}, 0, 0)" for i in range(POINTS))
    for frame in range(1, FRAMES + 1):
        with open(os.path.join(folder, f"clip.{frame}.usda"), "w") as file:
            file.write(f'#usda 1.0\ndef "M" {{\n point3f[] points.timeSamples = {{ {frame}: [{points}] }}\n}}\n')
    with open(clips, "w") as file:
        names = ", ".join(f"@./clip.{frame}.usda@" for frame in range(1, FRAMES + 1))
        times = ", ".join(f"({frame}, {frame})" for frame in range(1, FRAMES + 1))
        active = ", ".join(f"({frame}, {frame - 1})" for frame in range(1, FRAMES + 1))
        file.write(f'#usda 1.0\ndef "M" (\n clips = {{ dictionary default = {{\n  asset[] assetPaths = [{names}]\n'
                   f'  double2[] active = [{active}]\n  double2[] times = [{times}]\n  string primPath = "/M"\n }} }}\n) {{\n'
                   " point3f[] points\n}\n")
    return city, clips, "/M.points"


def benchmark_scenes(folder):
    return os.path.join(folder, "city", "root.usda"), os.path.join(folder, "clips", "root.usda"), "/World/Template/mesh_19.points"


def group_of_this_process():
    for line in hostile_test.read("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return GROUPS + path
    return GROUPS


class ControlGroup:
    """A control group with the limit; `path` is None if none can be made."""

    def __init__(self):
        self.path = os.path.join(GROUPS, f"stagedoor-test-{os.getpid()}")
        try:
            os.mkdir(self.path)
        except OSError:
            self.path = None
            return
        try:
            self.write("memory.limit_in_bytes", LIMIT)
            self.write("memory.oom_control", 0)
            with open(os.path.join(group_of_this_process(), "cgroup.procs"), "a"):
                pass  # the way back
        except OSError:
            os.rmdir(self.path)
            self.path = None

    def write(self, name, value):
        with open(os.path.join(self.path, name), "w") as file:
            file.write(str(value))

    def read(self, name):
        return hostile_test.read(os.path.join(self.path, name))

    def kills(self):
        return next((int(line.split()[1]) for line in self.read("memory.oom_control").splitlines() if line.startswith("oom_kill ")), 0)

    def remove(self):
        if self.path is None:
            return
        end = time.monotonic() + hostile_test.AT_LAST
        while os.path.exists(self.path) and time.monotonic() < end:
            try:
                os.rmdir(self.path)
            except OSError:
                time.sleep(0.05)  # its processes are still being removed


class Worker(threading.Thread):
    """One client: opens, reads, flattens and closes the scenes until it is stopped."""

    def __init__(self, address, number, scenes, end):
        super().__init__(daemon=True)
        self.address, self.number, self.scenes, self.end = address, number, scenes, end
        self.statuses = {}

    def call(self, client, method, message):
        status, reply = client.call(method, message, timeout=20)
        self.statuses[status] = self.statuses.get(status, 0) + 1
        return reply if status == http2.OK else None

    def run(self):
        city, clips, attribute = self.scenes
        client = http2.Client(self.address)
        n = self.number
        while time.monotonic() < self.end:
            root = clips if n % 2 else city
            layer = f'#usda 1.0\nover "M" {{\n double n = {n % 8}\n}}\n'
            opened = self.call(client, "StagesService/OpenStage", http2.open_stage(root, layer=layer))
            if opened:
                handle = http2.handle_in(opened[0])
                if root == clips:
                    self.call(client, "QueryService/BatchGetValues", http2.values(handle, [attribute], f"1:{1 + n % FRAMES}"))
                elif n % 16 == 0:
                    self.call(client, "LayersService/FlattenStage", http2.flatten(handle))
                else:
                    self.call(client, "QueryService/Traverse", http2.field(1, http2.field(1, handle)))
                self.call(client, "StagesService/CloseStage", http2.close_stage(handle))
            n += 1
        client.close()


class MemoryLimitTest(unittest.TestCase):
    def test_nobody_is_killed(self):
        group = ControlGroup()
        self.addCleanup(group.remove)
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            scenes = benchmark_scenes(SCENES) if SCENES else write_scenes(folder)
            flags = [f"--memory-limit={LIMIT}"] if group.path is None else []
            if SCENES:
                flags.append(f"--allow-root={SCENES}")
            if group.path is not None:
                # Children inherit the group; this process returns to its own.
                before = group_of_this_process()
                group.write("cgroup.procs", os.getpid())
                try:
                    watched = Watched(folder, *flags)
                finally:
                    with open(os.path.join(before, "cgroup.procs"), "w") as file:
                        file.write(str(os.getpid()))
            else:
                watched = Watched(folder, *flags)
            self.addCleanup(lambda: watched.daemon.alive() and watched.daemon.process.kill())
            end = time.monotonic() + SECONDS
            workers = [Worker(watched.address, n, scenes, end) for n in range(CLIENTS)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            self.assertTrue(watched.daemon.alive(), hostile_test.read(watched.daemon.log)[-3000:])
            statuses = {}
            for worker in workers:
                for status, count in worker.statuses.items():
                    statuses[status] = statuses.get(status, 0) + count
                self.assertTrue(worker.statuses, "a client got no answer")
            how = "a control group" if group.path else "--memory-limit"
            print(f"{how}: statuses {statuses}, anonymous memory at most {watched.daemon.peak >> 20} MiB", flush=True)
            self.assertLessEqual(set(statuses), set(CONTRACT))
            self.assertGreater(statuses.get(http2.OK, 0), 0)
            self.assertLess(watched.daemon.peak, LIMIT)
            if group.path is not None:
                self.assertEqual(group.kills(), 0)
            watched.serve_bystander()
            watched.stop()


def main():
    global SCENES, SECONDS
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        SCENES, SECONDS = os.path.abspath(sys.argv.pop(1)), 60
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
