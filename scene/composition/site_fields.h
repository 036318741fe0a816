// The fields of a site that state arcs and names, composed over the layers of its stack.
#ifndef STAGEDOOR_SCENE_COMPOSITION_SITE_FIELDS_H_
#define STAGEDOOR_SCENE_COMPOSITION_SITE_FIELDS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/pacer.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/prim_graph.h"
#include "scene/layer/fields.h"
#include "scene/paths/token.h"
#include "scene/values/list_op.h"
#include "scene/values/reference.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// Which arcs the specs of a site state.
enum SiteArcs : uint32_t {
  kHasInherits = 1,
  kHasVariantSets = 2,
  kHasReferences = 4,
  kHasPayloads = 8,
  kHasSpecializes = 16,
  kHasVariantSelection = 32,
};
uint32_t ScanArcs(const LayerStack& stack, const StackSpecs& specs);

// A reference or payload as the layers' list operations leave it.
struct AssetArc {
  std::string identifier;  // empty for internal ones
  std::string authored;    // the asset path, variables replaced
  Path prim_path;          // empty: the default prim
  LayerOffset offset;
  Dictionary custom_data;
  const Layer* layer = nullptr;  // strongest layer that states it
  LayerOffset layer_offset;      // of that layer in the stack

  friend bool operator==(const AssetArc& a, const AssetArc& b) {
    return a.identifier == b.identifier && a.prim_path == b.prim_path && a.offset == b.offset &&
           a.custom_data == b.custom_data;
  }
};

template <>
struct ListItemHash<AssetArc> {
  size_t operator()(const AssetArc& arc) const {
    return std::hash<std::string>()(arc.identifier) * 31 + arc.prim_path.hash();
  }
};

// The functions below add the number of items they read, those of edits included, to `*items`.

// Replaces variables and anchors an authored path to `layer`. False: leave the arc out.
using AnchorAsset = std::function<bool(const Layer& layer, AssetArc* arc)>;

std::vector<AssetArc> ComposeReferences(const LayerStack& stack, const StackSpecs& specs,
                                        const AnchorAsset& anchor, size_t* items);
std::vector<AssetArc> ComposePayloads(const LayerStack& stack, const StackSpecs& specs,
                                      const AnchorAsset& anchor, size_t* items);
// `field`: inheritPaths or specializes.
std::vector<Path> ComposePaths(const LayerStack& stack, const StackSpecs& specs, Token field,
                               Path prim_path, size_t* items);
std::vector<std::string> ComposeVariantSetNames(const LayerStack& stack, const StackSpecs& specs,
                                                size_t* items);
std::vector<Token> ComposeVariantNames(const LayerStack& stack, const StackSpecs& specs,
                                       Token variant_set);
bool HasClips(const LayerStack& stack, const StackSpecs& specs);

// An ordered set of names, weakest opinions first.
class NameList {
 public:
  void Add(Token name);
  bool Contains(Token name) const;
  // Adds names that are unique among themselves.
  void AddUnique(std::span<const Token> names);
  void Reorder(const std::vector<Token>& order) { ListOp<Token>::Reorder(order, &names_); }
  const std::vector<Token>& names() const { return names_; }
  std::vector<Token> Take() && { return std::move(names_); }

 private:
  std::vector<Token> names_;
  mutable std::unordered_set<Token> known_;  // the names, once there are many
};

// Both stop once the pacer's request is over. Adds the names of the specs' child prims, ordered by
// each layer's primOrder.
void ComposeChildNames(const LayerStack& stack, const StackSpecs& specs, NameList* names,
                       Pacer& pacer);
void ComposePropertyNames(const LayerStack& stack, const StackSpecs& specs, NameList* names,
                          Pacer& pacer);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SITE_FIELDS_H_
