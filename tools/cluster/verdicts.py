"""Whether a run was good: where the stages were, and what the clients have seen. Knows nothing of processes."""

# Daemons that may have a stage open as long as nothing happens to any of them.
MAX_REPLICAS = 2

# How much more than its share of the stages a daemon may have.
MAX_EXCESS = 0.1


class Failed(RuntimeError):
    """The cluster did not do what it promises."""


def check_homes(roots, found):
    """{root layer: the daemon that has it}, of {root layer: the daemons}; raises unless there is exactly one for each."""
    wrong = [root for root in roots if len(found.get(root, ())) != 1]
    if wrong:
        raise Failed(f"{len(wrong)} stages are not open at exactly one daemon: {', '.join(wrong[:3])}")
    return {root: next(iter(found[root])) for root in roots}


def check_loss(lost, before, without, after, count):
    """Raises if other stages moved than those of the lost daemon, or too many; returns a line for the report."""
    own = {root for root, name in before.items() if name == lost}
    moved = {root for root, name in without.items() if name != before[root]}
    if moved != own:
        raise Failed(f"{len(moved - own)} stages moved that were not at {lost}, and {len(own - moved)} of its own did not")
    away = [root for root, name in after.items() if name != before[root]]
    if away:
        raise Failed(f"{len(away)} stages are elsewhere after {lost} returned: {', '.join(away[:3])}")
    share, limit = len(moved) / len(before), 1 / count + MAX_EXCESS
    if share > limit:
        raise Failed(f"{len(moved)} of {len(before)} stages moved when {lost} was lost, more than {limit:.0%}")
    names = sorted(set(before.values()))
    per_daemon = ", ".join(str(sum(name == home for home in before.values())) for name in names)
    return (f"{len(before)} stages, opened one by one: {per_daemon} per daemon; {len(moved)} moved when {lost} was lost "
            f"({share:.0%}, allowed {limit:.0%}), all of its own, and returned with it")


def check_keyless(keyless, keyed):
    """Raises if clients with and without routing keys open a stage at different daemons; returns a line for the report."""
    apart = [root for root, name in keyless.items() if keyed[root] != name]
    if apart:
        raise Failed(f"{len(apart)} stages are elsewhere for clients without routing keys: {', '.join(apart[:3])}")
    return f"{len(keyless)} stages at the same daemon for clients with and without routing keys"


def check_spread(roots, found, names):
    """Raises if a stage is open at too many daemons; returns a line for the report."""
    for root in roots:
        if len(found.get(root, ())) > MAX_REPLICAS:
            raise Failed(f"{root} is open at {', '.join(sorted(found[root]))}: more than {MAX_REPLICAS} daemons")
    per_daemon = ", ".join(str(sum(name in found.get(root, ()) for root in roots)) for name in names)
    most = max(len(found.get(root, ())) for root in roots)
    return f"{len(roots)} stages under load: {per_daemon} per daemon; each open at {most} of {len(names)} daemons at most"


def percentile(values, share):
    """A percentile of sorted values; 0 if there are none."""
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def times(logs, windows):
    """The times of calls in and outside of windows, sorted: (kind of client, name of a window, seconds). Windows of one name are taken
    together; a call belongs to each window that it overlaps."""
    for kind in ("python", "cpp", "command"):
        calls = [call for log in logs if log.client.startswith(kind) for call in log.calls]
        yield kind, "outside", sorted(took for begin, took in calls if not any(w.overlaps(begin, took) for w in windows))
        for name in dict.fromkeys(window.name for window in windows):
            these = [window for window in windows if window.name == name]
            yield kind, name, sorted(took for begin, took in calls if any(w.overlaps(begin, took) for w in these))


def latencies(logs, windows):
    """Lines with the times of calls."""
    for kind, name, seconds in times(logs, windows):
        p50, p99, longest = (1000 * percentile(seconds, share) for share in (0.5, 0.99, 1))
        yield f"  {kind:8} {name:30} {len(seconds):7} calls, p50 {p50:7.1f} ms, p99 {p99:8.1f} ms, longest {longest:8.1f} ms"


def results(logs, windows):
    """The times of calls in the format of the benchmarks."""
    found = []
    for kind, name, seconds in times(logs, windows):
        metric = f"cluster.{kind}.{name.replace(' ', '_').replace(',', '')}"
        found += [{"name": f"{metric}.{suffix}", "unit": "ms", "value": 1000 * percentile(seconds, share), "runs": len(seconds)}
                  for suffix, share in (("p50", 0.5), ("p99", 0.99))]
    return found


def name_of(begin, took, windows):
    return " and ".join(window.name for window in windows if window.overlaps(begin, took)) or "undisturbed"


def problems(logs, windows):
    """Lines about failed calls and wrong values; empty if there are none."""
    for log in logs:
        for begin, took, key, error in log.failures:
            yield f"  {log.client}, {name_of(begin, took, windows)}: {key}: failed after {took:.3f} s: {error}"
        for begin, took, key, answer in log.wrong:
            yield f"  {log.client}, {name_of(begin, took, windows)}: {key}: wrong value {answer}"
