#ifndef STAGEDOOR_SCENE_USDA_LIST_OP_FIELDS_H_
#define STAGEDOOR_SCENE_USDA_LIST_OP_FIELDS_H_

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "scene/layer/compact_field_store.h"
#include "scene/usda/parse_context.h"
#include "scene/usda/text_cursor.h"
#include "scene/values/item_index.h"
#include "scene/values/list_op.h"

namespace stagedoor::usda {

// Fields of a spec while it is read, and statements that edit one list of a list op (Core
// Specification, 16.2.14 A General Note on Listops).

using FieldList = CompactFieldStoreBuilder::FieldList;

inline Value* FindField(FieldList* fields, Token name) {
  for (auto& [field, value] : *fields) {
    if (field == name) return &value;
  }
  return nullptr;
}
inline void SetField(FieldList* fields, Token name, Value value) {
  if (Value* found = FindField(fields, name)) {
    *found = std::move(value);
  } else {
    fields->emplace_back(name, std::move(value));
  }
}

enum class ListOpType { kExplicit, kAdd, kDelete, kAppend, kPrepend, kReorder };

// Consumes one of the keywords add, delete, prepend, append and reorder, and returns its edit.
inline std::optional<ListOpType> TakeListOpType(TextCursor& cursor) {
  if (cursor.TakeWord("prepend")) return ListOpType::kPrepend;
  if (cursor.TakeWord("append")) return ListOpType::kAppend;
  if (cursor.TakeWord("delete")) return ListOpType::kDelete;
  if (cursor.TakeWord("add")) return ListOpType::kAdd;
  if (cursor.TakeWord("reorder")) return ListOpType::kReorder;
  return std::nullopt;
}

template <typename T>
std::vector<T>& ItemsOf(ListOp<T>* op, ListOpType edit) {
  switch (edit) {
    case ListOpType::kExplicit:
      return op->explicit_items;
    case ListOpType::kAdd:
      return op->added;
    case ListOpType::kDelete:
      return op->deleted;
    case ListOpType::kAppend:
      return op->appended;
    case ListOpType::kPrepend:
      return op->prepended;
    case ListOpType::kReorder:
      break;
  }
  return op->ordered;
}

template <typename T>
bool HasDuplicates(const std::vector<T>& items) {
  ItemIndex<T> known;
  return !std::all_of(items.begin(), items.end(),
                      [&](const T& item) { return known.Insert(item); });
}

// Sets one list of the op. An explicit list and edits exclude each other: the later statement wins.
// Changes nothing and returns false if an item is listed twice.
template <typename T>
bool SetListItems(FieldList* fields, Token name, ListOpType edit, std::vector<T> items) {
  if (HasDuplicates(items)) return false;
  Value* field = FindField(fields, name);
  const ListOp<T>* old = field ? field->Get<ListOp<T>>() : nullptr;
  ListOp<T> op = old ? *old : ListOp<T>();
  const bool is_explicit = edit == ListOpType::kExplicit;
  if (op.is_explicit != is_explicit) op = ListOp<T>();
  op.is_explicit = is_explicit;
  ItemsOf(&op, edit) = std::move(items);
  SetField(fields, name, Value(std::move(op)));
  return true;
}

// Reads `None`, one path or a bracketed list of paths, and sets one list of the list op in `name`.
// `read_path` appends one path to `*paths`, or records an error with the cursor and returns false.
template <typename ReadPath>
bool ReadPathListEdit(TextCursor& cursor, FieldList* fields, Token name, ListOpType edit,
                      std::vector<Path>* paths, const ReadPath& read_path) {
  const char* at = cursor.position();
  if (!cursor.TakeWord("None")) {
    const bool ok =
        cursor.Take('[') ? ParseList(cursor, ']', /*may_be_empty=*/true, read_path) : read_path();
    if (!ok) return false;
  }
  if (paths->empty() && edit != ListOpType::kExplicit) {
    return cursor.FailAt(at, "only an explicit list may be empty");
  }
  return SetListItems(fields, name, edit, std::move(*paths)) ||
         cursor.FailAt(at, "duplicate path in the list");
}

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_LIST_OP_FIELDS_H_
