// CrateValueReader: decodes one value of a crate file.
//
// Made for one Read and thrown away. What the file says is not trusted: nesting and the memory a
// value expands to are bounded, and damage gives an Invalid value that says what is wrong and
// where; want of memory gives a refused one (scene/values/refused_value.h). Large arrays of numbers
// become views into the file where they are stored plainly and aligned; everything else is a copy
// of what the file held when it was opened, or of what it holds now, as the caller says.
#ifndef STAGEDOOR_SCENE_USDC_CRATE_VALUE_READER_H_
#define STAGEDOOR_SCENE_USDC_CRATE_VALUE_READER_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/usdc/crate_cursor.h"
#include "scene/usdc/crate_format.h"
#include "scene/usdc/crate_tables.h"
#include "scene/values/array_edit.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/reference.h"
#include "scene/values/scalar_types.h"
#include "scene/values/spline.h"
#include "scene/values/value.h"

namespace stagedoor {

class CrateValueReader {
 public:
  // What is read of a file that others may write to: what was opened, whatever that costs, or what
  // is there now, which the caller notes as a use (CrateBytes::NoteUse).
  enum class Content : uint8_t { kAsOpened, kCurrent };

  // `tables` must outlive the reader; what it returns keeps what it needs.
  explicit CrateValueReader(const CrateTables& tables, Content content = Content::kAsOpened)
      : tables_(tables),
        current_(content == Content::kCurrent || !tables.bytes().may_change()),
        budget_(tables.expansion_limit()) {}

  Value Read(CrateValueRep rep);

 private:
  // The reason of an invalid value.
  Value Failed();
  // Every reading function returns false after Fail().
  bool Fail(uint64_t offset, std::string_view what);
  // Takes `bytes` from what the value may expand to.
  bool Spend(uint64_t offset, uint64_t bytes);
  // An array of `count` numbers to be written to `*items`: from what the value may expand to, else
  // charged to those that pay for large expansions.
  template <typename T>
  bool Allocate(uint64_t offset, uint64_t count, Array<T>* array, T** items);

  bool ReadValue(CrateValueRep rep, Value* value);
  bool ReadInlined(CrateValueRep rep, Value* value);
  bool ReadStored(CrateValueRep rep, Value* value);

  template <typename T>
  bool ReadElement(CrateValueRep rep, Value* value);
  template <typename T>
  bool Uninline(CrateValueRep rep, T* out);
  template <typename T>
  bool ReadArray(CrateValueRep rep, Array<T>* array);
  template <typename T>
  bool ReadPlainArray(CrateCursor& in, uint64_t count, Array<T>* array);
  template <typename T>
  bool ReadCompressedInts(CrateCursor& in, uint64_t count, Array<T>* array);
  template <typename T>
  bool ReadCompressedFloats(CrateCursor& in, uint64_t count, Array<T>* array);
  bool ReadArrayCount(CrateCursor& in, uint64_t* count);
  template <typename T>
  bool ReadArrayEdit(CrateValueRep rep, Value* value);
  template <typename T>
  bool AddEditSteps(const Array<int64_t>& code, const Array<T>& literals, ArrayEdit* edit);

  // One item of a sequence.
  template <typename T>
  bool ReadItem(CrateCursor& in, T* out);
  template <typename T>
  bool ReadItems(CrateCursor& in, std::vector<T>* out);
  template <typename T>
  bool ReadListOp(CrateCursor& in, ListOp<T>* out);
  bool ReadText(CrateCursor& in, std::string* out);
  bool ReadNested(CrateCursor& in, Value* value);
  bool ReadDictionary(CrateCursor& in, Dictionary* out);
  bool ReadVariantSelections(CrateCursor& in, VariantSelections* out);
  bool ReadRelocates(CrateCursor& in, Relocates* out);
  bool ReadUnregistered(CrateCursor& in, UnregisteredValue* out);
  bool ReadSpline(CrateCursor& in, Spline* out);
  bool ReadTimeSamples(CrateCursor& steady, Value* value);
  bool ReadTimes(CrateValueRep rep, Array<double>* times);
  // Reads what the caller asked for, or what is there now.
  CrateCursor At(CrateValueRep rep) const {
    return current_ ? Now(rep) : CrateCursor(tables_.bytes(), rep.payload());
  }
  CrateCursor Now(CrateValueRep rep) const {
    return CrateCursor(tables_.bytes().now(), rep.payload());
  }

  const CrateTables& tables_;
  const bool current_;
  bool unchecked_ = false;  // bytes were read as they are now
  uint64_t budget_;
  int depth_ = 0;
  std::string error_;
  bool refused_ = false;  // for want of memory
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_VALUE_READER_H_
