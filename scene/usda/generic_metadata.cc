// The part of MetadataReader for statements of the form `name = value`, whether the field is
// registered or not: KeyValueMetadata of the Core Specification, 16.2.15 Common Metadata.
#include <string_view>
#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/layer/plugin_fields.h"
#include "scene/usda/metadata_reader.h"
#include "scene/values/array.h"
#include "scene/values/list_op.h"
#include "scene/values/unregistered_value.h"

namespace stagedoor::usda {

bool MetadataReader::ReadKeyValue(ListOpType edit) {
  const char* at = cursor_.position();
  std::string_view word = cursor_.PeekIdentifier();
  // These two keywords are also field names, except on layers.
  const bool key_word = spec_ != SpecType::kPseudoRoot && edit == ListOpType::kExplicit &&
                        (word == "customData" || word == "symmetryArguments");
  word = key_word ? cursor_.TakeIdentifier() : cursor_.TakePlainIdentifier();
  if (word.empty()) return cursor_.Fail("expected a metadata field name");
  const Token name = context_->words.Find(word);
  if (!cursor_.TakeAssignment()) return false;
  const FieldDefinition* field = stagedoor::FindFieldDefinition(spec_, name);
  if (!field && context_->plugin_fields) field = context_->plugin_fields->Find(spec_, name);
  if (!field) return ReadUnregistered(name, edit);
  if (!field->metadata) {
    return cursor_.FailAt(at, "'" + name.str() + "' is not a metadata field");
  }
  return field->is_list_op() ? ReadRegisteredListOp(*field, edit) : ReadRegistered(*field, edit);
}

bool MetadataReader::ReadRegistered(const FieldDefinition& field, ListOpType edit) {
  const char* at = cursor_.position();
  Value value;
  if (edit == ListOpType::kExplicit && cursor_.Peek() == '{') {
    Dictionary dictionary;
    if (!values_->ReadDictionary(&dictionary)) return false;
    value = Value(std::move(dictionary));
  } else {
    const ValueTypeName* type = FindValueTypeName(ValueTypeNameOf(field.type, field.is_array));
    if (edit != ListOpType::kExplicit && cursor_.Peek() != '[') {
      return cursor_.Fail("expected a list in brackets");
    }
    if (!type && edit == ListOpType::kExplicit && cursor_.Peek() == '<') {
      // OpenUSD accepts a path wherever it expects a dictionary.
      Path path;
      if (!values_->ReadPath(&path)) return false;
      SetField(fields_, field.name, Value(path));
      return true;
    }
    if (!type) return cursor_.Fail("expected a dictionary");
    if (cursor_.TakeWord("None")) return cursor_.FailAt(at, "this field cannot be 'None'");
    const size_t warnings = cursor_.warning_count();
    if (!values_->ReadValue(*type, &value)) return false;
    // As in OpenUSD, a malformed list may become empty.
    if (edit != ListOpType::kExplicit && value.is_array() && value.array()->empty() &&
        cursor_.warning_count() == warnings) {
      return cursor_.FailAt(at, "only an explicit list may be empty");
    }
  }
  const double* rate = value.Get<double>();
  if (field.name == Fields().framesPerSecond && !(rate && *rate > 0)) {
    return cursor_.FailAt(at, "framesPerSecond must be greater than 0");
  }
  SetField(fields_, field.name, std::move(value));
  return true;
}

namespace {

ValueType ElementOf(ValueType list_op) {
  switch (list_op) {
    case ValueType::kStringListOp:
      return ValueType::kString;
    case ValueType::kIntListOp:
      return ValueType::kInt;
    case ValueType::kUIntListOp:
      return ValueType::kUInt;
    case ValueType::kInt64ListOp:
      return ValueType::kInt64;
    case ValueType::kUInt64ListOp:
      return ValueType::kUInt64;
    default:
      return ValueType::kToken;
  }
}

// Sets one list of the list op to the items of `array`.
template <typename T>
void SetFromArray(FieldList* fields, Token name, ListOpType edit, const Value& array) {
  std::vector<T> items;
  if (const Array<T>* held = array.Get<Array<T>>()) items.assign(held->begin(), held->end());
  // A statement that lists an item twice is ignored, as in OpenUSD.
  SetListItems(fields, name, edit, std::move(items));
}

}  // namespace

bool MetadataReader::ReadRegisteredListOp(const FieldDefinition& field, ListOpType edit) {
  const ValueType element = ElementOf(field.type);
  const ValueTypeName* type = FindValueTypeName(ValueTypeNameOf(element, /*is_array=*/true));
  const char* at = cursor_.position();
  Value array;
  if (edit != ListOpType::kExplicit && cursor_.Peek() == '<') {
    return cursor_.Fail("expected a list in brackets");
  }
  const size_t warnings = cursor_.warning_count();
  if (!values_->ReadListOrNone(*type, &array)) return false;
  // As in OpenUSD, a malformed list may become empty.
  const bool empty_list =
      array.is_array() && array.array()->empty() && cursor_.warning_count() == warnings;
  if (edit != ListOpType::kExplicit && empty_list) {
    return cursor_.FailAt(at, "only an explicit list may be empty");
  }
  switch (element) {
    case ValueType::kToken:
      SetFromArray<Token>(fields_, field.name, edit, array);
      break;
    case ValueType::kString:
      SetFromArray<std::string>(fields_, field.name, edit, array);
      break;
    case ValueType::kInt:
      SetFromArray<int32_t>(fields_, field.name, edit, array);
      break;
    case ValueType::kUInt:
      SetFromArray<uint32_t>(fields_, field.name, edit, array);
      break;
    case ValueType::kUInt64:
      SetFromArray<uint64_t>(fields_, field.name, edit, array);
      break;
    default:
      SetFromArray<int64_t>(fields_, field.name, edit, array);
  }
  return true;
}

bool MetadataReader::ReadUnregistered(Token name, ListOpType edit) {
  std::string text;
  Value value;
  if (cursor_.TakeWord("None")) {
    text = "None";
  } else if (edit != ListOpType::kExplicit) {
    if (cursor_.Peek() != '[') return cursor_.Fail("expected a list in brackets");
    const char* at = cursor_.position();
    if (!values_->ReadAnyValue(&text, &value)) return false;
    if (text == "[]") return cursor_.FailAt(at, "only an explicit list may be empty");
  } else if (cursor_.Peek() == '{') {
    Dictionary dictionary;
    if (!values_->ReadDictionary(&dictionary)) return false;
    SetField(fields_, name, Value(UnregisteredValue{Value(std::move(dictionary))}));
    return true;
  } else if (!values_->ReadAnyValue(&text, &value)) {
    return false;
  }
  if (const Path* path = value.Get<Path>()) text = "<" + path->ToString() + ">";
  if (edit != ListOpType::kExplicit) return SetUnregisteredItems(name, edit, text);
  SetField(fields_, name, Value(UnregisteredValue{Value(std::move(text))}));
  return true;
}

bool MetadataReader::SetUnregisteredItems(Token name, ListOpType edit, std::string_view text) {
  using Items = std::vector<UnregisteredValue>;
  Items items;
  if (text != "None") {
    // The whole list is kept as one item, without its brackets.
    items.push_back({Value(std::string(text.substr(1, text.size() - 2)))});
  }
  ListOp<UnregisteredValue> op;
  if (const Value* old = FindField(fields_, name)) {
    const UnregisteredValue* held = old->Get<UnregisteredValue>();
    const auto* old_op = held ? held->held.Get<ListOp<UnregisteredValue>>() : nullptr;
    if (!old_op) return true;  // an earlier plain value takes precedence
    op = *old_op;
  }
  ItemsOf(&op, edit) = std::move(items);
  SetField(fields_, name, Value(UnregisteredValue{Value(std::move(op))}));
  return true;
}

}  // namespace stagedoor::usda
