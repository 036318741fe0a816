"""The permitted dependencies between packages: the arrows of ARCHITECTURE.md.

A package sets `default_visibility = ["//:above_<its layer>"]` for the targets that others may use;
a dependency against the arrows then does not build. tools/check_layers.py also reads this file and
checks all targets, including those with a wider visibility.
"""

# The engine from the bottom up: each package with its direct dependencies, whose own dependencies it
# may also use. A new schema family goes beside geom and skel, as "scene/lux" does.
_ENGINE = {
    "resolver": [],
    "resolver/remote": ["resolver"],  # knows protobuf and gRPC, which its users do not see
    "scene/paths": [],
    "scene/values": ["scene/paths"],
    "scene/layer": ["resolver", "scene/values"],
    "scene/usda": ["scene/layer"],
    "scene/usdc": ["scene/usda"],  # its tests write both
    "scene/usdz": ["scene/usdc"],
    "scene/schema": ["scene/usda"],
    "scene/composition": ["scene/usdc"],
    "scene/clips": ["scene/composition"],
    "scene/value_resolution": ["scene/clips", "scene/schema"],
    "scene/stage": ["scene/usdz", "scene/value_resolution"],
    "scene/edit": ["scene/stage"],
    "scene/export": ["scene/stage"],
    "scene/geom": ["scene/stage"],
    "scene/skel": ["scene/geom"],
    "scene/shade": ["scene/stage"],
    "scene/lux": ["scene/stage"],
    "scene/lod": ["scene/geom"],
    "scene/semantics": ["scene/geom"],
    "scene/physics": ["scene/geom", "scene/shade"],
    "scene/render": ["scene/geom", "scene/shade"],
    "scene/engine": ["resolver/remote", "scene/export"],
    "scene/frame": ["scene/lux", "scene/render", "scene/skel"],
}

# Packages that may use everything; no other package may depend on them.
_DRIVERS = ["benchmarks", "tests", "scene/testing", "server/testing"]

def _reachable():
    """Returns {package of the engine: all packages of the engine that it may use}."""
    reachable = {}
    for package, direct in _ENGINE.items():
        below = {}
        for used in direct:
            below.update({name: True for name in [used] + reachable[used]})
        reachable[package] = sorted(below)
    return reachable

def layer_users():
    """Returns {package tree: package trees that may use it}; "" means every package."""
    users = {
        "base": [""],
        "proto": ["server", "client", "resolver/remote"] + _DRIVERS,
        "server": ["client/cli"] + _DRIVERS,
        "client": ["server/upstream"] + _DRIVERS,  # for what a node daemon asks upstream
    }
    reachable = _reachable()
    for package in _ENGINE:
        above = [user for user, below in reachable.items() if package in below]
        users[package] = [package] + above + ["server"] + _DRIVERS
    users["resolver"].append("client/cli")  # stagedoor cache
    users["resolver/remote"].append("client/cli")  # `stagedoor check-resolver`
    return users

def arrows():
    """Returns {package_group name: its packages}."""
    return {
        "above_" + package.rpartition("/")[2]: ["//%s/..." % u if u else "//..." for u in [package] + users]
        for package, users in layer_users().items()
    }
