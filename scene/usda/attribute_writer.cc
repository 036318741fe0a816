#include "scene/usda/attribute_writer.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "scene/layer/field_keys.h"
#include "scene/usda/field_reader.h"
#include "scene/usda/metadata_writer.h"
#include "scene/usda/path_list_writer.h"
#include "scene/usda/round_trip_checks.h"
#include "scene/values/array_edit.h"
#include "scene/values/spline.h"
#include "scene/values/value_block.h"

namespace stagedoor::usda {
namespace {

// Arrays and time samples with more items than this are written in parts of this many items.
constexpr size_t kPart = 4096;

// The number of types that are tried for an attribute whose values have different types.
constexpr size_t kMostTypes = 4;

bool HasType(const Value& value, const ValueTypeName& type) {
  if (const auto* edit = value.Get<ArrayEdit>()) {
    return type.is_array && edit->element == type.type;
  }
  return value.type() == type.type && value.is_array() == type.is_array;
}

bool HasType(const Spline& spline, const ValueTypeName& type) {
  return spline.value_type == type.type && !type.is_array;
}

Token TypeToWrite(const Value& value) {
  const auto* edit = value.Get<ArrayEdit>();
  return edit ? ValueTypeNameOf(edit->element, /*is_array=*/true) : ValueTypeNameOf(value);
}

// The distinct types of the values, without those that have no text form.
std::vector<Token> TypesOf(const Value& value, const TimeSamples* samples) {
  std::vector<Token> types;
  const auto add = [&types](const Value& held) {
    const Token type = TypeToWrite(held);
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
  const FieldKeys& f = Fields();
  const auto type = ReadFieldAs<Token>(layer_, attribute, f.typeName, &out_);
  Parts parts;
  parts.spec = attribute;
  parts.indent = indent;
  parts.uniform =
      ReadFieldAs<Variability>(layer_, attribute, f.variability, &out_) == Variability::kUniform;
  parts.custom = ReadFieldAs<bool>(layer_, attribute, f.custom, &out_).value_or(false);
  parts.metadata = layer_.Has(attribute, f.comment) || !MetadataNames(layer_, attribute).empty();
  parts.value = ReadField(layer_, attribute, f.default_, &out_);
  parts.samples = ReadField(layer_, attribute, f.timeSamples, &out_);
  parts.spline = ReadField(layer_, attribute, f.spline, &out_);
  parts.connections = ReadFieldAs<ListOp<Path>>(layer_, attribute, f.connectionPaths, &out_);
  const std::string_view type_name = type ? type->text() : "token";
  const ValueTypeName* const known = FindValueTypeName(type_name);
  if (IsLarge(parts) && Fit(parts, known)) {
    SetDeclaration(parts, type_name);
    if (known->type == ValueType::kDuration) out_.Require(4);
    large_ = std::move(parts);
    step_ = Step::kDefault;
    return;
  }
  const size_t start = out_.text().size();
  if (!WriteAs(parts, type_name) && !IsReadable(start)) WriteReadable(std::move(parts), start);
}

bool AttributeWriter::IsLarge(const Parts& parts) {
  const auto large = [](const Value& value) {
    const ArrayBase* array = value.array();
    return array != nullptr && array->size() > kPart;
  };
  const TimeSamples* samples = parts.samples.samples();
  if (large(parts.value) || (samples && samples->size() > kPart)) return true;
  for (size_t i = 0; samples && i < samples->size(); ++i) {
    if (large(samples->At(i))) return true;
  }
  return false;
}

bool AttributeWriter::Fit(const Parts& parts, const ValueTypeName* type) {
  if (!type) return false;
  const auto fits = [&](const Value& value) {
    return value.empty() || value.is_invalid() || value.is_block() || value.Is<AnimationBlock>() ||
           HasType(value, *type);
  };
  if (!fits(parts.value)) return false;
  const TimeSamples* samples = parts.samples.samples();
  for (size_t i = 0; samples && i < samples->size(); ++i) {
    if (!fits(samples->At(i))) return false;
  }
  const Spline* spline = parts.spline.Get<Spline>();
  return !spline || HasType(*spline, *type);
}

bool AttributeWriter::HasOtherLines(const Parts& parts) {
  return parts.samples.samples() || parts.spline.Is<Spline>() ||
         (parts.connections && (parts.connections->is_explicit || parts.connections->HasEdits()));
}

void AttributeWriter::SetDeclaration(const Parts& parts, std::string_view type_name) {
  declaration_ = parts.uniform ? "uniform " : "";
  declaration_.append(type_name).append(" ").append(layer_.tree().name(parts.spec).text());
}

void AttributeWriter::Continue() {
  if (array_.is_array()) return ContinueArray();
  switch (step_) {
    case Step::kDefault:
      step_ = Step::kMetadata;
      line_ = large_.custom || large_.metadata || !large_.value.empty() || !HasOtherLines(large_);
      if (!line_) return;
      out_.Indent(large_.indent).Put(large_.custom ? "custom " : "", declaration_);
      if (!large_.value.is_array()) return WriteDefault(large_.value, nullptr);
      RequireVersion(large_.value, &out_);
      out_.Put(" = ");
      return BeginValue(large_.value, "");
    case Step::kMetadata:
      step_ = large_.samples.samples() ? Step::kSamples : Step::kRest;
      if (line_) {
        WriteMetadata(layer_, large_.spec, large_.indent, &out_);
        out_.Put("\n");
      }
      if (step_ == Step::kSamples) BeginSamples();
      return;
    case Step::kSamples:
      return ContinueSamples();
    case Step::kRest:
      step_ = Step::kDone;
      WriteRest(large_);
      large_ = Parts();
      return;
    case Step::kDone:
      return;
  }
}

void AttributeWriter::BeginValue(const Value& value, std::string_view behind) {
  if (out_.dry() || !value.is_array()) {
    out_.ValueText(value).Put(behind);
    return;
  }
  array_ = value;
  element_ = 0;
  behind_ = behind;
  ContinueArray();
}

void AttributeWriter::ContinueArray() {
  const size_t size = array_.array()->size();
  const size_t end = std::min(size, element_ + kPart);
  AppendElements(array_, element_, end, &out_.text());
  element_ = end;
  if (end < size) return;
  out_.Put(behind_);
  array_ = Value();
}

void AttributeWriter::BeginSamples() {
  out_.Indent(large_.indent).Put(declaration_, ".timeSamples = {\n");
  sample_ = 0;
}

void AttributeWriter::ContinueSamples() {
  const TimeSamples& samples = *large_.samples.samples();
  const size_t end = std::min(samples.size(), sample_ + kPart);
  while (sample_ < end) {
    const double time = samples.times()[sample_];
    const Value value = samples.At(sample_++);
    if (value.is_invalid()) {
      out_.NoteRefused(value);
      continue;
    }
    RequireVersion(value, &out_);
    if (value.is_array() && value.array()->size() > 16) {
      out_.Indent(large_.indent + 1).Number(time).Put(": ");
      return BeginValue(value, ",\n");
    }
    WriteSample(time, value, large_.indent);
  }
  if (sample_ < samples.size()) return;
  out_.Indent(large_.indent).Put("}\n");
  step_ = Step::kRest;
}

void AttributeWriter::WriteRest(const Parts& parts) {
  if (const Spline* held = parts.spline.Get<Spline>()) {
    out_.Indent(parts.indent).Put(declaration_, ".spline = {\n");
    WriteSpline(*held, parts.indent + 1, &out_);
    out_.Indent(parts.indent).Put("}\n");
  }
  if (parts.connections) {
    WritePathListOp(*parts.connections, Concat(declaration_, ".connect"), parts.indent, &out_);
  }
}

bool AttributeWriter::IsReadable(size_t start) const {
  return ParsesAsProperty(std::string_view(out_.text()).substr(start));
}

void AttributeWriter::WriteReadable(Parts parts, size_t start) {
  const std::vector<Token> types = TypesOf(parts.value, parts.samples.samples());
  for (const Token type : types) {
    out_.text().resize(start);
    if (WriteAs(parts, type.text()) || IsReadable(start)) return;
  }
  const auto type = ReadFieldAs<Token>(layer_, parts.spec, Fields().typeName, &out_);
  const std::string_view declared = type ? type->text() : "token";
  if (!std::exchange(parts.spline, Value()).empty()) {
    // Few types can have splines: the other values may fit once the spline is dropped.
    out_.text().resize(start);
    if (WriteAs(parts, declared) || IsReadable(start)) return;
    return WriteReadable(std::move(parts), start);
  }
  // No type fits all values: keep at least the declaration, with its type if that is a valid name.
  parts.value = parts.samples = Value();
  for (const std::string_view name : {declared, std::string_view("token")}) {
    out_.text().resize(start);
    WriteAs(parts, name);
    if (IsReadable(start)) return;
  }
}

bool AttributeWriter::WriteAs(const Parts& parts, std::string_view type_name) {
  const ValueTypeName* const type = FindValueTypeName(type_name);
  fits_ = type || IsValidAttributeTypeName(type_name);
  SetDeclaration(parts, type_name);
  if (parts.custom || parts.metadata || !parts.value.empty() || !HasOtherLines(parts)) {
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
    fits_ &= type != nullptr && HasType(*held, *type);
  }
  WriteRest(parts);
  return fits_;
}

void AttributeWriter::CheckType(const Value& value, const ValueTypeName* type) {
  if (value.is_block() || value.Is<AnimationBlock>()) return;
  fits_ &= type && HasType(value, *type);
}

void AttributeWriter::WriteDefault(const Value& value, const ValueTypeName* type) {
  if (value.empty() || value.is_invalid()) return;
  CheckType(value, type);
  RequireVersion(value, &out_);
  const size_t before = out_.text().size();
  out_.Put(" = ");
  const size_t start = out_.text().size();
  out_.ValueText(value);
  if (out_.text().size() == start) out_.text().resize(before);  // no text form
}

void AttributeWriter::WriteSample(double time, const Value& value, int indent) {
  const size_t before = out_.text().size();
  out_.Indent(indent + 1).Number(time).Put(": ");
  const size_t start = out_.text().size();
  out_.ValueText(value);
  if (out_.text().size() == start) {
    out_.text().resize(before);
  } else {
    out_.Put(",\n");
  }
}

void AttributeWriter::WriteSamples(const TimeSamples& samples, int indent,
                                   const ValueTypeName* type) {
  out_.Indent(indent).Put(declaration_, ".timeSamples = {\n");
  const std::span<const double> times = samples.times();
  for (size_t i = 0; i < times.size(); ++i) {
    const Value value = samples.At(i);
    if (value.is_invalid()) {
      out_.NoteRefused(value);
      continue;
    }
    CheckType(value, type);
    RequireVersion(value, &out_);
    WriteSample(times[i], value, indent);
  }
  out_.Indent(indent).Put("}\n");
}

}  // namespace stagedoor::usda
