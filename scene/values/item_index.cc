#include "scene/values/item_index.h"

namespace stagedoor {
namespace {

constexpr size_t kFewItems = 16;

}  // namespace

bool ItemNumbers::Insert(const void* item) {
  if (!by_hash_.empty()) return by_hash_.try_emplace(item, by_hash_.size()).second;
  if (Find(item)) return false;
  few_.push_back(item);
  if (few_.size() > kFewItems) {
    for (size_t i = 0; i < few_.size(); ++i) by_hash_.emplace(few_[i], i);
  }
  return true;
}

std::optional<size_t> ItemNumbers::Find(const void* item) const {
  if (!by_hash_.empty()) {
    const auto it = by_hash_.find(item);
    return it == by_hash_.end() ? std::nullopt : std::optional(it->second);
  }
  for (size_t i = 0; i < few_.size(); ++i) {
    if (equal_(few_[i], item)) return i;
  }
  return std::nullopt;
}

}  // namespace stagedoor
