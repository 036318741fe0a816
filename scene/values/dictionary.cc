#include "scene/values/dictionary.h"

#include <algorithm>

#include "base/pacer.h"
#include "base/reserved_bytes.h"

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

// Merges sorted lists of entries pairwise, so that an entry is visited at most log2(dictionaries)
// times. One merger is used for a merge and all merges of nested dictionaries.
class DictionaryMerger {
 public:
  explicit DictionaryMerger(RequestContext& context) : pacer_(context), reserved_(context) {}

  Dictionary Merge(std::span<const Dictionary* const> strongest_first) {
    std::vector<Entries> lists;
    for (const Dictionary* dictionary : strongest_first) {
      if (!Take(dictionary->size())) return {};
      Entries& list = lists.emplace_back();
      list.reserve(dictionary->size());
      for (const Entry& entry : *dictionary) list.push_back(&entry);
    }
    return Joined(InOrder(std::move(lists)));
  }

 private:
  using Entry = Dictionary::Entry;
  using Entries = std::vector<const Entry*>;  // sorted by key; of equal keys the strongest first

  // Reserves memory for this many entries in two lists, because one is written while the other is
  // read.
  bool Take(size_t entries) {
    return pacer_.Go(1 + static_cast<int64_t>(entries)) &&
           reserved_.Grow(entries * 2 * sizeof(Entry*), "merging dictionaries").ok();
  }

  // Counts the work of visiting an entry, which depends on the length of its key.
  bool Go(const Entry& entry) {
    constexpr size_t kKeyBytesPerStep = 256;
    return pacer_.Go(1 + static_cast<int64_t>(entry.first.size() / kKeyBytesPerStep));
  }

  Entries InOrder(std::vector<Entries> lists) {
    while (lists.size() > 1) {
      const size_t pairs = lists.size() / 2;
      for (size_t i = 0; i < pairs; ++i) lists[i] = MergeTwo(lists[2 * i], lists[2 * i + 1]);
      if (lists.size() % 2 != 0) lists[pairs] = std::move(lists.back());
      lists.resize(pairs + lists.size() % 2);
    }
    return lists.empty() ? Entries() : std::move(lists.front());
  }

  // Keeps an entry of the weaker list whose key the stronger one also has only if it is a
  // dictionary, because only then can it contribute.
  Entries MergeTwo(const Entries& strong, const Entries& weak) {
    Entries merged;
    merged.reserve(strong.size() + weak.size());
    auto next = strong.begin();
    for (const Entry* entry : weak) {
      for (; next != strong.end() && (*next)->first <= entry->first; ++next) {
        if (!Go(**next)) return merged;
        merged.push_back(*next);
      }
      if (!Go(*entry)) return merged;
      const bool known = !merged.empty() && merged.back()->first == entry->first;
      if (!known || entry->second.Is<Dictionary>()) merged.push_back(entry);
    }
    merged.insert(merged.end(), next, strong.end());
    return merged;
  }

  Dictionary Joined(const Entries& entries) {
    Dictionary result;
    std::vector<const Dictionary*> nested;
    for (size_t i = 0; i < entries.size();) {
      const Entry& strongest = *entries[i];
      if (!Go(strongest)) return result;
      nested.clear();
      for (; i < entries.size() && entries[i]->first == strongest.first; ++i) {
        if (const auto* inner = entries[i]->second.Get<Dictionary>()) nested.push_back(inner);
      }
      const bool merges = strongest.second.Is<Dictionary>() && nested.size() > 1;
      result.entries_.emplace_back(strongest.first,
                                   merges ? Value(Merge(nested)) : strongest.second);
    }
    return result;
  }

  Pacer pacer_;
  ReservedBytes reserved_;
};

Dictionary Dictionary::Merge(RequestContext& context,
                             std::span<const Dictionary* const> strongest_first) {
  return DictionaryMerger(context).Merge(strongest_first);
}

}  // namespace stagedoor
