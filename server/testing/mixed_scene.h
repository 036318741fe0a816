#ifndef STAGEDOOR_SERVER_TESTING_MIXED_SCENE_H_
#define STAGEDOOR_SERVER_TESTING_MIXED_SCENE_H_

#include <string>
#include <vector>

namespace stagedoor::server {

struct SceneFile {
  std::string name;
  std::string content;
};

// A small scene with a bit of everything: all types of arcs, relocates, instances, expressions,
// value clips with and without a manifest, splines, collections, geometry, a skeleton, instancers.
// Its root is "root.usda". It references "crate.usdc", which the caller must convert from
// "crate.usda".
std::vector<SceneFile> MixedScene();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_MIXED_SCENE_H_
