#include "scene/values/dictionary.h"

#include <algorithm>

namespace stagedoor {
namespace {

auto LowerBound(auto& entries, std::string_view key) {
  return std::lower_bound(entries.begin(), entries.end(), key,
                          [](const auto& entry, std::string_view k) { return entry.first < k; });
}

}  // namespace

Dictionary Dictionary::FromEntries(std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.first < b.first; });
  Dictionary result;
  result.entries_.reserve(entries.size());
  for (Entry& entry : entries) {
    if (!result.entries_.empty() && result.entries_.back().first == entry.first) {
      result.entries_.back().second = std::move(entry.second);
    } else {
      result.entries_.push_back(std::move(entry));
    }
  }
  return result;
}

void Dictionary::Set(std::string_view key, Value value) {
  auto it = LowerBound(entries_, key);
  if (it != entries_.end() && it->first == key) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, std::string(key), std::move(value));
  }
}

void Dictionary::Remove(std::string_view key) {
  auto it = LowerBound(entries_, key);
  if (it != entries_.end() && it->first == key) entries_.erase(it);
}

const Value* Dictionary::Find(std::string_view key) const {
  const auto it = LowerBound(entries_, key);
  return it != entries_.end() && it->first == key ? &it->second : nullptr;
}

const Value* Dictionary::FindByKeyPath(std::string_view key_path) const {
  const size_t colon = key_path.find(':');
  const Value* value = Find(key_path.substr(0, colon));
  if (!value || colon == std::string_view::npos) return value;
  const Dictionary* inner = value->Get<Dictionary>();
  return inner ? inner->FindByKeyPath(key_path.substr(colon + 1)) : nullptr;
}

Dictionary Dictionary::Over(const Dictionary& strong, const Dictionary& weak) {
  Dictionary result;
  result.entries_.reserve(std::max(strong.size(), weak.size()));
  auto below = weak.begin();
  for (const auto& [key, value] : strong) {
    for (; below != weak.end() && below->first < key; ++below) result.entries_.push_back(*below);
    const Dictionary* weak_inner = nullptr;
    if (below != weak.end() && below->first == key) {
      weak_inner = below->second.Get<Dictionary>();
      ++below;
    }
    const Dictionary* strong_inner = value.Get<Dictionary>();
    const bool both = strong_inner && weak_inner;
    result.entries_.emplace_back(key, both ? Value(Over(*strong_inner, *weak_inner)) : value);
  }
  result.entries_.insert(result.entries_.end(), below, weak.end());
  return result;
}

Dictionary Dictionary::Merge(std::span<const Dictionary* const> strongest_first) {
  std::vector<const Entry*> all;
  for (const Dictionary* dictionary : strongest_first) {
    for (const Entry& entry : *dictionary) all.push_back(&entry);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Entry* a, const Entry* b) { return a->first < b->first; });
  Dictionary result;
  std::vector<const Dictionary*> nested;
  for (size_t i = 0; i < all.size();) {
    const Entry& strongest = *all[i];
    nested.clear();
    for (; i < all.size() && all[i]->first == strongest.first; ++i) {
      if (const Dictionary* inner = all[i]->second.Get<Dictionary>()) nested.push_back(inner);
    }
    const bool merges = strongest.second.Is<Dictionary>() && nested.size() > 1;
    result.entries_.emplace_back(strongest.first, merges ? Value(Merge(nested)) : strongest.second);
  }
  return result;
}

}  // namespace stagedoor
