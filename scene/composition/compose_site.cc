#include "scene/composition/compose_site.h"

#include <algorithm>

#include "scene/values/list_op_inl.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"

namespace stagedoor {
namespace {

const Layer& LayerOf(const LayerStack& stack, const StackSpec& spec) {
  return *stack.layers()[spec.layer].layer;
}

AssetArc FromItem(const Reference& item) {
  return {.authored = item.asset,
          .prim_path = item.prim_path,
          .offset = item.offset,
          .custom_data = item.custom_data};
}
AssetArc FromItem(const Payload& item) {
  return {.authored = item.asset, .prim_path = item.prim_path, .offset = item.offset};
}

// 10.3.2: the list op of the weakest layer applies to an empty list, then that of the next
// stronger layer to the result, and so on. Items are anchored to their layers first, because list
// ops match items by identifier: "./a.usda" in two folders are different assets. OpenUSD does this
// in the callback of SdfListOp::ApplyOperations.
template <typename Item>
std::vector<AssetArc> ComposeAssetArcs(const LayerStack& stack, const StackSpecs& specs,
                                       Token field, const AnchorAsset& anchor, size_t* items) {
  std::vector<AssetArc> result;
  for (auto it = specs.rbegin(); it != specs.rend(); ++it) {
    const LayerStack::Entry& entry = stack.layers()[it->layer];
    const Value value = entry.layer->Get(it->spec, field);
    const ListOp<Item>* op = value.Get<ListOp<Item>>();
    if (!op) continue;
    *items += op->size();
    const auto convert = [&](const std::vector<Item>& from) {
      std::vector<AssetArc> arcs;
      for (const Item& item : from) {
        AssetArc arc = FromItem(item);
        arc.layer = entry.layer.get();
        // For the offset and rates, which are those of the layer that authors the arc.
        arc.layer_offset = entry.offset;
        if (anchor(*entry.layer, &arc)) arcs.push_back(std::move(arc));
      }
      return arcs;
    };
    ListOp<AssetArc> converted;
    converted.is_explicit = op->is_explicit;
    converted.explicit_items = convert(op->explicit_items);
    converted.prepended = convert(op->prepended);
    converted.appended = convert(op->appended);
    // Deleted and reordered items must match the anchored ones.
    converted.deleted = convert(op->deleted);
    converted.added = convert(op->added);
    converted.ordered = convert(op->ordered);
    // An arc gets the offset of the strongest layer that names it, also if that only adds an arc
    // that is there already, or reorders it.
    converted.ApplyTo(&result);
  }
  return result;
}

// Composes list ops whose items mean the same in every layer.
template <typename T>
std::vector<T> ComposeList(const LayerStack& stack, const StackSpecs& specs, Token field,
                           size_t* items) {
  std::vector<T> result;
  for (auto it = specs.rbegin(); it != specs.rend(); ++it) {
    const Value value = LayerOf(stack, *it).Get(it->spec, field);
    const ListOp<T>* op = value.Get<ListOp<T>>();
    if (!op) continue;
    *items += op->size() + result.size();
    op->ApplyTo(&result);
  }
  return result;
}

}  // namespace

// Fields are only looked for, not read: an empty list costs a task that finds nothing.
uint32_t ScanArcs(const LayerStack& stack, const StackSpecs& specs) {
  uint32_t arcs = 0;
  for (const StackSpec& s : specs) {
    const Layer& layer = LayerOf(stack, s);
    const FieldKeys& f = Fields();
    if (layer.Has(s.spec, f.inheritPaths)) arcs |= kHasInherits;
    if (layer.Has(s.spec, f.variantSetNames)) arcs |= kHasVariantSets;
    if (layer.Has(s.spec, f.references)) arcs |= kHasReferences;
    if (layer.Has(s.spec, f.payload)) arcs |= kHasPayloads;
    if (layer.Has(s.spec, f.specializes)) arcs |= kHasSpecializes;
    if (layer.Has(s.spec, f.variantSelection)) arcs |= kHasVariantSelection;
  }
  return arcs;
}

std::vector<AssetArc> ComposeSiteReferences(const LayerStack& stack, const StackSpecs& specs,
                                            const AnchorAsset& anchor, size_t* items) {
  return ComposeAssetArcs<Reference>(stack, specs, Fields().references, anchor, items);
}

std::vector<AssetArc> ComposeSitePayloads(const LayerStack& stack, const StackSpecs& specs,
                                          const AnchorAsset& anchor, size_t* items) {
  return ComposeAssetArcs<Payload>(stack, specs, Fields().payload, anchor, items);
}

std::vector<Path> ComposeSitePaths(const LayerStack& stack, const StackSpecs& specs, Token field,
                                   Path prim_path, size_t* items) {
  std::vector<Path> paths = ComposeList<Path>(stack, specs, field, items);
  for (Path& path : paths) {
    if (!path.empty() && !path.IsAbsolute()) path = path.MakeAbsolute(prim_path);
  }
  return paths;
}

// 10.3.2.5: sets that a stronger layer deletes from the list have no arc, though their specs
// exist.
std::vector<std::string> ComposeSiteVariantSets(const LayerStack& stack, const StackSpecs& specs,
                                                size_t* items) {
  return ComposeList<std::string>(stack, specs, Fields().variantSetNames, items);
}

std::vector<Token> ComposeSiteVariantSetOptions(const LayerStack& stack, const StackSpecs& specs,
                                                Token variant_set) {
  std::vector<Token> names;
  for (const StackSpec& s : specs) {
    const SpecTree& tree = LayerOf(stack, s).tree();
    const SpecId set = tree.FindVariant(s.spec, variant_set);
    if (set == kNoSpec) continue;
    for (const SpecId variant : tree.variants(set)) names.push_back(tree.name(variant));
  }
  return names;
}

// The children of a prim with clips get values from them without having specs of their own there.
bool HasClips(const LayerStack& stack, const StackSpecs& specs) {
  return std::any_of(specs.begin(), specs.end(), [&](const StackSpec& s) {
    const Layer& layer = LayerOf(stack, s);
    return layer.Has(s.spec, Fields().clips) || layer.Has(s.spec, Fields().clipSets);
  });
}

bool NameList::Contains(Token name) const {
  // A linear search is faster for the usual few names; lists of thousands would be quadratic.
  constexpr size_t kFew = 64;
  if (names_.size() <= kFew) return std::find(names_.begin(), names_.end(), name) != names_.end();
  if (known_.empty()) known_.insert(names_.begin(), names_.end());
  return known_.count(name) > 0;
}

void NameList::Add(Token name) {
  if (Contains(name)) return;
  names_.push_back(name);
  if (!known_.empty()) known_.insert(name);
}

void NameList::AddUnique(std::span<const Token> names) {
  // The weakest layer's names, often all there are, need no check for duplicates.
  if (names_.empty()) {
    names_.assign(names.begin(), names.end());
    return;
  }
  for (const Token name : names) Add(name);
}

namespace {

void AddRun(const SpecTree& tree, SpecRange run, NameList* names) {
  std::vector<Token> all;
  all.reserve(run.size());
  for (const SpecId spec : run) all.push_back(tree.name(spec));
  names->AddUnique(all);
}

}  // namespace

void ComposeSiteChildNames(const LayerStack& stack, const StackSpecs& specs, NameList* names,
                           Pacer& pacer) {
  for (auto it = specs.rbegin(); it != specs.rend(); ++it) {
    const Layer& layer = LayerOf(stack, *it);
    const SpecRange run = layer.tree().prims(it->spec);
    if (!pacer.Go(1 + static_cast<int64_t>(run.size()))) return;
    if (!run.empty()) AddRun(layer.tree(), run, names);
    // The fields are read only if there is something to reorder.
    if (names->names().empty() || !layer.Has(it->spec, Fields().primOrder)) continue;
    const Value order = layer.Get(it->spec, Fields().primOrder);
    const auto* tokens = order.Get<std::vector<Token>>();
    if (!tokens) continue;
    if (!pacer.Go(static_cast<int64_t>(tokens->size() + names->names().size()))) return;
    // 11.3.1: reordered after every merge, so that a weaker primOrder still holds among its names.
    names->Reorder(*tokens);
  }
}

void ComposeSitePropertyNames(const LayerStack& stack, const StackSpecs& specs, NameList* names,
                              Pacer& pacer) {
  for (auto it = specs.rbegin(); it != specs.rend(); ++it) {
    const SpecTree& tree = LayerOf(stack, *it).tree();
    // Without propertyOrder: only the strongest one counts (11.3.2), which is for the reader to
    // apply.
    const SpecRange run = tree.properties(it->spec);
    if (!pacer.Go(1 + static_cast<int64_t>(run.size()))) return;
    if (!run.empty()) AddRun(tree, run, names);
  }
}

}  // namespace stagedoor
