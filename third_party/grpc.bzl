"""gRPC 1.51 (libgrpc++-dev) and its C++ plug-in for protoc."""

load("//bazel:debian.bzl", "debian_cc_repository")

def grpc():
    debian_cc_repository(
        name = "com_github_grpc_grpc",
        packages = ["libgrpc++-dev", "protobuf-compiler-grpc"],
        targets = {":grpc++": ["grpc++", "protobuf"]},
        linkopts = {
            ":grpc++_reflection": ["-lgrpc++_reflection"],
            ":grpcpp_channelz": ["-lgrpcpp_channelz"],
        },
        target_deps = {
            ":grpc++_reflection": [":grpc++"],
            ":grpcpp_channelz": [":grpc++"],
        },
        tools = {
            "grpc_cpp_plugin": "/usr/bin/grpc_cpp_plugin",
            "grpc_python_plugin": "/usr/bin/grpc_python_plugin",
        },
    )
