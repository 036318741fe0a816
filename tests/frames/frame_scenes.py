"""The kinds of random scenes whose frames are compared: those of the other comparisons, and mixtures of them."""
import os
import random
import re

from binding_scene import BindingScene
from camera_scene import CameraScene
from frame_scene import FrameScene
from instancer_scene import InstancerScene
from light_scene import LightScene
from models_scene import ModelsScene
from motion_scene import MotionScene
from points_scene import PointsScene
from random_geom import GeomScene
from random_skel import SkelScene
from render_scene import RenderScene
from scene_text import f, vector
from spaces_scene import SpacesScene
from subsets_scene import SubsetsScene
from visibility_scene import VisibilityScene


class MixedScene:
    """Scenes of several kinds in one stage: as they are, or referenced at other times below something that moves, and instanced."""

    PARTS = [FrameScene, GeomScene, SkelScene, LightScene, BindingScene, ModelsScene, PointsScene, InstancerScene, SubsetsScene,
             VisibilityScene, SpacesScene]

    def __init__(self, seed):
        self.rng = random.Random(seed)
        parts = self.rng.sample(self.PARTS, self.rng.randint(2, 3))
        self.parts = [make(seed * 7 + i) for i, make in enumerate(parts)]
        # Below a reference, usd-core gives no samples in order if time runs backwards.
        self.texts = [part.text().replace("timeCodesPerSecond = -", "timeCodesPerSecond = ") for part in self.parts]

    def file(self, number):
        return f"part{number}.usda"

    def roots(self, number):
        """The prims that a part defines at the top."""
        return re.findall(r'^(?:def|over) (?:\w+ )?"(\w+)"', self.texts[number], re.M)

    def text(self):
        lines = ["#usda 1.0", f"( timeCodesPerSecond = 24; subLayers = [@./{self.file(0)}@] )"]
        for number in range(1, len(self.parts)):
            for root in self.roots(number):
                lines += self.reference(number, root)
        return "\n".join([*lines, ""])

    def reference(self, number, root):
        r = self.rng
        offset = f" (offset = {r.choice([0, 1, -2])}; scale = {r.choice([1, 2, 0.5])})" if r.random() < 0.5 else ""
        samples = ", ".join(f"{t}: {vector([r.uniform(-3, 3) for _ in range(3)])}" for t in (0, 2, 5))
        value = f".timeSamples = {{ {samples} }}" if r.random() < 0.4 else f" = {vector([1, 2, 3])}"
        lines = [f'def Xform "Part{number}_{root}" {{', f"double3 xformOp:translate{value}",
                 f"float xformOp:rotateY = {f(r.uniform(-90, 90))}",
                 'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateY"]']
        for name in ["a", "b"][:r.choice([1, 1, 2])]:
            instanceable = "; instanceable = true" if r.random() < 0.5 else ""
            lines += [f'def "{name}" ( references = @./{self.file(number)}@</{root}>{offset}{instanceable} ) {{ }}']
        return [*lines, "}"]

    def layers(self):
        """The other files. Each part has value clips of its own."""
        found = {}
        for number, (part, text) in enumerate(zip(self.parts, self.texts)):
            found[self.file(number)] = with_own_clips(text, number)
            for name, content in part.layers().items():
                found[with_own_clips(name, number)] = content
        return found


def with_own_clips(text, number):
    return re.sub(r"\bclips(\d+_)", rf"part{number}_clips\1", text)


KINDS = {
    "cameras": CameraScene,
    "frame": FrameScene,
    "geometry": GeomScene,
    "instancers": InstancerScene,
    "lights": LightScene,
    "materials": BindingScene,
    "mixed": MixedScene,
    "models": ModelsScene,
    "motion": MotionScene,
    "points": PointsScene,
    "render": RenderScene,
    "skinning": SkelScene,
    "subsets": SubsetsScene,
    "visibility": VisibilityScene,
    "volumes": SpacesScene,
}


def files_of(kind, seed):
    """The files of a scene by name."""
    scene = KINDS[kind](seed)
    return {"root.usda": scene.text(), **scene.layers()}


def write_scene(folder, kind, seed):
    """Writes the files of a scene. Returns the path of its root layer."""
    for name, text in files_of(kind, seed).items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(text)
    return os.path.join(folder, "root.usda")
