#ifndef STAGEDOOR_SCENE_EXPORT_DEPENDENCIES_H_
#define STAGEDOOR_SCENE_EXPORT_DEPENDENCIES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/asset_dependencies.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {

struct Dependency {
  DependencyType use = DependencyType::kSublayer;
  std::string written;     // as authored in the layer, possibly a variable expression
  std::string evaluated;   // value of the expression; may be a clip template or contain <UDIM>
  std::string authored;    // `evaluated`, with a template or <UDIM> expanded to one of its files
  std::string identifier;  // `authored` anchored to the layer that names it
  std::string resolved;    // empty if the asset is missing
  std::string from;        // identifier of the layer that names it
  bool directory = false;  // `resolved` is a directory, which OpenUSD lists like an asset
  std::shared_ptr<const Layer> layer;  // null if it is not a layer or cannot be opened

  // True for what OpenUSD lists as a layer and not as an asset: files with a USD extension, even if
  // only an attribute names them, and missing files that an arc or clip set requires.
  bool IsLayer() const;
};

// The dependencies of a root layer: every layer, clip and asset that it names, directly or through
// the layers it includes. Corresponds to OpenUSD's UsdUtilsComputeAllDependencies.
struct Dependencies {
  std::shared_ptr<const Layer> root;
  std::vector<Dependency> uses;  // breadth first; one per (layer, authored path)
};

// Computes everything that might be needed: follows all variants whether selected or not, payloads
// whether loaded or not, and layers named by attributes and metadata. Variable expressions are
// evaluated with the variables of the first layer stack that has their layer. A dependency that
// cannot be opened has no layer. As in OpenUSD, arcs that are only deleted or reordered are no
// dependencies, but localizing copies them. Errors: those of opening the root layer, and those of
// the context.
absl::StatusOr<Dependencies> ComputeDependencies(RequestContext& context, LayerRegistry& layers,
                                                 const ResolverContext& resolver_context,
                                                 const std::string& root,
                                                 DependencyScope scope = DependencyScope::kUsed);

// The files that an authored path stands for: the existing tiles if it contains <UDIM>, nothing for
// a clip template, else the path itself. A path without existing tiles stands for itself.
std::vector<std::string> ExpandAssetPath(RequestContext& context, const LayerRegistry& layers,
                                         const ResolverContext& resolver_context,
                                         const Layer& anchor, DependencyType use,
                                         const std::string& authored);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EXPORT_DEPENDENCIES_H_
