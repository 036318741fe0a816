"""Starts daemons, Redis, nginx and HAProxy on this machine, asks the demo's questions through the proxy, and stops everything.

    ./dev cluster [--replicas N] [--node] [--keep | --load [--brief] [--seconds N] [--clients N] [--seed N] [--json OUT]]
"""
import argparse
import os
import random
import signal
import subprocess
import sys

from cluster import Cluster
from processes import ROOT, find_haproxy, find_redis, nginx


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev cluster", description=__doc__.splitlines()[0])
    parser.add_argument("--replicas", type=int, default=3, help="number of daemons (default 3)")
    parser.add_argument("--node", action="store_true", help="clients use a node daemon in front of the proxy")
    parser.add_argument("--keep", action="store_true", help="keep the cluster until Ctrl-C")
    parser.add_argument("--load", action="store_true", help="disturb the cluster while clients use it")
    parser.add_argument("--brief", action="store_true", help="with --load: only kill daemons")
    parser.add_argument("--seconds", type=float, default=0, help="with --load: repeat the disturbances for so long (default once)")
    parser.add_argument("--clients", type=int, default=64, help="with --load: number of clients (default 64)")
    parser.add_argument("--seed", type=int, help="with --load: repeats the random choices of an earlier run")
    parser.add_argument("--json", help="with --load: file for the times of calls, in the format of the benchmarks")
    options = parser.parse_args(arguments)
    if not 1 <= options.replicas <= 16 or (options.load and options.replicas < 2):
        parser.error("--replicas must be 1 to 16, and at least 2 with --load")
    if not 6 <= options.clients <= 512:
        parser.error("--clients must be 6 to 512")
    return options


def say(line):
    print(line, flush=True)


def demo(cluster):
    """Asks the demo's questions with the command and the Python package."""
    import stagedoor

    environment = dict(os.environ, STAGEDOOR_ADDRESS=cluster.address)
    subprocess.run([os.path.join(ROOT, "tools/demo.sh")], env=environment, check=True)
    say("\n>>> with stagedoor.connect(...) as client:  # the same in Python, with the scenes of the web server")
    with stagedoor.connect(cluster.address) as client, client.open(f"{cluster.assets.url}/stage_door/root.usda") as stage:
        for path, frame in (("/Shot/Camera.focalLength", 12.5), ("/Shot/Lights/Spot.inputs:intensity", 18), ("/Shot/Curtain/Cloth.wind", 7)):
            say(f"... {path} at {frame:g}: {stage[path].get(frame)}")


def run(options):
    with Cluster(options.replicas, options.node) as cluster:
        for line in cluster.describe():
            say(line)
        if options.load:
            import load

            seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
            return load.run(cluster, options.clients, options.seconds, seed, options.json, say, options.brief)
        demo(cluster)
        if options.keep:
            say("\nrunning until Ctrl-C")
            signal.pause()
    say("stopped")
    return True


def end(*_):
    raise KeyboardInterrupt


def main():
    options = parse(sys.argv[1:])
    for name, found in (("haproxy", find_haproxy()), ("nginx", nginx.find()), ("redis-server", find_redis())):
        if not found:
            say(f"cluster: skipped: {name} is not installed")
            return 0
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell starts programs in the background without SIGINT
        signal.signal(number, end)
    try:
        return 0 if run(options) else 1
    except KeyboardInterrupt:
        say("\nstopped")
        return 130
    except (RuntimeError, subprocess.CalledProcessError) as error:
        say(f"cluster: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
