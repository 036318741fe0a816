#include "scene/composition/prim_index.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_set>

#include "base/heap_costs.h"
#include "base/strings.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

Path StageMapFunction::MapToStage(const MapFunction& to_root, Path path) const {
  // Two steps are cheaper than composing the mappings, and usually suffice. Where they yield
  // nothing, only the composed mapping decides: a path that one step has no image for may still
  // have one.
  const Path inner = to_root.MapSourceToTarget(path);
  if (!inner.empty() && (proxy_path_.empty() || inner.HasPrefix(proxy_path_))) {
    const Path mapped = MapSourceToTarget(inner);
    if (!mapped.empty()) return mapped;
  }
  return ComposeToStage(to_root).MapSourceToTarget(path);
}

MapFunction StageMapFunction::ComposeToStage(const MapFunction& inner) const {
  MapFunction map = Compose(inner);
  if (proxy_path_.empty()) return map;
  // No layer has paths below the proxy; pairs for them only come in through the root identity of
  // `inner`.
  std::vector<Pair> pairs(map.pairs().begin(), map.pairs().end());
  std::erase_if(pairs, [this](const Pair& pair) { return pair.first.HasPrefix(proxy_path_); });
  return pairs.size() == map.pairs().size() ? map : Make(std::move(pairs), map.offset());
}

namespace {

// Moves the items to `to`; returns the address after them.
template <typename T>
std::byte* MoveItems(std::vector<T>& items, std::byte* to) {
  std::uninitialized_move(items.begin(), items.end(), reinterpret_cast<T*>(to));
  return to + items.size() * sizeof(T);
}

}  // namespace

PrimIndex::~PrimIndex() {
  if (block_ == nullptr) return;  // Pack was never called, or ran out of memory
  // Only the mappings of the nodes need it; sites are trivial.
  std::destroy_n(reinterpret_cast<PrimIndexNode*>(block_.get()), node_count_);
}

void PrimIndex::Pack(PrimIndexParts parts) {
  node_count_ = static_cast<uint32_t>(parts.nodes.size());
  site_count_ = static_cast<uint32_t>(parts.sites.size());
  inert_site_count_ = static_cast<uint32_t>(parts.inert_sites.size());
  // Specs of inert nodes come after the prim stack, so that prim_stack() is contiguous.
  for (PrimIndexNode& node : parts.nodes) {
    if (node.inert) node.first_site += site_count_;
  }
  block_.reset(new std::byte[BlockSize()]);
  std::byte* end = MoveItems(parts.nodes, block_.get());
  end = MoveItems(parts.sites, end);
  MoveItems(parts.inert_sites, end);
  charge_.Add(byte_size());
}

const CompositionErrors& PrimIndex::errors() const {
  static const auto* none = new CompositionErrors;
  return rare_ ? rare_->errors : *none;
}

VariantSelections PrimIndex::variant_selections() const {
  // If a set has several nodes, the strongest comes first. They have the same selection
  // (10.3.2.5.1).
  VariantSelections selections;
  std::unordered_set<Token> sets;
  for (const PrimIndexNode& node : nodes()) {
    if (!node.path.IsVariantSelection() || !sets.insert(node.path.name()).second) continue;
    selections.emplace_back(node.path.name().str(), node.path.variant().str());
  }
  std::sort(selections.begin(), selections.end());
  return selections;
}

std::string PrimIndex::Dump() const {
  std::string text;
  const auto all = nodes();
  for (size_t i = 0; i < all.size(); ++i) {
    const PrimIndexNode& node = all[i];
    size_t depth = 0;
    for (int p = node.parent; p >= 0; p = all[static_cast<size_t>(p)].parent) ++depth;
    text.append(2 * depth, ' ');
    text += Concat(ArcTypeName(node.arc), " ", node.layer_stack->root_layer().identifier(), " ",
                   node.path.ToString());
    if (node.inert) text += node.culled ? " culled" : " inert";
    if (node.due_to_ancestor) text += " ancestral";
    if (node.origin != node.parent) text += Concat(" origin=", node.origin);
    if (!node.map_to_root.IsIdentity()) text += Concat(" [", node.map_to_root.ToString(), "]");
    text += '\n';
    for (const PrimSpecHandle& site : prim_stack()) {
      if (site.node != i) continue;
      text.append(2 * depth + 4, ' ');
      text += Concat(site.layer->identifier(), "\n");
    }
  }
  return text;
}

std::string PrimIndex::InstanceKey(const LayerOffset& outer) const {
  // Offsets that differ only by rounding share a prototype: composing them along different arcs
  // rounds differently.
  constexpr double kDigits = 1e9;
  std::string key;
  if (!rare_) return key;
  for (const InstanceArc& arc : rare_->instance_arcs) {
    const LayerOffset offset = outer * arc.offset;
    key += Concat(ArcTypeName(arc.type), " ", reinterpret_cast<uintptr_t>(arc.stack), " ",
                  arc.path.ToString(), " ", std::round(offset.offset * kDigits), " ",
                  std::round(offset.scale * kDigits), "\n");
  }
  for (const auto& [set, variant] : rare_->instance_selections) {
    key += Concat(set.text(), "=", variant.text(), "\n");
  }
  return key;
}

size_t PrimIndex::Rare::byte_size() const {
  return sizeof(*this) + instances.capacity() * sizeof(Path) +
         instance_arcs.capacity() * sizeof(InstanceArc) +
         instance_selections.capacity() * sizeof(std::pair<Token, Token>) + ByteSizeOf(errors) +
         5 * kHeapBlockBytes;
}

size_t PrimIndex::byte_size() const {
  // make_shared allocates the index together with its reference counts.
  const size_t bytes = sizeof(*this) + BlockSize() + 3 * kHeapBlockBytes;
  // Names, and rare data without errors, are shared and charged by SharedParts.
  return errors().empty() ? bytes : bytes + rare_->byte_size();
}

}  // namespace stagedoor
