#ifndef STAGEDOOR_SCENE_VALUES_DICTIONARY_H_
#define STAGEDOOR_SCENE_VALUES_DICTIONARY_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "scene/values/value.h"

namespace stagedoor {

// A map from strings to values, sorted by key. Corresponds to OpenUSD's VtDictionary; see the Core
// Specification, section 6.6.2 (Dictionaries). Thread-safe to read.
class Dictionary {
 public:
  using Entry = std::pair<std::string, Value>;

  // Creates a dictionary from entries in any order. The last entry with a given key wins.
  static Dictionary FromEntries(std::vector<Entry> entries);

  // Adds or replaces the entry of `key`.
  void Set(std::string_view key, Value value);
  void Remove(std::string_view key);
  // The value of a key, or null if there is none. A key path names an entry of nested dictionaries
  // by keys that are separated by ':'.
  const Value* Find(std::string_view key) const;
  const Value* FindByKeyPath(std::string_view key_path) const;

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
  std::vector<Entry>::const_iterator end() const { return entries_.end(); }

  // Combines two dictionaries like VtDictionaryOverRecursive (section 6.6.2.1 Combining): the
  // stronger value of each key wins, and nested dictionaries are merged key by key.
  static Dictionary Over(const Dictionary& strong, const Dictionary& weak);
  // Combines any number of dictionaries at once, in O(n log n) for n entries in total. Each entry
  // counts as work of the request; the result is incomplete once the request has ended.
  static Dictionary Merge(RequestContext& context,
                          std::span<const Dictionary* const> strongest_first);

  friend bool operator==(const Dictionary&, const Dictionary&) = default;

 private:
  friend class DictionaryMerger;
  std::vector<Entry> entries_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_DICTIONARY_H_
