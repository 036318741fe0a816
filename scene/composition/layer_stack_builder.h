#ifndef STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_BUILDER_H_
#define STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_BUILDER_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/memory_pool.h"
#include "base/request_context.h"
#include "scene/composition/layer_source.h"
#include "scene/composition/layer_stack.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// The identifiers of muted layers. Corresponds to PcpCache's Pcp_MutedLayers. Immutable.
class MutedLayers {
 public:
  explicit MutedLayers(const std::vector<std::string>& identifiers)
      : identifiers_(identifiers.begin(), identifiers.end()) {}
  bool Contains(const std::string& identifier) const {
    return !identifiers_.empty() && identifiers_.count(identifier) > 0;
  }

 private:
  const std::unordered_set<std::string> identifiers_;
};

// Opens the sublayers of a layer and puts them in strength order (Core Specification, 10.3.1
// Sublayers; compose_layer_stack in 10.2.1).
//
// Corresponds to PcpLayerStack::_Compute and _BuildLayerStack. A builder is used for one stack, on
// one thread.
class LayerStackBuilder {
 public:
  // All arguments outlive the builder. `memory`, which may be null, is charged with the stack and
  // outlives it too.
  LayerStackBuilder(LayerSource& source, const MutedLayers& muted, MemoryPool* memory)
      : source_(source), muted_(muted), memory_(memory) {}

  // `session` may be null. `overrides` are the expression variables of the referencing stack; null
  // for the root layer stack. Never null: whatever fails is reported by the errors() of the result.
  std::shared_ptr<const LayerStack> Build(RequestContext& context,
                                          std::shared_ptr<const Layer> root,
                                          std::shared_ptr<const Layer> session,
                                          std::shared_ptr<const Dictionary> overrides);

 private:
  struct Sublayer {
    std::shared_ptr<const Layer> layer;
    LayerOffset offset;
  };

  // Composes the expression variables, which the paths of sublayers may need.
  void ComposeVariables(RequestContext& context, const Layer& root, const Layer* session,
                        std::shared_ptr<const Dictionary> overrides);
  // Adds the error about too many layers, once.
  void AddCapacityError(const Layer& layer);
  // Adds the session layer and its sublayers. Sets the time codes per second of the stack and the
  // offset of the root layer accordingly.
  void AddSession(RequestContext& context, const std::shared_ptr<const Layer>& root,
                  const std::shared_ptr<const Layer>& session, LayerOffset* root_offset);
  // Adds a layer, then its sublayers depth-first.
  void AddTree(RequestContext& context, const std::shared_ptr<const Layer>& layer,
               LayerOffset offset, int parent, bool session);
  // The sublayers of `layer`, without those that cannot be opened or form a cycle. `offset` is the
  // layer's in the stack.
  std::vector<Sublayer> OpenSublayers(RequestContext& context, const Layer& layer,
                                      LayerOffset offset);
  // Null if the sublayer is left out.
  std::shared_ptr<const Layer> OpenSublayer(RequestContext& context, const Layer& layer,
                                            const std::string& asset_path);
  // The authored offset of a sublayer, or the identity if it is invalid, scaled by the rates.
  LayerOffset CheckedOffset(const Layer& layer, const Layer& sublayer, LayerOffset offset);
  // Corresponds to _ApplyOwnedSublayerOrder.
  void PutOwnedFirst(const Layer& layer, std::vector<Sublayer>* sublayers);
  void AddError(CompositionErrorType type, std::string message,
                std::vector<std::string> places = {}) {
    AddCompositionError({type, Path(), std::move(message), std::move(places)}, &stack_->errors_);
  }

  LayerSource& source_;
  const MutedLayers& muted_;
  MemoryPool* const memory_;
  std::shared_ptr<LayerStack> stack_;
  std::vector<const Layer*> including_;  // the layers being added, outermost first
  std::unordered_map<const Layer*, LayerOffset> first_offsets_;
  std::string session_owner_;
  bool full_ = false;
  bool capacity_error_added_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_BUILDER_H_
