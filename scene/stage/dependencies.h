// What a root layer needs: every layer, clip and asset that it or anything it includes names.
#ifndef STAGEDOOR_SCENE_STAGE_DEPENDENCIES_H_
#define STAGEDOOR_SCENE_STAGE_DEPENDENCIES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/asset_uses.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {

struct Dependency {
  AssetUse use = AssetUse::kSublayer;
  std::string written;                 // as it stands in the layer, maybe an expression
  std::string evaluated;               // what that evaluates to; maybe a template or with <UDIM>
  std::string authored;                // the same, for templates and <UDIM> one of the files meant
  std::string identifier;              // anchored to the layer that names it
  std::string resolved;                // empty: missing
  std::string from;                    // identifier of that layer
  std::shared_ptr<const Layer> layer;  // where it is a layer that opens

  // What OpenUSD lists as a layer and not as an asset: files whose name says that they are one,
  // also where an attribute names them; of those that are missing, what has to be one.
  bool IsLayer() const;
};

struct Dependencies {
  std::shared_ptr<const Layer> root;
  std::vector<Dependency> uses;  // in the order they are met; one per (layer, authored path)
};

// Follows all variants, loaded or not, and layers that attributes and metadata name: what might be
// needed. Variable expressions are evaluated with the root layer's variables. Errors: those of
// opening the root layer, and the context's.
absl::StatusOr<Dependencies> ComputeDependencies(RequestContext& context, LayerRegistry& layers,
                                                 const std::string& root);

// The files that an authored path stands for: itself; the tiles that exist of a path with <UDIM>;
// the clips that exist of a template, by its digits.
std::vector<std::string> ExpandAssetPath(RequestContext& context, const LayerRegistry& layers,
                                         const Layer& anchor, AssetUse use,
                                         const std::string& authored);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_DEPENDENCIES_H_
