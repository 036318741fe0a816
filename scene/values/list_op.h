#ifndef STAGEDOOR_SCENE_VALUES_LIST_OP_H_
#define STAGEDOOR_SCENE_VALUES_LIST_OP_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace stagedoor {

// ListOp<T>: an edit of a list of unique items. Corresponds to OpenUSD's SdfListOp; see the Core
// Specification, section 6.6.3 (List Operations). Thread-safe to read.
//
// The edits are compiled once for each type of a field, in list_op.cc. For items of other types,
// include list_op_inl.h.
template <typename T>
class ListOp {
 public:
  using Items = std::vector<T>;

  static ListOp Explicit(Items items) {
    ListOp op;
    op.is_explicit = true;
    op.explicit_items = std::move(items);
    return op;
  }
  static ListOp Prepended(Items items) {
    ListOp op;
    op.prepended = std::move(items);
    return op;
  }

  // False for the default value (section 6.6.3.3), which never changes a list.
  bool HasEdits() const {
    return is_explicit || !prepended.empty() || !appended.empty() || !deleted.empty() ||
           !added.empty() || !ordered.empty();
  }

  // The total number of items in all lists.
  size_t size() const {
    return explicit_items.size() + prepended.size() + appended.size() + deleted.size() +
           added.size() + ordered.size();
  }

  // Applies this operation to the result of weaker ones. An explicit list replaces it (section
  // 6.6.3.6 Combining); otherwise deletes, adds, prepends, appends and reorders, in this order, as
  // SdfListOp::ApplyOperations does. Items that equal one of this operation become that one, which
  // matters for those with parts that do not count for equality. Linear in the number of items.
  void ApplyTo(Items* items) const;

  // The operation that is equivalent to applying `weak` and then `strong` (section 6.6.3.6).
  // Nothing if there is none, because the deprecated "add" and "reorder" depend on the list they
  // are applied to (section 6.6.3.10).
  static std::optional<ListOp> Compose(const ListOp& strong, const ListOp& weak);

  // Moves the items that `order` names into that order. Each takes along the unnamed items that
  // follow it; unnamed items before the first named one stay in front.
  static void Reorder(const Items& order, Items* items);

  friend bool operator==(const ListOp&, const ListOp&) = default;

  bool is_explicit = false;
  Items explicit_items;
  Items prepended;
  Items appended;
  Items deleted;
  Items added;    // deprecated "add"
  Items ordered;  // deprecated "reorder"

 private:
  static void RemoveAll(const Items& removed, Items* items);
  static Items Without(const Items& removed, Items items);
  static Items Concatenated(Items front, const Items& back);
  static Items Unique(const Items& items);
  static Items UniqueKeepLast(const Items& items);
  void Add(Items* items) const;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_LIST_OP_H_
