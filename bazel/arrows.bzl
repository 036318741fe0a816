"""Which package may depend on which: the arrows of ARCHITECTURE.md, as package_group contents.

A package sets `default_visibility = ["//:above_<its layer>"]` for what others may use; then a
dependency against the arrows does not build.
"""

# The engine from the bottom up: a package may use those before it.
_ENGINE = [
    "resolver",
    "scene/paths",
    "scene/values",
    "scene/layer",
    "scene/usda",
    "scene/usdc",
    "scene/usdz",
    "scene/schema",
    "scene/composition",
    "scene/clips",
    "scene/value_resolution",
    "scene/stage",
    "scene/geom",
    "scene/skel",
]
_DRIVERS = ["//benchmarks/...", "//tests/..."]
_SCENE_TESTING = ["//scene/testing/..."]

def _tree(package):
    return "//%s/..." % package

def arrows():
    """Returns {package_group name: packages that may use the layer}."""
    groups = {
        "above_base": ["//..."],
        "above_proto": ["//proto/...", "//server/...", "//client/..."] + _DRIVERS,
        "above_server": ["//server/...", "//client/cli/..."] + _DRIVERS,
        "above_client": ["//client/..."] + _DRIVERS,
    }
    for i, package in enumerate(_ENGINE):
        users = [_tree(p) for p in _ENGINE[i:]] + _SCENE_TESTING + ["//server/..."] + _DRIVERS
        groups["above_" + package.rpartition("/")[2]] = users
    return groups
