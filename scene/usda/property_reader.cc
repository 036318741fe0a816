#include "scene/usda/property_reader.h"

#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/paths/path_expression.h"
#include "scene/usda/spline_reader.h"
#include "scene/values/array.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/value_block.h"

namespace stagedoor::usda {
namespace {

PathExpressionValue MakeAbsolute(const PathExpressionValue& expression, Path anchor) {
  const auto tree = PathExpression::Parse(expression.text);
  return tree.ok() ? PathExpressionValue{tree->MakeAbsolute(anchor).ToText()} : expression;
}

// As in OpenUSD, relative patterns in defaults become absolute; those in samples stay relative.
Value MakeExpressionsAbsolute(const Value& value, Path anchor) {
  if (const PathExpressionValue* one = value.Get<PathExpressionValue>()) {
    return Value(MakeAbsolute(*one, anchor));
  }
  const Array<PathExpressionValue>* many = value.Get<Array<PathExpressionValue>>();
  if (!many) return value;
  std::vector<PathExpressionValue> absolute;
  for (const PathExpressionValue& one : *many) absolute.push_back(MakeAbsolute(one, anchor));
  return Value(Array<PathExpressionValue>::FromVector(std::move(absolute)));
}

}  // namespace

PropertyReader::PropertyReader(ParseContext* context, ValueReader* values, MetadataReader* metadata,
                               LayerAssembler* layer)
    : context_(context),
      cursor_(context->cursor),
      values_(values),
      metadata_(metadata),
      layer_(layer) {}

bool PropertyReader::Read(OpenSpec* prim, std::optional<ListOpType> edit) {
  prim_ = prim;
  const std::string_view word = cursor_.PeekIdentifier();
  if (word.empty()) return cursor_.Fail("expected a property, a prim or '}'");
  bool custom = false;
  bool varying = false;
  if (word == "custom") {
    cursor_.TakeWord("custom");
    if (!cursor_.TakeSeparator()) return false;
    custom = true;
  } else if (cursor_.AtWordAndLetter("custom")) {
    custom = true;
  }
  if (cursor_.TakeWord("varying")) {
    varying = true;
    if (!cursor_.TakeSeparator()) return false;
  }
  if (cursor_.TakeWord("rel")) return ReadRelationship(custom, varying, edit);
  if (varying) return cursor_.Fail("expected 'rel'; attributes are varying by default");
  return ReadAttribute(custom, edit);
}

bool PropertyReader::OpenProperty(SpecType type, std::string_view name) {
  const Token token = context_->words.Find(name);
  fields_.clear();
  spec_ = prim_->properties.Find(token);
  const bool is_new = spec_ == kNoSpec;
  if (is_new) {
    spec_ = layer_->Add(prim_->spec, type, token);
    prim_->properties.Add(token, spec_);
  } else {
    layer_->GetFields(spec_, &fields_);
  }
  cursor_.set_spec(spec_);
  return is_new;
}

bool PropertyReader::ReadAttribute(bool custom, std::optional<ListOpType> edit) {
  bool uniform = false;
  if (cursor_.TakeWord("uniform") || cursor_.TakeWord("config")) {
    uniform = true;
    if (!cursor_.TakeSeparator()) return false;
  } else if (cursor_.AtWordAndLetter("uniform") || cursor_.AtWordAndLetter("config")) {
    uniform = true;
  }
  const char* at = cursor_.position();
  TokenCache::TypeEntry type;
  if (!ReadTypeName(context_, &type) || !cursor_.TakeSeparator()) return false;
  const std::string_view name = cursor_.TakeNamespacedIdentifier();
  if (name.empty()) return cursor_.Fail("expected an attribute name");
  OpenProperty(SpecType::kAttribute, name);
  if (!DeclareAttribute(custom, uniform, type.token, at)) return false;
  if (!ReadAttributeRest(type.type, edit)) return false;
  layer_->PutFields(spec_, &fields_);
  return true;
}

bool PropertyReader::DeclareAttribute(bool custom, bool uniform, Token type_name, const char* at) {
  const FieldKeys& names = Fields();
  const Variability variability = uniform ? Variability::kUniform : Variability::kVarying;
  if (fields_.empty()) {
    fields_.emplace_back(names.custom, Value(custom));
    fields_.emplace_back(names.typeName, Value(type_name));
    fields_.emplace_back(names.variability, Value(variability));
    return true;
  }
  if (custom) SetField(&fields_, names.custom, Value(true));
  const Value* old_type = FindField(&fields_, names.typeName);
  if (old_type && !(*old_type->Get<Token>() == type_name)) {
    return cursor_.FailAt(
        at, "the attribute is already declared with type '" + old_type->Get<Token>()->str() + "'");
  }
  SetField(&fields_, names.typeName, Value(type_name));
  const Value* old_variability = FindField(&fields_, names.variability);
  if (old_variability && *old_variability->Get<Variability>() != variability) {
    return cursor_.FailAt(at, "the attribute is already declared with a different variability");
  }
  SetField(&fields_, names.variability, Value(variability));
  return true;
}

bool PropertyReader::ReadAttributeRest(const ValueTypeName* type, std::optional<ListOpType> edit) {
  const char* behind = cursor_.position();
  cursor_.SkipInline();
  if (cursor_.Take('.')) {
    cursor_.SkipInline();
    if (cursor_.TakeWord("connect")) {
      return cursor_.TakeAssignment() && ReadConnections(edit.value_or(ListOpType::kExplicit));
    }
    if (edit) return cursor_.Fail("expected 'connect'");
    if (cursor_.TakeWord("timeSamples")) return cursor_.TakeAssignment() && ReadTimeSamples(type);
    if (cursor_.TakeWord("spline")) return cursor_.TakeAssignment() && ReadSplineField(type);
    return cursor_.Fail("expected 'timeSamples', 'connect' or 'spline'");
  }
  if (edit) return cursor_.Fail("expected '.connect'; only connections have list edits");
  if (cursor_.Take('=')) {
    cursor_.SkipInline();
    if (!ReadDefault(type)) return false;
    behind = cursor_.position();
    cursor_.SkipInline();
  }
  if (cursor_.Take('(')) return ReadMetadata(SpecType::kAttribute);
  cursor_.MoveTo(behind);
  return true;
}

bool PropertyReader::ReadMetadata(SpecType spec) {
  return metadata_->Read(spec, &fields_, nullptr);
}

bool PropertyReader::ReadDefault(const ValueTypeName* type) {
  Value value;
  const char c = cursor_.Peek();
  if (c == 'N' && cursor_.TakeWord("None")) {
    value = Value(ValueBlock());
  } else if (c == 'A' && cursor_.TakeWord("AnimationBlock")) {
    value = Value(AnimationBlock());
  } else if (!(type ? values_->ReadValueOrEdit(*type, &value) : values_->ReadUnknown(&value))) {
    return false;
  }
  if (value.type() == ValueType::kPathExpression) {
    value = MakeExpressionsAbsolute(value, prim_->AnchorPath());
  }
  SetField(&fields_, Fields().default_, std::move(value));
  return true;
}

bool PropertyReader::ReadTimeSamples(const ValueTypeName* type) {
  if (!cursor_.Expect('{', "to open the time samples")) return false;
  samples_.clear();
  size_t unknown = 0;
  const bool ok = ParseList(cursor_, '}', /*may_be_empty=*/true, [&] {
    Number time;
    if (!cursor_.TakeNumber(&time)) return cursor_.Fail("expected a sample time");
    cursor_.SkipInline();
    if (!cursor_.Expect(':', "after a sample time")) return false;
    cursor_.SkipInline();
    auto& [t, value] = samples_.emplace_back();
    t = time.AsDouble();
    if (cursor_.Peek() == 'N' && cursor_.TakeWord("None")) {
      value = Value(ValueBlock());
      return true;
    }
    if (type) return values_->ReadValueOrEdit(*type, &value);
    // As in OpenUSD, only one sample of an unknown type is accepted.
    if (unknown++ > 0) return cursor_.Fail("an attribute of unknown type may have only one sample");
    return values_->ReadUnknown(&value);
  });
  if (!ok) return false;
  SetField(&fields_, Fields().timeSamples,
           Value::FromSamples(MakeTimeSamples(std::move(samples_))));
  return true;
}

bool PropertyReader::ReadSplineField(const ValueTypeName* type) {
  Spline spline;
  if (!ReadSpline(context_, values_, type, &spline)) return false;
  SetField(&fields_, Fields().spline, Value(std::move(spline)));
  return true;
}

template <typename IsValid>
bool PropertyReader::ReadPaths(ListOpType edit, Token field, const char* expected,
                               IsValid is_valid) {
  std::vector<Path> paths;
  const auto read_path = [&] {
    const char* at = cursor_.position();
    Path path;
    if (!values_->ReadPath(&path)) return false;
    if (path == Path::ReflexiveRelative()) return cursor_.FailAt(at, expected);
    if (!path.empty() && !path.IsAbsolute()) path = path.MakeAbsolute(prim_->AnchorPath());
    if (path.empty() || path.ContainsVariantSelection() || !is_valid(path)) {
      return cursor_.FailAt(at, expected);
    }
    paths.push_back(path);
    return true;
  };
  return ReadPathListEdit(cursor_, &fields_, field, edit, &paths, read_path);
}

bool PropertyReader::ReadConnections(ListOpType edit) {
  return ReadPaths(edit, Fields().connectionPaths, "expected a property or prim path",
                   [](Path path) { return path.IsPrim() || path.IsProperty(); });
}

bool PropertyReader::ReadTargets(ListOpType edit) {
  return ReadPaths(edit, Fields().targetPaths, "expected a prim or property path", [](Path path) {
    return path.IsPrim() || path.IsProperty() || path.kind() == Path::Kind::kMapper;
  });
}

bool PropertyReader::ReadRelationship(bool custom, bool varying, std::optional<ListOpType> edit) {
  if (!cursor_.TakeSeparator()) return false;
  const std::string_view name = cursor_.TakeNamespacedIdentifier();
  if (name.empty()) return cursor_.Fail("expected a relationship name");
  OpenProperty(SpecType::kRelationship, name);
  const FieldKeys& names = Fields();
  const Variability variability = varying ? Variability::kVarying : Variability::kUniform;
  if (custom || fields_.empty()) SetField(&fields_, names.custom, Value(custom));
  SetField(&fields_, names.variability, Value(variability));
  if (!ReadRelationshipRest(edit)) return false;
  layer_->PutFields(spec_, &fields_);
  return true;
}

bool PropertyReader::ReadRelationshipRest(std::optional<ListOpType> edit) {
  const char* behind = cursor_.position();
  cursor_.SkipInline();
  if (cursor_.Take('=')) {
    cursor_.SkipInline();
    if (!ReadTargets(edit.value_or(ListOpType::kExplicit))) return false;
    behind = cursor_.position();
    cursor_.SkipInline();
  } else if (!edit && cursor_.Take('.')) {
    Path path;
    cursor_.SkipInline();
    if (!cursor_.TakeWord("default")) return cursor_.Fail("expected 'default'");
    if (!cursor_.TakeAssignment() || !values_->ReadPath(&path)) return false;
    SetField(&fields_, Fields().default_, Value(path));
    return true;
  } else if (!edit && cursor_.Take('[')) {
    Path path;  // declares a target without adding it to the list
    cursor_.SkipInline();
    if (!values_->ReadPath(&path)) return false;
    cursor_.SkipInline();
    return cursor_.Expect(']', "after a target");
  }
  if (!edit && cursor_.Take('(')) return ReadMetadata(SpecType::kRelationship);
  cursor_.MoveTo(behind);
  return true;
}

}  // namespace stagedoor::usda
