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
#include "scene/values/spline.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value.h"

namespace stagedoor {

// Decodes one value of a crate file (Core Specification, 16.3.9 Value Representations, 16.3.10
// Value Types).
//
// Used for one Read; not thread-safe. The file is not trusted: nesting and the memory that a value
// expands to are bounded. Damage gives an Invalid value whose reason states the problem and the
// offset, and lack of memory gives a refused one (scene/values/refused_value.h). Large arrays of
// numbers that are stored uncompressed and aligned become views into the file. Everything else is a
// copy, either of the content that was opened or of the current content, as the caller chooses.
class CrateValueReader {
 public:
  // Which content of a file that others may write to is read: the content that was opened, which
  // costs copies and checks, or the current content, whose use the caller notes
  // (CrateBytes::NoteUse).
  enum class Content : uint8_t { kAsOpened, kCurrent };

  // `tables` must outlive the reader, but not the values that it returns.
  explicit CrateValueReader(const CrateTables& tables, Content content = Content::kAsOpened)
      : tables_(tables),
        current_(content == Content::kCurrent || !tables.bytes().may_change()),
        failures_(tables.bytes().failures()),
        budget_(tables.expansion_limit()) {}

  // The value of the representation; invalid if it cannot be decoded.
  Value Read(CrateValueRep rep);

 private:
  // The invalid value for the error.
  Value Failed();
  // Records an error and returns false, as do all reading functions on failure.
  bool Fail(uint64_t offset, std::string_view what);
  // Deducts `bytes` from the memory that the value may expand to.
  bool Spend(uint64_t offset, uint64_t bytes);
  // Makes an array of `count` numbers, which the caller writes to `*items`. The memory is deducted
  // from what the value may expand to or, if that is too little, charged to expansions().
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
  // Records which digest the copy of an array has whose elements are at `offset`, or are stored
  // there in another form.
  template <typename T>
  void RememberDigest(uint64_t offset, bool expanded, const Array<T>& array);
  bool ReadArrayCount(CrateCursor& in, uint64_t* count);
  template <typename T>
  bool ReadArrayEdit(CrateValueRep rep, Value* value);
  // `at` is the offset that errors name.
  template <typename T>
  bool AddEditSteps(uint64_t at, const Array<int64_t>& code, const Array<T>& literals,
                    ArrayEdit* edit);

  // Reads one item of a sequence.
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
  // Cursors at the payload's offset: At reads the content that the caller chose, Now the current
  // one.
  CrateCursor At(CrateValueRep rep) const {
    return current_ ? Now(rep) : CrateCursor(tables_.bytes(), rep.payload());
  }
  CrateCursor Now(CrateValueRep rep) const {
    return CrateCursor::Current(tables_.bytes(), rep.payload());
  }

  const CrateTables& tables_;
  const bool current_;
  const uint64_t failures_;  // those of the bytes before this reader
  bool unchecked_ = false;   // bytes were read as they are now
  uint64_t budget_;
  int depth_ = 0;
  std::string error_;
  bool refused_ = false;  // whether the error is lack of memory, or of bytes
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_VALUE_READER_H_
