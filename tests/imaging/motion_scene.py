"""Random scenes of what moves within a shutter as usda text; see random_imaging.py."""
from camera_scene import CameraScene
from scene_text import f, tuples


class MotionScene(CameraScene):
    """A tree of prims with cameras and points, most of which are animated at times of their own."""

    def op_times(self):
        r = self.rng
        return sorted(r.sample([-1, 0, 0.5, 0.8, 1, 1.2, 1.75, 2, 3.5, 4, 4.25, 6, 7, 9], r.randint(1, 4)))

    def moving(self):
        """Some operations, which are sampled between the times of the other scenes too."""
        r = self.rng
        names = r.sample(["translateX", "translateY:a", "rotateZ", "scaleX"], r.randint(0, 3))
        order = []
        for name in names:
            attribute = f"xformOp:{name}"
            make = lambda: f(r.uniform(0.5, 2))  # noqa: E731
            if not self.in_clips(f"double {attribute}", make):
                self.samples(f"double {attribute}", self.op_times(), make)
            order.append(f'"{attribute}"')
        if self.chance(0.15):
            order.insert(r.randint(0, len(order)), '"!resetXformStack!"')
        self.put(f"uniform token[] xformOpOrder = [{', '.join(order)}]")

    def transform(self):
        return self.moving() if self.chance(0.6) else super().transform()

    def points(self, kind):
        self.samples("point3f[] points", self.op_times(), lambda: tuples([self.vec(3) for _ in range(2)]))
