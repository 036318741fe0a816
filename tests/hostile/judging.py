"""What is wrong after a trick: pure functions of what was seen, so that they are tested without a daemon."""
import time
from typing import NamedTuple

# Looks that must find no call in a row, and seconds between them: a call may just be on its way.
LOOKS, BETWEEN_LOOKS = 3, 0.02
# A good deal above the memory limit: what was measured before and what the allocator keeps.
OVER_LIMIT = 1.2
# INTERNAL and UNKNOWN are defects wherever they come from, UNAVAILABLE a lost connection.
DEFECTS = (2, 13, 14)
# RESOURCE_EXHAUSTED: how much of the memory an attack holds at a time depends on the machine.
REFUSED = "code 8:"


class Tolerances(NamedTuple):
    late: float    # seconds a call may go on after its caller has left
    slower: float  # how many times slower the other client's slowest hundredth of calls may be than alone, over all tricks
    slow: float    # and during one trick, of which there may be few calls, or this many seconds if that is more
    refused: float  # the fraction of its calls during one trick that may end with RESOURCE_EXHAUSTED


# Anywhere nothing is wrong but what never ends: a machine that others keep busy may take any time. On a quiet machine the
# figures that it reaches.
ANYWHERE = Tolerances(30.0, float("inf"), float("inf"), 0.05)
STRICT = Tolerances(0.2, 4, 0.02, 0)


def slowest_hundredth(times):
    return sorted(times)[min(len(times) - 1, len(times) * 99 // 100)] if times else float("inf")


def seconds_until_idle(in_flight, most, now=time.monotonic, sleep=time.sleep):
    """When the first of several looks in a row was begun that found no call in flight, in seconds from now; `most` if none
    does by then. in_flight() gives None where that can't be told."""
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


def judge(row, alone, tolerances, memory):
    """Says what is wrong with the outcome of one trick, `alone` being the other client's p99 without tricks."""
    if not row["alive"]:
        yield f"the daemon died, its status {row['status']}"
        return
    if row["idle"] > tolerances.late:
        yield f"calls went on {row['idle']:.2f} s after their callers had left"
    if not row["rested"]:
        yield "the other client has ended, or waits for an answer"
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
    defects = [answer for answer in row["answers"] if answer["code"] in DEFECTS]
    for answer in defects[:3]:
        yield f"{answer['method']}: code {answer['code']}: {answer['message']}"
    if len(defects) > 3:
        yield f"{len(defects) - 3} more calls ended so"


def judge_all(p99, alone, tolerances):
    """The same over all tricks."""
    if p99 > alone * tolerances.slower:
        yield f"the other client's p99 was {p99 / alone:.1f} times that alone"
