"""Hostile scenes: each function is one trick and returns the files of a scene, {name: content}, whose root is
"root.usda". The files are small, but processing them naively is expensive. More are in scenes_*.py."""

HEADER = "#usda 1.0\n"


def doubling_expressions():
    """V0 = "${V1}${V1}", ...: evaluated naively, 2^40 look-ups from 1.5 KB."""
    variables = "\n".join(f'        string V{i} = "`\'${{V{i + 1}}}${{V{i + 1}}}\'`"' for i in range(40))
    return {"root.usda": HEADER + "(\n    expressionVariables = {\n" + variables + '\n        string V40 = "x"\n    }\n)\n'
            'def "A" (\n    references = @`"${V0}.usda"`@\n)\n{\n}\n'}


def nested_instances():
    """Nine levels of ten instances of the level below: 10^9 proxies from 5 KB, with a skinned mesh at the bottom."""
    levels = 9
    text = HEADER + 'def SkelRoot "L0" (\n    instanceable = true\n)\n{\n' + SKINNED + "}\n"
    for level in range(1, levels + 1):
        children = "".join(
            f'    def Xform "i{i}" (\n        instanceable = true\n        references = </L{level - 1}>\n    )\n    {{\n    }}\n'
            for i in range(10))
        text += f'def Xform "L{level}"\n{{\n{children}}}\n'
    return {"root.usda": text}


SKINNED = '''    def Skeleton "Skel"
    {
        uniform token[] joints = ["a"]
        uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]
        uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]
    }
    def Mesh "Mesh" (
        prepend apiSchemas = ["SkelBindingAPI"]
    )
    {
        rel skel:skeleton = <../Skel>
        point3f[] points = [(0,0,0), (1,0,0), (0,1,0)]
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        int[] primvars:skel:jointIndices = [0, 0, 0] (
            elementSize = 1
            interpolation = "vertex"
        )
        float[] primvars:skel:jointWeights = [1, 1, 1] (
            elementSize = 1
            interpolation = "vertex"
        )
    }
'''


def doubling_references():
    """Each level references the one below as two children: 2^40 prims."""
    text = HEADER
    for level in range(40, 0, -1):
        text += f'def "L{level}"\n{{\n' + "".join(
            f'    def "{c}" (\n        references = </L{level - 1}>\n    )\n    {{\n    }}\n' for c in "ab") + "}\n"
    return {"root.usda": text + 'def "L0"\n{\n    double a = 1\n}\n'}


def doubling_arcs_on_one_prim():
    """Each class inherits the next one twice removed: the arcs of one prim double with each level."""
    text = HEADER
    for level in range(60):
        text += f'class "C{level}" (\n    inherits = [</C{level + 1}>, </C{level + 2}>]\n)\n{{\n}}\n'
    return {"root.usda": text + 'class "C60"\n{\n}\nclass "C61"\n{\n}\ndef "A" (\n    inherits = </C0>\n)\n{\n}\n'}


def inherit_chain():
    return {"root.usda": HEADER + "".join(
        f'class "C{i}" (\n    inherits = </C{i + 1}>\n)\n{{\n}}\n' for i in range(3000)) + 'class "C3000"\n{\n}\n'
            'def "A" (\n    inherits = </C0>\n)\n{\n}\n'}


def variant_sets():
    """One prim with thousands of variant sets, each listed with its choices."""
    names = [f"s{i}" for i in range(3000)]
    listed = ", ".join(f'"{name}"' for name in names)
    sets = "".join(f'    variantSet "{name}" = {{\n        "a" {{\n        }}\n        "b" {{\n        }}\n    }}\n' for name in names)
    return {"root.usda": HEADER + f'def "A" (\n    prepend variantSets = [{listed}]\n)\n{{\n{sets}}}\n'}


def clip_times():
    """A clip set with as many entries in `times` as fit into a few megabytes, for one clip."""
    times = ", ".join(f"({i}, {i % 97})" for i in range(300000))
    return {"root.usda": HEADER + 'def "A" (\n    clips = {\n        dictionary default = {\n'
            '            asset[] assetPaths = [@./clip.usda@]\n            asset manifestAssetPath = @./clip.usda@\n'
            '            string primPath = "/A"\n            double2[] active = [(0, 0)]\n'
            f'            double2[] times = [{times}]\n        }}\n    }}\n)\n{{\n    double a\n}}\n',
            "clip.usda": HEADER + 'def "A"\n{\n    double a.timeSamples = {\n        0: 1,\n        50: 2,\n        96: 3,\n    }\n}\n'}


def clip_template():
    """A template that names 10^12 clips."""
    return {"root.usda": HEADER + 'def "A" (\n    clips = {\n        dictionary default = {\n'
            '            asset manifestAssetPath = @./clip.usda@\n            string primPath = "/A"\n'
            '            string templateAssetPath = "./clip.#####.####.usda"\n            double templateStartTime = 0\n'
            '            double templateEndTime = 1000000000\n            double templateStride = 0.001\n        }\n    }\n)\n'
            '{\n    double a\n}\n', "clip.usda": HEADER + 'def "A"\n{\n    double a\n}\n'}


def looping_spline():
    """A spline whose extrapolation loops repeat a tiny period: 10^18 knots over any time range."""
    return {"root.usda": HEADER + 'def "A"\n{\n    double a.spline = {\n        bezier,\n        pre: loop repeat,\n        post: loop repeat,\n'
            '        1: 1; pre (0.0001, 0); post curve (0.0001, 0),\n        1.000001: 2; pre (0.0000001, 0); post curve (0.0000001, 0),\n    }\n}\n'}


def time_samples_of_many():
    """Thousands of attributes with the same thousand samples each."""
    samples = "".join(f"        {t}: {t},\n" for t in range(1000))
    return {"root.usda": HEADER + 'def "A"\n{\n' + "".join(
        f"    double a{i}.timeSamples = {{\n{samples}    }}\n" for i in range(300)) + "}\n"}


def nested_dictionaries():
    depth = 100000
    return {"root.usda": HEADER + "(\n    customLayerData = {\n" + "dictionary d = {\n" * depth + "}\n" * depth + "    }\n)\n"}


def nested_prims():
    depth = 20000
    return {"root.usda": HEADER + 'def "A" {\n' * depth + "}\n" * depth}


def collections_of_collections():
    """Each collection includes the next one twice, under two names."""
    text = HEADER + 'def "A" (\n    prepend apiSchemas = [' + ", ".join(f'"CollectionAPI:c{i}", "CollectionAPI:d{i}"' for i in range(40)) + "]\n)\n{\n"
    for i in range(40):
        for name in "cd":
            targets = f"</A.collection:c{i + 1}>, </A.collection:d{i + 1}>" if i < 39 else "</A>"
            text += f"    rel collection:{name}{i}:includes = [{targets}]\n"
    return {"root.usda": text + "}\n"}


def forwarded_relationships():
    """Relationships that target two others each, forty levels deep."""
    text = HEADER + 'def "A"\n{\n'
    for i in range(40):
        for name in "rs":
            text += f"    rel {name}{i} = [</A.r{i + 1}>, </A.s{i + 1}>]\n"
    return {"root.usda": text + "    rel r40 = </A>\n    rel s40 = </A>\n}\n"}


def relocate_chain():
    pairs = ",\n".join(f"        </A/p{i}> : </A/p{i + 1}>" for i in range(2000))
    return {"root.usda": HEADER + f'(\n    relocates = {{\n{pairs}\n    }}\n)\ndef "A" (\n    references = @./a.usda@</A>\n)\n{{\n}}\n',
            "a.usda": HEADER + 'def "A"\n{\n' + "".join(f'    def "p{i}"\n    {{\n    }}\n' for i in range(2000)) + "}\n"}


def sublayer_fan():
    """Layers that include the next two, forty levels deep: 2^40 sublayers unless repeated ones are detected."""
    files = {}
    for i in range(40):
        for name in "ab":
            below = f"@./a{i + 1}.usda@, @./b{i + 1}.usda@"
            files[f"{name}{i}.usda"] = HEADER + f"(\n    subLayers = [{below}]\n)\n"
    files["a40.usda"] = files["b40.usda"] = HEADER + 'def "A"\n{\n}\n'
    files["root.usda"] = files["a0.usda"]
    return files


def linked_lights():
    """Many lights whose links exclude many prims, and some with an expression."""
    lights = ""
    for i in range(2000):
        paths = ", ".join(f"</A/p{(i * 7 + j) % 3000}>" for j in range(30))
        link = f"rel collection:lightLink:excludes = [{paths}]" if i % 50 else \
            'uniform bool collection:lightLink:includeRoot = 0\nuniform pathExpression collection:lightLink:membershipExpression = "//p*{isa:Mesh}"'
        lights += f'def SphereLight "L{i}" {{\n{link}\n}}\n'
    prims = "".join(f'def "p{i}" {{\n}}\n' for i in range(3000))
    return {"root.usda": HEADER + f'def "A" {{\n{prims}}}\n{lights}'}


def doubling_connections():
    """Inputs that are connected to the two before them, so that the ways to the first double with each."""
    lines = ["float inputs:a0 = 1", "float inputs:b0 = 1"]
    for i in range(1, 60):
        lines += [f"float inputs:{n}{i}.connect = [</M.inputs:a{i - 1}>, </M.inputs:b{i - 1}>]" for n in "ab"]
    shaders = [f'def Shader "S{i}" {{\nfloat outputs:o\nfloat inputs:x.connect = [</M.inputs:a{i}>, </M/S{(i + 1) % 60}.outputs:o>]\n}}'
               for i in range(60)]
    return {"root.usda": HEADER + "def Material \"M\" {\n" + "\n".join(lines + shaders)
            + "\ntoken outputs:surface.connect = </M/S0.outputs:o>\n}\n"}


def shader_chain():
    """A network of very many shaders, and one whose node graphs are a long chain."""
    shaders = "\n".join(f'def Shader "S{i}" {{\nfloat outputs:o\nfloat inputs:x.connect = </M/S{i + 1}.outputs:o>\n}}' for i in range(100000))
    chain = "\n".join(f"float inputs:i{i}.connect = </N.inputs:i{i + 1}>" for i in range(20000))
    return {"root.usda": HEADER + f'def Material "M" {{\ntoken outputs:surface.connect = </M/S0.outputs:o>\n{shaders}\n}}\n'
            f'def Material "N" {{\ntoken outputs:surface.connect = </N/S.outputs:o>\n{chain}\n'
            'def Shader "S" {\ntoken outputs:o\nfloat inputs:x.connect = </N.inputs:i0>\n}\n}\n'}


def render_products():
    """Settings with many products that all have many vars, through relationships that forward to each other."""
    count = 1500
    products = ", ".join(f"</P{i}>" for i in range(count))
    variables = ", ".join(f"</V{i}>" for i in range(count))
    text = f'def Camera "Cam" {{\n}}\ndef "F" {{\nrel vars = [{variables}, </F.vars>]\n}}\n'
    text += f'def RenderSettings "S" {{\nrel camera = </Cam>\nrel products = [{products}]\n}}\n'
    for i in range(count):
        text += f'def RenderProduct "P{i}" {{\nrel orderedVars = </F.vars>\nint ri:x = 1\n}}\ndef RenderVar "V{i}" {{\nint ri:y = 2\n}}\n'
    for i in range(60):
        text += f'def RenderPass "R{i}" {{\nrel inputPasses = [</R{(i + 1) % 60}>, </R{(i + 2) % 60}.inputPasses>]\nrel renderSource = </S>\n}}\n'
    return {"root.usda": HEADER + '( renderSettingsPrimPath = "/S" )\n' + text}


def point_instancers():
    """Three hundred thousand instances of an instancer with as many instances."""
    count = 300000
    indices = "[" + ", ".join(["0"] * count) + "]"
    positions = "[" + ", ".join(["(0,0,0)"] * count) + "]"
    body = f"        int[] protoIndices = {indices}\n        point3f[] positions = {positions}\n"
    return {"root.usda": HEADER + 'def PointInstancer "A"\n{\n    rel prototypes = </A/P>\n' + body.replace("        ", "    ") +
            '    def PointInstancer "P"\n    {\n        rel prototypes = </A/P/Q>\n' + body +
            '        def Sphere "Q"\n        {\n        }\n    }\n}\n'}


def deep_joints():
    """A skeleton with joints in one chain, whose names grow quadratically in total."""
    joints, path = [], ""
    for i in range(1500):
        path = f"{path}/j{i}" if path else f"j{i}"
        joints.append(f'"{path}"')
    matrix = "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))"
    matrices = ", ".join([matrix] * len(joints))
    return {"root.usda": HEADER + 'def SkelRoot "A"\n{\n' + SKINNED.replace('uniform token[] joints = ["a"]', f"uniform token[] joints = [{', '.join(joints)}]")
            .replace(f"[{matrix}]", f"[{matrices}]") + "}\n"}


def many_xform_ops():
    ops = [f"xformOp:translate:o{i}" for i in range(20000)]
    return {"root.usda": HEADER + 'def Xform "A"\n{\n' + "".join(f"    double3 {op} = (1, 2, 3)\n" for op in ops) +
            "    uniform token[] xformOpOrder = [" + ", ".join(f'"{op}", "!invert!{op}"' for op in ops) + "]\n}\n"}


def path_expressions():
    """An expression of many // terms, matched against many prims."""
    terms = " ".join(f"//x{i}//y{i}*" for i in range(500))
    return {"root.usda": HEADER + 'def "A" (\n    prepend apiSchemas = ["CollectionAPI:c"]\n)\n{\n'
            f'    pathExpression collection:c:membershipExpression = "{terms}"\n' +
            "".join(f'    def "p{i}"\n    {{\n' + "".join(f'        def "q{j}"\n        {{\n        }}\n' for j in range(50)) + "    }\n" for i in range(100)) + "}\n"}


def big_mesh():
    """Points that are copied for every requested time and reply."""
    points = ", ".join(f"({i % 100}, {i % 77}, 0)" for i in range(600000))
    return {"root.usda": HEADER + f'def Mesh "A"\n{{\n    point3f[] points = [{points}]\n}}\n'}


ALL = [doubling_expressions, nested_instances, doubling_references, doubling_arcs_on_one_prim, inherit_chain, variant_sets,
       clip_times, clip_template, looping_spline, time_samples_of_many, nested_dictionaries, nested_prims,
       collections_of_collections, forwarded_relationships, relocate_chain, sublayer_fan, linked_lights, doubling_connections, render_products,
       shader_chain,
       point_instancers, deep_joints, many_xform_ops, path_expressions, big_mesh]
