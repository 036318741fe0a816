// ValueReader: typed values in layer text: scalars, tuples, arrays and edits of arrays.
//
// Arrays are read straight into buffers of their element type. What a value may look like depends
// on its type as in OpenUSD: numbers convert (1.5 to int 1, out of range is an error), bools take
// numbers and the words true, false, yes and no, floats the words inf and nan.
#ifndef STAGEDOOR_SCENE_USDA_VALUE_READER_H_
#define STAGEDOOR_SCENE_USDA_VALUE_READER_H_

#include <memory>
#include <string>

#include "scene/usda/parse_context.h"
#include "scene/values/dictionary.h"
#include "scene/values/value.h"

namespace stagedoor::usda {

struct ValueBuffers;  // scratch space of every element type

class ValueReader {
 public:
  explicit ValueReader(ParseContext* context);
  ~ValueReader();

  // A value of `type`. Paths in angle brackets are values of any type.
  bool ReadValue(const ValueTypeName& type, Value* value);
  // The same, where `edit [ … ]` may stand for an array.
  bool ReadValueOrEdit(const ValueTypeName& type, Value* value);
  // Any value as its text in canonical form; `*path` is set instead for a path in angle brackets.
  bool ReadAnyValue(std::string* text, Value* path);
  // An UnregisteredValue or a Path.
  bool ReadUnknown(Value* value);
  // The list of a list op: elements of `type` in brackets, None gives none.
  bool ReadListOrNone(const ValueTypeName& array_type, Value* value);

  // { type key = value … }, nested.
  bool ReadDictionary(Dictionary* dictionary);
  // { "key": "value", … }
  bool ReadStringDictionary(Dictionary* dictionary);

  // <path>; malformed ones are errors, <> gives the empty path.
  bool ReadPath(Path* path);
  // Without checking the path's form: its text and where it stands.
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
  bool ReadArray(Value* value);
  template <typename T>
  bool ReadEdit(Value* value);

  ParseContext* const context_;
  TextCursor& cursor_;
  const std::unique_ptr<ValueBuffers> buffers_;
};

// A type name with its optional brackets.
bool ReadTypeName(ParseContext* context, TokenCache::TypeEntry* type);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_VALUE_READER_H_
