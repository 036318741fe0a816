"""The scenes of the cluster: variations of the demo's scene, each with values of its own."""
import os
import shutil

SCENE = "tests/data/stage_door"

SHOT = """#usda 1.0
(
    defaultPrim = "Shot"
    endTimeCode = 48
    startTimeCode = 1
    subLayers = [@../stage_door/root.usda@]
)

over "Shot"
{{
    custom double cluster:shot.timeSamples = {{ 1: {first}, 48: {last} }}
}}
"""

EMPTY = """#usda 1.0

def "Shot"
{
}
"""


def write(root, folder, shots, empty):
    """Writes the scenes into `folder`: the demo's, `shots` variations of it, and `empty` ones to count."""
    shutil.copytree(os.path.join(root, SCENE), os.path.join(folder, "stage_door"))
    for kind, count in (("shots", shots), ("empty", empty)):
        os.makedirs(os.path.join(folder, kind))
        for number in range(count):
            text = SHOT.format(first=1000 * number, last=1000 * number + 470) if kind == "shots" else EMPTY
            with open(os.path.join(folder, kind, f"{number:03}.usda"), "w", encoding="utf-8") as file:
                file.write(text)


def shot(url, number):
    return f"{url}/shots/{number:03}.usda"


def empty(url, number):
    return f"{url}/empty/{number:03}.usda"
