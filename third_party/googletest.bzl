"""GoogleTest and GoogleMock 1.12 (libgtest-dev, libgmock-dev); for tests only."""

load("//bazel:debian.bzl", "debian_cc_repository")

def googletest():
    debian_cc_repository(
        name = "com_google_googletest",
        packages = ["libgtest-dev", "libgmock-dev"],
        test_only = True,
        targets = {
            ":gtest": ["gmock", "gtest"],
            ":gtest_main": ["gmock_main", "gmock", "gtest"],
        },
    )
