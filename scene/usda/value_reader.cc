#include "scene/usda/value_reader.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "scene/usda/array_edit_reader.h"
#include "scene/usda/element_reader.h"
#include "scene/usda/text_format.h"
#include "scene/usda/value_parts.h"
#include "scene/values/array.h"
#include "scene/values/array_edit.h"
#include "scene/values/unregistered_value.h"

namespace stagedoor::usda {
namespace {

// A vector that does not value-initialize its items, also for bool.
template <typename T>
class Buffer {
 public:
  void Clear() { size_ = 0; }
  T* Add() {
    if (size_ == capacity_) Grow();
    return &items_[size_++];
  }
  size_t size() const { return size_; }
  Array<T> ToArray() {
    T* out;
    Array<T> array = Array<T>::Uninitialized(size_, &out);
    std::move(items_.get(), items_.get() + size_, out);
    return array;
  }

 private:
  void Grow() {
    capacity_ = capacity_ ? capacity_ * 2 : 64;
    auto grown = std::make_unique_for_overwrite<T[]>(capacity_);
    std::move(items_.get(), items_.get() + size_, grown.get());
    items_ = std::move(grown);
  }

  std::unique_ptr<T[]> items_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// Reads the items of an array. Nested lists must be rectangular and are flattened.
template <typename T>
class ArrayReader {
 public:
  ArrayReader(ParseContext* context, Buffer<T>* buffer)
      : context_(context), cursor_(context->cursor), elements_(context), buffer_(buffer) {}

  // Reads from after the opening bracket through the closing one.
  bool Read() {
    cursor_.SkipMultiLine();
    if (cursor_.Peek() == '[') return ReadNested(0);
    while (true) {
      if (!elements_.Read(buffer_->Add())) return false;
      // Fast path for the usual separator.
      if (cursor_.Peek() == ',' && cursor_.PeekAt(1) == ' ' && IsItemStart(cursor_.PeekAt(2))) {
        cursor_.MoveTo(cursor_.position() + 2);
        continue;
      }
      cursor_.SkipInline();
      if (!cursor_.Take(',')) {
        cursor_.SkipMultiLine();
        return cursor_.Expect(']', "or ','");
      }
      cursor_.SkipMultiLine();
      if (cursor_.Take(']')) return true;
    }
  }

 private:
  static bool IsItemStart(char c) {
    return c == '(' || c == '-' || c == '"' || static_cast<unsigned char>(c - '0') < 10;
  }

  bool ReadNested(size_t depth) {
    const NestingGuard nesting(context_);
    if (!nesting.ok()) return false;
    if (depth == sizes_.size()) sizes_.push_back(0);
    size_t size = 0;
    const bool ok = ParseList(cursor_, ']', /*may_be_empty=*/false, [&] {
      ++size;
      return cursor_.Take('[') ? ReadNested(depth + 1) : ReadLeaf(depth);
    });
    if (!ok) return false;
    if (sizes_[depth] == 0) sizes_[depth] = size;
    return sizes_[depth] == size || cursor_.Fail("nested lists must have the same length");
  }
  bool ReadLeaf(size_t depth) {
    if (leaf_depth_ == kNoDepth) leaf_depth_ = depth;
    if (leaf_depth_ != depth) return cursor_.Fail("array elements must be nested equally deeply");
    return elements_.Read(buffer_->Add());
  }

  static constexpr size_t kNoDepth = ~size_t{0};
  ParseContext* const context_;
  TextCursor& cursor_;
  ElementReader elements_;
  Buffer<T>* const buffer_;
  std::vector<size_t> sizes_;
  size_t leaf_depth_ = kNoDepth;
};

}  // namespace

struct ValueBuffers {
#define X(name, type, text) Buffer<type> name;
  STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
  template <typename T>
  Buffer<T>* Get() {
#define X(name, type, text) \
  if constexpr (std::is_same_v<T, type>) return &name;
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
  }
};

ValueReader::ValueReader(ParseContext* context)
    : context_(context), cursor_(context->cursor), buffers_(std::make_unique<ValueBuffers>()) {}
ValueReader::~ValueReader() = default;

template <typename T>
bool ValueReader::ReadTyped(bool is_array, Value* value) {
  const TextCursor::Mark mark = cursor_.mark();
  return ReadWellFormed<T>(is_array, value) || ReadParts<T>(mark, is_array, value);
}

template <typename T>
bool ValueReader::ReadParts(const TextCursor::Mark& mark, bool is_array, Value* value) {
  if (cursor_.AtEnd() || *mark.at != (is_array ? '[' : '(')) return false;
  TextCursor::Fault fault = cursor_.Retry(mark);
  ValueParts parts(context_, kTupleSize<T>);
  if (!parts.Read()) return cursor_.FailAgain(std::move(fault));
  const char* const behind = cursor_.position();
  cursor_.MoveTo(mark.at);
  PartReader reader(context_, parts.parts());
  if (is_array) {
    Buffer<T>* buffer = buffers_->Get<T>();
    buffer->Clear();
    for (size_t n = parts.ElementCount(); n > 0; --n) {
      if (!reader.Read(buffer->Add())) return cursor_.FailAgain(std::move(fault));
    }
    *value = Value(buffer->ToArray());
  } else {
    T element;
    if (!reader.Read(&element)) return cursor_.FailAgain(std::move(fault));
    *value = Value(std::move(element));
  }
  cursor_.MoveTo(behind);
  return true;
}

template <typename T>
bool ValueReader::ReadWellFormed(bool is_array, Value* value) {
  if (is_array) return ReadArray<T>(value);
  if (cursor_.Peek() == '[') {
    return cursor_.Fail("expected a single value, found a list; the type is not an array type");
  }
  T element;
  if (!ElementReader(context_).Read(&element)) return false;
  *value = Value(std::move(element));
  return true;
}

template <typename T>
bool ValueReader::ReadArray(Value* value) {
  if (!cursor_.Take('[')) return cursor_.Fail("expected a list in brackets for an array type");
  cursor_.SkipInline();
  if (cursor_.Take(']')) {
    *value = Value(Array<T>());
    return true;
  }
  Buffer<T>* buffer = buffers_->Get<T>();
  buffer->Clear();
  if (!ArrayReader<T>(context_, buffer).Read()) return false;
  *value = Value(buffer->ToArray());
  return true;
}

template <typename T>
bool ValueReader::ReadEdit(Value* value) {
  ArrayEdit edit;
  edit.element = ValueTypeOf<T>::kType;
  const auto read_element = [this](Value* out) { return ReadTyped<T>(false, out); };
  if (!ReadArrayEditSteps(cursor_, read_element, &edit.steps)) return false;
  *value = Value(std::move(edit));
  return true;
}

bool ValueReader::ReadValue(const ValueTypeName& type, Value* value) {
  if (cursor_.Peek() == '<') {
    Path path;
    if (!ReadPath(&path)) return false;
    *value = Value(path);
    return true;
  }
  switch (type.type) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return ReadTyped<cpp>(type.is_array, value);
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return cursor_.Fail("attributes of this type cannot have values");
  }
}

bool ValueReader::ReadValueOrEdit(const ValueTypeName& type, Value* value) {
  if (!type.is_array || cursor_.Peek() != 'e') return ReadValue(type, value);
  if (!cursor_.TakeWord("edit")) return ReadValue(type, value);
  cursor_.SkipInline();
  switch (type.type) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return ReadEdit<cpp>(value);
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return cursor_.Fail("arrays of this type cannot be edited");
  }
}

bool ValueReader::ReadListOrNone(const ValueTypeName& array_type, Value* value) {
  if (!cursor_.TakeWord("None")) return ReadValue(array_type, value);
  *value = Value();
  return true;
}

bool ValueReader::ReadPathText(std::string_view* text, const char** at) {
  *at = cursor_.position();
  return cursor_.TakePathText(text);
}

bool ValueReader::ReadPath(Path* path) {
  std::string_view text;
  const char* at;
  if (!ReadPathText(&text, &at)) return false;
  *path = Path();
  if (text.empty()) return true;
  const absl::StatusOr<Path> parsed = Path::Parse(text);
  if (!parsed.ok()) return cursor_.FailAt(at, std::string(parsed.status().message()));
  *path = *parsed;
  return true;
}

bool ValueReader::AppendAtom(std::string* out) {
  Number number;
  if (cursor_.TakeNumber(&number)) {
    AppendNumber(number, out);
    return !cursor_.failed();
  }
  std::string text;
  if (cursor_.failed()) return false;
  if (cursor_.AtQuote()) {
    if (!cursor_.TakeString(&text)) return false;
    AppendQuoted(text, out);
    return true;
  }
  if (cursor_.Peek() == '@') {
    if (!cursor_.TakeAsset(&text)) return false;
    AppendAsset(text, out);
    return true;
  }
  const std::string_view word = cursor_.TakePlainIdentifier();
  out->append(word);
  return !word.empty() || cursor_.Fail("expected a value");
}

bool ValueReader::AppendCompound(char open, std::string* out) {
  const NestingGuard nesting(context_);
  if (!nesting.ok()) return false;
  const char close = open == '(' ? ')' : ']';
  out->push_back(open);
  bool first = true;
  const bool ok = ParseList(cursor_, close, /*may_be_empty=*/false, [&] {
    if (!std::exchange(first, false)) out->append(", ");
    return AppendItem(close == ']', out);
  });
  out->push_back(close);
  return ok;
}

bool ValueReader::AppendItem(bool lists, std::string* out) {
  if (cursor_.Take('(')) return AppendCompound('(', out);
  if (lists && cursor_.Take('[')) return AppendCompound('[', out);
  return AppendAtom(out);
}

bool ValueReader::ReadAnyValue(std::string* text, Value* path) {
  text->clear();
  *path = Value();
  if (cursor_.Peek() == '<') {
    Path parsed;
    if (!ReadPath(&parsed)) return false;
    *path = Value(parsed);
    return true;
  }
  if (cursor_.Take('(')) return AppendCompound('(', text);
  if (!cursor_.Take('[')) return AppendAtom(text);
  cursor_.SkipInline();
  if (!cursor_.Take(']')) return AppendCompound('[', text);
  *text = "[]";
  return true;
}

bool ValueReader::ReadUnknown(Value* value) {
  std::string text;
  if (!ReadAnyValue(&text, value)) return false;
  if (value->empty()) *value = Value(UnregisteredValue{Value(std::move(text))});
  return true;
}

bool ValueReader::ReadDictionaryKey(std::string* key) {
  if (cursor_.AtQuote()) return cursor_.TakeString(key);
  *key = cursor_.TakeIdentifier();
  return !key->empty() || cursor_.Fail("expected a key: an identifier or a quoted string");
}

bool ValueReader::ReadDictionaryEntry(std::vector<Dictionary::Entry>* entries) {
  Dictionary::Entry entry;
  if (cursor_.TakeWord("dictionary")) {
    Dictionary inner;
    if (!cursor_.TakeSeparator() || !ReadDictionaryKey(&entry.first) || !cursor_.TakeAssignment() ||
        !ReadDictionary(&inner)) {
      return false;
    }
    entry.second = Value(std::move(inner));
    entries->push_back(std::move(entry));
    return true;
  }
  TokenCache::TypeEntry type;
  const char* at = cursor_.position();
  if (!ReadTypeName(context_, &type)) return false;
  if (!type.type) {
    return cursor_.FailAt(at, "unknown type '" + type.token.str() + "' for a dictionary entry");
  }
  if (!cursor_.TakeSeparator() || !ReadDictionaryKey(&entry.first) || !cursor_.TakeAssignment() ||
      !ReadValue(*type.type, &entry.second)) {
    return false;
  }
  entries->push_back(std::move(entry));
  return true;
}

bool ValueReader::ReadDictionary(Dictionary* dictionary) {
  const NestingGuard nesting(context_);
  if (!nesting.ok() || !cursor_.Expect('{', "to open a dictionary")) return false;
  std::vector<Dictionary::Entry> entries;
  if (!ParseStatements(cursor_, '}', [&] { return ReadDictionaryEntry(&entries); })) return false;
  *dictionary = Dictionary::FromEntries(std::move(entries));
  return true;
}

bool ValueReader::ReadStringDictionary(Dictionary* dictionary) {
  if (!cursor_.Expect('{', "to open a dictionary")) return false;
  std::vector<Dictionary::Entry> entries;
  const bool ok = ParseList(cursor_, '}', /*may_be_empty=*/true, [&] {
    std::string key, text;
    if (!cursor_.TakeString(&key)) return false;
    cursor_.SkipInline();
    if (!cursor_.Expect(':', "after a key")) return false;
    cursor_.SkipInline();
    if (!cursor_.TakeString(&text)) return false;
    entries.emplace_back(std::move(key), Value(std::move(text)));
    return true;
  });
  *dictionary = Dictionary::FromEntries(std::move(entries));
  return ok;
}

bool ReadTypeName(ParseContext* context, TokenCache::TypeEntry* type) {
  TextCursor& cursor = context->cursor;
  const char* first = cursor.position();
  const std::string_view name = cursor.TakePlainIdentifier();
  if (name.empty()) return cursor.Fail("expected a type name");
  const char* const behind = cursor.position();
  cursor.SkipInline();
  if (!cursor.Take('[')) {
    cursor.MoveTo(behind);
    *type = context->words.FindType(name);
    return true;
  }
  cursor.SkipInline();
  if (!cursor.Expect(']', "to close an array type")) return false;
  if (cursor.position() == behind + 2) {  // exactly "type[]"
    *type = context->words.FindType({first, static_cast<size_t>(behind + 2 - first)});
  } else {
    *type = context->words.FindType(std::string(name) + "[]");
  }
  return true;
}

}  // namespace stagedoor::usda
