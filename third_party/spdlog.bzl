"""spdlog 1.10 (libspdlog-dev): logs of the daemon and the clients."""

load("//bazel:debian.bzl", "debian_cc_repository")

def spdlog():
    debian_cc_repository(
        name = "com_github_gabime_spdlog",
        packages = ["libspdlog-dev"],
        targets = {":spdlog": ["spdlog"]},
    )
