"""Which daemon has which stages."""
import questions
import stagedoor
import verdicts


def held(replica, only_leased=False):
    """The root layers of the stages that a daemon holds."""
    with stagedoor.connect(replica.address) as client:
        return {stage.root_layer for stage in client.stages() if stage.lease_count or not only_leased}


def replicas_of(replicas, only_leased=False):
    """{root layer: the names of the daemons that hold it}."""
    found = {}
    for replica in replicas:
        for root in held(replica, only_leased):
            found.setdefault(root, set()).add(replica.name)
    return found


def homes(cluster, running):
    """Opens the empty stages one after another, and returns {root layer: the daemon that has it}."""
    with stagedoor.connect(cluster.proxy.address) as client:
        stages = [client.open(root) for root in cluster.empty_stages()]
        found = replicas_of(running, only_leased=True)
        for stage in stages:
            stage.close()
    return verdicts.check_homes(cluster.empty_stages(), found)


def check_loss(cluster, lost):
    """Kills a daemon and restarts it; returns a line about how stages moved, or raises."""
    before = homes(cluster, cluster.replicas)
    lost.kill()
    cluster.proxy.wait_for_state(lost, "DOWN")
    without = homes(cluster, [replica for replica in cluster.replicas if replica is not lost])
    lost.start()
    cluster.proxy.wait_for_state(lost, "UP")
    after = homes(cluster, cluster.replicas)
    return verdicts.check_loss(lost.name, before, without, after, len(cluster.replicas))


def check_keyless(cluster):
    """A line about where clients without routing keys, as the command is, open stages, or raises."""
    shots = cluster.shots()
    for shot in shots:
        questions.ask_command(cluster.proxy.address, ["open", shot])
        questions.ask_command(cluster.proxy.address, ["flatten", shot, "-o", "-"])  # opens the stage for this call only
        questions.ask_command(cluster.proxy.address, ["deps", shot])
    keyless = verdicts.check_homes(shots, replicas_of(cluster.replicas))
    with stagedoor.connect(cluster.proxy.address) as client:
        for shot in shots:
            client.open(shot).close()
    keyed = verdicts.check_homes(shots, replicas_of(cluster.replicas))
    return verdicts.check_keyless(keyless, keyed)


def check_spread(cluster):
    """A line about where the shots are, or raises."""
    names = [replica.name for replica in cluster.replicas]
    return verdicts.check_spread(cluster.shots(), replicas_of(cluster.replicas), names)
