#!/usr/bin/env python3
"""Removes from a random scene what the disagreement about it does not need.

    reduce_scene.py DUMP_INDEX --only I [--seed S] [--errors]

The scene is the one that random_scenes.py makes of these numbers. Prints the layers that are left, how they are composed, and the
differences, which may be others than before. Differences in errors count with --errors only. Needs usd-core.
"""
import argparse
import functools
import os
import sys
import tempfile

import random_scenes
from random_scenes import load, random_run

from pxr import Sdf

# Fields that are never removed: without them, nothing is left to compare.
KEPT = {"specifier", "typeName", "primChildren", "properties", "variantSetChildren", "subLayers", "subLayerOffsets", "variability",
        "custom", "layerRelocates"}
EDITS = ("explicitItems", "prependedItems", "appendedItems", "addedItems", "deletedItems", "orderedItems")


def remove_spec(path, layer):
    if not path.IsPrimVariantSelectionPath():
        edit = Sdf.BatchNamespaceEdit()
        edit.Add(path, Sdf.Path.emptyPath)
        layer.Apply(edit)
        return
    variant_set, variant = path.GetVariantSelection()
    sets = layer.GetObjectAtPath(path.GetParentPath()).variantSets
    if variant:
        sets[variant_set].RemoveVariant(sets[variant_set].variants[variant])
    else:
        del sets[variant_set]


def remove_field(path, field, layer):
    layer.GetObjectAtPath(path).ClearInfo(field)


def remove_entry(path, field, key, layer):
    spec = layer.GetObjectAtPath(path)
    spec.SetInfo(field, {k: v for k, v in spec.GetInfo(field).items() if k != key})


def change_item(path, field, edit, number, replacement, layer):
    """Replaces one item of a list by those of `replacement`."""
    spec = layer.GetObjectAtPath(path)
    value = spec.GetInfo(field)
    items = list(getattr(value, edit))
    setattr(value, edit, items[:number] + replacement + items[number + 1:])
    spec.SetInfo(field, value)


def remove_sublayer(number, layer):
    del layer.subLayerPaths[number]


def remove_sublayer_offset(number, layer):
    layer.subLayerOffsets[number] = Sdf.LayerOffset()


def remove_relocate(number, layer):
    relocates = list(layer.relocates)
    layer.relocates = relocates[:number] + relocates[number + 1:]
    if not layer.relocates:
        layer.ClearRelocates()


def field_removals(spec, path):
    for field in set(spec.ListInfoKeys()) - KEPT:
        yield functools.partial(remove_field, path, field)
        value = spec.GetInfo(field)
        if isinstance(value, dict):
            for key in value:
                yield functools.partial(remove_entry, path, field, key)
        for edit in EDITS:
            for number, item in enumerate(getattr(value, edit, ())):
                change = functools.partial(change_item, path, field, edit, number)
                yield functools.partial(change, [])
                if getattr(item, "layerOffset", Sdf.LayerOffset()) != Sdf.LayerOffset():
                    yield functools.partial(change, [type(item)(item.assetPath, item.primPath)])


def removals(layer):
    """Functions that each remove something from the layer: the largest things first."""
    paths = []
    layer.Traverse(Sdf.Path.absoluteRootPath, paths.append)
    for path in sorted(paths, key=lambda p: p.pathElementCount):
        spec = layer.GetObjectAtPath(path)
        if path != Sdf.Path.absoluteRootPath:
            yield functools.partial(remove_spec, path)
        if spec and not path.IsPrimVariantSelectionPath():
            yield from field_removals(spec, path)
    for number, offset in enumerate(layer.subLayerOffsets):
        yield functools.partial(remove_sublayer, number)
        if offset != Sdf.LayerOffset():
            yield functools.partial(remove_sublayer_offset, number)
    for number in range(len(layer.relocates)):
        yield functools.partial(remove_relocate, number)


class Reduction(random_scenes.Checker):
    """A scene that disagrees, which gets smaller."""

    def __init__(self, options):
        super().__init__(options, "--batch")
        self.random_scene = self.scene(options.only)
        self.texts = {name: load(text).ExportToString() for name, text in self.random_scene.texts().items()}

    def __call__(self, texts):
        with tempfile.TemporaryDirectory() as folder:
            found = self.compare(self.random_scene, texts, os.path.realpath(folder), []) or []
        return "\n".join(line for line in found if self.options.errors or not line.startswith("errors "))

    def differences(self, texts):
        """What usd-core and our program disagree about; nothing if one of them fails. In a process of its own."""
        return next(random_run.reports([texts], self, random_scenes.SECONDS, 1))

    def reduce_layer(self, name):
        """Whether anything could be removed from the layer."""
        tried, reduced = 0, False
        while True:
            layer = load(self.texts[name])
            changes = list(removals(layer))
            if tried >= len(changes):
                return reduced
            changes[tried](layer)
            texts = {**self.texts, name: layer.ExportToString()}
            if texts != self.texts and self.differences(texts):
                self.texts, reduced = texts, True
            else:
                tried += 1

    def reduce_stage(self):
        """Composes the layers without muting, fallbacks, load rules or a session layer, if that does not matter."""
        for name, none in (("muted", []), ("unloaded", []), ("fallbacks", {}), ("session", False)):
            value = getattr(self.random_scene, name)
            if not value:
                continue
            setattr(self.random_scene, name, none)
            if not self.differences(self.texts):
                setattr(self.random_scene, name, value)

    def run(self):
        self.reduce_stage()
        while any([self.reduce_layer(name) for name in self.texts]):
            self.reduce_stage()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, required=True, help="the number of the scene")
    parser.add_argument("--errors", action="store_true", help="reduce a difference in errors")
    parser.add_argument("--extra", default="", help="options for the program")
    options = parser.parse_args()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # usd-core warns about every composition error
    reduction = Reduction(options)
    if not reduction.differences(reduction.texts):
        print("usd-core and the program agree about this scene")
        return 1
    reduction.run()
    for name, text in reduction.texts.items():
        print(f"--- {name}\n" + "\n".join(line for line in text.splitlines() if line.strip()))
    print("--- " + " ".join(reduction.random_scene.command(".")) + "\n" + reduction.differences(reduction.texts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
