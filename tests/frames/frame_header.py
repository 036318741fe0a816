"""The settings and the camera of a frame, by usd-core and of a header message."""
import numpy as np
from camera_records import camera_record, plain
from frame_geometry import Samples
from motion_records import LENS
from motion_rules import codes, ops_between, times_of
from plain_values import UNCHECKED, of_message, of_packed
from pxr import Tf, UsdGeom, UsdRender
from render_records import settings_record

DEFAULT_PURPOSES = ("default", "render")
DEFAULT_MATERIAL_PURPOSES = ("full", "")
# Of ComputeCamerasResponse, and in the records of cameras.
NUMBERS = ("focalLength", "horizontalAperture", "verticalAperture", "horizontalApertureOffset", "verticalApertureOffset", "fStop",
           "focusDistance", "shutterOpen", "shutterClose", "exposure", "linearExposureScale")
PACKED = ("localToWorld", "clippingRange", "window", "fieldOfView", "viewMatrix", "projectionMatrix")


class Settings:
    """What a selection takes from the render settings of a stage."""

    def __init__(self, stage, selection):
        path = selection.get("renderSettings")
        schema = UsdRender.Settings(stage.GetPrimAtPath(path)) if path else UsdRender.Settings.GetStageRenderSettings(stage)
        self.prim = schema.GetPrim() if schema and schema.GetPrim() else None
        self.record = settings_record(self.prim, [], "") if self.prim else None
        self.camera = selection.get("camera") or self.first_camera()
        included = self.record["included"] if self.record else DEFAULT_PURPOSES
        purposes = selection.get("purposes")
        self.purposes = {word.removeprefix("PURPOSE_").lower() for word in purposes} if purposes else set(included)
        self.material_purposes = selection.get("materialPurposes") or (
            self.record["material purposes"] if self.record else DEFAULT_MATERIAL_PURPOSES)

    def first_camera(self):
        if not self.record:
            return ""
        products = self.record["products"] or [self.record["defaults"]]
        camera = self.prim.GetStage().GetPrimAtPath(products[0][3]) if products[0][3] else None
        return products[0][3] if camera and camera.IsA(UsdGeom.Camera) else ""


def camera_facts(question, prim):
    """Samples of ComputeCamerasResponse."""
    attributes = ops_between(prim, None) + [prim.GetAttribute(name) for name in LENS if prim.HasAttribute(name)]
    times = times_of(question, attributes)
    return times, camera_values(prim, codes(question, times))


def camera_values(prim, at):
    """The values of a camera at some times."""
    values = []
    for code in at:
        record = camera_record(prim, "", code)
        lens = record["lens"]
        numbers = [lens[4], *lens[:4], *lens[5:], *record["shutter"], *record["exposure"]]
        matrix = UsdGeom.XformCache(code).GetLocalToWorldTransform(prim)
        values.append({"numbers": numbers, "localToWorld": plain([list(row) for row in matrix]), "orthographic": record["orthographic"],
                       "clippingRange": record["clippingRange"], "clippingPlanes": record["clippingPlanes"], "window": record["window"],
                       "fieldOfView": record["fieldOfView"], "stereoRole": record["stereoRole"],
                       "viewMatrix": UNCHECKED if record["singular"] else record["view"], "projectionMatrix": record["projection"]})
    return values


def of_camera_message(message):
    """The facts of a ComputeCamerasResponse."""
    times = message.get("samples", {}).get("times", [])
    count = max(len(times), 1)
    values = []
    planes, at = of_packed(message["clippingPlanes"]) if "clippingPlanes" in message else [], 0
    for i in range(count):
        held = message.get("clippingPlaneCount", [0] * count)[i]
        value = {"numbers": plain([float(message[name][i]) for name in NUMBERS]),
                 "orthographic": message["projection"][i] == "CAMERA_PROJECTION_ORTHOGRAPHIC",
                 "clippingPlanes": plain([plane.tolist() for plane in planes[at:at + held]]), "stereoRole": message["stereoRole"][0]}
        for name in PACKED:
            row = of_packed(message[name])[i]
            value[name] = plain(row.reshape(4, 4).tolist() if len(row) == 16 else row.tolist())
        values.append(value)
        at += held
    return times, values


def of_settings_message(message):
    """RenderSettings in the form of render_records."""
    return {"path": message.get("path", ""), "defaults": product(message.get("defaults", {})),
            "products": [product(p) for p in message.get("products", [])], "vars": [variable(v) for v in message.get("vars", [])],
            "included": message.get("includedPurposes", []), "material purposes": message.get("materialBindingPurposes", []),
            "space": message.get("renderingColorSpace", ""), "settings": fields(message.get("settings", []))}


def product(message):
    return [message.get("path", ""), message.get("type", ""), message.get("name", ""), message.get("camera", ""),
            message.get("disableMotionBlur", False), message.get("disableDepthOfField", False), message.get("instantaneousShutter", False),
            [message.get("width", 0), message.get("height", 0)], message.get("pixelAspectRatio", 0.0),
            message.get("aspectRatioConformPolicy", ""), [message.get("horizontalAperture", 0.0), message.get("verticalAperture", 0.0)],
            message.get("dataWindow", []), message.get("vars", []), fields(message.get("settings", []))]


def variable(message):
    return [message.get("path", ""), message.get("dataType", ""), message.get("sourceName", ""), message.get("sourceType", ""),
            fields(message.get("settings", []))]


def fields(messages):
    return [[message["name"], simple(of_message(message.get("value", {})))] for message in messages]


def simple(value):
    """As records have it."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
        while isinstance(value, list) and len(value) == 1:
            value, = value
    return value


def meters_per_unit(stage):
    """usd-core refuses a value of another type."""
    try:
        return UsdGeom.GetStageMetersPerUnit(stage)
    except Tf.ErrorException:
        return UNCHECKED


def header_facts(stage, question, settings):
    facts = {"stage": {"meters per unit": meters_per_unit(stage), "time codes per second": stage.GetTimeCodesPerSecond(),
                      "up axis": UsdGeom.GetStageUpAxis(stage)}}
    if settings.record:
        facts["settings"] = {name: settings.record[name] for name in of_settings_message({})}
    if settings.camera:
        times, values = camera_facts(question, stage.GetPrimAtPath(settings.camera))
        facts["camera"] = {"path": settings.camera, "samples": Samples(times, values)}
    return {f"header {name}": found for name, found in facts.items()}
