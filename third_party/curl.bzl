"""libcurl (libcurl4-openssl-dev): the http and s3 resolver backends."""

load("//bazel:debian.bzl", "debian_cc_repository")

def curl():
    debian_cc_repository(
        name = "com_github_curl_curl",
        packages = ["libcurl4-openssl-dev"],
        targets = {":curl": ["libcurl"]},
    )
