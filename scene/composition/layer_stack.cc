#include "scene/composition/layer_stack.h"

#include <unordered_set>

#include "base/heap_costs.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

// Adds the relocates at and below a path, which follow it in namespace order. Deletions have no
// target and are left out.
void AddBelow(Path path, const RelocatesMap& relocates, std::unordered_set<Path>* targets,
              std::vector<MapFunction::Pair>* pairs) {
  for (auto it = relocates.lower_bound(path); it != relocates.end() && it->first.HasPrefix(path);
       ++it) {
    if (!it->second.empty() && targets->insert(it->second).second) {
      pairs->emplace_back(it->first, it->second);
    }
  }
}

// The memory of the entries. Their values refer to memory of the layers, except for dictionaries,
// which may be merged from several.
size_t EntryBytes(const Dictionary& dictionary) {
  size_t bytes = 0;
  for (const auto& [key, value] : dictionary) {
    bytes += sizeof(Dictionary::Entry) + key.capacity() + kHeapBlockBytes;
    if (const auto* inner = value.Get<Dictionary>()) bytes += EntryBytes(*inner);
  }
  return bytes;
}

}  // namespace

size_t LayerStack::byte_size() const {
  const size_t relocates = source_to_target_.size() + incremental_source_to_target_.size() +
                           incremental_target_to_source_.size();
  const size_t bytes = sizeof(*this) + layers_.capacity() * sizeof(Entry) +
                       relocates * (sizeof(RelocatesMap::value_type) + kNodeBytes) +
                       ByteSizeOf(errors_) + 3 * kHeapBlockBytes;
  return shares_variables_ ? bytes : bytes + EntryBytes(*expression_variables_);
}

MapFunction LayerStack::RelocatesAt(Path path) const {
  if (!has_relocates()) return MapFunction();
  std::vector<MapFunction::Pair> pairs = {{Path::AbsoluteRoot(), Path::AbsoluteRoot()}};
  // Both maps, because an arc may bring in a prim by its original path or by an intermediate one. A
  // nested relocate is in both with the same target, but a mapping is a bijection (10.5), so the
  // one with the original path is kept.
  std::unordered_set<Path> targets;
  AddBelow(path, source_to_target_, &targets, &pairs);
  AddBelow(path, incremental_source_to_target_, &targets, &pairs);
  return MapFunction::Make(std::move(pairs), LayerOffset());
}

}  // namespace stagedoor
