"""zlib (zlib1g-dev): the CRC-32 of the files in a package."""

load("//bazel:debian.bzl", "debian_cc_repository")

def zlib():
    debian_cc_repository(
        name = "net_zlib",
        packages = ["zlib1g-dev"],
        targets = {":zlib": ["zlib"]},
    )
