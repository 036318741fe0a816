"""hiredis 0.14 (libhiredis-dev): the wire protocol of Redis, for the session store."""

load("//bazel:debian.bzl", "debian_cc_repository")

def hiredis():
    debian_cc_repository(
        name = "com_github_redis_hiredis",
        packages = ["libhiredis-dev"],
        # Not by pkg-config: its _FILE_OFFSET_BITS would apply to everything that depends on it.
        linkopts = {":hiredis": ["-lhiredis"]},
    )
