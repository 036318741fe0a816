"""LZ4 (liblz4-dev): the compressed sections of crate files."""

load("//bazel:debian.bzl", "debian_cc_repository")

def lz4():
    debian_cc_repository(
        name = "com_github_lz4_lz4",
        packages = ["liblz4-dev"],
        targets = {":lz4": ["liblz4"]},
    )
