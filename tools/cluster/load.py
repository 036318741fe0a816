"""Many clients, a cluster that is disturbed, and what the clients have noticed of it."""
import json
import os
import random
import time

import placement
import questions
import stagedoor
import verdicts
from callers import Callers
from disturbances import Disturbances


def recorded_answers(cluster):
    replica = cluster.new_replica("undisturbed")
    try:
        replica.start()
        with stagedoor.connect(replica.address) as client:
            return questions.record(client, replica.address, cluster.shots())
    finally:
        replica.close()


def run(cluster, clients, seconds, seed, json_file, say, brief=False):
    """Returns whether no call failed and no value was wrong. brief: only kills, without looking at where stages are."""
    say(f"seed {seed} (--seed)")
    if not brief:
        say(placement.check_loss(cluster, random.Random(seed).choice(cluster.replicas)))
        say(placement.check_keyless(cluster))
    answers = recorded_answers(cluster)
    say(f"{len(answers)} answers recorded from a daemon that nothing disturbs")
    end = time.monotonic() + seconds
    with Callers(clients, seed, cluster.address, cluster.shots(), answers) as callers:
        disturbances = Disturbances(cluster, callers, random.Random(f"{seed} disturbances"), say)
        disturbances.calm()
        if not brief:
            say(placement.check_spread(cluster))
        disturb = disturbances.kills if brief else disturbances.all
        disturb()
        while time.monotonic() < end:
            disturb()
        logs = callers.finish()
    if json_file:
        meta = {"side": "stagedoor", "cores": os.cpu_count(), "replicas": len(cluster.replicas), "clients": clients, "seed": seed}
        with open(json_file, "w", encoding="utf-8") as file:
            json.dump({"meta": meta, "results": verdicts.results(logs, disturbances.windows)}, file, indent=1)
    return report(logs, disturbances.windows, say)


def report(logs, windows, say):
    for line in [*verdicts.latencies(logs, windows), *verdicts.problems(logs, windows)]:
        say(line)
    failed, differ = sum(log.failed for log in logs), sum(log.differ for log in logs)
    say(f"{len(logs)} clients, {sum(len(log.calls) for log in logs)} reads: {failed} failed, {differ} wrong values")
    edits, refused = sum(log.edits for log in logs), sum(log.refused for log in logs)
    say(f"{edits} edits of sessions acknowledged and none lost, {refused} refused while the store could not be reached" if not differ else
        f"{edits} edits of sessions acknowledged, {refused} refused while the store could not be reached")
    return not failed and not differ and edits > 0
