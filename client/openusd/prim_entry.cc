#include "prim_entry.h"

#include <algorithm>

namespace stagedoor::openusd {
namespace {

bool IsBefore(const PropertyEntry* property, const TfToken& name) {
  return TfTokenFastArbitraryLessThan()(property->name, name);
}

// Whether `path` is `root` or below it.
bool IsBelow(std::string_view path, std::string_view root) {
  if (path.substr(0, root.size()) != root) return false;
  return path.size() == root.size() || path[root.size()] == '/' || path[root.size()] == '.';
}

}  // namespace

void KeptValue::Keep(VtValue value) const {
  State none = State::kNone;
  if (!state_.compare_exchange_strong(none, State::kKeeping, std::memory_order_relaxed)) return;
  value_ = std::move(value);
  state_.store(State::kKept, std::memory_order_release);
}

const PropertyEntry* PropertyTable::Find(const TfToken& name) const {
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), name, IsBefore);
  return found == sorted_.end() || (*found)->name != name ? nullptr : *found;
}

void PropertyTable::Finish() {
  for (const PropertyEntry& property : properties) sorted_.push_back(&property);
  std::sort(sorted_.begin(), sorted_.end(),
            [](const PropertyEntry* left, const PropertyEntry* right) {
              return IsBefore(left, right->name);
            });
}

std::string PrimEntry::ScenePath() const {
  const std::string& text = path.GetString();
  if (block->layer_root.empty()) return text;
  return block->scene_root + text.substr(block->layer_root.size());
}

std::string PrimBlock::ToLayer(std::string_view scene_path) const {
  if (scene_root.empty() || !IsBelow(scene_path, scene_root)) return std::string(scene_path);
  return layer_root + std::string(scene_path.substr(scene_root.size()));
}

}  // namespace stagedoor::openusd
