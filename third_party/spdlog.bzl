"""spdlog 1.10 (libspdlog-dev): the log of the server."""

load("//bazel:debian.bzl", "debian_cc_repository")

def spdlog():
    debian_cc_repository(
        name = "com_github_gabime_spdlog",
        packages = ["libspdlog-dev"],
        targets = {":spdlog": ["spdlog"]},
    )
