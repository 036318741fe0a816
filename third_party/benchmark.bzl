"""Google Benchmark (libbenchmark-dev)."""

load("//bazel:debian.bzl", "debian_cc_repository")

def benchmark():
    debian_cc_repository(
        name = "com_github_google_benchmark",
        packages = ["libbenchmark-dev"],
        targets = {":benchmark": ["benchmark"]},
        linkopts = {":benchmark_main": ["-lbenchmark_main"]},
        target_deps = {":benchmark_main": [":benchmark"]},
    )
