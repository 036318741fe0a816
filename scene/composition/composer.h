#ifndef STAGEDOOR_SCENE_COMPOSITION_COMPOSER_H_
#define STAGEDOOR_SCENE_COMPOSITION_COMPOSER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/composition/layer_source.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/prim_index.h"
#include "scene/layer/kept_layers.h"

namespace stagedoor {

class LayerRegistry;
class MemoryPool;
class ResolverContext;

struct CompositionOptions {
  // Variant sets, each with the variants to try, in order of preference, where no selection is
  // authored. Corresponds to PcpVariantFallbackMap.
  std::vector<std::pair<std::string, std::vector<std::string>>> variant_fallbacks;
  std::vector<std::string> muted_layers;  // identifiers
  // Used before the registry is asked. May be null.
  std::shared_ptr<const KeptLayers> kept_layers;
  // Whether the payloads of the prim at a stage path are included, the payload flag of 10.3.2.2
  // Payloads. May be null, in which case all payloads are included.
  std::function<bool(Path)> include_payload;
  // Whether prims that reference the same asset may share the indexes below it. Only tests turn
  // this off; results must not depend on it.
  bool share_subtrees = true;
  // Charged with the memory of layer stacks and indexes, and outlives them. May be null, in which
  // case nothing is charged.
  MemoryPool* memory = nullptr;
};

// Builds the prim indexes of one stage, which is the composition algorithm of the Core
// Specification (10.2.1 Outline): for a root layer, a prim path and load rules, the
// strength-ordered specs that contribute to the prim.
//
// Corresponds to OpenUSD's PcpCache. Unlike it, the composer keeps no table of prim indexes (the
// stage holds them) and does not process changes: a changed layer means a new composer. It does own
// the layer stacks (PcpLayerStackRegistry) and the indexes of assets that several prims share
// (shared_index.h).
//
// Thread-safe: children of different prims may be composed at the same time.
class Composer {
 public:
  // Composes the root layer stack of `root` and `session` (which may be null) and opens their
  // sublayers through `registry`, which outlives the composer, in `resolver_context`. Fails only if
  // the request ends; everything else that goes wrong is a composition error of the stack.
  static absl::StatusOr<std::unique_ptr<Composer>> Create(RequestContext& context,
                                                          LayerRegistry& registry,
                                                          const ResolverContext& resolver_context,
                                                          std::shared_ptr<const Layer> root,
                                                          std::shared_ptr<const Layer> session,
                                                          CompositionOptions options);
  // As Create, with layers from `source`.
  static std::unique_ptr<Composer> Create(RequestContext& context,
                                          std::unique_ptr<LayerSource> source,
                                          std::shared_ptr<const Layer> root,
                                          std::shared_ptr<const Layer> session,
                                          CompositionOptions options);
  virtual ~Composer() = default;

  virtual const std::shared_ptr<const LayerStack>& root_layer_stack() const = 0;

  // The index of the pseudo-root, at which every walk over the stage starts.
  virtual PrimIndexRef ComposeRoot(RequestContext& context) = 0;
  // The index of a child, built from its parent's (10.2.1: ancestral opinions come first).
  // Corresponds to PcpComputePrimIndex with PcpPrimIndexInputs::parentIndex. `child` need not be
  // among the parent's child names: the index of a prim without opinions has no sites. Incomplete
  // once the context is cancelled or past its deadline; such an index must not be kept.
  virtual PrimIndexRef ComposeChild(RequestContext& context, const PrimIndexRef& parent,
                                    Path parent_path, Token child) = 0;

  // Frees what only serves to compose more prims: the indexes that prims share, by their paths, and
  // the tables of equal parts. Prims that are composed later share nothing with those before.
  // Invalidates PrimIndexRef::shared of all prims. No other thread may be composing.
  virtual void EndSharing() = 0;

  // All layer stacks opened so far, the root layer stack first.
  virtual std::vector<std::shared_ptr<const LayerStack>> LayerStacks() const = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_COMPOSER_H_
