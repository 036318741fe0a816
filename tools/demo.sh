#!/usr/bin/env bash
# The commands of ./dev demo. STAGEDOOR is the path of the stagedoor command, STAGEDOOR_ADDRESS the
# address of the daemon.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
scene=tests/data/stage_door/root.usda

ask() {
  printf '\n$ stagedoor'
  printf ' %s' "$@"
  printf '\n'
  "${STAGEDOOR:?the path of the command}" "$@"
}

echo "The daemon is listening on $STAGEDOOR_ADDRESS."
ask open "$scene"
ask tree "$scene"
ask get "$scene" /Shot/Camera.focalLength --times default,1,12.5,48
ask get "$scene" /Shot/Lights/Spot.inputs:intensity --times 12,18,24
ask get "$scene" /Shot/Props/LampB/Bulb.inputs:color
ask get "$scene" /Shot/Curtain/Cloth.points --times 1,7
ask get "$scene" /Shot/Characters/Actor/Rig/Bow.rotations --times 1,7
ask samples "$scene" /Shot/Characters/Actor/Rig/Bow.rotations
ask samples "$scene" /Shot/Curtain/Cloth.wind --interval 10:30
ask explain "$scene" /Shot/Curtain/Cloth.wind --time 7
ask explain "$scene" /Shot/Characters/Actor/Rig/Bow.blendShapeWeights --time 7
ask open "$scene"
