// Dictionary: string keys, sorted, each with a value; nests.
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

class Dictionary {
 public:
  using Entry = std::pair<std::string, Value>;

  // Of entries with the same key the last one counts.
  static Dictionary FromEntries(std::vector<Entry> entries);

  // Replaces the entry of `key`.
  void Set(std::string_view key, Value value);
  void Remove(std::string_view key);
  // Null when absent. The ':'-separated form walks into nested dictionaries.
  const Value* Find(std::string_view key) const;
  const Value* FindByKeyPath(std::string_view key_path) const;

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
  std::vector<Entry>::const_iterator end() const { return entries_.end(); }

  // The strongest value of each key; nested dictionaries are merged key by key.
  static Dictionary Over(const Dictionary& strong, const Dictionary& weak);
  // The same of any number, strongest first, at once: of n entries in n log n. Each entry is work
  // of the request; incomplete once that has ended.
  static Dictionary Merge(RequestContext& context,
                          std::span<const Dictionary* const> strongest_first);

  friend bool operator==(const Dictionary&, const Dictionary&) = default;

 private:
  friend class DictionaryMerger;
  std::vector<Entry> entries_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_DICTIONARY_H_
