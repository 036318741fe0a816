#include "scene/values/dictionary.h"

#include <algorithm>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path_expression.h"
#include "scene/values/path_expression_value.h"

namespace stagedoor {
namespace {

auto LowerBound(auto& entries, std::string_view key) {
  return std::lower_bound(entries.begin(), entries.end(), key,
                          [](const auto& entry, std::string_view k) { return entry.first < k; });
}

// Whether a weaker value of its key can contribute to `value`.
bool Merges(const Value& value) {
  return value.Is<Dictionary>() || value.Is<PathExpressionValue>();
}

// The expression `strong` composed over weaker ones, strongest first. Stays as it is if it does not
// refer to a weaker one, or if the result would be too large.
Value ComposeExpressions(const PathExpressionValue& strong,
                         std::span<const PathExpressionValue* const> weaker) {
  auto tree = PathExpression::Parse(strong.text);
  if (!tree.ok()) return Value(strong);
  for (const PathExpressionValue* below : weaker) {
    if (!tree->ContainsWeakerExpressionReference()) break;
    const auto other = PathExpression::Parse(below->text);
    *tree = tree->ComposeOver(other.ok() ? *other : PathExpression());
    // Shared terms make the text grow exponentially.
    if (tree->work() > PathExpression::kMaxTextBytes) return Value(strong);
  }
  return Value(PathExpressionValue{tree->ToText()});
}

// Dictionaries are merged key by key and path expressions composed over weaker ones.
Value OverValue(const Value& strong, const Value& weak) {
  const auto* dictionary = strong.Get<Dictionary>();
  const auto* under = weak.Get<Dictionary>();
  if (dictionary && under) return Value(Dictionary::Over(*dictionary, *under));
  const auto* expression = strong.Get<PathExpressionValue>();
  const auto* below = weak.Get<PathExpressionValue>();
  return expression && below ? ComposeExpressions(*expression, {&below, 1}) : strong;
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
    const Value* under = nullptr;
    if (below != weak.end() && below->first == key) under = &(below++)->second;
    result.entries_.emplace_back(key, under ? OverValue(value, *under) : value);
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
  bool Go(const Entry& entry) { return Go(entry.first); }
  bool Go(const std::string& text) {
    constexpr size_t kBytesPerStep = 256;
    return pacer_.Go(1 + static_cast<int64_t>(text.size() / kBytesPerStep));
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

  // Keeps an entry of the weaker list whose key the stronger one also has only if it can
  // contribute.
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
      if (!known || Merges(entry->second)) merged.push_back(entry);
    }
    merged.insert(merged.end(), next, strong.end());
    return merged;
  }

  Dictionary Joined(const Entries& entries) {
    Dictionary result;
    std::vector<const Dictionary*> nested;
    std::vector<const PathExpressionValue*> expressions;
    for (size_t i = 0; i < entries.size();) {
      const Entry& strongest = *entries[i];
      if (!Go(strongest)) return result;
      nested.clear();
      expressions.clear();
      for (; i < entries.size() && entries[i]->first == strongest.first; ++i) {
        if (const auto* inner = entries[i]->second.Get<Dictionary>()) nested.push_back(inner);
        const auto* expression = entries[i]->second.Get<PathExpressionValue>();
        if (expression && Go(expression->text)) expressions.push_back(expression);
      }
      result.entries_.emplace_back(strongest.first, Joined(strongest.second, nested, expressions));
    }
    return result;
  }

  Value Joined(const Value& strongest, std::span<const Dictionary* const> nested,
               std::span<const PathExpressionValue* const> expressions) {
    if (strongest.Is<Dictionary>() && nested.size() > 1) return Value(Merge(nested));
    if (strongest.Is<PathExpressionValue>() && expressions.size() > 1) {
      return ComposeExpressions(*expressions[0], expressions.subspan(1));
    }
    return strongest;
  }

  Pacer pacer_;
  Reservation reserved_;
};

Dictionary Dictionary::Merge(RequestContext& context,
                             std::span<const Dictionary* const> strongest_first) {
  return DictionaryMerger(context).Merge(strongest_first);
}

}  // namespace stagedoor
