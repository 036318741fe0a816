#ifndef STAGEDOOR_SCENE_EXPORT_LOCALIZE_H_
#define STAGEDOOR_SCENE_EXPORT_LOCALIZE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/export/dependencies.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {

// Localizes a root layer: copies it and all its dependencies to one self-contained set of files.
// Corresponds to OpenUSD's UsdUtilsLocalizeAsset.

struct LocalizedFile {
  std::string name;  // relative path with '/' separators, without ".."; valid UTF-8
  std::string content;
};

struct LocalizeOptions {
  // Serializes a layer to the file `name`, whose extension determines the format.
  std::function<absl::StatusOr<std::string>(const Layer& layer, const std::string& name)> encode;
  uint64_t max_bytes = uint64_t{4} << 30;  // limit for all files together
};

// Returns the files, the root layer first. Files below the root layer's directory keep their
// relative path; those of each other directory go to a numbered folder. Asset paths that resolve
// are rewritten to point to the copies, including clip templates and paths with <UDIM>; a variable
// expression is replaced by its value. Paths that do not resolve stay as authored. Packages are
// copied whole. In a name that is not valid UTF-8, each invalid byte becomes "%XX".
//
// Errors: FAILED_PRECONDITION if two files get the same name this way; DATA_LOSS if a file is
// overwritten while it is copied; RESOURCE_EXHAUSTED above max_bytes; those of the resolver, of
// `encode` and of the context.
absl::StatusOr<std::vector<LocalizedFile>> Localize(RequestContext& context, LayerRegistry& layers,
                                                    const ResolverContext& resolver_context,
                                                    const Dependencies& dependencies,
                                                    const LocalizeOptions& options);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EXPORT_LOCALIZE_H_
