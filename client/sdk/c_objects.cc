#include "client/sdk/c_objects.h"

#include <chrono>
#include <cmath>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::sdk {

sd_code Report(const absl::Status& status, sd_error** error) {
  if (!status.ok() && error != nullptr) *error = new sd_error{DescribeError(status)};
  return static_cast<sd_code>(status.code());
}

sd_code ReportNull(const char* argument, sd_error** error) {
  return Report(InvalidArgumentError("the argument '", argument, "' is NULL"), error);
}

std::string TextOf(const char* text) { return text == nullptr ? std::string() : text; }

absl::StatusOr<std::vector<std::string>> TextsOf(const char* const* texts, size_t count) {
  std::vector<std::string> all;
  if (texts == nullptr && count != 0) return InvalidArgumentError("an array of strings is NULL");
  all.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr) return InvalidArgumentError("string ", i, " of an array is NULL");
    all.emplace_back(texts[i]);
  }
  return all;
}

CallOptions CallOptionsOf(const sd_call_options* options) {
  const sd_call_options given = CopyOptions(options);
  CallOptions call;
  if (given.timeout_ms != 0) call.timeout = std::chrono::milliseconds(given.timeout_ms);
  if (given.traceparent != nullptr) call.metadata.emplace_back("traceparent", given.traceparent);
  if (given.request_id != nullptr) call.metadata.emplace_back("x-request-id", given.request_id);
  return call;
}

TimeCode TimeOf(double time) { return std::isnan(time) ? TimeCode::Default() : TimeCode(time); }

absl::StatusOr<Times> TimesOf(const double* times, size_t count) {
  if (times == nullptr || count == 0) return InvalidArgumentError("there are no times");
  std::vector<TimeCode> codes;
  codes.reserve(count);
  for (size_t i = 0; i < count; ++i) codes.push_back(TimeOf(times[i]));
  return Times(codes);
}

}  // namespace stagedoor::sdk

uint32_t sd_abi_version(void) { return SD_ABI_VERSION; }

sd_code sd_error_code(const sd_error* error) {
  return error == nullptr ? SD_OK : static_cast<sd_code>(error->details.code);
}
const char* sd_error_reason(const sd_error* error) {
  return error == nullptr ? "" : error->details.reason.c_str();
}
const char* sd_error_message(const sd_error* error) {
  return error == nullptr ? "" : error->details.message.c_str();
}
const char* sd_error_path(const sd_error* error) {
  return error == nullptr ? "" : error->details.path.c_str();
}
const char* sd_error_hint(const sd_error* error) {
  return error == nullptr ? "" : error->details.hint.c_str();
}

void sd_error_destroy(sd_error* error) { delete error; }
void sd_connection_destroy(sd_connection* connection) { delete connection; }
void sd_stage_destroy(sd_stage* stage) { delete stage; }
void sd_values_destroy(sd_values* values) { delete values; }
void sd_time_samples_destroy(sd_time_samples* samples) { delete samples; }
void sd_skinned_destroy(sd_skinned* skinned) { delete skinned; }
void sd_transforms_destroy(sd_transforms* transforms) { delete transforms; }
void sd_bounds_destroy(sd_bounds* bounds) { delete bounds; }
void sd_messages_destroy(sd_messages* messages) { delete messages; }
void sd_asset_destroy(sd_asset* asset) { delete asset; }
void sd_watch_destroy(sd_watch* watch) { delete watch; }
void sd_changes_destroy(sd_changes* changes) { delete changes; }
void sd_frame_destroy(sd_frame* frame) { delete frame; }
