"""Judges the outcome of a trick. Pure functions of the observations, so that they can be tested without a daemon."""
import time
from typing import NamedTuple

# Consecutive checks that must find no call, and seconds between them, since a call may be about to arrive.
LOOKS, BETWEEN_LOOKS = 3, 0.02
# The tolerated factor above the memory limit: measurements lag, and the allocator keeps freed memory.
OVER_LIMIT = 1.2
# INTERNAL and UNKNOWN are always defects; UNAVAILABLE means a lost connection, unless the daemon itself says so.
DEFECTS = (2, 13, 14)
MEMORY_IS_SHORT = "the daemon's memory is short"
# RESOURCE_EXHAUSTED, or refused before: how much memory an attack holds at a time depends on the machine.
REFUSED = ("code 8:", f"code 14: {MEMORY_IS_SHORT}")


class Tolerances(NamedTuple):
    late: float    # seconds a call may continue after its caller has left
    slower: float  # factor by which the other client's p99 may be slower than alone, over all tricks
    slow: float    # during one trick, which may have few calls, p99 may also be up to this many seconds
    refused: float  # fraction of its calls during one trick that may fail with RESOURCE_EXHAUSTED


# On an arbitrary machine only endless calls are errors, since a busy machine may take any time. STRICT has the figures that a
# quiet machine reaches.
ANYWHERE = Tolerances(30.0, float("inf"), float("inf"), 0.05)
STRICT = Tolerances(0.2, 4, 0.02, 0)


def slowest_hundredth(times):
    return sorted(times)[min(len(times) - 1, len(times) * 99 // 100)] if times else float("inf")


def seconds_until_idle(in_flight, most, now=time.monotonic, sleep=time.sleep):
    """Seconds from now until the start of the first of several consecutive checks that found no call in flight; `most` if that
    takes longer. in_flight() returns None if the number of calls is unknown."""
    begin = now()
    found, first = 0, None
    while found < LOOKS:
        look = now()
        if look - begin >= most:
            return most
        if in_flight() == 0:
            first = look if found == 0 else first
            found += 1
        else:
            found = 0
        sleep(BETWEEN_LOOKS)
    return first - begin


def is_defect(answer):
    return answer["code"] in DEFECTS and not answer["message"].startswith(MEMORY_IS_SHORT)


def judge(row, alone, tolerances, memory):
    """Yields what is wrong with the outcome of one trick. `alone` is the other client's p99 without tricks."""
    if not row["alive"]:
        yield f"the daemon died with status {row['status']}"
        return
    if row["idle"] > tolerances.late:
        yield f"calls continued for {row['idle']:.2f} s after their callers had left"
    if not row["rested"]:
        yield "the other client exited, or still waits for a reply"
    failed = [status for status in row["failed"] if not status.startswith(REFUSED)]
    refused = [status for status in row["failed"] if status.startswith(REFUSED)]
    if len(refused) > tolerances.refused * row["calls"]:
        failed += refused
    if failed:
        yield f"{len(failed)} calls of the other client failed, the first with {failed[0]}"
    if row["opening"]["code"] != 0:
        yield f"a new client could not open a stage afterwards: code {row['opening']['code']}: {row['opening']['message']}"
    if row["p99"] > max(alone * tolerances.slower, tolerances.slow):
        yield f"the other client's p99 was {row['p99'] * 1e3:.1f} ms, {alone * 1e3:.2f} ms alone"
    if row["peak"] > memory * OVER_LIMIT:
        yield f"memory rose to {row['peak'] >> 20} MiB"
    defects = [answer for answer in row["answers"] if is_defect(answer)]
    for answer in defects[:3]:
        yield f"{answer['method']}: code {answer['code']}: {answer['message']}"
    if len(defects) > 3:
        yield f"{len(defects) - 3} more calls failed like this"


def judge_all(p99, alone, tolerances):
    """Yields what is wrong over all tricks."""
    if p99 > alone * tolerances.slower:
        yield f"the other client's p99 was {p99 / alone:.1f} times that alone"
