"""Many clients, a cluster that is disturbed, and what the clients have noticed of it."""
import random
import time

import placement
import questions
import stagedoor
from callers import Callers
from disturbances import Disturbances

# Daemons that may have a stage open as long as nothing happens to any of them.
MAX_REPLICAS = 2


def percentile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))] if sorted_values else 0.0


def latency_line(name, seconds):
    values = sorted(seconds)
    p50, p99, top = (1000 * percentile(values, share) for share in (0.5, 0.99, 1))
    return f"  {name:42} {len(values):7} calls, p50 {p50:7.1f} ms, p99 {p99:8.1f} ms, longest {top:8.1f} ms"


def latencies(logs, windows):
    """Lines with the times of calls, in and outside of windows: a call belongs to each window that it overlaps."""
    for kind in ("python", "command"):
        calls = [call for log in logs if log.client.startswith(kind) for call in log.calls]
        yield f"{kind}:"
        yield latency_line("outside", [took for begin, took in calls if not any(w.overlaps(begin, took) for w in windows)])
        for window in windows:
            yield latency_line(window.name, [took for begin, took in calls if window.overlaps(begin, took)])


def name_of(begin, took, windows):
    names = [window.name for window in windows if window.overlaps(begin, took)]
    return " and ".join(names) or "while nothing was disturbed"


def problems(logs, windows):
    """Lines about failed calls and wrong values; empty if there are none."""
    for log in logs:
        for begin, took, key, error in log.failures:
            yield f"  {log.client}, {name_of(begin, took, windows)}: {key}: failed after {took:.3f} s: {error}"
        for begin, took, key, answer in log.wrong:
            yield f"  {log.client}, {name_of(begin, took, windows)}: {key}: wrong value {answer}"


def check_placement(cluster):
    """Raises if a shot is open at too many daemons; returns a line for the report."""
    found = placement.replicas_of(cluster.replicas)
    counts = {len(found.get(shot, ())) for shot in cluster.shots()}
    for shot in cluster.shots():
        if len(found.get(shot, ())) > MAX_REPLICAS:
            raise RuntimeError(f"{shot} is open at {', '.join(sorted(found[shot]))}, more than {MAX_REPLICAS} daemons")
    per_replica = [sum(replica.name in found.get(shot, ()) for shot in cluster.shots()) for replica in cluster.replicas]
    return (f"{len(cluster.shots())} stages under load: {', '.join(map(str, per_replica))} per daemon; "
            f"each at most at {max(counts)} of {len(cluster.replicas)} daemons")


def run(cluster, clients, seconds, seed, say):
    """Returns whether no call failed and no value was wrong."""
    say(f"seed {seed} (--seed)")
    lost = random.Random(seed).choice(cluster.replicas)
    say(placement.check_loss(lost, *placement.loss(cluster, lost), len(cluster.replicas)))
    answers = recorded_answers(cluster)
    say(f"{len(answers)} answers recorded from a daemon that nothing disturbs")
    end = time.monotonic() + seconds
    with Callers(clients, seed, cluster.proxy.address, cluster.shots(), answers) as callers:
        disturbances = Disturbances(cluster, callers, random.Random(f"{seed} disturbances"), say)
        disturbances.calm()
        say(check_placement(cluster))
        disturbances.all()
        while time.monotonic() < end:
            disturbances.all()
        logs = callers.finish()
    return report(logs, disturbances.windows, say)


def recorded_answers(cluster):
    replica = cluster.new_replica("undisturbed")
    try:
        replica.start()
        with stagedoor.connect(replica.address) as client:
            return questions.record(client, replica.address, cluster.shots())
    finally:
        replica.close()


def report(logs, windows, say):
    for line in latencies(logs, windows):
        say(line)
    for line in problems(logs, windows):
        say(line)
    failed, differ = sum(log.failed for log in logs), sum(log.differ for log in logs)
    calls = sum(len(log.calls) for log in logs)
    say(f"{len(logs)} clients, {calls} reads: {failed} failed, {differ} wrong values")
    say("edits of sessions: not tested, because sessions end with their daemon until there is a store for them")
    return not failed and not differ
