// Localising: a root layer and everything it needs as a set of files that lie together.
#ifndef STAGEDOOR_SCENE_STAGE_LOCALIZE_H_
#define STAGEDOOR_SCENE_STAGE_LOCALIZE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_registry.h"
#include "scene/stage/dependencies.h"

namespace stagedoor {

struct LocalizedFile {
  std::string name;  // relative, '/'-separated, without "..", valid UTF-8
  std::string content;
};

struct LocalizeOptions {
  // How a layer is written; `name` tells the form.
  std::function<absl::StatusOr<std::string>(const Layer& layer, const std::string& name)> encode;
  uint64_t max_bytes = uint64_t{4} << 30;  // of all files together
};

// The root layer first. Files below the root layer's directory keep their place relative to it;
// those of each other directory go to a numbered folder. Asset paths that were found are rewritten
// to point to the copies, also those of clip templates and with <UDIM>; an expression is replaced
// by what it evaluates to. Paths that were not found stay as authored. Packages are copied whole,
// with all that is in them. Names that are no UTF-8 get "%XX" for the bytes of no character;
// FAILED_PRECONDITION if one becomes the name of another file. DATA_LOSS for a file that is
// overwritten meanwhile, RESOURCE_EXHAUSTED above max_bytes; otherwise the resolver's errors.
absl::StatusOr<std::vector<LocalizedFile>> Localize(RequestContext& context, LayerRegistry& layers,
                                                    const Dependencies& dependencies,
                                                    const LocalizeOptions& options);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_LOCALIZE_H_
