"""Which package may depend on which: the arrows of ARCHITECTURE.md.

A package sets `default_visibility = ["//:above_<its layer>"]` for what others may use; then a
dependency against the arrows does not build. tools/check_layers.py reads this file too and checks
all targets, also those with a wider visibility.
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

# These drive everything and nothing depends on them.
_DRIVERS = ["benchmarks", "tests", "scene/testing", "server/testing"]

def layer_users():
    """Returns {package tree: package trees that may use it}; "" stands for all."""
    users = {
        "base": [""],
        "proto": ["server", "client"] + _DRIVERS,
        "server": ["client/cli"] + _DRIVERS,
        "client": _DRIVERS,
    }
    for i, package in enumerate(_ENGINE):
        users[package] = _ENGINE[i:] + ["server"] + _DRIVERS
    return users

def arrows():
    """Returns {package_group name: its packages}."""
    return {
        "above_" + package.rpartition("/")[2]: ["//%s/..." % u if u else "//..." for u in [package] + users]
        for package, users in layer_users().items()
    }
