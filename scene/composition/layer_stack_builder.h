// LayerStackBuilder: opens the sublayers of a layer and puts them in order.
//
// Used once, on one thread.
#ifndef STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_BUILDER_H_
#define STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_BUILDER_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/memory_account.h"
#include "base/request_context.h"
#include "scene/composition/layer_source.h"
#include "scene/composition/layer_stack.h"

namespace stagedoor {

// Layers that are left out, by identifier.
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

class LayerStackBuilder {
 public:
  // All outlive the builder; `memory`, which may be null, also the stack, whose bytes it is charged
  // with.
  LayerStackBuilder(LayerSource& source, const MutedLayers& muted, MemoryAccount* memory)
      : source_(source), muted_(muted), memory_(memory) {}

  // `session` may be null. `overrides`: the expression variables of the stack that references this
  // one, null for a stage's own stack. Whatever goes wrong is in the result's errors().
  std::shared_ptr<const LayerStack> Build(RequestContext& context,
                                          std::shared_ptr<const Layer> root,
                                          std::shared_ptr<const Layer> session,
                                          std::shared_ptr<const Dictionary> overrides);

 private:
  struct Sublayer {
    std::shared_ptr<const Layer> layer;
    LayerOffset offset;
  };

  void ComposeVariables(RequestContext& context, const Layer& root, const Layer* session,
                        std::shared_ptr<const Dictionary> overrides);
  // Adds the error that there are too many layers, once.
  void TellFull(const Layer& layer);
  void AddSession(RequestContext& context, const std::shared_ptr<const Layer>& root,
                  const std::shared_ptr<const Layer>& session, LayerOffset* root_offset);
  void AddTree(RequestContext& context, const std::shared_ptr<const Layer>& layer,
               LayerOffset offset, int parent, bool session);
  std::vector<Sublayer> OpenSublayers(RequestContext& context, const Layer& layer,
                                      LayerOffset offset);
  std::shared_ptr<const Layer> OpenSublayer(RequestContext& context, const Layer& layer,
                                            const std::string& asset_path);
  LayerOffset CheckedOffset(const Layer& layer, const Layer& sublayer, LayerOffset offset);
  void PutOwnedFirst(const Layer& layer, std::vector<Sublayer>* sublayers);
  void AddError(CompositionErrorType type, std::string message) {
    AddCompositionError({type, Path(), std::move(message)}, &stack_->errors_);
  }

  LayerSource& source_;
  const MutedLayers& muted_;
  MemoryAccount* const memory_;
  std::shared_ptr<LayerStack> stack_;
  std::vector<const Layer*> including_;  // the chain of layers being added
  std::unordered_map<const Layer*, LayerOffset> first_offsets_;
  std::string session_owner_;
  bool full_ = false;
  bool told_full_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_LAYER_STACK_BUILDER_H_
