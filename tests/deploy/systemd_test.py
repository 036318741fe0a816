#!/usr/bin/env python3
"""Checks deploy/systemd with systemd-analyze, and its flags, times and system calls. STAGEDOORD and STAGEDOOR are the programs."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import facts

UNIT = os.path.join(facts.ROOT, "deploy/systemd/stagedoord.service")
# `systemd-analyze security`: 0 is best, and 10 a service without any restriction.
MOST_EXPOSURE = 1.5


def settings(text):
    """Values by name, in order; lines that continue others are not used."""
    found = {}
    for name, value in re.findall(r"^([A-Za-z]+)=(.*)$", text, re.M):
        found.setdefault(name, []).append(value)
    return found


def system_calls(name):
    """The system calls of a group, or the one of that name."""
    if not name.startswith("@"):
        return {name}
    members = facts.output("systemd-analyze", "syscall-filter", "--no-pager", name).split("\n")[1:]
    return set().union(*(system_calls(word) for member in members if (word := member.strip()) and not word.startswith("#")))


def allowed_system_calls(filters):
    allowed = set()
    for value in filters:
        named = set().union(*(system_calls(word) for word in value.lstrip("~").split()))
        allowed = allowed - named if value.startswith("~") else allowed | named
    return allowed


def check_commands(unit, known):
    errors = []
    for value in unit["ExecStart"] + unit["ExecStartPre"] + unit["ExecReload"]:
        if value != "/bin/kill -HUP $MAINPID":
            errors += known.command_errors(value.split())
    return errors


def check_times(unit, _):
    with open(os.path.join(facts.ROOT, "examples/stagedoord.yaml"), encoding="utf-8") as file:
        config = {name: int(value) for name, value in re.findall(r"^([a-z-]+): (\d+)$", file.read(), re.M)}
    drain, stop = facts.drain_seconds(config), facts.seconds(unit["TimeoutStopSec"][0])
    return [] if stop > drain else [f"TimeoutStopSec={stop} is not longer than the {drain} s of examples/stagedoord.yaml"]


def check_system_calls(unit, _):
    """Those of the image's profile, which image_test.py has checked, but for what only container runtimes need."""
    with open(os.path.join(facts.ROOT, "deploy/image/seccomp.json"), encoding="utf-8") as file:
        rules = json.load(file)["syscalls"]
    needed = {name for rule in rules if "container runtimes" not in rule["comment"] for name in rule["names"]}
    missing = needed - allowed_system_calls(unit["SystemCallFilter"])
    return [f"SystemCallFilter does not allow {', '.join(sorted(missing))}"] if missing else []


def check_with_systemd(unit, known):
    del unit
    with tempfile.TemporaryDirectory() as folder, open(UNIT, encoding="utf-8") as file:
        # The program need not be installed.
        path = os.path.join(folder, "stagedoord.service")
        with open(path, "w", encoding="utf-8") as copy:
            copy.write(file.read().replace("/usr/bin/stagedoord", known.daemon))
        verified = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, check=False)
        errors = [line for line in (verified.stdout + verified.stderr).splitlines() if "stagedoord" in line]
        rated = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", path], capture_output=True, text=True,
                               check=False)
    return errors + exposure_errors(rated)


def exposure_errors(rated):
    """Errors of what `systemd-analyze security --offline` says, which systemd knows since version 250."""
    if "unrecognized option" in rated.stderr:
        print("systemd: the exposure is not checked: systemd-analyze does not know --offline; that needs systemd 250")
        return []
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", rated.stdout)
    if rated.returncode != 0 or not found:
        return [f"systemd-analyze security: status {rated.returncode}: {rated.stderr or rated.stdout}"]
    exposure = float(found[1])
    print(f"systemd: exposure {exposure} of 10")
    return [f"the exposure is {exposure}"] if exposure > MOST_EXPOSURE else []


def main():
    if shutil.which("systemd-analyze") is None:
        print("systemd: skipped: systemd-analyze is not installed; ./dev setup installs it")
        return 0
    known = facts.Facts()
    with open(UNIT, encoding="utf-8") as file:
        unit = settings(file.read())
    errors = [error for check in (check_commands, check_times, check_system_calls, check_with_systemd) for error in check(unit, known)]
    for error in errors:
        print(f"systemd: {error}")
    print(f"systemd: {'FAILED' if errors else 'ok'}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
