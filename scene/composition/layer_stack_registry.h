#ifndef STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_REGISTRY_H_
#define STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_REGISTRY_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/composition/layer_source.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/layer_stack_builder.h"

namespace stagedoor {

// The layer stacks of one stage, each built once, and the identifiers of asset paths.
//
// Corresponds to OpenUSD's Pcp_LayerStackRegistry; the key is that of PcpLayerStackIdentifier, the
// root layer and the expression variables of the referencing stack. Thread-safe; layer stacks live
// as long as the cache.
class LayerStackRegistry {
 public:
  // `memory`, which may be null, is charged with the stacks and the cached identifiers, and
  // outlives all of them.
  LayerStackRegistry(std::unique_ptr<LayerSource> source, const std::vector<std::string>& muted,
                     MemoryPool* memory)
      : source_(std::move(source)), muted_(muted), charge_(memory) {}

  const MutedLayers& muted() const { return muted_; }
  // Builds the root layer stack, which the caller keeps and the cache does not.
  std::shared_ptr<const LayerStack> BuildRoot(RequestContext& context,
                                              std::shared_ptr<const Layer> root,
                                              std::shared_ptr<const Layer> session);
  // The identifier of an asset path authored in `layer`.
  std::string Identify(RequestContext& context, const Layer& layer, const std::string& asset_path);
  // The stack of a referenced layer, built on first use. `variables` are those of the referencing
  // stack. Fails with the layer source's error if the layer cannot be opened (the error is cached
  // too), or if the request ends; errors of sublayers are in the stack.
  absl::StatusOr<const LayerStack*> Open(RequestContext& context, const std::string& identifier,
                                         const std::shared_ptr<const Dictionary>& variables);

  // All stacks that were opened so far, without the root layer stack.
  std::vector<std::shared_ptr<const LayerStack>> Stacks() const;

 private:
  using StackKey = std::pair<std::string, const Dictionary*>;
  using PathKey = std::pair<const Layer*, std::string>;

  const std::unique_ptr<LayerSource> source_;
  const MutedLayers muted_;
  Reservation charge_;  // without the stacks, which have their own
  mutable SharedMutex mu_;
  std::map<StackKey, absl::StatusOr<std::shared_ptr<const LayerStack>>> stacks_
      ABSL_GUARDED_BY(mu_);
  std::map<PathKey, std::string> identifiers_ ABSL_GUARDED_BY(mu_);
  // Kept alive because the keys of stacks_ point to them.
  std::vector<std::shared_ptr<const Dictionary>> variables_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_REGISTRY_H_
