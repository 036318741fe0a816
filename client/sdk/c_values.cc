// The functions of the C interface for values.
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/sdk/c_columns.h"
#include "client/sdk/c_objects.h"

namespace stagedoor::sdk {
namespace {

absl::StatusOr<Values> ReadValues(const Stage& stage, const char* const* paths, size_t path_count,
                                  const double* times, size_t time_count,
                                  const sd_call_options* call) {
  SD_ASSIGN_OR_RETURN(const std::vector<std::string> wanted, TextsOf(paths, path_count));
  SD_ASSIGN_OR_RETURN(const Times when, TimesOf(times, time_count));
  return stage.GetValues(wanted, when, CallOptionsOf(call));
}

// The number of texts of a value; 0 if it has none.
size_t TextCount(const Value& value) {
  const v1::Value& message = value.message();
  const v1::StringArray* texts = nullptr;
  if (value.GetTexts(&texts).ok()) return static_cast<size_t>(texts->values_size());
  if (message.has_asset_path_array()) return message.asset_path_array().values_size();
  return message.has_asset_path_value() || value.GetText().ok() ? 1 : 0;
}

// The most specific path of an asset of a value, in its message; null if there is none.
const char* AssetAt(const Value& value, size_t index) {
  const v1::Value& message = value.message();
  const v1::AssetPath* asset = nullptr;
  if (message.has_asset_path_array() && index < TextCount(value)) {
    asset = &message.asset_path_array().values(static_cast<int>(index));
  } else if (message.has_asset_path_value() && index == 0) {
    asset = &message.asset_path_value();
  }
  if (asset == nullptr) return nullptr;
  if (!asset->resolved().empty()) return asset->resolved().c_str();
  return asset->evaluated().empty() ? asset->authored().c_str() : asset->evaluated().c_str();
}

bool IsTextArray(const Value& value) {
  const v1::StringArray* texts = nullptr;
  return value.GetTexts(&texts).ok() || value.message().has_asset_path_array();
}

// The numbers of a tuple or an array.
absl::Status FillPacked(const Value& value, sd_value* out) {
  SD_ASSIGN_OR_RETURN(const Value::Packed packed, value.GetPacked());
  out->kind = packed.is_array ? SD_ARRAY : SD_TUPLE;
  out->component = static_cast<sd_component>(packed.element.component);
  out->rows = packed.element.rows;
  out->columns = packed.element.columns;
  out->count = packed.bytes.size() / packed.element.bytes;
  out->data = packed.bytes.data();
  return absl::OkStatus();
}

// The value at a place, which stays in memory as long as `values`.
absl::StatusOr<const Value*> Keep(const sd_values& values, size_t path, size_t time) {
  // Places that are not there fail below, whatever their item would be.
  const size_t item = path * values.values.time_count() + time;
  MutexLock lock(values.mu);
  const bool is_place = path < values.values.path_count() && time < values.values.time_count();
  const auto at = is_place ? values.returned.find(item) : values.returned.end();
  if (at != values.returned.end()) return &at->second;
  SD_ASSIGN_OR_RETURN(Value value, values.values.Get(path, time));
  return &values.returned.emplace(item, std::move(value)).first->second;
}

}  // namespace

const char* TextAt(const Value& value, size_t index) {
  if (index >= TextCount(value)) return nullptr;
  const v1::Value& message = value.message();
  const int i = static_cast<int>(index);
  const v1::StringArray* texts = nullptr;
  if (value.GetTexts(&texts).ok()) return texts->values(i).c_str();
  switch (message.kind_case()) {
    case v1::Value::kAssetPathArray:
      return message.asset_path_array().values(i).authored().c_str();
    case v1::Value::kAssetPathValue:
      return message.asset_path_value().authored().c_str();
    case v1::Value::kStringValue:
      return message.string_value().c_str();
    case v1::Value::kTokenValue:
      return message.token_value().c_str();
    case v1::Value::kPathValue:
      return message.path_value().c_str();
    default:
      return message.path_expression_value().c_str();
  }
}

absl::Status FillValue(const Value& value, sd_value* out) {
  *out = {};
  out->type_name = value.type_name().c_str();
  if (!value.has_value()) {
    out->kind = value.state() == Value::State::kBlocked ? SD_BLOCKED : SD_NONE;
    return absl::OkStatus();
  }
  const v1::Value& message = value.message();
  if (message.has_invalid_value()) return DataLossError(message.invalid_value());
  if (message.has_tuple_value() || message.has_array_value()) return FillPacked(value, out);
  if (const absl::StatusOr<double> number = value.GetNumber(); number.ok()) {
    out->kind = SD_NUMBER;
    out->component = ComponentOf(value.type_name(), message.kind_case());
    out->number = *number;
    if (message.has_uint64_value()) {
      out->integer = static_cast<int64_t>(message.uint64_value());
    } else {
      out->integer = value.GetInteger().value_or(message.bool_value() ? 1 : 0);
    }
    return absl::OkStatus();
  }
  out->count = TextCount(value);
  out->kind = out->count != 0 || IsTextArray(value) ? SD_TEXT : SD_OTHER;
  return absl::OkStatus();
}

}  // namespace stagedoor::sdk

namespace sdk = stagedoor::sdk;

sd_code sd_get_values(sd_stage* stage, const char* const* paths, size_t path_count,
                      const double* times, size_t time_count, const sd_call_options* call,
                      sd_values** out, sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  absl::StatusOr<sdk::Values> values =
      sdk::ReadValues(stage->stage, paths, path_count, times, time_count, call);
  if (!values.ok()) return sdk::Report(values.status(), error);
  *out = new sd_values(*std::move(values));
  return SD_OK;
}

sd_code sd_get_value(sd_stage* stage, const char* path, double time, const sd_call_options* call,
                     sd_values** out, sd_error** error) {
  if (path == nullptr) return sdk::ReportNull("path", error);
  return sd_get_values(stage, &path, 1, &time, 1, call, out, error);
}

size_t sd_values_path_count(const sd_values* values) {
  return values == nullptr ? 0 : values->values.path_count();
}

size_t sd_values_time_count(const sd_values* values) {
  return values == nullptr ? 0 : values->values.time_count();
}

sd_code sd_values_get(const sd_values* values, size_t path, size_t time, sd_value* out,
                      sd_error** error) {
  if (values == nullptr) return sdk::ReportNull("values", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  const auto plain = values->values.FindPlain(path, time);
  if (plain.column != nullptr && sdk::FillFromColumn(plain, out)) return SD_OK;
  const absl::StatusOr<const sdk::Value*> value = sdk::Keep(*values, path, time);
  return sdk::Report(value.ok() ? sdk::FillValue(**value, out) : value.status(), error);
}

sd_code sd_values_number(const sd_values* values, size_t path, size_t time, double* out,
                         sd_error** error) {
  if (values == nullptr) return sdk::ReportNull("values", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  const absl::StatusOr<double> number = values->values.Get<double>(path, time);
  if (number.ok()) *out = *number;
  return sdk::Report(number.status(), error);
}

const char* sd_values_text(const sd_values* values, size_t path, size_t time, size_t index) {
  if (values == nullptr) return nullptr;
  const auto plain = values->values.FindPlain(path, time);
  if (plain.column != nullptr && plain.column->strings_size() != 0) {
    return index == 0 ? plain.column->strings(plain.index).c_str() : nullptr;
  }
  const absl::StatusOr<const sdk::Value*> value = sdk::Keep(*values, path, time);
  return value.ok() ? sdk::TextAt(**value, index) : nullptr;
}

const char* sd_values_asset(const sd_values* values, size_t path, size_t time, size_t index) {
  if (values == nullptr) return nullptr;
  const absl::StatusOr<const sdk::Value*> value = sdk::Keep(*values, path, time);
  return value.ok() ? sdk::AssetAt(**value, index) : nullptr;
}
