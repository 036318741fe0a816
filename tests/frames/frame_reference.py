"""What a frame has by usd-core: {object: {field: value}}, which held_facts.py makes of our messages.

Objects are named by their paths, since IDs are ours.
"""
from drawn_prims import LEFT_OUT, DrawnPrims, row_name
from frame_geometry import FrameGeometry, subset_facts
from frame_header import Settings, header_facts
from frame_shading import Lights, Materials, first_of_instances, network_facts
from frame_skins import Skins
from pxr import Usd, UsdGeom, UsdVol
from render_records import COLLECTIONS


class FrameReference:
    """The frames of one stage. What does not depend on the time is computed once.

    with_influences: see FrameGeometry.
    """

    def __init__(self, stage, with_influences=False):
        self.stage, self.with_influences = stage, with_influences
        self.known = {}

    def once(self, make, *key):
        key = str(key)
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def facts(self, question):
        selection = question.selection
        settings = self.settings(selection)
        rows = self.drawn(selection)
        geometry = FrameGeometry(self.stage, question, self.skins(selection), self.with_influences)
        lights = self.once(lambda: Lights(self.stage, selection), "lights", sorted(selection.items()))
        if selection.get("withoutInvisible"):
            rows = [row for row in rows if geometry.visible(row)]
        facts = header_facts(self.stage, question, settings)
        subsets = [(row, subset, found) for row in rows for subset, found in subset_facts(question, row)]
        materials = Materials(settings.material_purposes)
        bound = materials.of([row.prim for row in rows] + [subset for _, subset, _ in subsets])
        used = {}
        for row, material in zip(rows, bound):
            facts[row.name] = self.row_facts(question, geometry, lights, row)
            facts[row.name]["material"] = "" if row.draw_mode else self.use(material, used)
        for (row, subset, found), material in zip(subsets, bound[len(rows):]):
            found["material"] = self.use(material, used) if found["family"] == "materialBind" else ""
            facts[f"subset {subset.GetPath()} of {row.name}"] = found
        self.add_lights(geometry, lights, materials, rows, used, facts)
        contexts = selection.get("renderContexts", [])
        for name, prim in used.items():
            facts[f"material {name}"] = network_facts(prim, contexts, question.code)
        return facts

    def settings(self, selection):
        return self.once(lambda: Settings(self.stage, selection), "settings", sorted(selection.items()))

    def skins(self, selection):
        wanted = not selection.get("withoutSkinning")
        return self.once(lambda: Skins(self.stage, wanted), "skins", wanted)

    def drawn(self, selection):
        make = lambda: DrawnPrims(self.stage, selection, self.settings(selection).purposes).rows  # noqa: E731
        return self.once(make, "drawn", sorted(selection.items()))

    def geometry_count(self, question):
        """How many geometries the rows have at most, if instances share them: all but skinned prims, instancers and volumes."""
        found = set()
        skins = self.skins(question.selection)
        for row in self.drawn(question.selection):
            alone = skins.has(row.prim) or row.prim.IsA(UsdGeom.PointInstancer) or row.prim.IsA(UsdVol.Volume)
            primvars = UsdGeom.PrimvarsAPI(row.prim).FindPrimvarsWithInheritance()
            inherited = [(first_of_instances(p.GetAttr().GetPrim()), p.GetName()) for p in primvars if p.GetAttr().GetPrim() != row.prim]
            found.add((row.name if alone else first_of_instances(row.prim), *inherited, row.draw_mode))
        return len(found)

    @staticmethod
    def use(material, used):
        """The name of a material, which instances share."""
        if not material:
            return ""
        name = first_of_instances(material)
        used.setdefault(name, material)
        return name

    def row_facts(self, question, geometry, lights, row):
        prim = row.prim
        facts = {"type": str(prim.GetTypeName()), "purpose": str(UsdGeom.Imageable(prim).ComputePurpose()), "draw mode": row.draw_mode,
                 "visible": geometry.visible(row), "transform": geometry.transform(row), **lights.linked(prim)}
        if question.selection.get("renderPass"):
            facts["pass members"] = self.pass_members(question.selection["renderPass"], prim)
        facts.update((f"value {name}", samples) for name, samples in geometry.values(row).items())
        if prim.IsA(UsdVol.Volume) and not row.draw_mode:
            facts.update({"fields": fields} if (fields := geometry.fields(prim)) else {})
        if prim.IsA(UsdGeom.PointInstancer) and not row.draw_mode:
            facts["instances"] = geometry.instances(prim)
        return facts

    def pass_members(self, path, prim):
        render_pass = self.stage.GetPrimAtPath(path)
        queries = [Usd.CollectionAPI(render_pass, name).ComputeMembershipQuery() for name in COLLECTIONS]
        return sum(query.IsPathIncluded(prim.GetPath()) << i for i, query in enumerate(queries))

    def add_lights(self, geometry, lights, materials, rows, used, facts):
        drawn = {row.prim.GetPath() for row in rows if not row.prototype}
        known = {row.prim.GetPath() for row in self.drawn(geometry.question.selection) if not row.prototype}
        contexts = geometry.question.selection.get("renderContexts", [])
        for prim, material in zip(lights.prims, materials.of(lights.prims)):
            shines = prim.IsA(UsdGeom.Gprim)
            row = LightRow(prim)
            found = lights.facts(prim, contexts)
            found["visible"], found["transform"] = geometry.visible(row), geometry.transform(row)
            found["prim"] = ""
            if shines and prim.GetPath() in known:
                found["prim"] = row_name(prim.GetPath(), "") if prim.GetPath() in drawn else LEFT_OUT
            found["material"] = self.use(material, used) if shines else ""
            found.update((f"value {name}", samples) for name, samples in geometry.light_values(prim).items())
            facts[f"light {prim.GetPath()}"] = found


class LightRow:
    """A light where a row is expected."""

    prototype = None

    def __init__(self, prim):
        self.prim = prim


def paths_of_rows(facts):
    """The paths of the prims of a frame, in order."""
    names = [name.removeprefix("prim ") for name in facts if name.startswith("prim ")]
    return [name.partition(" of the prototype ")[0] for name in names]
