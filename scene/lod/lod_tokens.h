#ifndef STAGEDOOR_SCENE_LOD_LOD_TOKENS_H_
#define STAGEDOOR_SCENE_LOD_LOD_TOKENS_H_

#include "scene/paths/token.h"

namespace stagedoor {

// The names that the code of this package uses, interned once.
struct LodTokens {
  const Token LODDistanceHeuristic{"LODDistanceHeuristic"};
  const Token LODOverrideAPI{"LODOverrideAPI"};
  const Token LODRootAPI{"LODRootAPI"};
  const Token LODScreenSizeHeuristic{"LODScreenSizeHeuristic"};
  const Token allLOD{"allLOD"};
  const Token blendThresholds{"blendThresholds"};
  const Token boundingVolume{"boundingVolume"};
  const Token center{"center"};
  const Token extent{"extent"};
  const Token indexedLOD{"indexedLOD"};
  const Token inherited{"inherited"};
  const Token lod_default_index{"lod:default:index"};
  const Token lod_domain{"lod:domain"};
  const Token lod_heuristics{"lod:heuristics"};
  const Token lod_override_index{"lod:override:index"};
  const Token lod_override_mode{"lod:override:mode"};
  const Token noLOD{"noLOD"};
  const Token noOverride{"noOverride"};
  const Token projectedExtent{"projectedExtent"};
  const Token projectedSphere{"projectedSphere"};
  const Token projectionMethod{"projectionMethod"};
  const Token thresholds{"thresholds"};
};

const LodTokens& Lod();

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LOD_LOD_TOKENS_H_
