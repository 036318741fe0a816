#ifndef STAGEDOOR_SCENE_COMPOSITION_COMPOSE_SITE_H_
#define STAGEDOOR_SCENE_COMPOSITION_COMPOSE_SITE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "base/pacer.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/prim_index_graph.h"
#include "scene/layer/field_keys.h"
#include "scene/paths/token.h"
#include "scene/values/item_index.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// The fields of a site that author arcs and names, composed over the layers of its stack: the list
// ops of Core Specification, 10.3.2 Composition Arcs.
//
// Corresponds to OpenUSD's composeSite.h (PcpComposeSiteReferences and so on). All functions are
// thread-safe.

// The arcs that the specs of a site author. Corresponds to _ArcFlags and _ScanArcs.
enum SiteArcs : uint32_t {
  kHasInherits = 1,
  kHasVariantSets = 2,
  kHasReferences = 4,
  kHasPayloads = 8,
  kHasSpecializes = 16,
  kHasVariantSelection = 32,
};
uint32_t ScanArcs(const LayerStack& stack, const StackSpecs& specs);

// A composed reference or payload. Corresponds to SdfReference or SdfPayload with its
// PcpSourceArcInfo. Equality is that of list-op items: the layer that authors an arc does not
// count.
struct AssetArc {
  std::string identifier;  // empty for internal arcs
  std::string authored;    // the asset path, with its expression evaluated
  Path prim_path;          // empty for the default prim
  LayerOffset offset;
  Dictionary custom_data;
  const Layer* layer = nullptr;  // the strongest layer that authors it
  LayerOffset layer_offset;      // of that layer in the stack

  friend bool operator==(const AssetArc& a, const AssetArc& b) {
    return a.identifier == b.identifier && a.prim_path == b.prim_path && a.offset == b.offset &&
           a.custom_data == b.custom_data;
  }
};

template <>
struct ListItemHash<AssetArc> {
  size_t operator()(const AssetArc& arc) const {
    return HashCombine(arc.prim_path.hash(), HashBytes(arc.identifier));
  }
};

// The functions below add the number of list items that they read to `*items`, for budgets.

// Evaluates the expression of an arc's authored asset path, if it is one, and anchors the path to
// `layer`. False if the arc is to be left out.
using AnchorAsset = std::function<bool(const Layer& layer, AssetArc* arc)>;

std::vector<AssetArc> ComposeSiteReferences(const LayerStack& stack, const StackSpecs& specs,
                                            const AnchorAsset& anchor, size_t* items);
std::vector<AssetArc> ComposeSitePayloads(const LayerStack& stack, const StackSpecs& specs,
                                          const AnchorAsset& anchor, size_t* items);
// `field` is inheritPaths or specializes. Relative paths are made absolute from `prim_path`.
std::vector<Path> ComposeSitePaths(const LayerStack& stack, const StackSpecs& specs, Token field,
                                   Path prim_path, size_t* items);
std::vector<std::string> ComposeSiteVariantSets(const LayerStack& stack, const StackSpecs& specs,
                                                size_t* items);
std::vector<Token> ComposeSiteVariantSetOptions(const LayerStack& stack, const StackSpecs& specs,
                                                Token variant_set);
// Whether the specs author value clips, which keeps their node from being culled.
bool HasClips(const LayerStack& stack, const StackSpecs& specs);

// An ordered set of names, to which opinions are added weakest first. Not thread-safe.
class NameList {
 public:
  void Add(Token name);
  bool Contains(Token name) const;
  // Adds names that are distinct from one another.
  void AddUnique(std::span<const Token> names);
  // Applies a primOrder.
  void Reorder(const std::vector<Token>& order) { ListOp<Token>::Reorder(order, &names_); }
  const std::vector<Token>& names() const { return names_; }
  std::vector<Token> Take() && { return std::move(names_); }

 private:
  std::vector<Token> names_;
  mutable std::unordered_set<Token> known_;  // a hash set of the names, once there are many
};

// Add the names of the specs' child prims, reordered by the primOrder of each layer (11.3.1 Ordered
// Prim Children), and of their properties. Correspond to PcpComposeSiteChildNames. Both stop early
// once the request has ended.
void ComposeSiteChildNames(const LayerStack& stack, const StackSpecs& specs, NameList* names,
                           Pacer& pacer);
void ComposeSitePropertyNames(const LayerStack& stack, const StackSpecs& specs, NameList* names,
                              Pacer& pacer);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_COMPOSE_SITE_H_
