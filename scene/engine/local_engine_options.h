#ifndef STAGEDOOR_SCENE_ENGINE_LOCAL_ENGINE_OPTIONS_H_
#define STAGEDOOR_SCENE_ENGINE_LOCAL_ENGINE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "resolver/dispatching_resolver.h"
#include "resolver/file/file_versions.h"
#include "resolver/resolver.h"
#include "scene/clips/clip_cache_options.h"
#include "scene/engine/remote_options.h"
#include "scene/layer/layer_registry_options.h"
#include "scene/stage/stage_environment.h"

namespace stagedoor {

class SchemaRegistry;

// How a LocalEngine finds assets, and what it may use.
struct LocalEngineOptions {
  // Directories that may be read, recursively. If empty, everything the process may read.
  std::vector<std::string> allowed_roots;
  // Directories to search for asset paths that are not anchored.
  std::vector<std::string> search_paths;
  // Where directories of other machines are (PathMap).
  std::vector<std::string> path_map;
  // How changes of local files are recognized.
  FileVersionOptions files;
  // Assets on other machines.
  RemoteOptions remote;
  // Backends of the program that uses the engine, by URI scheme. They take precedence over ours.
  DispatchingResolver::Backends backends;
  // plugInfo.json files of schema plug-ins, or directories that contain one.
  std::vector<std::string> schema_paths;

  // If set, finds all assets instead of the file system (tests). Below a ContextResolver.
  std::shared_ptr<const Resolver> resolver;
  // If set, used instead of the built-in schemas and those of schema_paths.
  std::shared_ptr<const SchemaRegistry> schemas;

  LayerRegistryOptions layers;
  ClipCacheOptions clips;
  // Memory for arrays that crates hold compressed; see UsdcFormat.
  uint64_t expansion_bytes = std::numeric_limits<uint64_t>::max();
  size_t max_stage_prims = StageEnvironment().max_prims;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_ENGINE_LOCAL_ENGINE_OPTIONS_H_
