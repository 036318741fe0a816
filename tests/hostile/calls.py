"""The calls of attacks, in the form that tests/hostile/attack.cc reads: all methods on a scene, and requests that are
hostile in themselves."""
import re

ALL_TIMES = "times { ranges: '1:320' }"
ALL_FIELDS = "read_mask { paths: '*' }"
VALUES = "read_mask { paths: 'properties.values' }"
MANY_INSTANCES = "with_boxes: true with_extents_hints: true" + " instance_indices: 0 instance_indices: 4294967295" * 500
WIDE_SHUTTER = "sample_policy { shutter_open: -1e300 shutter_close: 1e300 max_samples: 4096 with_sources: true }"
ALL_TOPOLOGY = ("with_surface_faces: true with_inverted_elements: true with_segment_counts: true with_tangents: true "
                "with_problems: true data_sizes: 1 data_sizes: 7")
ALL_PURPOSES = "purposes: [PURPOSE_DEFAULT, PURPOSE_RENDER, PURPOSE_PROXY, PURPOSE_GUIDE]"
PROXIES = "predicate { preset: PRESET_ALL instance_proxies: true }"


def call(method, request="", **options):
    return {"method": method, "request": request, **options}


def open_stage(root, more="", **options):
    return call("StagesService/OpenStage", f"root_layer: '{root}' {more}", **options)


def open_another(root, number):
    """Opens a stage that no client has open, without introducing new names."""
    return open_stage(root, f"session_layer {{ content: '#usda 1.0\\nover \"A\" {{\\ndouble a = {number}\\n}}\\n' }}")


def paths_in(text, most=4):
    """Paths of prims and attributes that a layer's text defines: the first few, and the deepest prim."""
    prims, attributes, scope = [], [], []
    for line in text.splitlines():
        line = line.strip()
        prim = re.match(r'(?:def|over|class)(?: \w+)? "([^"]+)"', line)
        attribute = re.match(r"(?:uniform |custom )*[a-z]\w*(?:\[\])? ([\w:]+)(?:\.timeSamples|\.spline)?(?: =|$)", line)
        if prim:
            name = prim.group(1)
            if len(scope) < 30:
                prims.append("/" + "/".join([*filter(None, scope), name]))
            pending = name
        elif attribute and len(attributes) < 1000 and len(scope) < 30 and any(scope):
            attributes.append("/" + "/".join(filter(None, scope)) + "." + attribute.group(1))
        for character in re.sub(r'"[^"]*"', "", line) if len(line) < 500 else "":
            if character == "{":
                scope.append(pending if prim or line == "{" else None)
                pending = None
            elif character == "}" and scope:
                scope.pop()
    deepest = sorted(prims, key=lambda path: -path.count("/"))[:1]
    return prims[:most] + deepest, attributes[:most]


def battery(root, text):
    """Calls of all methods that apply to the scene at `root`, whose root layer has this text."""
    prims, attributes = paths_in(text)
    prims = prims or ["/"]
    stage, source = "stage { handle: '$STAGE' }", "source { stage { handle: '$STAGE' } }"
    some_prims = " ".join(f"paths: '{path}'" for path in prims)
    some_attributes = " ".join(f"paths: '{path}'" for path in attributes)
    yield open_stage(root)
    yield call("StagesService/GetStage", f"{stage} details: 1 details: 2 details: 3")
    yield call("QueryService/Traverse", f"{stage} {PROXIES}")
    yield call("QueryService/Traverse", f"{stage} {PROXIES} {ALL_FIELDS} {ALL_TIMES}")
    yield call("QueryService/ListCollections", f"{stage} {PROXIES}")
    for path in prims:
        yield call("QueryService/GetPrim", f"{stage} path: '{path}' {ALL_FIELDS} {ALL_TIMES}")
        yield call("ShadeService/ExplainBinding", f"{stage} path: '{path}' purpose: 'full'")
    for path in attributes:
        yield call("QueryService/Explain", f"{stage} path: '{path}' {ALL_TIMES}")
    for method in ("BatchGetValues", "StreamValues"):
        yield call(f"QueryService/{method}", f"{stage} {some_attributes} times {{ ranges: '1:1000' ranges: '1e17:1e17' }}")
    for method in ("ListTimeSamples", "StreamTimeSamples"):
        yield call(f"QueryService/{method}", f"{stage} {some_attributes}")
        yield call(f"QueryService/{method}", f"{stage} {some_attributes} interval {{ start: -1e300 end: 1e300 }}")
    yield call("QueryService/GetBracketingTimeSamples", f"{stage} {some_attributes} times: 1 times: -1e300 times: 1e300")
    for method in ("ComputeTransforms", "ComputeVisibility", "ComputeBounds", "ComputeCameras", "ComputeModels", "GetPrimvars",
                   "ComputePoints", "ComputeSubsets", "ComputeTopology", "ComputeInstanceTransforms"):
        yield call(f"GeomService/{method}", f"{stage} paths: '/' {some_prims} times {{ frames: 1 }}")
    yield call("GeomService/ComputeBounds", f"{stage} paths: '/' {some_prims} times {{ frames: 1 }} {MANY_INSTANCES}")
    yield call("GeomService/ComputeSubsets", f"{stage} {some_prims} times {{ ranges: '1:1000' }} with_unassigned_indices: true with_problems: true")
    yield call("GeomService/ComputeTopology", f"{stage} {some_prims} times {{ ranges: '1:1000' }} {ALL_TOPOLOGY}")
    for method in ("ComputeTransforms", "ComputeCameras", "GetPrimvars", "ComputePoints", "ComputeInstanceTransforms"):
        yield call(f"GeomService/{method}", f"{stage} paths: '/' {some_prims} times {{ frames: 1 }} {WIDE_SHUTTER}")
    yield call("ShadeService/ComputeBoundMaterials", f"{stage} paths: '/' {some_prims}")
    yield call("ShadeService/ComputeMaterialNetworks", f"{stage} paths: '/' {some_prims} times {{ frames: 1 }}")
    yield call("ShadeService/ComputeMaterialNetworks", f"{stage} {some_prims} times {{ ranges: '1:1000' }} as_graph: true digest_options {{}}")
    for mode in (1, 2):
        yield call("LuxService/ListLights", f"{stage} mode: {mode}")
    for link in (1, 2, 3):
        yield call("LuxService/ComputeLightSets", f"{stage} paths: '/' {some_prims} link: {link}")
        for path in prims[:20]:
            yield call("LuxService/ExplainLightLink", f"{stage} light: '{path}' path: '{prims[-1]}' link: {link}")
    yield call("ShadeService/ComputeCoordSysBindings", f"{stage} paths: '/' {some_prims}")
    yield call("ShadeService/ComputeColorSpaces", f"{stage} paths: '/' {some_prims} {some_attributes}")
    collections = " ".join(f"collections: '{path}.collection:{name}'" for path in prims for name in ("a", "c", "lightLink"))
    yield call("QueryService/ComputeMembership", f"{stage} paths: '/' {some_prims} {some_attributes} {collections}")
    yield call("QueryService/ComputeStageStatistics", stage)
    yield call("QueryService/ComputeStageStatistics", f"{stage} roots: '/' {some_prims.replace('paths:', 'roots:')}")
    yield call("QueryService/ComputeLabels", f"{stage} paths: '/' {some_prims} times {{ ranges: '1:1000' }}")
    yield call("QueryService/ComputeLabels", f"{stage} paths: '/' {some_prims} interval {{ }}")
    for camera in ["view { viewpoint: 0 viewpoint: 0 viewpoint: 1e300 }", *(f"camera: '{path}'" for path in prims[:3])]:
        yield call("GeomService/ComputeLevelsOfDetail", f"{stage} {camera} times {{ ranges: '1:100' }}")
        yield call("GeomService/ComputeLevelsOfDetail", f"{stage} {camera} paths: '/' {some_prims} times {{ ranges: '1:1000' }}")
    yield call("PhysicsService/ComputeCollisionGroups", f"{stage} paths: '/' {some_prims}")
    yield call("PhysicsService/ComputeMassProperties", f"{stage} with_colliders: true")
    yield call("PhysicsService/ComputeMassProperties", f"{stage} paths: '/' {some_prims} with_colliders: true")
    yield call("RenderService/ComputeVolumeFields", f"{stage} paths: '/' {some_prims} times {{ ranges: '1:1000' }}")
    yield call("RenderService/ComputeRenderSettings", f"{stage} paths: '/' {some_prims}")
    yield call("RenderService/ComputeRenderPasses", f"{stage} paths: '/' {some_prims}")
    yield from frames(stage, prims)
    for method in ("ListSkelBindings",):
        yield call(f"SkelService/{method}", stage)
    for method in ("ComputeJointTransforms", "ComputeSkinnedPoints", "ComputeSkinning"):
        yield call(f"SkelService/{method}", f"{stage} paths: '/' {some_prims} times {{ frames: 1 }}")
    yield call("SkelService/ComputeSkinnedPoints", f"{stage} {some_prims} times {{ frames: 1 }} {WIDE_SHUTTER}")
    yield call("SkelService/ComputeSkinning", f"{stage} {some_prims} times {{ frames: 1 }} {WIDE_SHUTTER} digest_options {{}}")
    yield call("SkelService/ComputeSkinning", f"{stage} times {{ ranges: '1:1000' }} with_packed_shapes: true")
    yield call("CacheService/PrefetchClips", f"{stage} {some_prims} interval {{ start: -1e300 end: 1e300 }}")
    yield call("StagesService/WarmStage", f"{source} interval {{ start: -1e300 end: 1e300 }}")
    yield call("LayersService/ReadLayer", f"identifier: '{root}'")
    for asset_range in ("", "offset: 18446744073709551615 length: 18446744073709551615", f"anchor: '{root}' {stage}"):
        yield call("LayersService/ReadAsset", f"asset_path: '{root}' {asset_range}")
    yield call("LayersService/ReadAsset", f"asset_path: '{root}[a[b[c[d[e[f[g[h[i[j]]]]]]]]]]'")
    yield call("LayersService/ValidateLayer", f"identifier: '{root}'")
    for layer_format in (1, 2, 3):
        yield call("LayersService/ConvertLayer", f"identifier: '{root}' format: {layer_format}")
        yield call("LayersService/FlattenStage", f"{source} format: {layer_format}")
    yield call("LayersService/FlattenStage", f"{source} layer_stack_only: true")
    yield call("LayersService/GenerateClipManifest", f"clip_set {{ stage {{ stage {{ handle: '$STAGE' }} }} prim_path: '{prims[0]}' write_blocks: true }}")
    yield call("LayersService/StitchClips", f"clips: '{root}' clips: '{root}' output: 'out.usda' clip_path: '{prims[0]}'")
    yield call("LayersService/ListDependencies", source)
    yield call("LayersService/LocalizeStage", source)
    yield call("LayersService/LocalizeStage", f"{source} package: true")
    # Methods that are new, or have got new fields.
    everything = f"{stage} {source} {some_prims} prim_paths: '/' roots: '/' identifier: '{root}' session: 'a'"
    yield call("*", f"{everything} path: '{prims[0]}'")
    yield call("StagesService/UnloadPrims", f"{stage} paths: '/'")
    yield call("StagesService/LoadPrims", f"{stage} paths: '/'")
    yield call("StagesService/ReloadStage", stage)


def frames(stage, prims):
    """Frames of the scene at times of all kinds, with shutters and selections, also by callers that leave after the first message."""
    for time in (f"time {{ numeric: 1 }} {WIDE_SHUTTER}", "time { numeric: 1e300 }", "time { default_time {} }", "time { pre_time: 1 }"):
        for selection in ("", f"selection {{ {ALL_PURPOSES} without_invisible: true flatten_primvars: true }}"):
            yield call("FrameService/ExtractFrame", f"{stage} {time} {selection} changes_between_snapshots: true digest_options {{}}")
            yield call("FrameService/ComputeFrameFingerprint", f"{stage} {time} {selection}")
            for layer_format in ("LAYER_FORMAT_USDC", "LAYER_FORMAT_USDA"):
                yield call("FrameService/ExportFrame", f"{stage} {time} {selection} format: {layer_format}")
    frame = f"{stage} time {{ numeric: 1 }}"
    yield call("FrameService/ExtractFrame", frame)
    yield call("FrameService/ExtractFrame", frame, read=1)
    yield call("FrameService/ExportFrame", frame)
    roots = " ".join(f"roots: '{path}'" for path in prims) + f" excluded: '{prims[-1]}'"
    yield call("FrameService/ExtractFrame", f"{frame} selection {{ {roots} types: 'Gprim' primvars: 'st' render_contexts: 'ri' without_skinning: true }}")
    for path in prims:
        yield call("FrameService/ExtractFrame", f"{frame} selection {{ roots: '{path}' camera: '{path}' }}")
        yield call("FrameService/ExtractFrame", f"{frame} selection {{ render_settings: '{path}' render_pass: '{path}' }}")


def frames_in_flight(root):
    """Clients that read the beginning of a frame whose arrays are computed, and leave the rest."""
    frame = "stage { handle: '$STAGE' } time { numeric: 2 } sample_policy { shutter_open: -1 shutter_close: 1 segments: 16 }"
    yield open_stage(root)
    yield call("FrameService/ExtractFrame", frame, read=1, stall=1.5, times=40)
    yield call("FrameService/ExtractFrame", frame, read=0, times=300)


def as_session(root, text):
    """`text` as a session layer over another root, which needs no file."""
    content = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    yield open_stage(root, f"session_layer {{ content: '{content}' }}", times=1)


def batches(root):
    """Small requests for large amounts of data; the scene is a mesh of 600,000 points."""
    stage = "stage { handle: '$STAGE' }"
    mesh = "paths: '/A.points'"
    yield open_stage(root)
    yield call("QueryService/BatchGetValues", f"{stage} {mesh} times {{ ranges: '1:1000000' }}")
    yield call("QueryService/BatchGetValues", f"{stage} {mesh * 1000} times {{ ranges: '1:10000' }}")
    yield call("QueryService/StreamValues", f"{stage} {mesh} times {{ ranges: '1:1000000' }}")
    yield call("QueryService/GetPrim", f"{stage} path: '/A' {VALUES} {ALL_TIMES}")
    yield call("QueryService/Traverse", f"{stage} {VALUES} {ALL_TIMES}")
    yield call("QueryService/Explain", f"{stage} path: '/A.points' {ALL_TIMES}")
    yield call("QueryService/GetBracketingTimeSamples", f"{stage} {mesh * 1000} " + "times: 1 " * 10000)
    for method in ("ComputeTransforms", "ComputeVisibility", "ComputeBounds", "ComputeCameras", "ComputeModels", "GetPrimvars",
                   "ComputePoints", "ComputeSubsets", "ComputeTopology"):
        yield call(f"GeomService/{method}", f"{stage} " + "paths: '/A' " * 10 + "times { ranges: '1:1000000' } ")
        yield call(f"GeomService/{method}", f"{stage} " + "paths: '/none' " * 10 + "times { ranges: '1:1000000' } ")
    yield call("FrameService/ExtractFrame", f"{stage} time {{ numeric: 1e300 }} {WIDE_SHUTTER}")
    yield call("FrameService/ExtractFrame", f"{stage} time {{ numeric: 1 }} sample_policy {{ shutter_close: 1 segments: 4095 }}")
    for ranges in ("1:1e300", "0:1x1e-300", "0:1e18x1", "nan:nan", "-inf:inf", "1:2x0", "1:2x-1"):
        yield call("QueryService/BatchGetValues", f"{stage} {mesh} times {{ ranges: '{ranges}' }}")


def long_lists(root):
    """Requests with many entries."""
    stage = "stage { handle: '$STAGE' }"
    yield open_stage(root, " ".join(f"population_mask: '/a{i}/b'" for i in range(100000)))
    yield open_stage(root, " ".join(f"load_rules {{ path: '/a{i}/b' rule: RULE_ONLY }}" for i in range(50000)))
    yield open_stage(root, " ".join(f"muted_layers: '/nowhere/{i}.usda'" for i in range(50000)))
    yield open_stage(root, " ".join(f"variant_fallbacks {{ variant_set: 's{i}' choices: 'a' }}" for i in range(50000)))
    yield open_stage(root)
    yield call("QueryService/Traverse", stage + " roots: '/'" * 50000)
    yield call("QueryService/Traverse", stage + " schema_types: 'Mesh'" * 50000)
    yield call("QueryService/BatchGetValues", stage + " paths: '" + "/a" * 5000000 + ".b' times { frames: 1 }")
    yield call("QueryService/DefinePaths", "paths: '" + "/a" * 5000000 + "'")
    for i in range(20):
        yield call("QueryService/DefinePaths", f"paths: '/a{i}' " + "paths: '' " * 100000)
    yield call("QueryService/BatchGetValues", f"{stage} path_set: '{'x' * 1000000}' times {{ frames: 1 }}")
    yield call("GeomService/ComputeBounds", f"{stage} paths: '/A' path_set: '0123456789abcdef' times {{ frames: 1 }}")
    paths = "paths: 'properties.values' " * 10000
    yield call("QueryService/GetPrim", f"{stage} path: '/A' read_mask {{ {paths} }}")
    yield call("QueryService/GetPrim", f"{stage} path: '/A' read_mask {{ paths: '{'values.' * 100000}' }}")
    yield call("StagesService/MuteLayers", stage + " ".join(f" mute: '/nowhere/{i}.usda'" for i in range(20000)))
    yield call("LayersService/StitchClips", " ".join([f"clips: '{root}'"] * 20000) + " output: 'out.usda' clip_path: '/A'")
    yield call("SkelService/ListSkelBindings", stage + " roots: '/'" * 20000)
    yield call("GeomService/GetPrimvars", stage + " paths: '/A' times { frames: 1 } " + "names: 'x' " * 100000)
    yield call("ShadeService/ComputeMaterialNetworks", stage + " paths: '/A' times { frames: 1 }" + " render_contexts: 'x'" * 100000)
    yield call("LuxService/ListLights", stage + " render_contexts: 'x'" * 100000)
    yield call("LuxService/ComputeLightSets", stage + " paths: '/A'" * 1000 + " lights: '/A'" * 100000)
    yield call("QueryService/ComputeMembership", stage + " paths: '/A'" * 10000 + " collections: '/A.collection:x'" * 100000)
    for count in (100000, 1000000):
        yield call("QueryService/ComputeMembership", stage + " paths: '/A'" + " collections: '/A.collection:x'" * count)
    yield call("QueryService/ComputeStageStatistics", stage + " roots: '/A'" * 900000)
    yield call("GeomService/ComputeTopology", stage + " paths: '/A' times { frames: 1 }" + " data_sizes: 1" * 100000)
    yield call("GeomService/ComputeLevelsOfDetail", stage + " paths: '/A'" * 10000 + " view { window: 0 }" + " times { ranges: '1:1000' }")
    yield call("GeomService/ComputeLevelsOfDetail", stage + " view {" + " view_matrix: 1e300" * 100000 + " } times { ranges: '1:2' }")
    yield call("PhysicsService/ComputeCollisionGroups", stage + " paths: '/A'" * 100000)
    yield call("PhysicsService/ComputeMassProperties", stage + " paths: '/A'" * 100000 + " with_colliders: true")
    yield call("QueryService/ComputeLabels", stage + " paths: '/A'" * 10000 + " taxonomies: 'x'" * 100000 + " interval {}")
    yield call("RenderService/ComputeRenderSettings", stage + " paths: '/A'" * 1000 + " namespaces: 'x'" * 100000)
    yield call("RenderService/ComputeRenderPasses", stage + " paths: '/A'" * 10000 + " passes: '/A'" * 100000)
    for name in ("roots", "excluded", "types", "render_contexts", "material_purposes", "primvars"):
        for count in (1000, 100000):
            yield call("FrameService/ExtractFrame", stage + " time { numeric: 1 } selection {" + f" {name}: '/A'" * count + " }")
    for token in ("x", "x" * 100, "x" * 1000000, "\\001" + "\\000" * 45):
        yield call("FrameService/ExtractFrame", f"{stage} time {{ numeric: 1 }} base_token: '{token}'")


def many_sessions(root):
    """Many stages with different session layers, all kept open."""
    for i in range(60):
        yield open_stage(root, f"session_layer {{ content: '#usda 1.0\\ndef \"S{i}\" {{}}\\n' }}")
    yield call("StagesService/ListStages", "page_size: 1000000000")


def new_names(root):
    """Session layers full of names that have not been used before."""
    for i in range(60):
        names = ", ".join(f'"n{i}_{j}"' for j in range(150000))
        yield open_stage(root, f"session_layer {{ content: '#usda 1.0\\ndef \"S\" {{\\ntoken[] names = [{names}]\\n}}\\n' }}")


def malformed(root):
    yield open_stage(root)
    for method in ("QueryService/GetPrim", "QueryService/Traverse", "StagesService/OpenStage", "GeomService/ComputeBounds",
                   "FrameService/ExtractFrame"):
        for raw in ("ff" * 100, "0affffffff0f", "0a" * 5000, "0b" * 20000, "0a05", "08ffffffffffffffffff01" * 100):
            yield call(method, raw=raw)


def stalled_readers(root):
    """Clients that read only one message of a large reply."""
    yield open_stage(root)
    yield call("LayersService/FlattenStage", "source { stage { handle: '$STAGE' } }", read=1, stall=1.5, times=40)
    yield call("QueryService/StreamValues", "stage { handle: '$STAGE' } paths: '/A.points' times { ranges: '1:100' }", read=1, stall=1.5, times=40)
    yield call("FrameService/ExportFrame", "stage { handle: '$STAGE' } time { numeric: 1 }", read=1, stall=1.5, times=40)


def hurried(root):
    """Calls that are cancelled as soon as they are made."""
    yield open_stage(root)
    yield call("LayersService/FlattenStage", "source { stage { handle: '$STAGE' } }", read=0, times=300)
    yield call("QueryService/Traverse", f"stage {{ handle: '$STAGE' }} {PROXIES}", read=0, times=300)
    yield call("FrameService/ExportFrame", "stage { handle: '$STAGE' } time { numeric: 1 }", read=0, times=300)
    yield call("FrameService/ExtractFrame", "stage { handle: '$STAGE' } time { numeric: 1 }", read=0, times=300)


def crowd(root):
    """Many long calls, on all of the attacker's threads."""
    yield open_stage(root)
    yield call("LayersService/FlattenStage", "source { stage { handle: '$STAGE' } }", times=60)
    yield call("LayersService/LocalizeStage", "source { stage { handle: '$STAGE' } }", times=60)


ON_BIG_MESH = [batches, long_lists, many_sessions, malformed, stalled_readers, hurried, crowd]
# Exhausts the limit for new names in session layers.
AT_THE_END = [new_names]
