"""Abseil 20220623 (libabsl-dev). Its string_view, optional and span are not the std types."""

load("//bazel:debian.bzl", "debian_cc_repository")

# Bazel package -> targets whose pkg-config module is absl_<target>.
_TARGETS = {
    "algorithm": ["container"],
    "base": ["core_headers", "config", "endian", "log_severity"],
    "cleanup": ["cleanup"],
    "container": [
        "btree",
        "fixed_array",
        "flat_hash_map",
        "flat_hash_set",
        "inlined_vector",
        "node_hash_map",
        "node_hash_set",
    ],
    "debugging": ["failure_signal_handler", "stacktrace", "symbolize"],
    "flags": ["parse", "usage", "reflection"],
    "functional": ["any_invocable", "bind_front", "function_ref"],
    "hash": ["hash"],
    "memory": ["memory"],
    "meta": ["type_traits"],
    "numeric": ["bits", "int128"],
    "random": ["random"],
    "status": ["status", "statusor"],
    "strings": ["cord", "str_format", "strings"],
    "synchronization": ["synchronization"],
    "time": ["time"],
    "types": ["any", "compare", "optional", "span", "variant"],
    "utility": ["utility"],
}

# Targets that need a module of another name.
_MODULES = {
    "absl/algorithm:container": "absl_algorithm_container",
    "absl/flags:flag": "absl_flags",
    "absl/flags:parse": "absl_flags_parse",
    "absl/flags:reflection": "absl_flags_reflection",
    "absl/flags:usage": "absl_flags_usage",
    "absl/random:random": "absl_random_random",
}

def absl():
    targets = {
        "absl/%s:%s" % (package, name): ["absl_" + name]
        for package, names in _TARGETS.items()
        for name in names
    }
    targets.update({label: [module] for label, module in _MODULES.items()})
    debian_cc_repository(
        name = "com_google_absl",
        packages = ["libabsl-dev"],
        targets = targets,
    )
