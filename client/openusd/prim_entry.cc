#include "prim_entry.h"

#include <algorithm>
#include <numeric>

namespace stagedoor::openusd {
namespace {

// Up to so many names are compared one after another.
constexpr size_t kFewNames = 24;

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
  if (sorted_.empty()) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? nullptr : &properties[found - names_.begin()];
  }
  const auto found = std::lower_bound(
      sorted_.begin(), sorted_.end(), name, [this](uint32_t index, const TfToken& wanted) {
        return TfTokenFastArbitraryLessThan()(names_[index], wanted);
      });
  return found == sorted_.end() || names_[*found] != name ? nullptr : &properties[*found];
}

void PropertyTable::Finish() {
  names_.reserve(properties.size());
  for (const PropertyEntry& property : properties) names_.push_back(property.name);
  if (names_.size() <= kFewNames) return;
  sorted_.resize(names_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0);
  std::sort(sorted_.begin(), sorted_.end(), [this](uint32_t left, uint32_t right) {
    return TfTokenFastArbitraryLessThan()(names_[left], names_[right]);
  });
}

std::string PrimEntry::ScenePath() const {
  std::string scene_path;
  AppendScenePath(&scene_path);
  return scene_path;
}

void PrimEntry::AppendScenePath(std::string* out) const {
  const std::string_view text = path.GetString();
  if (!block->layer_root.empty()) *out += block->scene_root;
  *out += text.substr(block->layer_root.size());
}

std::string PrimBlock::ToLayer(std::string_view scene_path) const {
  if (scene_root.empty() || !IsBelow(scene_path, scene_root)) return std::string(scene_path);
  return layer_root + std::string(scene_path.substr(scene_root.size()));
}

}  // namespace stagedoor::openusd
