"""Which daemon has which stages."""
import stagedoor


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
    """Opens the empty stages one after another, and returns {root layer: the daemon that has it}; raises if there are several."""
    with stagedoor.connect(cluster.proxy.address) as client:
        stages = [client.open(root) for root in cluster.empty_stages()]
        found = replicas_of(running, only_leased=True)
        for stage in stages:
            stage.close()
    several = [root for root in cluster.empty_stages() if len(found.get(root, ())) != 1]
    if several:
        raise RuntimeError(f"{len(several)} stages are not open at exactly one daemon: {several[:3]}")
    return {root: next(iter(names)) for root, names in found.items()}


def loss(cluster, lost):
    """Kills a daemon, restarts it, and returns how stages moved: (before, without it, after), as `homes`."""
    before = homes(cluster, cluster.replicas)
    lost.kill()
    cluster.proxy.wait_for_state(lost, "DOWN")
    without = homes(cluster, [replica for replica in cluster.replicas if replica is not lost])
    lost.start()
    cluster.proxy.wait_for_state(lost, "UP")
    return before, without, homes(cluster, cluster.replicas)


def check_loss(lost, before, without, after, count):
    """Raises if other stages moved than those of the lost daemon, or too many; returns a line for the report."""
    own = {root for root, name in before.items() if name == lost.name}
    moved = {root for root, name in without.items() if name != before[root]}
    back = {root for root, name in after.items() if name != before[root]}
    shares = sorted(sum(name == other for other in before.values()) for name in set(before.values()))
    if moved != own:
        raise RuntimeError(f"{len(moved - own)} stages moved that were not at {lost.name}, {len(own - moved)} of its own did not")
    if back:
        raise RuntimeError(f"{len(back)} stages did not return to {lost.name}")
    limit = 1 / count + 0.1
    if len(moved) / len(before) > limit:
        raise RuntimeError(f"{len(moved)} of {len(before)} stages moved, more than {limit:.0%}")
    return (f"{len(before)} stages: {', '.join(map(str, shares))} per daemon; {len(moved)} moved when {lost.name} was lost "
            f"({len(moved) / len(before):.0%}, allowed {limit:.0%}), all of its own, and returned")
