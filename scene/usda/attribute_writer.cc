#include "scene/usda/attribute_writer.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "scene/layer/fields.h"
#include "scene/usda/field_writer.h"
#include "scene/usda/path_list_writer.h"
#include "scene/usda/read_back.h"
#include "scene/values/array_edit.h"
#include "scene/values/refused_value.h"
#include "scene/values/spline.h"

namespace stagedoor::usda {
namespace {

// So many types of samples are tried for an attribute whose values have several.
constexpr size_t kMostTypes = 4;

bool HasType(const Value& value, const TypeName& type) {
  if (const auto* edit = value.Get<ArrayEdit>()) {
    return type.is_array && edit->element == type.type;
  }
  return value.type() == type.type && value.is_array() == type.is_array;
}

// The types that the values have, without those that no text has.
std::vector<Token> TypesOf(const Value& value, const TimeSamples* samples) {
  std::vector<Token> types;
  const auto add = [&types](const Value& held) {
    const Token type = TypeNameOf(held);
    const bool known = std::find(types.begin(), types.end(), type) != types.end();
    if (!type.empty() && !known) types.push_back(type);
  };
  add(value);
  for (size_t i = 0; samples && i < samples->size() && types.size() < kMostTypes; ++i) {
    add(samples->At(i));
  }
  return types;
}

}  // namespace

void AttributeWriter::Write(SpecId attribute, int indent) {
  const FieldTokens& f = Fields();
  const auto type = layer_.GetAs<Token>(attribute, f.typeName);
  const auto connections = layer_.GetAs<ListOp<Path>>(attribute, f.connectionPaths);
  Parts parts;
  parts.spec = attribute;
  parts.indent = indent;
  parts.uniform = layer_.GetAs<Variability>(attribute, f.variability) == Variability::kUniform;
  parts.custom = layer_.GetAs<bool>(attribute, f.custom).value_or(false);
  parts.metadata = layer_.Has(attribute, f.comment) || !MetadataNames(layer_, attribute).empty();
  parts.value = layer_.Get(attribute, f.default_);
  parts.samples = layer_.Get(attribute, f.timeSamples);
  parts.spline = layer_.Get(attribute, f.spline);
  parts.connections = connections ? &*connections : nullptr;
  const size_t start = out_.text().size();
  if (!WriteAs(parts, type ? type->text() : "token") && !IsReadable(start)) {
    WriteReadable(std::move(parts), start);
  }
}

bool AttributeWriter::IsReadable(size_t start) const {
  return ReadsAsProperty(std::string_view(out_.text()).substr(start));
}

void AttributeWriter::WriteReadable(Parts parts, size_t start) {
  const std::vector<Token> types = TypesOf(parts.value, parts.samples.samples());
  for (const Token type : types) {
    out_.text().resize(start);
    if (WriteAs(parts, type.text()) || IsReadable(start)) return;
  }
  // No type has all of them: then what is left is at least of the right type, where that is a word.
  parts.value = parts.samples = parts.spline = Value();
  const auto type = layer_.GetAs<Token>(parts.spec, Fields().typeName);
  for (const std::string_view name : {type ? type->text() : "token", std::string_view("token")}) {
    out_.text().resize(start);
    WriteAs(parts, name);
    if (IsReadable(start)) return;
  }
}

bool AttributeWriter::WriteAs(const Parts& parts, std::string_view type_name) {
  const TypeName* const type = FindTypeName(type_name);
  fits_ = type || IsTypeWord(type_name);
  declaration_ = parts.uniform ? "uniform " : "";
  declaration_.append(type ? type->canonical.text() : type_name)
      .append(" ")
      .append(layer_.tree().name(parts.spec).text());
  const bool other_lines =
      parts.samples.samples() || parts.spline.Is<Spline>() ||
      (parts.connections && (parts.connections->is_explicit || parts.connections->HasEdits()));
  if (parts.custom || parts.metadata || !parts.value.empty() || !other_lines) {
    out_.Indent(parts.indent).Put(parts.custom ? "custom " : "", declaration_);
    WriteDefault(parts.value, type);
    WriteMetadata(layer_, parts.spec, parts.indent, &out_);
    out_.Put("\n");
  }
  if (type && type->type == ValueType::kDuration) out_.Require(4);
  if (const TimeSamples* samples = parts.samples.samples()) {
    WriteSamples(*samples, parts.indent, type);
  }
  if (const Spline* held = parts.spline.Get<Spline>()) {
    fits_ &= type != nullptr && (held->knots.empty() || held->value_type == type->type);
    out_.Indent(parts.indent).Put(declaration_, ".spline = {\n");
    WriteSpline(*held, parts.indent + 1, &out_);
    out_.Indent(parts.indent).Put("}\n");
  }
  if (parts.connections) {
    WritePathListOp(*parts.connections, Concat(declaration_, ".connect"), parts.indent, &out_);
  }
  return fits_;
}

void AttributeWriter::NoteInvalid(const Value& value) {
  if (IsRefused(value)) out_.Refuse(value.invalid_reason());
}

void AttributeWriter::CheckType(const Value& value, const TypeName* type) {
  if (value.is_block() || value.Is<AnimationBlock>()) return;
  fits_ &= type && HasType(value, *type);
}

void AttributeWriter::WriteDefault(const Value& value, const TypeName* type) {
  if (value.is_invalid()) NoteInvalid(value);
  if (value.empty() || value.is_invalid()) return;
  CheckType(value, type);
  RequireVersion(value, &out_);
  const size_t before = out_.text().size();
  out_.Put(" = ");
  const size_t start = out_.text().size();
  out_.ValueText(value);
  if (out_.text().size() == start) out_.text().resize(before);  // no text form
}

void AttributeWriter::WriteSamples(const TimeSamples& samples, int indent, const TypeName* type) {
  out_.Indent(indent).Put(declaration_, ".timeSamples = {\n");
  const std::span<const double> times = samples.times();
  for (size_t i = 0; i < times.size(); ++i) {
    const Value value = samples.At(i);
    if (value.is_invalid()) {
      NoteInvalid(value);
      continue;
    }
    CheckType(value, type);
    RequireVersion(value, &out_);
    const size_t before = out_.text().size();
    out_.Indent(indent + 1).Number(times[i]).Put(": ");
    const size_t start = out_.text().size();
    out_.ValueText(value);
    if (out_.text().size() == start) {
      out_.text().resize(before);  // no text form
    } else {
      out_.Put(",\n");
    }
  }
  out_.Indent(indent).Put("}\n");
}

}  // namespace stagedoor::usda
