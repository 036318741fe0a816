"""jemalloc (libjemalloc-dev): the daemon's heap."""

load("//bazel:debian.bzl", "debian_cc_repository")

def jemalloc():
    debian_cc_repository(
        name = "com_github_jemalloc_jemalloc",
        packages = ["libjemalloc-dev"],
        targets = {":jemalloc": ["jemalloc"]},
    )
