"""Generates `island`: a scene of five million prims, most of them in instances and point instancers, and 2 GB of usdc.

    $(tools/oracle.sh) benchmarks/island_scene.py OUT [--scale 1]

A root layer has TILES × scale tiles, each a payload of one layer of 1,000 prims and 2 MB: rocks, which are meshes of their own points, instances
of plants, and point instancers of plants; and a layer of one edit in each tile over them. A tile is made from a template of which only arrays are
replaced, and written before the next one, so memory does not depend on the scale. OUT/scene.json has what the scene must have.
"""

from __future__ import annotations

import argparse
import json
import pathlib

import numpy as np
from pxr import Gf, Sdf, Vt

TILES = 1000
PLANTS = 20  # assets
LEAVES = 23  # meshes of a plant
GROUPS, ROCKS = 8, 100  # of a tile, and of each group
ROCK_SIDE = 10  # points along each side of a rock
INSTANCES = 100  # of plants, in a tile
INSTANCERS, SCATTERED = 10, 105  # of a tile, and the points of each instancer
KINDS = 3  # prototypes of an instancer
TILE_SIZE = 100.0

Types = Sdf.ValueTypeNames


def define(layer: Sdf.Layer, path: str, type_name: str = "") -> Sdf.PrimSpec:
    prim = Sdf.CreatePrimInLayer(layer, path)
    prim.specifier, prim.typeName = Sdf.SpecifierDef, type_name
    return prim


def add(prim: Sdf.PrimSpec, name: str, type_name: Sdf.ValueTypeName, value: object) -> None:
    uniform = name == "xformOpOrder"
    attribute = Sdf.AttributeSpec(prim, name, type_name, Sdf.VariabilityUniform if uniform else Sdf.VariabilityVarying)
    attribute.default = value


def place(prim: Sdf.PrimSpec, x: float, y: float, z: float) -> None:
    add(prim, "xformOp:translate", Types.Double3, Gf.Vec3d(x, y, z))
    add(prim, "xformOpOrder", Types.TokenArray, Vt.TokenArray(["xformOp:translate"]))


def refer(prim: Sdf.PrimSpec, asset: str) -> None:
    prim.referenceList.prependedItems.append(Sdf.Reference(asset))
    prim.SetInfo("instanceable", True)


def vectors(array: np.ndarray) -> Vt.Vec3fArray:
    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(array, np.float32))


def sheet(side: int) -> np.ndarray:
    """The points of a grid of side × side points."""
    y, x = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side), indexing="ij")
    return np.stack([x, np.sin(2 * x) * np.cos(2 * y), y], -1).reshape(-1, 3).astype(np.float32)


def mesh(layer: Sdf.Layer, path: str, points: np.ndarray) -> Sdf.PrimSpec:
    prim = define(layer, path, "Mesh")
    side = round(len(points) ** 0.5)
    index = np.arange(side * side, dtype=np.int32).reshape(side, side)
    corners = np.stack([index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]], -1).reshape(-1)
    add(prim, "faceVertexCounts", Types.IntArray, Vt.IntArray(len(corners) // 4, 4))
    add(prim, "faceVertexIndices", Types.IntArray, Vt.IntArray.FromNumpy(np.ascontiguousarray(corners)))
    add(prim, "points", Types.Point3fArray, vectors(points))
    add(prim, "normals", Types.Normal3fArray, vectors(points))
    add(prim, "extent", Types.Float3Array, vectors(np.stack([points.min(0), points.max(0)])))
    return prim


def bind(prim: Sdf.PrimSpec, material: str) -> None:
    schemas = Sdf.TokenListOp()
    schemas.prependedItems = ["MaterialBindingAPI"]
    prim.SetInfo("apiSchemas", schemas)
    Sdf.RelationshipSpec(prim, "material:binding", False).targetPathList.explicitItems.append(material)


def new_layer(root: str) -> Sdf.Layer:
    layer = Sdf.Layer.CreateAnonymous(".usdc")
    layer.defaultPrim = root
    return layer


def plant(folder: pathlib.Path, number: int) -> None:
    layer = new_layer("Plant")
    random = np.random.default_rng(number)
    with Sdf.ChangeBlock():
        define(layer, "/Plant", "Xform")
        for leaf in range(LEAVES):
            place(mesh(layer, f"/Plant/Leaf_{leaf}", sheet(6) * random.random(3)), 0, leaf * 0.1, 0)
    layer.Export(str(folder / f"plant_{number}.usdc"))


def tile_template() -> Sdf.Layer:
    """A tile in which all rocks are alike."""
    layer = new_layer("Tile")
    rock = sheet(ROCK_SIDE)
    with Sdf.ChangeBlock():
        define(layer, "/Tile", "Xform")
        define(layer, "/Tile/Looks", "Scope")
        for group in range(GROUPS):
            define(layer, f"/Tile/Looks/Look_{group}", "Material")
            place(define(layer, f"/Tile/Rocks_{group}", "Xform"), 0, group, 0)
            for i in range(ROCKS):
                prim = mesh(layer, f"/Tile/Rocks_{group}/Rock_{i}", rock)
                place(prim, i, 0, group)
                bind(prim, f"/Tile/Looks/Look_{group}")
        define(layer, "/Tile/Plants", "Xform")
        for i in range(INSTANCES):
            place(define(layer, f"/Tile/Plants/Plant_{i}", "Xform"), i, 0, i % 7)
        for i in range(INSTANCERS):
            path = f"/Tile/Scatter_{i}"
            prim = define(layer, path, "PointInstancer")
            targets = Sdf.RelationshipSpec(prim, "prototypes", False).targetPathList
            for kind in range(KINDS):
                define(layer, f"{path}/Kind_{kind}", "Xform")
                targets.explicitItems.append(f"{path}/Kind_{kind}")
            add(prim, "positions", Types.Point3fArray, vectors(np.zeros((SCATTERED, 3))))
            add(prim, "protoIndices", Types.IntArray, Vt.IntArray.FromNumpy(np.arange(SCATTERED, dtype=np.int32) % KINDS))
    for prim in [*layer.GetPrimAtPath("/Tile/Plants").nameChildren] + [
        kind for i in range(INSTANCERS) for kind in layer.GetPrimAtPath(f"/Tile/Scatter_{i}").nameChildren
    ]:
        refer(prim, "./plant_0.usdc")
    return layer


def fill_tile(layer: Sdf.Layer, number: int) -> None:
    """Gives the template the rocks and plants of one tile."""
    random = np.random.default_rng(1000 + number)
    rock = sheet(ROCK_SIDE)
    with Sdf.ChangeBlock():
        for group in range(GROUPS):
            shapes = rock + 0.1 * random.random((ROCKS, *rock.shape), np.float32)
            for i, points in enumerate(shapes):
                path = f"/Tile/Rocks_{group}/Rock_{i}"
                layer.GetAttributeAtPath(f"{path}.points").default = vectors(points)
                layer.GetAttributeAtPath(f"{path}.normals").default = vectors(points[::-1])
        plants = [f"/Tile/Plants/Plant_{i}" for i in range(INSTANCES)]
        plants += [f"/Tile/Scatter_{i}/Kind_{kind}" for i in range(INSTANCERS) for kind in range(KINDS)]
        for path, asset in zip(plants, random.integers(0, PLANTS, len(plants)).tolist()):
            layer.GetPrimAtPath(path).referenceList.prependedItems[0] = Sdf.Reference(f"../plants/plant_{asset}.usdc")
        for i in range(INSTANCERS):
            positions = random.random((SCATTERED, 3), np.float32) * TILE_SIZE
            layer.GetAttributeAtPath(f"/Tile/Scatter_{i}.positions").default = vectors(positions)


def write_roots(folder: pathlib.Path, tiles: int) -> None:
    root, edits = Sdf.Layer.CreateAnonymous(".usda"), Sdf.Layer.CreateAnonymous(".usda")
    side = max(1, round(tiles**0.5))
    with Sdf.ChangeBlock():
        define(root, "/Island", "Xform")
        for i in range(tiles):
            prim = define(root, f"/Island/Tile_{i}", "Xform")
            prim.payloadList.prependedItems.append(Sdf.Payload(f"./tiles/tile_{i}.usdc"))
            place(prim, i % side * TILE_SIZE, 0, i // side * TILE_SIZE)
            rock = Sdf.CreatePrimInLayer(edits, f"/Island/Tile_{i}/Rocks_{i % GROUPS}/Rock_{i % ROCKS}")
            add(rock, "xformOp:translate", Types.Double3, Gf.Vec3d(i, 1, 0))
    root.defaultPrim = "Island"
    root.subLayerPaths.append("./edits.usda")
    edits.Export(str(folder / "edits.usda"))
    root.Export(str(folder / "root.usda"))


def generate(folder: pathlib.Path, scale: float) -> dict[str, object]:
    tiles = max(1, round(TILES * scale))
    for name in ("plants", "tiles"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number in range(PLANTS):
        plant(folder / "plants", number)
    layer = tile_template()
    for number in range(tiles):
        fill_tile(layer, number)
        layer.Export(str(folder / "tiles" / f"tile_{number}.usdc"))
    write_roots(folder, tiles)
    # The tile, its scope, materials, groups, rocks and plants, and the instancers with their prototypes.
    plain = 1 + tiles * (1 + 1 + GROUPS + GROUPS * (1 + ROCKS) + 1 + INSTANCES + INSTANCERS * (1 + KINDS))
    in_instances = tiles * (INSTANCES + INSTANCERS * KINDS) * LEAVES
    points = tiles * INSTANCERS * SCATTERED
    size = sum(file.stat().st_size for file in folder.rglob("*.usd*"))
    return {"root": "root.usda", "tiles": tiles, "prims": plain, "in_instances": in_instances, "points": points, "bytes": size}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--scale", type=float, default=1.0, help="the share of all tiles")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    info = generate(options.folder, options.scale)
    (options.folder / "scene.json").write_text(json.dumps(info, indent=1) + "\n")
    print(json.dumps(info))


if __name__ == "__main__":
    main()
