"""Hostile frames: tricks with what a renderer draws. As in scenes.py, each function is one trick and returns the files of a scene, whose
root is "root.usda"."""
import calls
from scenes import HEADER, SKINNED

MANY_PRIMS = 20000
QUAD = ("point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]\nint[] faceVertexCounts = [4]\n"
        "int[] faceVertexIndices = [0, 1, 2, 3]\n")


def several(text, count):
    return ", ".join([text] * count)


def prototypes_in_circles():
    """Instancers that are prototypes of each other, of themselves and of those below them."""
    text = ""
    for i in range(200):
        targets = ", ".join(f"</I{(i + step) % 200}>" for step in (0, 1, 7)) + f", </I{i}/C>, </I{i}/C/P>"
        text += (f'def PointInstancer "I{i}"\n{{\nrel prototypes = [{targets}]\nint[] protoIndices = [0, 1, 2, 3, 4]\n'
                 f'point3f[] positions = [{several("(0, 0, 0)", 5)}]\n'
                 f'def Xform "C"\n{{\ndef PointInstancer "P"\n{{\nrel prototypes = [</I{i}>, </I{i}/C>]\nint[] protoIndices = [0, 1]\n'
                 'point3f[] positions = [(0, 0, 0), (1, 0, 0)]\n}\n}\n}\n')
    return {"root.usda": HEADER + text}


def million_instances():
    """A million instances with rates of change and a motion sample count, for which there are 512 GB of transforms in a shutter."""
    count = 1000000
    samples = lambda text: f"{{\n0: [{several(text, count)}],\n}}"  # noqa: E731
    return {"root.usda": HEADER + 'def PointInstancer "A" (\n    prepend apiSchemas = ["MotionAPI"]\n)\n{\nrel prototypes = </A/P>\n'
            f'int[] protoIndices = [{several("0", count)}]\npoint3f[] positions.timeSamples = {samples("(0,0,0)")}\n'
            f'vector3f[] velocities.timeSamples = {samples("(0,0,1)")}\nvector3f[] accelerations.timeSamples = {samples("(0,1,0)")}\n'
            'int motion:nonlinearSampleCount = 4096\ndef Cube "P"\n{\n}\n}\n'}


def instances_of_instancers():
    """Nine levels of ten instances of the level below, with a point instancer at the bottom: 10^9 instancers, each with prototypes."""
    text = ('def PointInstancer "L0"\n{\nrel prototypes = [</L0/P>, </L0/Q>]\nint[] protoIndices = [0, 1]\n'
            'point3f[] positions = [(0, 0, 0), (1, 0, 0)]\ndef Cube "P"\n{\n}\ndef Xform "Q"\n{\ndef Sphere "S"\n{\n}\n}\n}\n')
    for level in range(1, 10):
        children = "".join(f'def Xform "i{i}" (\n    instanceable = true\n    references = </L{level - 1}>\n)\n{{\n}}\n' for i in range(10))
        text += f'def Xform "L{level}"\n{{\n{children}}}\n'
    return {"root.usda": HEADER + text}


def many_prims():
    """A hundred instances of two hundred prims, whose plan has not ended when the first of them are sent."""
    prims = "".join(f'def Sphere "s{i}"\n{{\n}}\n' for i in range(MANY_PRIMS // 100))
    instances = "".join(f'def "i{i}" (\n    instanceable = true\n    references = </A>\n)\n{{\n}}\n' for i in range(100))
    return {"root.usda": HEADER + f'class Scope "A"\n{{\n{prims}}}\n{instances}'}


def inherited_primvars():
    """Five thousand constant primvars, with two hundred samples each, that five thousand meshes inherit."""
    samples = "".join(f"{t}: [{t}],\n" for t in range(200))
    primvars = "".join(f"float[] primvars:p{i} = [1]\n" if i else f"float[] primvars:p0.timeSamples = {{\n{samples}}}\n" for i in range(5000))
    meshes = "".join(f'def Mesh "m{i}"\n{{\n{QUAD}}}\n' for i in range(5000))
    return {"root.usda": HEADER + f'def Xform "A"\n{{\n{primvars}{meshes}}}\n'}


def huge_subsets():
    """Two thousand subsets that share a hundred thousand indices, of ten meshes."""
    indices = several("0", 100000)
    subsets = "".join(f'def "s{i}" (\n    inherits = </S>\n)\n{{\nrel material:binding = </M{i % 7}>\n}}\n' for i in range(2000))
    materials = "".join(f'def Material "M{i}"\n{{\n}}\n' for i in range(7))
    meshes = "".join(f'def "m{i}" (\n    references = </Mesh>\n)\n{{\n}}\n' for i in range(10))
    return {"root.usda": HEADER + f'class GeomSubset "S"\n{{\nuniform token familyName = "materialBind"\nint[] indices = [{indices}]\n}}\n'
            f'{materials}def Mesh "Mesh"\n{{\n{QUAD}{subsets}}}\n{meshes}'}


def copies_of_an_array():
    """Three thousand meshes that reference one with half a million points and move, so that there are 18 GB to send."""
    copies = "".join(f'def "c{i}" (\n    references = </Mesh>\n)\n{{\ndouble xformOp:translateX.timeSamples = {{\n0: {i},\n9: 0,\n}}\n'
                     'uniform token[] xformOpOrder = ["xformOp:translateX"]\n}\n' for i in range(3000))
    return {"root.usda": HEADER + f'def Mesh "Mesh"\n{{\npoint3f[] points = [{several("(0,0,0)", 500000)}]\n}}\n{copies}'}


def moving_points():
    """Two hundred meshes whose fifty thousand points are advanced by velocities, many times in a shutter."""
    count = 50000
    mesh = ('class Mesh "Mesh" (\n    prepend apiSchemas = ["MotionAPI"]\n)\n{\nint motion:nonlinearSampleCount = 4096\n'
            + "".join(f'{name}.timeSamples = {{\n0: [{several("(0,0,1)", count)}],\n}}\n'
                      for name in ("point3f[] points", "vector3f[] velocities", "vector3f[] accelerations")) + "}\n")
    return {"root.usda": HEADER + mesh + "".join(f'def "m{i}" (\n    references = </Mesh>\n)\n{{\n}}\n' for i in range(200))}


moving_points.more_calls = calls.frames_in_flight


def bad_skins():
    """Skinned meshes with indices of no joint, too few weights, and points that nothing fits, each of them a copy of a few."""
    skins = {"indices": SKINNED.replace("primvars:skel:jointIndices = [0, 0, 0]", "primvars:skel:jointIndices = [-1, 7, 2147483647]"),
             "weights": SKINNED.replace("primvars:skel:jointWeights = [1, 1, 1]", "primvars:skel:jointWeights = [1]"),
             "size": SKINNED.replace("elementSize = 1", "elementSize = 2147483647"),
             "points": SKINNED.replace("[(0,0,0), (1,0,0), (0,1,0)]", f"[{several('(0,0,0)', 1000)}]"),
             "corners": SKINNED.replace("int[] faceVertexIndices = [0, 1, 2]", "int[] faceVertexIndices = [0, -5, 2147483647]")}
    classes = "".join(f'class SkelRoot "_{name}"\n{{\n{skin}}}\n' for name, skin in skins.items())
    return {"root.usda": HEADER + classes + "".join(
        f'def "{name}{i}" (\n    references = </_{name}>\n)\n{{\n}}\n' for name in skins for i in range(400))}


def inconsistent_instancers():
    """Five thousand instancers whose arrays do not fit together, in turn in different ways, beside one that is right."""
    arrays = ["int[] protoIndices = [0, 0]\npoint3f[] positions = [(0, 0, 0)]\n",
              "int[] protoIndices = [0, 5]\npoint3f[] positions = [(0, 0, 0), (1, 0, 0)]\n",
              "int[] protoIndices = [0, -1]\npoint3f[] positions = [(0, 0, 0), (1, 0, 0)]\n",
              "int[] protoIndices = [0, 0]\npoint3f[] positions = [(0, 0, 0), (1, 0, 0)]\nfloat3[] scales = [(1, 1, 1)]\n",
              "int[] protoIndices = [0, 0]\npoint3f[] positions = [(0, 0, 0), (1, 0, 0)]\nquath[] orientations = [(1, 0, 0, 0)]\n",
              "int[] protoIndices = [0, 0]\npoint3f[] positions = [(0, 0, 0), (1, 0, 0)]\nint64[] ids = [1, 2, 3]\nint64[] invisibleIds = [1]\n"]
    text = "".join(f'def PointInstancer "I{i}"\n{{\nrel prototypes = </P>\n{arrays[i % len(arrays)]}}}\n' for i in range(INCONSISTENT))
    return {"root.usda": HEADER + 'def Cube "P"\n{\n}\ndef PointInstancer "Right"\n{\nrel prototypes = </P>\nint[] protoIndices = [0]\n'
            "point3f[] positions = [(0, 0, 0)]\n}\n" + text}


INCONSISTENT = 5000


def many_prototypes():
    """A thousand instancers that have the same ten thousand prototypes."""
    targets = ", ".join(f"</P/p{i}>" for i in range(10000))
    prototypes = "".join(f'def Cube "p{i}"\n{{\n}}\n' for i in range(10000))
    instancers = "".join(f'def "I{i}" (\n    inherits = </I>\n)\n{{\n}}\n' for i in range(1000))
    return {"root.usda": HEADER + f'class PointInstancer "I"\n{{\nrel prototypes = [{targets}]\nint[] protoIndices = {list(range(10000))}\n'
            f'point3f[] positions = [{several("(0,0,0)", 10000)}]\n}}\nclass Xform "P"\n{{\n{prototypes}}}\n{instancers}'}


def bound_networks():
    """Three hundred meshes with a material each, of two hundred shaders with values that vary."""
    shaders = "".join(f'def Shader "s{i}"\n{{\ntoken outputs:o\nfloat inputs:a.connect = <../s{i + 1}.outputs:o>\nfloat inputs:b.timeSamples = '
                      "{\n0: 1,\n9: 2,\n}\n}\n" for i in range(200))
    network = f'class Material "M"\n{{\ntoken outputs:surface.connect = </M/s0.outputs:o>\n{shaders}}}\n'
    materials = "".join(f'def "m{i}" (\n    references = </M>\n)\n{{\n}}\n' for i in range(300))
    meshes = "".join(f'def Mesh "g{i}"\n{{\n{QUAD}rel material:binding = </m{i}>\n}}\n' for i in range(300))
    return {"root.usda": HEADER + network + materials + meshes}


ALL = (prototypes_in_circles, million_instances, instances_of_instancers, inherited_primvars, huge_subsets, copies_of_an_array, moving_points,
       bad_skins, inconsistent_instancers, many_prototypes, bound_networks)
