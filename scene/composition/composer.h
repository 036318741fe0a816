// Composer: builds the prim indexes of one stage.
//
// Thread-safe: children of different prims may be composed at the same time. Everything it shares
// (layer stacks, indexes of referenced assets) is remembered in it.
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

namespace stagedoor {

class LayerRegistry;
class MemoryAccount;

struct CompositionOptions {
  // Variant sets and the variants to try, best first, where no selection is authored.
  std::vector<std::pair<std::string, std::vector<std::string>>> variant_fallbacks;
  std::vector<std::string> muted_layers;  // identifiers
  // Whether the payload of a stage prim is included; null: all.
  std::function<bool(Path)> include_payload;
  // Off only for tests: every site composes for itself.
  bool share_subtrees = true;
  // Charged with what composing makes; outlives that. Null: nobody counts.
  MemoryAccount* memory = nullptr;
};

class Composer {
 public:
  // `session` may be null. Opens the sublayers; the layers themselves are given. `registry`
  // outlives it.
  static absl::StatusOr<std::unique_ptr<Composer>> Create(RequestContext& context,
                                                          LayerRegistry& registry,
                                                          std::shared_ptr<const Layer> root,
                                                          std::shared_ptr<const Layer> session,
                                                          CompositionOptions options);
  // With layers from elsewhere.
  static std::unique_ptr<Composer> Create(RequestContext& context,
                                          std::unique_ptr<LayerSource> source,
                                          std::shared_ptr<const Layer> root,
                                          std::shared_ptr<const Layer> session,
                                          CompositionOptions options);
  virtual ~Composer() = default;

  virtual const std::shared_ptr<const LayerStack>& root_layer_stack() const = 0;

  // The index of the pseudo-root.
  virtual PrimIndexRef ComposeRoot(RequestContext& context) = 0;
  // The index of a child; `child` need not be among the parent's child names. Incomplete when the
  // context is cancelled or out of time.
  virtual PrimIndexRef ComposeChild(RequestContext& context, const PrimIndexRef& parent,
                                    Path parent_path, Token child) = 0;

  // Every layer stack opened so far, the root stack first.
  virtual std::vector<std::shared_ptr<const LayerStack>> LayerStacks() const = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_COMPOSER_H_
