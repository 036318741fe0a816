"""Highway (libhwy-dev): SIMD kernels with run-time dispatch."""

load("//bazel:debian.bzl", "debian_cc_repository")

def highway():
    debian_cc_repository(
        name = "com_github_google_highway",
        packages = ["libhwy-dev"],
        targets = {":hwy": ["libhwy"]},
    )
