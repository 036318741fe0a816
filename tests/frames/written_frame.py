"""A frame that we wrote as a file, compared by usd-core with the stage that it is a frame of."""
import os
from dataclasses import replace

import numpy as np
from drawn_prims import LEFT_OUT, is_below
from frame_differences import difference, differences
from frame_geometry import OF_STAND_INS, FrameGeometry, Samples
from frame_header import camera_values
from frame_reference import FrameReference, LightRow, paths_of_rows
from frame_shading import first_of_instances
from frame_skins import Skins
from motion_records import LENS
from motion_rules import codes, instance_rates, prototype_ops
from plain_values import rows
from pxr import Gf, Sdf, UsdGeom

PURPOSES = ["PURPOSE_DEFAULT", "PURPOSE_RENDER", "PURPOSE_PROXY", "PURPOSE_GUIDE"]
# The fields of a selection that apply to the exported file as well. The file has the others applied already, and binds each prim to at most
# one material, for all purposes.
KEPT = ("camera", "renderPass", "renderContexts")
CAMERA, SETTINGS, EXTENT = "header camera", "header settings", "value extent"
DRAW_MODES = ("value model:drawMode", "value model:applyDrawMode")
EXTENT_TOLERANCE = 1e-5
# Authored orientations of half precision are no rotations, but what they turn to is.
TURNED_TOLERANCE = 3e-2


def has_odd_lens(prim):
    """Whether an attribute of a camera has values of another type, which some functions of usd-core read and others do not."""
    return any(spec.typeName != attribute.GetTypeName() for attribute in prim.GetAttributes() if attribute.GetName() in LENS
               for spec in attribute.GetPropertyStack())


def has_changing_aperture(stage):
    """Whether a camera has another aperture at default time, at which settings are read, than at the frame, which a file has."""
    cameras = [prim for prim in stage.TraverseAll() if prim.IsA(UsdGeom.Camera)]
    return any(prim.GetAttribute(name).GetNumTimeSamples() for prim in cameras for name in ("horizontalAperture", "verticalAperture"))


def read_again(matrix):
    """The matrix as usd-core reads it from a transform operation: it multiplies it, which spreads infinity."""
    return np.array(Gf.Matrix4d(1) * Gf.Matrix4d(*matrix.ravel().tolist())).reshape(matrix.shape)


class WrittenFrame:
    """The facts of a file, given as a stage, and those of its origin, a FrameReference."""

    def __init__(self, stage, origin, question):
        self.reference, self.origin, self.question = FrameReference(stage, with_influences=True), origin, question

    def differences(self):
        expected, actual = self.expected(), self.actual()
        found = []
        if has_changing_aperture(self.origin.stage):
            expected.pop(SETTINGS, None), actual.pop(SETTINGS, None)
        for row in self.origin.drawn(self.question.selection):
            if row.name in expected and row.name in actual:
                found += [f"{row.name}, {text}" for text in self.settle(row, expected[row.name], actual[row.name])]
        found += differences(expected, actual)
        if (ours := paths_of_rows(actual)) != (order := paths_of_rows(expected)):
            found.append(f"the prims are not in stage order: usd-core {order}, ours {ours}")
        return found

    def settle(self, row, expected, actual):
        """Compares what is intentionally different, and takes it away. Returns what is wrong with it."""
        is_skinned = self.skins.has(row.prim)
        if "transform" in expected:
            expected["transform"].values = [read_again(matrix) for matrix in expected["transform"].values]
        for facts in (expected, actual):
            for name in [name for name in facts if name.startswith("value skel:") or is_skinned and name.startswith("value primvars:skel:")]:
                del facts[name]
        if row.draw_mode:  # a file says so, and has the bounds
            gone = {*DRAW_MODES, *(name for name in actual if name.removeprefix("value ").startswith(OF_STAND_INS) and name not in expected)}
            for name in gone:
                expected.pop(name, None)
                actual.pop(name, None)
            if not row.prim.IsA(UsdGeom.Xformable):
                expected["type"] = "Xform"
        if self.skins.deforms(row.prim, "points"):
            expected.pop(EXTENT, None)
            return self.wrong_extent(row, actual.pop(EXTENT, None))
        return self.wrong_instances(row.prim, expected, actual) if row.prim.IsA(UsdGeom.PointInstancer) else []

    def wrong_instances(self, prim, expected, actual):
        """Compares instances that turn, and those whose prototypes move."""
        # A file has samples of both, but not of their product, nor values before and after those that matter; and no prototypes of which
        # nothing can be drawn.
        moves = self.question.shutter and any(op.GetNumTimeSamples() > 1 for op in prototype_ops(prim))
        if expected.get("instances") and (moves or any(map(self.is_gone, UsdGeom.PointInstancer(prim).GetPrototypesRel().GetTargets()))):
            for found in (expected["instances"], actual.get("instances") or {}):
                found.pop("transforms", None)
        if not instance_rates(self.question, prim)[1]:
            return []
        text = difference(expected.pop("instances", None), actual.pop("instances", None), TURNED_TOLERANCE)
        return [f"instances: {text}"] if text else []

    def is_gone(self, path):
        """Whether nothing can be drawn of a prototype."""
        prim = self.origin.stage.GetPrimAtPath(path)
        excluded = self.question.selection.get("excluded", [])
        return not prim or not prim.IsActive() or not prim.IsLoaded() or prim.IsAbstract() or is_below(path, map(Sdf.Path, excluded))

    def wrong_extent(self, row, extent):
        """What is wrong with the extent of a deformed prim, which must be that of its points in the file."""
        prim = self.reference.stage.GetPrimAtPath(row.prim.GetPath())
        if not UsdGeom.PointBased(prim).GetPointsAttr().HasAuthoredValue():
            return []
        times = extent.times if extent and extent.times else [self.question.time]
        for i, code in enumerate(codes(self.question, times)):
            computed = UsdGeom.Boundable.ComputeExtentFromPlugins(UsdGeom.Boundable(prim), code)
            text = difference(rows(np.array(computed)), extent.values[i] if extent else None, EXTENT_TOLERANCE)
            if text:
                return [f"extent at {code}: {text}"]
        return []

    @property
    def skins(self):
        return self.origin.skins(self.question.selection)

    def camera_within(self, stage, facts):
        """The facts of a camera: its transform, and its lens at the ends of the shutter, beyond which attributes may have other samples."""
        prim, at = stage.GetPrimAtPath(facts["path"]), codes(self.question, self.question.interval or [self.question.time])
        geometry = FrameGeometry(stage, self.question, Skins(stage, wanted=False))
        lens = [{**values, "localToWorld": None, "viewMatrix": None} for values in camera_values(prim, at)]
        found = {"path": facts["path"], "transform": geometry.transform(LightRow(prim))}
        return found if has_odd_lens(self.origin.stage.GetPrimAtPath(facts["path"])) else {**found, "lens": Samples(range(len(at)), lens)}

    # ------------------------------------------------------------------ of the origin
    def expected(self):
        """The facts of the origin, as a file has them."""
        facts = self.origin.facts(self.question)
        unused = self.unused_rows(facts)
        facts = {name: found for name, found in facts.items() if name.removeprefix("subset ").partition(" of ")[2] not in unused}
        facts = {name: found for name, found in facts.items() if name not in unused}
        drawn = {str(row.prim.GetPath()) for row in self.origin.drawn(self.question.selection) if row.name in facts}
        for name, found in facts.items():
            if name.startswith("light ") and found["prim"] in ("", LEFT_OUT) and name.removeprefix("light ") not in drawn:
                prim = self.origin.stage.GetPrimAtPath(name.removeprefix("light "))
                facts[name] = {**found, "prim": "", "material": "", "type": "Xform" if prim.IsA(UsdGeom.Gprim) else found["type"]}
        if CAMERA in facts:
            facts[CAMERA] = self.camera_within(self.origin.stage, facts[CAMERA])
        used = {found["material"] for found in facts.values() if "material" in found}
        facts = {name: found for name, found in facts.items() if not name.startswith("material ") or name.removeprefix("material ") in used}
        return self.anchored(facts)

    def unused_rows(self, facts):
        """The names of the parts of prototypes whose instancers are all left out as invisible, or are parts of such."""
        rows = [row for row in self.origin.drawn(self.question.selection) if row.name in facts]
        used, found = set(), {None}
        while found:
            used |= found
            instancers = [row.prim for row in rows if row.prototype in found and not row.draw_mode and row.prim.IsA(UsdGeom.PointInstancer)]
            targets = {path for prim in instancers for path in UsdGeom.PointInstancer(prim).GetPrototypesRel().GetTargets()}
            found = {row.prototype for row in rows if row.prototype and row.prototype.GetPath() in targets} - used
        return {row.name for row in rows if row.prototype not in used}

    def anchored(self, facts):
        """Facts without relative paths of files. All layers of a scene are in its folder."""
        if isinstance(facts, dict):
            return {name: self.anchored(value) for name, value in facts.items()}
        if isinstance(facts, list):
            return [self.anchored(value) for value in facts]
        if isinstance(facts, Samples):
            return Samples(facts.times, self.anchored(facts.values), facts.exact, facts.about, facts.indices)
        if isinstance(facts, str) and facts.startswith("./"):
            return os.path.join(os.path.dirname(self.origin.stage.GetRootLayer().realPath), facts[2:])
        return facts

    # ------------------------------------------------------------------ of the file
    def question_of_file(self):
        kept = {name: value for name, value in self.question.selection.items() if name in KEPT}
        return replace(self.question, selection={**kept, "purposes": PURPOSES, "materialPurposes": [""]})

    def actual(self):
        """The facts of the file, with the names that the origin has for what instances share."""
        facts = {}
        for name, found in self.reference.facts(self.question_of_file()).items():
            if name.startswith("material "):
                facts[f"material {self.shared(name.removeprefix('material '))}"] = self.network(found)
            else:
                facts[name] = {**found, "material": self.shared(found["material"])} if "material" in found else found
        if CAMERA in facts:
            facts[CAMERA] = self.camera_within(self.reference.stage, facts[CAMERA])
        return facts

    def shared(self, path):
        """The name that the origin has for a prim, with or without a property."""
        name, dot, rest = path.partition(".")
        prim = self.origin.stage.GetPrimAtPath(Sdf.Path(name)) if name else None
        return (first_of_instances(prim) if prim else name) + dot + rest

    def network(self, facts):
        terminals = {name: [self.shared(node), output] for name, (node, output) in facts["terminals"].items()}
        nodes = {}
        for name, node in facts["nodes"].items():
            nodes[self.shared(name)] = {port: value if port == "id" else [[self.shared(output) for output in value[0]], value[1]]
                                        for port, value in node.items()}
        return {"terminals": terminals, "nodes": nodes}
