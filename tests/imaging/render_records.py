"""What is to be rendered, in the form of imaging_dump.

usd-core's Python has the schemas of UsdRender only. The functions below state the rules of the C++ functions UsdRenderComputeSpec and
UsdRenderComputeNamespacedSettings of OpenUSD 26.11; they were compared with those on random scenes.
"""
import numpy as np
from pxr import Sdf, Usd, UsdGeom, UsdRender, UsdShade

COLLECTIONS = ["renderVisibility", "cameraVisibility", "prune", "matte"]


def plain(value):
    """As JSON has it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Sdf.PathExpression):
        return value.GetText()
    if isinstance(value, np.floating):
        return float(value)
    return [plain(v) for v in value]


def texts(paths):
    return [str(path) for path in paths]


def value_of(attr):
    """The value of an attribute. In usd-core, an expression above a block has none: see docs/conformance.md."""
    value = attr.Get()
    if value is None and attr.HasAuthoredValue() and attr.GetTypeName() == Sdf.ValueTypeNames.PathExpression:
        return attr.GetPropertyStack()[0].default
    return value


def namespaced_settings(prim, namespaces):
    found = {rel.GetName(): texts(rel.GetTargets()) for rel in prim.GetAuthoredRelationships()}
    for attr in prim.GetAuthoredAttributes():
        name = attr.GetName()
        is_output = name.startswith("outputs:")
        first, colon, _ = (name[len("outputs:"):] if is_output else name).partition(":")
        if not colon or (namespaces and first not in namespaces):
            continue
        producers = UsdShade.Utils.GetValueProducingAttributes(UsdShade.Output(attr)) if is_output else []
        if producers:
            found[name] = texts(producer.GetPrimPath() for producer in producers)
        elif (value := value_of(attr)) is not None:
            found[name] = plain(value)
    return [[name, found[name]] for name in sorted(found)]


class Product:
    """The values of settings, and what a product changes of them."""

    def __init__(self):
        self.path = self.type = self.name = self.camera = ""
        # Those of attributes that are blocked.
        self.values = {"Resolution": [0, 0], "PixelAspectRatio": 0.0, "AspectRatioConformPolicy": "",
                       "DataWindowNDC": [0.0] * 4, "DisableMotionBlur": False, "InstantaneousShutter": False,
                       "DisableDepthOfField": False}
        self.aperture = [np.float32(0), np.float32(0)]
        self.vars, self.settings = [], []

    def read(self, prim, authored_only):
        schema = UsdRender.SettingsBase(prim)
        cameras = schema.GetCameraRel().GetForwardedTargets()
        if cameras:
            self.camera = str(cameras[0])
        for name, value in self.values.items():
            attr = getattr(schema, f"Get{name}Attr")()
            found = attr.Get() if not authored_only or attr.HasAuthoredValue() else None
            self.values[name] = value if found is None else found

    def find_aperture(self, stage):
        prim = stage.GetPrimAtPath(self.camera) if self.camera else None
        if not prim or not prim.IsA(UsdGeom.Camera):
            return False
        camera = UsdGeom.Camera(prim)
        self.aperture = [np.float32(camera.GetHorizontalApertureAttr().Get() or 0),
                         np.float32(camera.GetVerticalApertureAttr().Get() or 0)]
        self.fit()
        return True

    def fit(self):
        width, height = self.values["Resolution"]
        if width <= 0 or height <= 0 or min(self.aperture) <= 0:
            return
        pixels = np.float32(width) / np.float32(height)
        image = np.float32(self.values["PixelAspectRatio"]) * pixels
        if image <= 0:
            return
        aperture = self.aperture[0] / self.aperture[1]
        policy = self.values["AspectRatioConformPolicy"]
        # The side of the aperture that gives way: the shorter one grows, or the longer one is cropped.
        side = {"adjustApertureWidth": 0, "adjustApertureHeight": 1, "expandAperture": int(aperture > image),
                "cropAperture": int(aperture <= image)}.get(policy)
        if policy == "adjustPixelAspectRatio":
            self.values["PixelAspectRatio"] = aperture / pixels
        elif side == 0:
            self.aperture[0] = self.aperture[1] * image
        elif side == 1:
            self.aperture[1] = self.aperture[0] / image

    def record(self):
        v = self.values
        return [self.path, self.type, self.name, self.camera, v["DisableMotionBlur"], v["DisableDepthOfField"],
                v["InstantaneousShutter"], plain(v["Resolution"]), plain(v["PixelAspectRatio"]),
                v["AspectRatioConformPolicy"], plain(self.aperture), plain(v["DataWindowNDC"]), self.vars, self.settings]


def product_of(path, settings, namespaces, variables):
    """The product at `path` if it is one with a camera. Adds its vars to `variables`, records by path."""
    stage = settings.GetStage()
    prim = stage.GetPrimAtPath(path)
    if not prim or not prim.IsA(UsdRender.Product):
        return None
    product = Product()
    product.read(settings, False)
    product.read(prim, True)
    if not product.find_aperture(stage):
        return None
    schema = UsdRender.Product(prim)
    product.path = str(path)
    product.type = schema.GetProductTypeAttr().Get() or ""
    product.name = schema.GetProductNameAttr().Get() or ""
    for target in schema.GetOrderedVarsRel().GetForwardedTargets():
        var = stage.GetPrimAtPath(target)
        if not var or not var.IsA(UsdRender.Var):
            continue
        of_var = UsdRender.Var(var)
        variables.setdefault(str(target), [str(target), of_var.GetDataTypeAttr().Get() or "",
                                           of_var.GetSourceNameAttr().Get() or "",
                                           of_var.GetSourceTypeAttr().Get() or "", namespaced_settings(var, namespaces)])
        product.vars.append(list(variables).index(str(target)))
    product.settings = namespaced_settings(prim, namespaces)
    return product


def settings_record(prim, namespaces, key):
    schema = UsdRender.Settings(prim)
    defaults = Product()
    defaults.read(prim, False)
    defaults.find_aperture(prim.GetStage())
    variables = {}
    products = [product_of(path, prim, namespaces, variables) for path in schema.GetProductsRel().GetForwardedTargets()]
    return {"record": "settings", "path": str(prim.GetPath()), "key": key,
            "of stage": UsdRender.Settings.GetStageRenderSettings(prim.GetStage()).GetPrim() == prim,
            "defaults": defaults.record(), "products": [p.record() for p in products if p],
            "vars": list(variables.values()), "included": plain(schema.GetIncludedPurposesAttr().Get() or []),
            "material purposes": plain(schema.GetMaterialBindingPurposesAttr().Get() or []),
            "space": schema.GetRenderingColorSpaceAttr().Get() or "", "settings": namespaced_settings(prim, namespaces)}


def pass_record(prim):
    schema = UsdRender.Pass(prim)
    stage = prim.GetStage()
    queries = [Usd.CollectionAPI(prim, name).ComputeMembershipQuery() for name in COLLECTIONS]
    every = list(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)))[1:]
    file_name = schema.GetFileNameAttr().Get()
    return {"record": "pass", "path": str(prim.GetPath()), "listed": prim in list(stage.Traverse()),
            "type": schema.GetPassTypeAttr().Get() or "", "command": plain(schema.GetCommandAttr().Get() or []),
            "file": file_name.path if file_name else "", "sources": texts(schema.GetRenderSourceRel().GetForwardedTargets()),
            "inputs": texts(schema.GetInputPassesRel().GetForwardedTargets()), "settings": namespaced_settings(prim, []),
            "members": [sum(query.IsPathIncluded(p.GetPath()) << i for i, query in enumerate(queries)) for p in every]}


def render_records(prim, _times):
    if prim.IsA(UsdRender.Settings):
        return [settings_record(prim, [], "all"), settings_record(prim, ["ri", "odd"], "ri")]
    return [pass_record(prim)] if prim.IsA(UsdRender.Pass) else []
