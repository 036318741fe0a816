#ifndef STAGEDOOR_SCENE_USDA_VALUE_PARTS_H_
#define STAGEDOOR_SCENE_USDA_VALUE_PARTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "scene/usda/element_reader.h"
#include "scene/usda/parse_context.h"

namespace stagedoor::usda {

// The tuples of an element: how deeply they are nested, and the length of each.
struct TupleSize {
  int depth = 0;
  size_t length = 0;
};

// The parts of a value whose tuples and lists do not fit its type.
//
// OpenUSD reads the numbers, strings, asset paths and words of a value in a row, and counts the
// elements of lists separately. A tuple or list that does not fit is reported, but matters only for
// the count: of `float2[] a = [(1, 2, 3), (4, 5)]`, only the second tuple counts, and the one
// element of the array is (1, 2). Used only after reading the value as its type has failed.
class ValueParts {
 public:
  ValueParts(ParseContext* context, TupleSize tuple)
      : context_(context), cursor_(context->cursor), tuple_(tuple) {}

  // Reads a tuple or a list and records a warning about what does not fit. False after recording an
  // error with the cursor if it does not follow the grammar.
  bool Read();

  // The positions of the parts.
  const std::vector<const char*>& parts() const { return parts_; }
  // The number of elements of the array that the lists make.
  size_t ElementCount() const;

 private:
  bool ReadItem(bool in_list);
  bool ReadCompound(char open);
  bool ReadPart();
  // `at` is where the list, tuple or part begins.
  void BeginList();
  void EndList(const char* at);
  void BeginTuple(const char* at);
  void EndTuple(const char* at);
  void CountPart(const char* at);
  // Counts an element of the innermost open list.
  void CountElement();
  void Report(const char* at, std::string message);

  ParseContext* const context_;
  TextCursor& cursor_;
  const TupleSize tuple_;
  std::vector<const char*> parts_;

  // Lists: the depth of the one that is open, the depth of those with elements (none yet: -1), the
  // lengths by depth (0: not known yet), and the elements so far.
  int depth_ = 0;
  int element_depth_ = -1;
  std::vector<size_t> lengths_;
  std::vector<size_t> counts_;

  int tuple_depth_ = 0;
  size_t tuple_counts_[2] = {0, 0};

  const char* wrong_at_ = nullptr;
  std::string wrong_;
};

// Reads elements from parts in a row, for a value at the position of the cursor, which it moves.
class PartReader {
 public:
  PartReader(ParseContext* context, const std::vector<const char*>& parts)
      : cursor_(context->cursor), elements_(context), begin_(cursor_.position()), parts_(parts) {}

  // Each returns false after recording an error with the cursor.
  template <typename T>
  bool Read(T* out) {
    if (next_ == parts_.size()) {
      return cursor_.FailAt(begin_, "the value has too few elements for its type");
    }
    cursor_.MoveTo(parts_[next_++]);
    return elements_.Read(out);
  }
  template <typename T, int N>
  bool Read(Vec<T, N>* out) {
    for (T& item : out->v) {
      if (!Read(&item)) return false;
    }
    return true;
  }
  template <typename T>
  bool Read(Quat<T>* out) {
    return Read(&out->real) && Read(&out->imaginary);
  }
  template <int N>
  bool Read(Matrix<N>* out) {
    for (auto& row : out->m) {
      for (double& item : row) {
        if (!Read(&item)) return false;
      }
    }
    return true;
  }

 private:
  TextCursor& cursor_;
  ElementReader elements_;
  const char* const begin_;
  const std::vector<const char*>& parts_;
  size_t next_ = 0;
};

template <typename T>
inline constexpr TupleSize kTupleSize = {};
template <typename T, int N>
inline constexpr TupleSize kTupleSize<Vec<T, N>> = {1, N};
template <typename T>
inline constexpr TupleSize kTupleSize<Quat<T>> = {1, 4};
template <int N>
inline constexpr TupleSize kTupleSize<Matrix<N>> = {2, N};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_VALUE_PARTS_H_
