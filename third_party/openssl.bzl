"""OpenSSL (libssl-dev): TLS and request signatures."""

load("//bazel:debian.bzl", "debian_cc_repository")

def openssl():
    debian_cc_repository(
        name = "com_github_openssl_openssl",
        packages = ["libssl-dev"],
        targets = {":openssl": ["openssl"]},
    )
