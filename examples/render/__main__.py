"""python examples/render ROOT --camera PATH -o IMAGE: renders frames of a USD scene.

The scene comes from a Stagedoor daemon, frame by frame; with --from usd, from OpenUSD's library.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from PIL import Image

import renderer
from scene import Shutter


def main() -> None:
    """Renders the frames that the command line names."""
    options = _options()
    if options.source == "usd":
        from from_usd import scenes
    else:
        from from_frame import scenes
    opens, closes = options.shutter
    shutters = [Shutter(time, opens, closes, options.segments) for time in options.times]
    width, height = options.size
    settings = renderer.Settings(width, height, options.moments, options.samples)
    for scene in scenes(options.root, options.camera, shutters):
        image = renderer.render(scene, settings)
        for warning in dict.fromkeys(scene.warnings):
            print(f"render: {warning}", file=sys.stderr)
        file = Path(options.output)
        if len(shutters) > 1:
            file = file.with_stem(f"{file.stem}.{scene.shutter.frame:g}")
        Image.fromarray(renderer.to_bytes(image, options.exposure)).save(file, optimize=True)
        print(file)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="render", description=__doc__)
    parser.add_argument("root", help="the root layer of the scene")
    parser.add_argument("--camera", required=True, help="the path of a Camera")
    parser.add_argument("--times", type=float, nargs="+", default=[1.0], help="frames, in time codes")
    parser.add_argument("--shutter", type=float, nargs=2, default=(-0.25, 0.25), help="its begin and end")
    parser.add_argument("--segments", type=int, default=2, help="of the shutter, whose ends are samples of motion")
    parser.add_argument("--size", type=int, nargs=2, default=(320, 180), help="width and height in pixels")
    parser.add_argument("--moments", type=int, default=8, help="the times in the shutter that are rendered")
    parser.add_argument("--samples", type=int, default=4, help="paths for each pixel and moment")
    parser.add_argument("--exposure", type=float, default=0.0, help="of the image, in stops")
    parser.add_argument("--from", dest="source", choices=("stagedoor", "usd"), default="stagedoor")
    parser.add_argument("-o", "--output", required=True, help="the image; with several frames, their stem")
    return parser.parse_args()


if __name__ == "__main__":
    main()
