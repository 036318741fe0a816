"""Hostile values: tricks with clips, splines, geometry, skeletons and instances. As in scenes.py, each function is one trick
and returns the files of a scene, whose root is "root.usda"."""
from scenes import HEADER, SKINNED

CLIP = HEADER + 'def "A"\n{\n    double a.timeSamples = {\n        0: 1,\n        9: 2,\n    }\n}\n'
MANIFEST = HEADER + 'def "A"\n{\n    double a\n}\n'


def clip_scene(entries, more=""):
    return (HEADER + 'def "A" (\n    clips = {\n        dictionary default = {\n            string primPath = "/A"\n'
            '            asset manifestAssetPath = @manifest.usda@\n' + entries + '        }\n    }\n)\n{\n    double a\n}\n' + more)


def clip_times():
    """Half a million times of one clip, out of order, each of which is also a sample."""
    times = ", ".join(f"({(i * 7919) % 500000}, {i % 10})" for i in range(500000))
    return {"root.usda": clip_scene(f"            asset[] assetPaths = [@clip.usda@]\n            double2[] active = [(0, 0)]\n"
                                    f"            double2[] times = [{times}]\n"),
            "clip.usda": CLIP, "manifest.usda": MANIFEST}


def clip_zigzag():
    """A time mapping whose every piece passes all samples of the clip: 20,000 x 20,000 sample times."""
    count = 20000
    times = ", ".join(f"({i}, {(i % 2) * count})" for i in range(count))
    samples = "".join(f"        {i}: {i},\n" for i in range(count))
    return {"root.usda": clip_scene(f"            asset[] assetPaths = [@clip.usda@]\n            double2[] active = [(0, 0)]\n"
                                    f"            double2[] times = [{times}]\n"),
            "clip.usda": HEADER + 'def "A"\n{\n    double a.timeSamples = {\n' + samples + "    }\n}\n", "manifest.usda": MANIFEST}


def clip_template():
    """Nine million files to look up, none of which exists."""
    return {"root.usda": clip_scene('            string templateAssetPath = "clip.########.usda"\n            double templateStartTime = 0\n'
                                    "            double templateEndTime = 9000000\n            double templateStride = 1\n"),
            "manifest.usda": MANIFEST}


def clip_template_of_long_names():
    """Nine million files to look up, each with a name of 16 KiB that a cache might remember."""
    return {"root.usda": clip_scene(f'            string templateAssetPath = "{"folder/" * 2340}clip.########.usda"\n            double templateStartTime = 0\n'
                                    "            double templateEndTime = 9000000\n            double templateStride = 1\n"),
            "manifest.usda": MANIFEST}


def clip_assets_of_long_names():
    """A thousand clips with such names, none of which exists."""
    names = ", ".join(f'@{"folder/" * 2340}clip{i}.usda@' for i in range(1000))
    active = ", ".join(f"({i}, {i})" for i in range(1000))
    return {"root.usda": clip_scene(f"            asset[] assetPaths = [{names}]\n            double2[] active = [{active}]\n"),
            "manifest.usda": MANIFEST}


def clip_template_of_fractions():
    return {"root.usda": clip_scene('            string templateAssetPath = "clip.#.##########.usda"\n            double templateStartTime = 0\n'
                                    "            double templateEndTime = 9\n            double templateStride = 0.000001\n"),
            "manifest.usda": MANIFEST}


def clip_without_manifest():
    """A manifest generated from twenty thousand clips, all of them the same file under different names."""
    names = ", ".join(f"@./{'./' * (i % 300)}{'x/../' * (i // 300)}clip.usda@" for i in range(20000))
    active = ", ".join(f"({i}, {i})" for i in range(20000))
    text = clip_scene(f"            asset[] assetPaths = [{names}]\n            double2[] active = [{active}]\n")
    return {"root.usda": text.replace("            asset manifestAssetPath = @manifest.usda@\n", ""), "clip.usda": CLIP}


def clip_sets():
    """Ten thousand clip sets on one prim."""
    sets = "".join(f'        dictionary s{i} = {{\n            string primPath = "/A"\n            asset manifestAssetPath = @none{i}.usda@\n'
                   f"            asset[] assetPaths = [@clip.usda@]\n            double2[] active = [(0, 0)]\n        }}\n" for i in range(10000))
    return {"root.usda": HEADER + f'def "A" (\n    clips = {{\n{sets}    }}\n)\n{{\n    double a\n}}\n', "clip.usda": CLIP}


def spline_loops():
    """Inner loops of 2^32 knots and extrapolation that repeats a tiny period, also split into pieces by the times of a clip set."""
    spline = ("{\n        pre: loop repeat,\n        post: loop oscillate,\n        loop: (1, 1.000001, 2147483647, 2147483647, 1),\n"
              "        1: 1,\n        1.0000005: 3,\n        1.000001: 2,\n    }")
    pieces = ", ".join(f"({i * 1000}, {i * 999})" for i in range(2000))
    clip = HEADER + f'def "A"\n{{\n    double a.spline = {spline}\n}}\n'
    return {"root.usda": clip_scene(f"            asset[] assetPaths = [@clip.usda@]\n            double2[] active = [(0, 0)]\n"
                                    f"            double2[] times = [{pieces}]\n", f'def "B"\n{{\n    double a.spline = {spline}\n}}\n'),
            "clip.usda": clip, "manifest.usda": clip}


def spline_numbers():
    """Times, values and widths at the limits of doubles."""
    knots = "".join(f"        {t}: {v}; pre (1e308, {s}); post curve (1e308, {s}),\n"
                    for t, v, s in (("-1e308", "1e308", "-1e308"), ("0", "inf", "nan"), ("1e-320", "-inf", "inf"), ("1e308", "nan", "1")))
    return {"root.usda": HEADER + f'def "A"\n{{\n    double a.spline = {{\n        bezier,\n{knots}    }}\n}}\n'}


def purposes_and_rates():
    """Meaningless time code rates of layers, and invalid purpose and visibility tokens."""
    body = ('def Xform "A"\n{\n    uniform token purpose = ""\n    token visibility = "no"\n    timecode t.timeSamples = {\n        1: 1,\n        2: 2,\n    }\n'
            '    def Cube "C"\n    {\n        uniform token purpose = "banana"\n    }\n}\n')
    files = {f"rate{i}.usda": f"#usda 1.0\n(\n    timeCodesPerSecond = {rate}\n)\n" + body
             for i, rate in enumerate(("0", "-24", "1e-320", "1e308", "inf", "nan"))}
    return files | {"root.usda": "#usda 1.0\n(\n    timeCodesPerSecond = -0\n    subLayers = [" + ", ".join(f"@{name}@" for name in files) + "]\n)\n"}


def xform_ops():
    """A hundred thousand xformOps of one prim, all animated and some inverted."""
    names = ", ".join(f'"{"!invert!" if i % 3 == 0 else ""}xformOp:rotateXYZ:r{i % 1000}"' for i in range(100000))
    ops = "".join(f"    float3 xformOp:rotateXYZ:r{i}.timeSamples = {{\n        0: (0, 0, 0),\n        9: (1, 2, 3),\n    }}\n" for i in range(1000))
    return {"root.usda": HEADER + f'def Xform "A"\n{{\n{ops}    uniform token[] xformOpOrder = [{names}]\n}}\n'}


def deep_transforms():
    """Nine hundred levels, each with a transform and primvars that the levels below inherit."""
    levels = 900
    text = HEADER
    for i in range(levels):
        text += (f'def Xform "L{i}"\n{{\n    double xformOp:translateX.timeSamples = {{\n        0: 0,\n        9: 1,\n    }}\n'
                 f'    uniform token[] xformOpOrder = ["xformOp:translateX"]\n'
                 + "".join(f"    float[] primvars:p{i}_{j} = [1]\n" for j in range(20)))
    return {"root.usda": text + '    def Cube "C"\n    {\n    }\n' + "}\n" * levels}


def many_primvars():
    primvars = "".join(f"    float[] primvars:p{i} = [1, 2]\n    int[] primvars:p{i}:indices = [0, 1, 0]\n" for i in range(20000))
    over = "".join(f"        float[] primvars:p{i} = [1, 2]\n" for i in range(20000))
    return {"root.usda": HEADER + f'def Xform "A"\n{{\n{primvars}    def Mesh "M"\n    {{\n{over}    }}\n}}\n'}


def instancers_in_instancers():
    """Six levels of twenty point instancers, each with all of the next level as prototypes: 20^6 paths."""
    text = HEADER
    for level in range(7):
        text += f'def Xform "L{level}"\n{{\n'
        for i in range(20):
            if level == 6:
                text += f'    def Cube "I{i}"\n    {{\n    }}\n'
                continue
            targets = ", ".join(f"</L{level + 1}/I{j}>" for j in range(20))
            text += (f'    def PointInstancer "I{i}"\n    {{\n        rel prototypes = [{targets}]\n        int[] protoIndices = {list(range(20)) * 20}\n'
                     f'        point3f[] positions = {[(0, j, 0) for j in range(400)]}\n        int64[] invisibleIds = {list(range(5000))}\n    }}\n')
        text += "}\n"
    return {"root.usda": text}


def blend_shapes():
    """Two thousand blend shapes that each move one point fifty thousand times and share one array."""
    offsets = ", ".join(["(0, 0, 1)"] * 50000)
    indices = ", ".join(["0"] * 50000)
    names = ", ".join(f'"b{i}"' for i in range(2000))
    targets = ", ".join(f"</R/M/b{i}>" for i in range(2000))
    shapes = "".join(f'        def BlendShape "b{i}" (\n            references = </Shape>\n        )\n        {{\n        }}\n' for i in range(2000))
    weights = ", ".join(["1"] * 2000)
    return {"root.usda": HEADER + f'class BlendShape "Shape"\n{{\n    uniform vector3f[] offsets = [{offsets}]\n    uniform int[] pointIndices = [{indices}]\n}}\n'
            'def SkelRoot "R"\n{\n    def Skeleton "Skel" (\n        prepend apiSchemas = ["SkelBindingAPI"]\n    )\n    {\n'
            '        rel skel:animationSource = </R/Anim>\n        uniform token[] joints = ["a"]\n'
            '        uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]\n'
            '        uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]\n    }\n'
            f'    def SkelAnimation "Anim"\n    {{\n        uniform token[] blendShapes = [{names}]\n        float[] blendShapeWeights = [{weights}]\n    }}\n'
            '    def Mesh "M" (\n        prepend apiSchemas = ["SkelBindingAPI"]\n    )\n    {\n        rel skel:skeleton = </R/Skel>\n'
            f'        uniform token[] skel:blendShapes = [{names}]\n        rel skel:blendShapeTargets = [{targets}]\n'
            '        point3f[] points = [(0,0,0)]\n        int[] primvars:skel:jointIndices = [0] (\n            elementSize = 1\n            interpolation = "vertex"\n        )\n'
            '        float[] primvars:skel:jointWeights = [1] (\n            elementSize = 1\n            interpolation = "vertex"\n        )\n'
            + shapes + "    }\n}\n"}


def no_blend_shapes():
    """Fifty thousand targets that are not blend shapes, each of which triggers a search for a substitute."""
    targets = ", ".join(f"</None/b{i}>" for i in range(50000))
    text = blend_shapes()["root.usda"].replace("rel skel:blendShapeTargets = [", f"rel skel:blendShapeTargets = [{targets}, ")
    return {"root.usda": text.replace(", ".join(["(0, 0, 1)"] * 50000), "(0, 0, 1)").replace(", ".join(["0"] * 50000), "0")}


def joints():
    """A hundred thousand joints with increasingly long paths, one of half a million elements."""
    names = ", ".join(['"' + "a/" * 500000 + 'b"'] + [f'"j{i}/{"k/" * (i % 100)}j"' for i in range(100000)])
    return {"root.usda": HEADER + 'def SkelRoot "R"\n{\n' + SKINNED.replace('["a"]', f"[{names}]") + "}\n"}


def influences():
    """Face corners that each use all influences of a mesh, with invalid signs and sizes."""
    corners = ", ".join(["0"] * 300000)
    mesh = SKINNED.replace("int[] faceVertexIndices = [0, 1, 2]", f"int[] faceVertexIndices = [{corners}]")
    mesh = mesh.replace("        int[] faceVertexCounts", "        normal3f[] normals = [" + ", ".join(["(0,1,0)"] * 300000) +
                        '] (\n            interpolation = "faceVarying"\n        )\n        int[] faceVertexCounts')
    mesh = mesh.replace("[(0,0,0), (1,0,0), (0,1,0)]", "[(0,0,0)]")
    many = ", ".join(["0"] * 20000)
    wide = mesh.replace("[0, 0, 0] (\n            elementSize = 1", f"[{many}] (\n            elementSize = 20000")
    wide = wide.replace("[1, 1, 1] (\n            elementSize = 1", f"[{many}] (\n            elementSize = 20000")
    odd = "".join(f'def SkelRoot "S{i}"\n{{\n' + SKINNED.replace("elementSize = 1", f"elementSize = {size}") + "}\n"
                  for i, size in enumerate((0, -1, -2147483648, 2147483647, 2)))
    return {"root.usda": HEADER + 'def SkelRoot "R"\n{\n' + wide + "}\n" + odd}


def skel_root_over_instances():
    """One SkelRoot that binds a skeleton to 10^9 proxies of a mesh."""
    text = HEADER + 'def Xform "L0"\n{\n' + SKINNED.replace("        rel skel:skeleton = <../Skel>\n", "") + "}\n"
    for level in range(1, 10):
        children = "".join(f'    def Xform "i{i}" (\n        instanceable = true\n        references = </L{level - 1}>\n    )\n    {{\n    }}\n'
                           for i in range(10))
        text += (f'def Xform "L{level}"\n{{\n{children}}}\n' if level < 9 else
                 f'def SkelRoot "L9" (\n    prepend apiSchemas = ["SkelBindingAPI"]\n)\n{{\n    rel skel:skeleton = </L0/Skel>\n{children}}}\n')
    return {"root.usda": text}


def wide_level():
    """Two hundred thousand siblings, all with bounds."""
    return {"root.usda": HEADER + 'def Xform "A"\n{\n' + "".join(f'    def Cube "c{i}"\n    {{\n    }}\n' for i in range(200000)) + "}\n"}


def labels_at_each_level():
    """A hundred levels, each with a taxonomy and a hundred labels of its own, for which there are thousands of samples."""
    text, levels = "", 100
    for i in range(levels):
        labels = ", ".join(f'"l{i}_{k}"' for k in range(100))
        times = ", ".join(f'{t}: ["t{t}", "l{i}"]' for t in range(5000)) if i == 0 else ""
        text += (f'def "A" (\n    prepend apiSchemas = ["SemanticsLabelsAPI:t{i}", "SemanticsLabelsAPI:all"]\n)\n{{\n'
                 f"token[] semantics:labels:t{i} = [{labels}]\n"
                 f"token[] semantics:labels:all{'.timeSamples' if times else ''} = {f'{{ {times} }}' if times else f'[{labels}]'}\n")
    return {"root.usda": HEADER + text + "}\n" * levels}


def many_heuristics():
    """Three hundred prims with levels of detail, each with three hundred heuristics of no use."""
    count = 300
    targets = ", ".join(f"</H/h{i}>" for i in range(count))
    heuristics = "".join(f'def LODScreenSizeHeuristic "h{i}"\n{{\nuniform token lod:domain = "imaging"\nuniform token projectionMethod = "odd"\n'
                         f"rel boundingVolume = [{targets}]\n}}\n" for i in range(count))
    roots = "".join(f'def "r{i}" (\n    prepend apiSchemas = ["LODRootAPI"]\n)\n{{\nrel lod:heuristics = [{targets}]\n}}\n' for i in range(count))
    return {"root.usda": HEADER + f'def "H"\n{{\n{heuristics}}}\ndef "A"\n{{\n{roots}}}\ndef Camera "C"\n{{\n}}\n'}


def nested_bodies():
    """A hundred rigid bodies in each other, each with a hundred colliders with large meshes."""
    mesh = ("point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\nint[] faceVertexCounts = [100000]\n"
            f"int[] faceVertexIndices = [{', '.join(str(i % 4) for i in range(100000))}]\n")
    shape = f'class Mesh "M" (\n    prepend apiSchemas = ["PhysicsCollisionAPI"]\n)\n{{\n{mesh}}}\n'
    shapes = "".join(f'def "m{i}" (\n    inherits = </M>\n)\n{{\n}}\n' for i in range(100))
    body = f'def "A" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]\n)\n{{\n{shapes}'
    return {"root.usda": HEADER + shape + body * 100 + "}\n" * 100}


def many_collision_groups():
    """Twenty thousand inverted collision groups."""
    group = "bool physics:invertFilteredGroups = 1\nrel collection:colliders:includes = </A>\nrel physics:filteredGroups = [</g0>, </None>]\n"
    text = "".join(f'def PhysicsCollisionGroup "g{i}"\n{{\n{group}}}\n' for i in range(20000))
    return {"root.usda": HEADER + text + 'def "A"\n{\n}\n'}


ALL = (clip_times, clip_zigzag, clip_template, clip_template_of_long_names, clip_assets_of_long_names, clip_template_of_fractions,
       clip_without_manifest, clip_sets, spline_loops, spline_numbers, purposes_and_rates, xform_ops, deep_transforms, many_primvars, instancers_in_instancers, blend_shapes, no_blend_shapes, joints,
       influences, skel_root_over_instances, wide_level, labels_at_each_level, many_heuristics, nested_bodies, many_collision_groups)
