"""prometheus-cpp (prometheus-cpp-dev): the metric types and their text format."""

load("//bazel:debian.bzl", "debian_cc_repository")

def prometheus_cpp():
    debian_cc_repository(
        name = "com_github_jupp0r_prometheus_cpp",
        packages = ["prometheus-cpp-dev"],
        targets = {
            ":core": ["prometheus-cpp-core"],
            ":pull": ["prometheus-cpp-pull"],
        },
    )
