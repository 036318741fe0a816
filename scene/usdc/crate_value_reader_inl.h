#ifndef STAGEDOOR_SCENE_USDC_CRATE_VALUE_READER_INL_H_
#define STAGEDOOR_SCENE_USDC_CRATE_VALUE_READER_INL_H_

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scene/usdc/crate_value_reader.h"
#include "scene/values/asset_path.h"
#include "scene/values/item_index.h"
#include "scene/values/list_op.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/unregistered_value.h"

namespace stagedoor {

// The templates of CrateValueReader that read one item of each type; included only by its sources.

// Types that have the same bytes in the file as in memory.
template <typename T>
inline constexpr bool kCrateBitwise = std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool> &&
                                      !std::is_same_v<T, Token> && !std::is_same_v<T, Path>;

// The minimum size of an item in the file, in bytes.
template <typename T>
inline constexpr size_t kCrateItemSize =
    kCrateBitwise<T>                                                     ? sizeof(T)
    : std::is_same_v<T, bool>                                            ? 1
    : std::is_same_v<T, Reference>                                       ? 32
    : std::is_same_v<T, Payload> || std::is_same_v<T, UnregisteredValue> ? 8
                                                                         : sizeof(uint32_t);

template <typename T>
bool CrateValueReader::ReadItem(CrateCursor& in, T* out) {
  const uint64_t at = in.offset();
  if constexpr (kCrateBitwise<T>) {
    return in.Read(out) || Fail(at, "value is outside the file");
  } else if constexpr (std::is_same_v<T, bool>) {
    uint8_t byte = 0;
    if (!in.Read(&byte)) return Fail(at, "value is outside the file");
    *out = byte != 0;
    return true;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return ReadText(in, out);
  } else if constexpr (std::is_same_v<T, AssetPath>) {
    return ReadText(in, &out->authored);
  } else if constexpr (std::is_same_v<T, PathExpressionValue>) {
    return ReadText(in, &out->text);
  } else if constexpr (std::is_same_v<T, Token>) {
    uint32_t index = 0;
    return (in.Read(&index) && tables_.FindToken(index, out)) || Fail(at, "bad token index");
  } else if constexpr (std::is_same_v<T, Path>) {
    uint32_t index = 0;
    return (in.Read(&index) && tables_.FindPath(index, out)) || Fail(at, "bad path index");
  } else if constexpr (std::is_same_v<T, Reference>) {
    return ReadItem(in, &out->asset) && ReadItem(in, &out->prim_path) &&
           ReadItem(in, &out->offset) && ReadDictionary(in, &out->custom_data);
  } else if constexpr (std::is_same_v<T, Payload>) {
    if (!ReadItem(in, &out->asset) || !ReadItem(in, &out->prim_path)) return false;
    return tables_.version() < CrateVersion{0, 8, 0} || ReadItem(in, &out->offset);
  } else {
    static_assert(std::is_same_v<T, UnregisteredValue>);
    return ReadUnregistered(in, out);
  }
}

template <typename T>
bool CrateValueReader::ReadItems(CrateCursor& in, std::vector<T>* out) {
  const uint64_t at = in.offset();
  uint64_t count = 0;
  if (!in.Read(&count) || count > in.remaining() / kCrateItemSize<T>) {
    return Fail(at, "items are outside the file");
  }
  if (!Spend(at, count * sizeof(T))) return false;
  out->resize(count);
  for (T& item : *out) {
    if (!ReadItem(in, &item)) return false;
  }
  return true;
}

// Removes duplicates, keeping the first of equal items, or the last.
template <typename T>
void DropDuplicates(bool keep_last, std::vector<T>* items) {
  if (items->size() < 2) return;
  if (keep_last) std::reverse(items->begin(), items->end());
  std::vector<T> unique;
  unique.reserve(items->size());  // the index points at its items
  ItemIndex<T> index;
  for (T& item : *items) {
    if (index.Find(item)) continue;
    unique.push_back(std::move(item));
    index.Insert(unique.back());
  }
  if (keep_last) std::reverse(unique.begin(), unique.end());
  *items = std::move(unique);
}

template <typename T>
bool CrateValueReader::ReadListOp(CrateCursor& in, ListOp<T>* out) {
  const uint64_t at = in.offset();
  uint8_t bits = 0;
  if (!in.Read(&bits)) return Fail(at, "list op is outside the file");
  out->is_explicit = bits & kCrateExplicit;
  const std::pair<uint8_t, std::vector<T>*> lists[] = {{kCrateExplicitItems, &out->explicit_items},
                                                       {kCrateAdded, &out->added},
                                                       {kCratePrepended, &out->prepended},
                                                       {kCrateAppended, &out->appended},
                                                       {kCrateDeleted, &out->deleted},
                                                       {kCrateOrdered, &out->ordered}};
  for (const auto& [bit, items] : lists) {
    if (!(bits & bit)) continue;
    if (!ReadItems(in, items)) return false;
    // As in OpenUSD, duplicates in added and ordered items are kept.
    if (bit != kCrateAdded && bit != kCrateOrdered) DropDuplicates(bit == kCrateAppended, items);
  }
  // Explicit items make the list op explicit even if its flag is not set.
  if (!out->explicit_items.empty()) out->is_explicit = true;
  return true;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_VALUE_READER_INL_H_
