"""yaml-cpp (libyaml-cpp-dev): the configuration file of the daemon."""

load("//bazel:debian.bzl", "debian_cc_repository")

def yaml_cpp():
    debian_cc_repository(
        name = "com_github_jbeder_yaml_cpp",
        packages = ["libyaml-cpp-dev"],
        targets = {":yaml-cpp": ["yaml-cpp"]},
    )
