#!/usr/bin/env python3
"""Runs a program of the image as a container runtime would, without one: contained.py ROOT [--seccomp FILE] PROGRAM ARGUMENT…

In a mount namespace with ROOT as a read-only root, as user and group 65532, without capabilities and without a way to get any.
With --seccomp, system calls that the profile does not allow end the program with SIGSYS, so that none is missed; under a container
runtime they would fail. Needs root and libseccomp (Debian's apt depends on it).
"""
import ctypes
import json
import os
import sys
import tempfile

USER = 65532
WRITABLE = ("run/stagedoor", "var/cache/stagedoor")
CLONE_NEWNS = 0x20000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
ALLOW, TRAP, ERRNO = 0x7FFF0000, 0x00030000, 0x00050000
COMPARISONS = {"SCMP_CMP_MASKED_EQ": 7}

libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, flags):
    check(libc.mount(source.encode(), target.encode(), None, ctypes.c_ulong(flags), None), f"mount {target}")


def enter(root):
    """Makes `root` the read-only root of this process."""
    check(libc.unshare(CLONE_NEWNS), "unshare")
    mount("none", "/", MS_REC | MS_PRIVATE)
    mount(root, root, MS_BIND)
    for place in WRITABLE:
        mount(f"{root}/{place}", f"{root}/{place}", MS_BIND)
    for place in ("proc", "sys", "dev"):
        mount(f"/{place}", f"{root}/{place}", MS_BIND | MS_REC)
    mount("none", root, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)
    os.chroot(root)
    os.chdir("/")


def can_contain():
    """Whether this machine lets the process do all that containment needs. In some containers root may not."""
    with tempfile.TemporaryDirectory() as root:
        for place in (*WRITABLE, "proc", "sys", "dev"):
            os.makedirs(os.path.join(root, place))
        child = os.fork()
        if child == 0:
            status = 1
            try:
                enter(root)
                drop_privileges()
                status = 0
            except OSError:
                pass
            finally:
                os._exit(status)
        return os.waitpid(child, 0)[1] == 0


def drop_privileges():
    capability = 0
    while libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
        capability += 1
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


class Comparison(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


class Filter:
    """A seccomp filter made from a profile in the format of Docker and Kubernetes."""

    def __init__(self, profile):
        self._lib = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self._lib.seccomp_init.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(self._lib.seccomp_init(TRAP))
        for rule in profile["syscalls"]:
            allow = rule["action"] == "SCMP_ACT_ALLOW"
            action = ALLOW if allow else ERRNO | rule["errnoRet"]
            arguments = [Comparison(a["index"], COMPARISONS[a["op"]], a["value"], a["valueTwo"]) for a in rule.get("args", [])]
            array = (Comparison * len(arguments))(*arguments)
            for name in rule["names"]:
                number = self._lib.seccomp_syscall_resolve_name(name.encode())
                if number == -1:
                    raise ValueError(f"the profile names an unknown system call: {name}")
                if number < 0:
                    continue  # of another architecture
                check(self._lib.seccomp_rule_add_array(self._context, action, number, len(arguments), array), name)

    def load(self):
        check(self._lib.seccomp_load(self._context), "seccomp_load")


def main(arguments):
    root, *command = arguments
    seccomp = None
    if command[0] == "--seccomp":
        with open(command[1], encoding="utf-8") as file:
            seccomp = Filter(json.load(file))
        command = command[2:]
    enter(root)
    drop_privileges()
    if seccomp is not None:
        seccomp.load()
    os.execve(command[0], command, {"PATH": "/usr/bin", **{k: v for k, v in os.environ.items() if k.startswith("STAGEDOOR_")}})


if __name__ == "__main__":
    main(sys.argv[1:])
