"""{fmt} (libfmt-dev), which spdlog uses."""

load("//bazel:debian.bzl", "debian_cc_repository")

def fmt():
    debian_cc_repository(
        name = "com_github_fmtlib_fmt",
        packages = ["libfmt-dev"],
        targets = {":fmt": ["fmt"]},
    )
