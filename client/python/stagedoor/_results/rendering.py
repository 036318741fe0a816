"""Results of queries about looks, lights and render settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stagedoor._results.brief import Brief
from stagedoor.types import AssetPath

# The collections of a RenderPass in the order of their bits.
_PASS_COLLECTIONS = ("renderVisibility", "cameraVisibility", "prune", "matte")


def pass_members(bits: int) -> frozenset[str]:
    """The collections of a RenderPass whose bits are set."""
    return frozenset(name for i, name in enumerate(_PASS_COLLECTIONS) if bits >> i & 1)


@dataclass(frozen=True)
class BoundMaterial:
    """The binding of a prim to its material."""

    material: str  # the path of the material; empty if the target is missing or no Material
    relationship: str  # the path of the relationship: "/A.material:binding:full"
    collection: str  # the collection whose members it binds; empty for a direct binding
    stronger_than_descendants: bool


@dataclass(frozen=True)
class BindingCandidate:
    """A relationship that may bind a prim, and what becomes of it.

    outcome: "wins"; "other_purpose": it is for all purposes, and one for the purpose wins;
    "closer_wins": one closer to the prim; "stronger_above_wins": one above that is stronger than
    descendants; "collection_wins": one of a collection, on the same prim; "earlier_wins": one of an
    earlier collection there; "no_member": the prim is not in its collection; "broken": it binds
    nothing because of its targets.
    """

    binding: BoundMaterial
    outcome: str
    wrong_target: str  # the target that is missing or of another kind; empty if there is none


@dataclass(frozen=True)
class ShaderSource:
    """The source of a connection."""

    node: str  # the path of the node
    name: str  # of its output, without "outputs:"; or of its input
    is_input: bool = False  # of a node graph or material: only in a graph


@dataclass(frozen=True)
class MaterialTerminal:
    """Where a renderer begins."""

    source: ShaderSource
    render_context: str  # of the material's output; empty for the one for all renderers


@dataclass(frozen=True)
class ShaderCode:
    """A file or the code that makes a shader."""

    asset: str  # the resolved path, or the authored one if the file is missing
    text: str  # the code itself; empty if it is in a file
    sub_identifier: str  # of one of several definitions in the file


@dataclass(frozen=True, repr=False)
class ShaderPort(Brief):
    """An input or output of a shader.

    values: one for each time that was asked for; a single one if it is the same at all times.
    connections: what it is connected to; a value does not count then, for most renderers.
    value_source: the path of the attribute that has the values, unless it is that of the port.
    """

    name: str
    type_name: str
    values: list[Any]
    connections: list[ShaderSource]
    value_source: str
    color_space: str

    @property
    def value(self) -> Any:
        """The value at the first time; None if there is none."""
        return self.values[0] if self.values else None


@dataclass(frozen=True, repr=False)
class ShaderNode(Brief):
    """A shader; in a graph, also a node graph or material.

    id: the name in the shader registry, such as "UsdPreviewSurface"; empty if it has `code`.
    code: by kind of renderer, such as "osl"; that of all others has the key "".
    """

    path: str
    type_name: str
    id: str
    code: dict[str, ShaderCode]
    inputs: dict[str, ShaderPort]
    outputs: dict[str, ShaderPort]  # only in a graph


@dataclass(frozen=True)
class BrokenConnection:
    """A connection that leads nowhere: `reason` is "no_source", "cycle" or "too_large"."""

    attribute: str
    reason: str
    source: str  # empty unless the reason is "no_source"


@dataclass(frozen=True, repr=False)
class MaterialNetwork(Brief):
    """The shaders of a material.

    terminals: by name: "surface", "displacement", "volume".
    nodes: by path, breadth first from the terminals; in a graph, from the material.
    base_material: the path of the material that this one specializes; empty if there is none.
    broken: connections that lead nowhere, at most 1,000.
    """

    terminals: dict[str, MaterialTerminal]
    nodes: dict[str, ShaderNode]
    base_material: str
    broken: list[BrokenConnection]


@dataclass(frozen=True)
class Light:
    """A light or light filter. One of a cached list need not exist; it has a path only then."""

    path: str
    type_name: str
    shader_id: str  # for the render contexts that were asked for; empty if it has none
    is_filter: bool
    filters: list[str]  # the paths of the light's filters
    portals: list[str]  # the paths of the portals of a dome light


@dataclass(frozen=True)
class LightLinkRule:
    """A rule of a light's collection, at a prim or above it.

    rule: "explicit_only", "expand_prims", "expand_prims_and_properties", "exclude", or "invalid":
    an unknown expansionRule, which includes as "expand_prims" does.
    outcome: "decides"; "closer_decides": a rule closer to the prim; "only_itself": "explicit_only"
    above the prim, which does not apply to it.
    """

    path: str  # "/" for includeRoot
    rule: str
    outcome: str


@dataclass(frozen=True)
class LightLinkExplanation:
    """Whether a prim is linked to a light, and why.

    reason: "rule": the one of `rules` that decides; "include_root": the light's includeRoot is
    true, and no rule is closer; "default": as that, and nothing of the collection is authored;
    "no_rule": the collection has rules, but none for the prim; "expression": whether it matches;
    "empty": the collection has neither rules nor an expression; "not_a_light": nor a light filter,
    where one is needed.
    rules: at the prim and above it, the closest one first; none if an expression decides.
    expression: the membershipExpression, if it decides.
    """

    linked: bool
    reason: str
    rules: list[LightLinkRule]
    expression: str


@dataclass(frozen=True)
class RenderVar:
    """Data that is rendered, such as a color. Corresponds to UsdRender.Var."""

    path: str
    data_type: str
    source_name: str
    source_type: str  # "raw", "primvar", "lpe" or "intrinsic"
    settings: dict[str, Any]  # as those of RenderSettings


@dataclass(frozen=True)
class RenderProduct:
    """An image or other file that a render makes. Corresponds to UsdRender.Product.

    What the product does not author is what its settings have.

    name: productName, such as that of a file.
    pixel_aspect_ratio, aperture: as the policy has fitted them to each other, the aperture of the
      camera at default time.
    data_window: minimum x and y, maximum x and y of what to render; the aperture is 0 to 1.
    instantaneous_shutter: the deprecated attribute; disable_motion_blur does not depend on it.
    """

    path: str
    type: str
    name: str
    camera: str
    resolution: tuple[int, int]
    pixel_aspect_ratio: float
    aspect_ratio_conform_policy: str
    aperture: tuple[float, float]
    data_window: tuple[float, float, float, float]
    disable_motion_blur: bool
    disable_depth_of_field: bool
    instantaneous_shutter: bool
    vars: list[RenderVar]
    settings: dict[str, Any]  # as those of RenderSettings


@dataclass(frozen=True)
class RenderProblem:
    """A product or render var that is left out."""

    reason: str  # "no_product", "no_camera" or "no_var": what `target` is not
    prim: str  # the path of the RenderSettings or RenderProduct
    target: str  # empty if no camera is named


@dataclass(frozen=True)
class RenderSettings:
    """Render settings. Corresponds to UsdRender.Settings and, in C++, to UsdRenderSpec.

    defaults: what a product has that authors nothing; it has no path.
    vars: those of all products, each once.
    settings: what the schemas of UsdRender do not know: authored attributes with a namespace, and
      the targets of authored relationships.
    problems: what is left out, and why.
    """

    path: str
    defaults: RenderProduct
    products: list[RenderProduct]
    vars: list[RenderVar]
    included_purposes: list[str]
    material_binding_purposes: list[str]  # "" is the binding for all purposes
    rendering_color_space: str
    settings: dict[str, Any]
    problems: list[RenderProblem]


@dataclass(frozen=True)
class RenderPass:
    """A pass of a render that consists of several. Corresponds to UsdRender.Pass.

    command: the program that renders, and its arguments.
    file_name: where the sources are, if they are not in the stage.
    members: for each path that was asked about, those of the collections "renderVisibility",
      "cameraVisibility", "prune" and "matte" that it is in.
    """

    path: str
    type: str
    command: list[str]
    file_name: AssetPath | None
    sources: list[str]
    input_passes: list[str]
    settings: dict[str, Any]  # as those of RenderSettings
    members: dict[str, frozenset[str]]


@dataclass(frozen=True)
class VolumeFieldSample:
    """Where the data of a volume's field is at a time. Corresponds to UsdVol.FieldAsset."""

    file: AssetPath | None
    field_name: str  # of the field in the file
    field_index: int | None  # of several fields with this name
    field_data_type: str
    vector_data_role_hint: str
    field_class: str  # of an OpenVDBAsset
    field_purpose: str  # of a Field3DAsset


@dataclass(frozen=True)
class VolumeField:
    """A field of a volume, such as its density."""

    name: str
    path: str  # of the prim that describes it, which need not exist
    type_name: str
    samples: list[VolumeFieldSample]  # one for each time, or one that holds at all times


@dataclass(frozen=True)
class CoordSysBinding:
    """A name for the space of a prim. Corresponds to UsdShade.CoordSysAPI."""

    name: str
    target: str  # the path of the prim whose space it is
    relationship: str  # "/A.coordSys:NAME:binding"


@dataclass(frozen=True)
class ColorSpaceDefinition:
    """A color space that the scene defines. Corresponds to Usd.ColorSpaceDefinitionAPI."""

    prim: str  # that defines it
    red: tuple[float, float]
    green: tuple[float, float]
    blue: tuple[float, float]
    white: tuple[float, float]
    gamma: float
    linear_bias: float


@dataclass(frozen=True)
class ColorSpace:
    """The color space of a prim or attribute. Corresponds to Usd.ColorSpaceAPI."""

    name: str
    definition: ColorSpaceDefinition | None  # None for those that renderers know by name


@dataclass(frozen=True)
class LodChoice:
    """Which levels of detail to show at a time, and why.

    shown: the names of the levels with their shares: one, two in a blend, all or none.
    reason: "override", "distance" or "screen_size", by which a heuristic has chosen, or "default".
    heuristic, measure: its path, and the distance, or the share of the image that is covered.
    override_prim, override_mode: whose lod:override:mode counts, even if that is "noOverride".
    """

    shown: dict[str, float]
    reason: str
    heuristic: str
    measure: float | None
    override_prim: str
    override_mode: str


@dataclass(frozen=True)
class LodRoot:
    """A prim whose children are levels of detail. Corresponds to UsdLod.RootAPI."""

    path: str
    levels: tuple[str, ...]  # the names of the children
    choices: Any  # a LodChoice, or a list with one for each time


@dataclass(frozen=True)
class Labels:
    """The labels of a prim in one taxonomy. Corresponds to UsdSemantics.LabelsAPI."""

    applied: bool  # whether the prim itself has labels in the taxonomy, even if they are empty
    direct: tuple[str, ...]  # its own
    inherited: tuple[str, ...]  # with those of the prims above it
