#include "scene/paths/path_table.h"

#include <memory>

#include "base/hash.h"
#include "base/interned_bytes.h"

namespace stagedoor {

PathTable& PathTable::Get() {
  static PathTable* table = new PathTable;
  return *table;
}

PathTable::PathTable()
    : absolute_root_(Element{.hash = MixBits(1), .absolute = true}),
      relative_root_(Element{.hash = MixBits(2)}) {
  absolute_root_.pins = kForever;
  relative_root_.pins = kForever;
}

PathTable::Element PathTable::MakeElement(const Node* parent, Kind kind, Token name, Token variant,
                                          const Node* target) {
  Element element{};
  element.parent = parent;
  element.name = name;
  element.kind = kind;
  if (kind == Kind::kVariantSelection) {
    element.second.variant = variant;
  } else {
    element.second.target = target;
  }
  element.depth = parent->depth + 1;
  element.absolute = parent->absolute;
  element.has_variant =
      parent->has_variant || kind == Kind::kVariantSelection || (target && target->has_variant);
  element.has_target = parent->has_target || target != nullptr;
  element.hash = MixBits(parent->hash * 31 + name.hash() + 7 * variant.hash() +
                         (target ? target->hash * 13 : 0) + static_cast<uint64_t>(kind));
  return element;
}

const PathTable::Node* PathTable::FindOrMake(Element element) {
  const EpochGuard guard;
  for (;;) {
    const Node* node =
        ShardOf(element).FindOrMake(element.hash, Equals{element}, [&] { return Make(element); });
    if (node != nullptr) {
      if (HoldOrRemove(node)) return node;
      continue;  // removed since it was found, so the next attempt creates a new node
    }
    // The parent or target is gone; retry with living nodes.
    element.parent = Living(element.parent);
    if (element.target() != nullptr) element.second.target = Living(element.target());
  }
}

const PathTable::Node* PathTable::Make(const Element& element) {
  auto node = std::make_unique<Node>(element);
  if (!Pin(element.parent)) return nullptr;
  if (element.target() != nullptr && !Pin(element.target())) {
    element.parent->pins.fetch_sub(1, std::memory_order_acq_rel);
    return nullptr;
  }
  return node.release();
}

const PathTable::Node* PathTable::Living(const Node* node) {
  return IsGone(*node) ? FindOrMake(*node) : node;
}

bool PathTable::Hold(const Node* node) {
  if ((node->pins.load(std::memory_order_acquire) & kForever) != 0) return true;
  return HoldInScope(node);
}

bool PathTable::HoldOrRemove(const Node* node) {
  try {
    return Hold(node);
  } catch (...) {
    // A node that was created for this call has no other pin; this pair of calls removes it.
    if (Pin(node)) Unpin(node);
    throw;
  }
}

bool PathTable::KeepForever(const Node* node) {
  InternedBytes::Add(kNodeMemoryBytes);
  uint32_t pins = node->pins.load(std::memory_order_relaxed);
  do {
    if ((pins & kGone) != 0) return false;
  } while (!node->pins.compare_exchange_weak(pins, pins | kForever, std::memory_order_acq_rel));
  return true;
}

bool PathTable::Pin(const Node* node, bool* first) {
  uint32_t pins = node->pins.load(std::memory_order_relaxed);
  do {
    if ((pins & kGone) != 0) return false;
  } while (!node->pins.compare_exchange_weak(pins, pins + 1, std::memory_order_acq_rel));
  if (first != nullptr) *first = pins == 0;
  return true;
}

void PathTable::Unpin(const Node* node) {
  while (node != nullptr) {
    if (node->pins.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    uint32_t none = 0;
    if (!node->pins.compare_exchange_strong(none, kGone, std::memory_order_acq_rel)) return;
    const Node* const parent = node->parent;
    const Node* const target = node->target();
    ShardOf(*node).Remove(node);
    if (target != nullptr) Unpin(target);  // shallow recursion: the nesting of targets is bounded
    node = parent;
  }
}

InternStats PathTable::Stats() const {
  InternStats stats;
  for (const Shard& shard : shards_) {
    const size_t count = shard.count();
    stats.count += count;
    stats.bytes += shard.table_bytes() + count * sizeof(Node);
  }
  return stats;
}

}  // namespace stagedoor
