"""nlohmann/json (nlohmann-json3-dev): plugInfo.json files."""

load("//bazel:debian.bzl", "debian_cc_repository")

def nlohmann_json():
    debian_cc_repository(
        name = "com_github_nlohmann_json",
        packages = ["nlohmann-json3-dev"],
        targets = {":json": ["nlohmann_json"]},
    )
