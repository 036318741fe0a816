"""xxHash (libxxhash-dev): checksums of the blocks in the disk cache."""

load("//bazel:debian.bzl", "debian_cc_repository")

def xxhash():
    debian_cc_repository(
        name = "com_github_cyan4973_xxhash",
        packages = ["libxxhash-dev"],
        targets = {":xxhash": ["libxxhash"]},
    )
