#include "scene/composition/site_fields.h"

#include <algorithm>

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

template <typename Item>
std::vector<AssetArc> ComposeAssetArcs(const LayerStack& stack, const StackSpecs& specs,
                                       Token field, const AnchorAsset& anchor) {
  std::vector<AssetArc> result;
  for (auto it = specs.rbegin(); it != specs.rend(); ++it) {
    const LayerStack::Entry& entry = stack.layers()[it->layer];
    const Value value = entry.layer->Get(it->spec, field);
    const ListOp<Item>* op = value.Get<ListOp<Item>>();
    if (!op) continue;
    const auto convert = [&](const std::vector<Item>& items) {
      std::vector<AssetArc> arcs;
      for (const Item& item : items) {
        AssetArc arc = FromItem(item);
        arc.layer = entry.layer.get();
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
    converted.deleted = convert(op->deleted);
    converted.added = convert(op->added);
    converted.ordered = convert(op->ordered);
    converted.ApplyTo(&result);
  }
  return result;
}

template <typename T>
std::vector<T> ComposeList(const LayerStack& stack, const StackSpecs& specs, Token field) {
  std::vector<T> result;
  for (auto it = specs.rbegin(); it != specs.rend(); ++it) {
    const Value value = LayerOf(stack, *it).Get(it->spec, field);
    if (const ListOp<T>* op = value.Get<ListOp<T>>()) op->ApplyTo(&result);
  }
  return result;
}

}  // namespace

uint32_t ScanArcs(const LayerStack& stack, const StackSpecs& specs) {
  uint32_t arcs = 0;
  for (const StackSpec& s : specs) {
    const Layer& layer = LayerOf(stack, s);
    const FieldTokens& f = Fields();
    if (layer.Has(s.spec, f.inheritPaths)) arcs |= kHasInherits;
    if (layer.Has(s.spec, f.variantSetNames)) arcs |= kHasVariantSets;
    if (layer.Has(s.spec, f.references)) arcs |= kHasReferences;
    if (layer.Has(s.spec, f.payload)) arcs |= kHasPayloads;
    if (layer.Has(s.spec, f.specializes)) arcs |= kHasSpecializes;
    if (layer.Has(s.spec, f.variantSelection)) arcs |= kHasVariantSelection;
  }
  return arcs;
}

std::vector<AssetArc> ComposeReferences(const LayerStack& stack, const StackSpecs& specs,
                                        const AnchorAsset& anchor) {
  return ComposeAssetArcs<Reference>(stack, specs, Fields().references, anchor);
}

std::vector<AssetArc> ComposePayloads(const LayerStack& stack, const StackSpecs& specs,
                                      const AnchorAsset& anchor) {
  return ComposeAssetArcs<Payload>(stack, specs, Fields().payload, anchor);
}

std::vector<Path> ComposePaths(const LayerStack& stack, const StackSpecs& specs, Token field,
                               Path prim_path) {
  std::vector<Path> paths = ComposeList<Path>(stack, specs, field);
  for (Path& path : paths) {
    if (!path.empty() && !path.IsAbsolute()) path = path.MakeAbsolute(prim_path);
  }
  return paths;
}

std::vector<std::string> ComposeVariantSetNames(const LayerStack& stack, const StackSpecs& specs) {
  return ComposeList<std::string>(stack, specs, Fields().variantSetNames);
}

std::vector<Token> ComposeVariantNames(const LayerStack& stack, const StackSpecs& specs,
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

bool HasClips(const LayerStack& stack, const StackSpecs& specs) {
  return std::any_of(specs.begin(), specs.end(), [&](const StackSpec& s) {
    const Layer& layer = LayerOf(stack, s);
    return layer.Has(s.spec, Fields().clips) || layer.Has(s.spec, Fields().clipSets);
  });
}

bool NameList::Contains(Token name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

void NameList::Add(Token name) {
  if (!Contains(name)) names_.push_back(name);
}

namespace {

// Names of one layer are unique among themselves, so only those there before need a look.
void AddRun(const SpecTree& tree, SpecRange run, NameList* names) {
  const std::vector<Token>& known = names->names();
  if (known.empty()) {
    std::vector<Token> all;
    all.reserve(run.size());
    for (const SpecId spec : run) all.push_back(tree.name(spec));
    names->Assign(std::move(all));
    return;
  }
  constexpr size_t kFew = 4096;
  if (known.size() * run.size() <= kFew) {
    for (const SpecId spec : run) names->Add(tree.name(spec));
    return;
  }
  std::vector<size_t> hashes;
  hashes.reserve(known.size());
  for (const Token name : known) hashes.push_back(name.hash());
  std::sort(hashes.begin(), hashes.end());
  std::vector<Token> all = known;
  for (const SpecId spec : run) {
    const Token name = tree.name(spec);
    if (!std::binary_search(hashes.begin(), hashes.end(), name.hash()) || !names->Contains(name)) {
      all.push_back(name);
    }
  }
  names->Assign(std::move(all));
}

}  // namespace

void ComposeChildNames(const LayerStack& stack, const StackSpecs& specs, NameList* names) {
  for (auto it = specs.rbegin(); it != specs.rend(); ++it) {
    const Layer& layer = LayerOf(stack, *it);
    const SpecRange run = layer.tree().prims(it->spec);
    if (!run.empty()) AddRun(layer.tree(), run, names);
    if (names->names().empty() || !layer.Has(it->spec, Fields().primOrder)) continue;
    const Value order = layer.Get(it->spec, Fields().primOrder);
    if (const auto* tokens = order.Get<std::vector<Token>>()) names->Reorder(*tokens);
  }
}

void ComposePropertyNames(const LayerStack& stack, const StackSpecs& specs, NameList* names) {
  for (auto it = specs.rbegin(); it != specs.rend(); ++it) {
    const SpecTree& tree = LayerOf(stack, *it).tree();
    const SpecRange run = tree.properties(it->spec);
    if (!run.empty()) AddRun(tree, run, names);
  }
}

}  // namespace stagedoor
