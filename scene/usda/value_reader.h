#ifndef STAGEDOOR_SCENE_USDA_VALUE_READER_H_
#define STAGEDOOR_SCENE_USDA_VALUE_READER_H_

#include <memory>
#include <string>

#include "scene/usda/parse_context.h"
#include "scene/values/dictionary.h"
#include "scene/values/value.h"

namespace stagedoor::usda {

struct ValueBuffers;  // scratch space of every element type

// Reads typed values in layer text: scalars, tuples, arrays, array edits and dictionaries (Core
// Specification, 16.2.11 Values).
//
// Arrays are read directly into buffers of their element type. The accepted forms of a value depend
// on its type, as in OpenUSD: numbers convert (1.5 becomes the int 1; out of range is an error),
// bool accepts numbers and the words true, false, yes and no, and floating-point types accept inf
// and nan. Values that OpenUSD reads although they are malformed are read as it does, and recorded
// as warnings with the cursor.
//
// Borrows the context; not thread-safe. All functions return false after recording an error with
// the cursor.
class ValueReader {
 public:
  explicit ValueReader(ParseContext* context);
  ~ValueReader();

  // Reads a value of `type`. A path in angle brackets is accepted for any type.
  bool ReadValue(const ValueTypeName& type, Value* value);
  // As ReadValue, but for array types `edit [ … ]` is accepted too and gives an ArrayEdit.
  bool ReadValueOrEdit(const ValueTypeName& type, Value* value);
  // Reads any value and gives its text in canonical form, or sets `*path` for a path in angle
  // brackets.
  bool ReadAnyValue(std::string* text, Value* path);
  // Reads a value of unknown type as an UnregisteredValue or a Path.
  bool ReadUnknown(Value* value);
  // Reads one list of a list op: elements in brackets, or `None`, which gives an empty Value.
  bool ReadListOrNone(const ValueTypeName& array_type, Value* value);

  // Reads `{ type key = value … }`, which may be nested.
  bool ReadDictionary(Dictionary* dictionary);
  // Reads `{ "key": "value", … }`.
  bool ReadStringDictionary(Dictionary* dictionary);

  // Reads `<path>`; `<>` gives the empty path. A malformed path is an error.
  bool ReadPath(Path* path);
  // As ReadPath, without parsing the path: gives its text and its position.
  bool ReadPathText(std::string_view* text, const char** at);

 private:
  bool ReadDictionaryEntry(std::vector<Dictionary::Entry>* entries);
  bool ReadDictionaryKey(std::string* key);
  bool AppendAtom(std::string* out);
  bool AppendCompound(char open, std::string* out);
  bool AppendItem(bool lists, std::string* out);
  template <typename T>
  bool ReadTyped(bool is_array, Value* value);
  template <typename T>
  bool ReadWellFormed(bool is_array, Value* value);
  // Reads a value whose tuples or lists do not fit its type; see ValueParts.
  template <typename T>
  bool ReadParts(const TextCursor::Mark& mark, bool is_array, Value* value);
  template <typename T>
  bool ReadArray(Value* value);
  template <typename T>
  bool ReadEdit(Value* value);

  ParseContext* const context_;
  TextCursor& cursor_;
  const std::unique_ptr<ValueBuffers> buffers_;
};

// Reads a type name with its optional brackets; false after recording an error with the cursor.
bool ReadTypeName(ParseContext* context, TokenCache::TypeEntry* type);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_VALUE_READER_H_
