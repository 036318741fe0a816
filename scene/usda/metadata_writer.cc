#include "scene/usda/metadata_writer.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "scene/layer/field_definition.h"
#include "scene/layer/field_keys.h"
#include "scene/paths/dictionary_order.h"
#include "scene/paths/identifier.h"
#include "scene/paths/variant_names.h"
#include "scene/usda/field_reader.h"
#include "scene/usda/round_trip_checks.h"
#include "scene/usda/text_cursor.h"
#include "scene/values/array_edit.h"
#include "scene/values/item_index.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value_type_name.h"

namespace stagedoor::usda {
namespace {

// True for fields that are not written as metadata but by statements of their own.
bool IsStructure(SpecType type, Token name) {
  const FieldKeys& f = Fields();
  if (name == f.comment) return true;
  switch (type) {
    case SpecType::kPseudoRoot:
      return name == f.primOrder || name == f.subLayerOffsets;
    case SpecType::kPrim:
    case SpecType::kVariant:
      return name == f.specifier || name == f.typeName || name == f.primOrder ||
             name == f.propertyOrder;
    case SpecType::kAttribute:
    case SpecType::kRelationship:
      return name == f.custom || name == f.variability || name == f.typeName ||
             name == f.default_ || name == f.timeSamples || name == f.spline ||
             name == f.connectionPaths || name == f.targetPaths;
    case SpecType::kVariantSet:
      break;
  }
  return true;
}

// True if the text of an unregistered value is obviously a single value: a word, digits, or a
// string of plain characters.
bool IsPlainText(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  if (quoted) {
    return std::all_of(text.begin() + 1, text.end() - 1, [](unsigned char c) {
      return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    });
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (std::all_of(text.begin(), text.end(), is_digit)) return true;
  TextCursor cursor(text);
  return !cursor.TakePlainIdentifier().empty() && cursor.AtEnd();
}

// True if a text layer does not accept the item in a list.
bool IsOdd(const std::string& variant_set) { return !IsVariantName(variant_set); }
bool IsOdd(Path path) {
  return !path.IsPrim() || !path.IsAbsolute() || path.ContainsVariantSelection();
}
bool IsOdd(const Reference& arc) { return !arc.prim_path.empty() && IsOdd(arc.prim_path); }
bool IsOdd(const Payload& arc) { return !arc.prim_path.empty() && IsOdd(arc.prim_path); }

// True if a text layer does not accept some item of a list op, or one that is listed twice.
template <typename T>
bool HasOddItems(const Value& value) {
  const ListOp<T>* op = value.Get<ListOp<T>>();
  if (op == nullptr) return false;
  for (const auto* items : {&op->explicit_items, &op->added, &op->deleted, &op->ordered,
                            &op->prepended, &op->appended}) {
    ItemIndex<T> known;
    const auto is_odd = [&](const T& item) { return IsOdd(item) || !known.Insert(item); };
    if (std::any_of(items->begin(), items->end(), is_odd)) return true;
  }
  // Text cannot express an empty list of variant sets.
  return std::is_same_v<T, std::string> && op->is_explicit && op->explicit_items.empty();
}

bool HasOddNames(const Value& value) {
  const auto* selections = value.Get<VariantSelections>();
  return selections && !std::all_of(selections->begin(), selections->end(), [](const auto& entry) {
           const auto& [set, variant] = entry;
           return IsVariantName(set) && IsVariantSelection(variant);
         });
}

// True if a text layer may be unable to express the field, because its value has an unexpected
// type, holds words that only a crate can hold, or is on a spec where the field does not belong.
// Such statements are written only if they can be read back.
bool IsUnusual(SpecType spec, Token name, const Value& value) {
  if (IsMisplacedField(spec, name) || HasOddNames(value)) return true;
  if (HasOddItems<std::string>(value) || HasOddItems<Path>(value) ||
      HasOddItems<Reference>(value) || HasOddItems<Payload>(value)) {
    return true;
  }
  // Text accepts only certain words for displayUnit, and identifiers for symmetryFunction.
  if (name == Fields().displayUnit || name == Fields().symmetryFunction) return true;
  if (const FieldDefinition* field = FindFieldDefinition(spec, name)) {
    return field->type != ValueType::kEmpty &&
           (value.type() != field->type || value.is_array() != field->is_array);
  }
  if (!IsIdentifier(name.text())) return true;
  // These are written under keywords (relocates, variants), not under the field's name.
  if (value.Is<Relocates>() || value.Is<VariantSelections>()) return true;
  const auto* held = value.Get<UnregisteredValue>();
  const auto* text = held ? held->held.Get<std::string>() : nullptr;
  return text && !IsPlainText(*text);
}

class FieldWriter {
 public:
  FieldWriter(int indent, TextSink* out) : indent_(indent), out_(*out) {}

  // Writes one statement with its line end, or nothing if the value has no text form or the
  // statement could not be read back.
  void WriteReadable(SpecType spec, Token name, const Value& value) {
    const size_t start = out_.text().size();
    Write(name, value);
    if (out_.text().size() == start || !IsUnusual(spec, name, value)) return;
    const std::string_view statement = std::string_view(out_.text()).substr(start);
    if (!ParsesAsMetadata(spec, name, statement)) out_.text().resize(start);
  }

  void WriteSubLayers(const std::vector<std::string>& assets,
                      const std::vector<LayerOffset>& offsets) {
    out_.Indent(indent_).Put("subLayers = [\n");
    for (size_t i = 0; i < assets.size(); ++i) {
      out_.Indent(indent_ + 1).Asset(assets[i]);
      if (i < offsets.size()) WriteOffset(offsets[i]);
      out_.Put(i + 1 < assets.size() ? ",\n" : "\n");
    }
    out_.Indent(indent_).Put("]\n");
  }

 private:
  void Write(Token name, const Value& value) {
    RequireVersion(value, &out_);
    switch (value.type()) {
      case ValueType::kDictionary:
        return WriteDictionaryField(name, *value.Get<Dictionary>());
      case ValueType::kVariantSelections:
        return WriteSelections(*value.Get<VariantSelections>());
      case ValueType::kReferenceListOp:
        return WriteListOp(name.text(), *value.Get<ListOp<Reference>>());
      case ValueType::kPayloadListOp:
        return WriteListOp(name.text(), *value.Get<ListOp<Payload>>());
      case ValueType::kPathListOp:
        return WriteListOp(name == Fields().inheritPaths ? "inherits" : name.text(),
                           *value.Get<ListOp<Path>>());
      case ValueType::kTokenListOp:
        return WriteListOp(name.text(), *value.Get<ListOp<Token>>());
      case ValueType::kStringListOp:
        return WriteListOp(name == Fields().variantSetNames ? "variantSets" : name.text(),
                           *value.Get<ListOp<std::string>>());
      case ValueType::kIntListOp:
        return WriteListOp(name.text(), *value.Get<ListOp<int32_t>>());
      case ValueType::kUIntListOp:
        return WriteListOp(name.text(), *value.Get<ListOp<uint32_t>>());
      case ValueType::kInt64ListOp:
        return WriteListOp(name.text(), *value.Get<ListOp<int64_t>>());
      case ValueType::kUInt64ListOp:
        return WriteListOp(name.text(), *value.Get<ListOp<uint64_t>>());
      case ValueType::kUnregisteredListOp:
        return WriteListOp(name.text(), *value.Get<ListOp<UnregisteredValue>>());
      case ValueType::kUnregistered:
        return WriteUnregistered(name, *value.Get<UnregisteredValue>());
      case ValueType::kRelocates:
        return WriteRelocates(*value.Get<Relocates>());
      case ValueType::kPermission:
        return Line(name.text(),
                    *value.Get<Permission>() == Permission::kPublic ? "public" : "private");
      default:
        WriteSimple(name, value);
    }
  }

  void Line(std::string_view name, std::string_view text) {
    out_.Indent(indent_).Put(name, " = ", text, "\n");
  }

  void WriteSimple(Token name, const Value& value) {
    const FieldKeys& f = Fields();
    std::string text;
    if (name == f.symmetryFunction || name == f.displayUnit) {
      if (const Token* word = value.Get<Token>()) text = word->text();
    } else if (const bool* flag = value.Get<bool>()) {
      text = *flag ? "true" : "false";
    } else {
      AppendValueText(value, &text);
      if (text.empty()) return;
    }
    Line(name == f.documentation ? "doc" : name.text(), text);
  }

  void WriteUnregistered(Token name, const UnregisteredValue& value) {
    if (const auto* op = value.held.Get<ListOp<UnregisteredValue>>()) {
      WriteListOp(name.text(), *op);
    } else if (const auto* dictionary = value.held.Get<Dictionary>()) {
      WriteDictionaryField(name, *dictionary);
    } else if (const auto* text = value.held.Get<std::string>(); text && !text->empty()) {
      Line(name.text(), *text);
    }
  }

  void WriteDictionaryField(Token name, const Dictionary& dictionary) {
    out_.Indent(indent_).Put(name.text(), " = ");
    const bool substitutions =
        name == Fields().prefixSubstitutions || name == Fields().suffixSubstitutions;
    if (!substitutions) return WriteDictionary(dictionary, indent_, &out_);
    out_.Put("{\n");
    size_t left = dictionary.size();
    for (const auto& [key, value] : dictionary) {
      const std::string* text = value.Get<std::string>();
      out_.Indent(indent_ + 1).Quoted(key).Put(": ").Quoted(text ? *text : "");
      out_.Put(--left > 0 ? ", \n" : "\n");
    }
    out_.Indent(indent_).Put("}\n");
  }

  void WriteSelections(const VariantSelections& selections) {
    Dictionary dictionary;
    for (const auto& [set, variant] : selections) dictionary.Set(set, Value(variant));
    out_.Indent(indent_).Put("variants = ");
    WriteDictionary(dictionary, indent_, &out_);
  }

  void WriteRelocates(const Relocates& relocates) {
    out_.Indent(indent_).Put("relocates = {\n");
    size_t left = relocates.size();
    for (const auto& [source, target] : relocates) {
      out_.Indent(indent_ + 1).PathText(source).Put(": ").PathText(target);
      out_.Put(--left > 0 ? ", \n" : "\n");
    }
    out_.Indent(indent_).Put("}\n");
  }

  void WriteOffset(const LayerOffset& offset) {
    if (offset.IsIdentity()) return;
    out_.Put(" (");
    if (offset.offset != 0) out_.Put("offset = ").Number(offset.offset);
    if (offset.offset != 0 && offset.scale != 1) out_.Put("; ");
    if (offset.scale != 1) out_.Put("scale = ").Number(offset.scale);
    out_.Put(")");
  }

  void WriteItem(const Reference& v, int indent) {
    WriteTarget(v);
    if (v.custom_data.empty()) return WriteOffset(v.offset);
    out_.Put(" (\n");
    if (v.offset.offset != 0) {
      out_.Indent(indent + 1).Put("offset = ").Number(v.offset.offset).Put("\n");
    }
    if (v.offset.scale != 1) {
      out_.Indent(indent + 1).Put("scale = ").Number(v.offset.scale).Put("\n");
    }
    out_.Indent(indent + 1).Put("customData = ");
    WriteDictionary(v.custom_data, indent + 1, &out_);
    out_.Indent(indent).Put(")");
  }
  void WriteItem(const Payload& v, int) {
    WriteTarget(v);
    WriteOffset(v.offset);
  }
  template <typename Arc>
  void WriteTarget(const Arc& v) {
    if (!v.asset.empty()) out_.Asset(v.asset);
    if (v.asset.empty() || !v.prim_path.empty()) out_.PathText(v.prim_path);
  }
  void WriteItem(Path v, int) { out_.PathText(v); }
  void WriteItem(Token v, int) { out_.Quoted(v.text()); }
  void WriteItem(const std::string& v, int) { out_.Quoted(v); }
  void WriteItem(const UnregisteredValue& v, int) {
    if (const auto* text = v.held.Get<std::string>()) out_.Put(*text);
  }
  template <typename Int>
  requires std::is_integral_v<Int>
  void WriteItem(Int v, int) { out_.Put(std::to_string(v)); }

  template <typename T>
  void WriteListOp(std::string_view name, const ListOp<T>& op) {
    if (op.is_explicit) return WriteItems("", name, op.explicit_items);
    const auto edit = [&](std::string_view word, const std::vector<T>& items) {
      if (!items.empty()) WriteItems(word, name, items);
    };
    edit("delete ", op.deleted);
    edit("add ", op.added);
    edit("prepend ", op.prepended);
    edit("append ", op.appended);
    edit("reorder ", op.ordered);
    // Only fields without a syntax of their own can express a list op without edits.
    constexpr bool kGeneric =
        !std::is_same_v<T, Path> && !std::is_same_v<T, Reference> && !std::is_same_v<T, Payload>;
    if (kGeneric && !op.HasEdits() && name != "variantSets") WriteItems("prepend ", name, op.added);
  }

  template <typename T>
  static bool NeedsBrackets(std::string_view name, const T& item) {
    if constexpr (std::is_same_v<T, Reference>) return !item.custom_data.empty();
    if constexpr (std::is_same_v<T, Path> || std::is_same_v<T, Payload>) return false;
    return name != "variantSets";
  }

  template <typename T>
  void WriteItems(std::string_view edit, std::string_view name, const std::vector<T>& items) {
    constexpr bool kItemPerLine =
        std::is_same_v<T, Reference> || std::is_same_v<T, Payload> || std::is_same_v<T, Path>;
    out_.Indent(indent_).Put(edit, name, " = ");
    if (items.empty()) {
      out_.Put(name == "variantSets" ? "[]\n" : "None\n");
    } else if (items.size() == 1 && !NeedsBrackets(name, items[0])) {
      WriteItem(items[0], indent_);
      out_.Put("\n");
    } else {
      out_.Put(kItemPerLine ? "[\n" : "[");
      for (size_t i = 0; i < items.size(); ++i) {
        if (kItemPerLine) out_.Indent(indent_ + 1);
        WriteItem(items[i], indent_ + 1);
        const bool last = i + 1 == items.size();
        out_.Put(last ? "" : kItemPerLine ? "," : ", ", kItemPerLine ? "\n" : "");
      }
      if (kItemPerLine) out_.Indent(indent_);
      out_.Put("]\n");
    }
  }

  const int indent_;
  TextSink& out_;
};

void WriteBlock(const Layer& layer, SpecId spec, int indent, TextSink* out) {
  FieldWriter writer(indent + 1, out);
  if (const auto comment = ReadFieldAs<std::string>(layer, spec, Fields().comment, out)) {
    if (!comment->empty()) out->Indent(indent + 1).Quoted(*comment).Put("\n");
  }
  for (const Token name : MetadataNames(layer, spec)) {
    const Value value = ReadField(layer, spec, name, out);
    if (name == Fields().subLayers && spec == kRootSpec) {
      const auto* assets = value.Get<std::vector<std::string>>();
      const auto offsets =
          ReadFieldAs<std::vector<LayerOffset>>(layer, spec, Fields().subLayerOffsets, out);
      if (assets) writer.WriteSubLayers(*assets, offsets.value_or(std::vector<LayerOffset>()));
    } else {
      writer.WriteReadable(layer.tree().type(spec), name, value);
    }
  }
}

}  // namespace

void RequireVersion(const Value& value, TextSink* out) {
  if (value.type() == ValueType::kDuration) out->Require(4);
  if (const auto* edit = value.Get<ArrayEdit>()) {
    out->Require(edit->element == ValueType::kDuration ? 4 : 2);
  }
}

std::vector<Token> MetadataNames(const Layer& layer, SpecId spec) {
  std::vector<Token> names = layer.FieldNames(spec);
  const SpecType type = layer.tree().type(spec);
  std::erase_if(names, [type](Token name) { return IsStructure(type, name); });
  std::sort(names.begin(), names.end(), DictionaryLess());
  return names;
}

void WriteMetadata(const Layer& layer, SpecId spec, int indent, TextSink* out) {
  const auto comment = ReadFieldAs<std::string>(layer, spec, Fields().comment, out);
  if ((!comment || comment->empty()) && MetadataNames(layer, spec).empty()) return;
  out->Put(" (\n");
  WriteBlock(layer, spec, indent, out);
  out->Indent(indent).Put(")");
}

void WriteLayerMetadata(const Layer& layer, TextSink* out) {
  const auto comment = ReadFieldAs<std::string>(layer, kRootSpec, Fields().comment, out);
  if ((!comment || comment->empty()) && MetadataNames(layer, kRootSpec).empty()) return;
  out->Put("(\n");
  WriteBlock(layer, kRootSpec, 0, out);
  out->Put(")\n");
}

namespace {

// The type under which a dictionary's value is written; empty if it has no text form.
std::string_view EntryType(const Value& value) {
  if (value.Is<Path>()) return "string";  // paths read back under any type
  return ValueTypeNameOf(value).text();
}

void WriteKey(const std::string& key, TextSink* out) {
  if (IsIdentifier(key)) {
    out->Put(key);
  } else {
    out->Quoted(key);
  }
}

// Writes all entries on one line if `indent` is negative.
void WriteEntries(const Dictionary& dictionary, int indent, TextSink* out) {
  const bool lines = indent >= 0;
  out->Put(lines ? "{\n" : "{ ");
  bool first = true;
  for (const auto& [key, value] : dictionary) {
    const Dictionary* inner = value.Get<Dictionary>();
    const std::string_view type = inner ? "dictionary" : EntryType(value);
    if (type.empty()) continue;
    RequireVersion(value, out);
    if (lines) {
      out->Indent(indent + 1);
    } else if (!first) {
      out->Put("; ");
    }
    first = false;
    out->Put(type, " ");
    WriteKey(key, out);
    out->Put(" = ");
    if (inner) {
      WriteEntries(*inner, lines ? indent + 1 : -1, out);
    } else {
      out->ValueText(value);
    }
    if (lines && !inner) out->Put("\n");
  }
  if (lines) {
    out->Indent(indent).Put("}\n");
  } else {
    out->Put(" }");
  }
}

}  // namespace

void WriteDictionary(const Dictionary& dictionary, int indent, TextSink* out) {
  WriteEntries(dictionary, indent, out);
}

void WriteInlineDictionary(const Dictionary& dictionary, TextSink* out) {
  WriteEntries(dictionary, -1, out);
}

}  // namespace stagedoor::usda
