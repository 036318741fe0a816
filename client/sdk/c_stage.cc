// The functions of the C interface for connections, stages, sample times and skinned points.
#include <chrono>
#include <climits>
#include <limits>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/sdk/c_objects.h"

namespace stagedoor::sdk {
namespace {

absl::StatusOr<std::shared_ptr<Connection>> ConnectWith(const sd_connect_options& given) {
  ConnectionOptions options;
  SD_ASSIGN_OR_RETURN(options.addresses, TextsOf(given.addresses, given.address_count));
  if (given.timeout_ms != 0) options.client.timeout = std::chrono::milliseconds(given.timeout_ms);
  SecurityOptions& security = options.client.security;
  security.tls = given.tls != 0;
  security.ca_file = TextOf(given.ca_file);
  security.certificate_file = TextOf(given.certificate_file);
  security.key_file = TextOf(given.key_file);
  security.server_name = TextOf(given.server_name);
  security.token_file = TextOf(given.token_file);
  options.client_name = TextOf(given.client_name);
  if (given.array_cache_bytes == std::numeric_limits<uint64_t>::max()) {
    options.array_cache_bytes = 0;
  } else if (given.array_cache_bytes != 0) {
    options.array_cache_bytes = given.array_cache_bytes;
  }
  return Connection::Connect(std::move(options));
}

absl::StatusOr<Stage> OpenWith(const std::shared_ptr<Connection>& connection,
                               const char* root_layer, const sd_stage_options& given) {
  StageOptions options;
  options.session_layer = TextOf(given.session_layer);
  options.load_payloads = given.load_none == 0;
  SD_ASSIGN_OR_RETURN(options.population_mask,
                      TextsOf(given.population_mask, given.population_mask_count));
  options.session = TextOf(given.session);
  if (given.request == nullptr && given.request_size != 0) {
    return InvalidArgumentError("the field 'request' of the options is NULL");
  }
  if (given.request_size > INT_MAX ||
      !options.request.ParseFromArray(given.request, static_cast<int>(given.request_size))) {
    return InvalidArgumentError("the field 'request' of the options is not an OpenStageRequest");
  }
  return Stage::Open(connection, root_layer, options);
}

absl::StatusOr<std::vector<SkinnedPrim>> SkinnedPoints(const Stage& stage, const char* const* paths,
                                                       size_t path_count, const double* times,
                                                       size_t time_count,
                                                       const sd_call_options* call) {
  SD_ASSIGN_OR_RETURN(const std::vector<std::string> wanted, TextsOf(paths, path_count));
  SD_ASSIGN_OR_RETURN(const Times when, TimesOf(times, time_count));
  std::vector<SkinnedPrim> prims;
  SD_RETURN_IF_ERROR(stage.GetSkinnedPoints(
      wanted, when,
      [&](SkinnedPrim prim) {
        prims.push_back(std::move(prim));
        return absl::OkStatus();
      },
      {}, CallOptionsOf(call)));
  return prims;
}

}  // namespace
}  // namespace stagedoor::sdk

namespace sdk = stagedoor::sdk;

sd_code sd_connect(const sd_connect_options* options, sd_connection** out, sd_error** error) {
  if (out == nullptr) return sdk::ReportNull("out", error);
  return sdk::Return(sdk::ConnectWith(sdk::CopyOptions(options)), out, error);
}

sd_code sd_stage_open(sd_connection* connection, const char* root_layer,
                      const sd_stage_options* options, sd_stage** out, sd_error** error) {
  if (connection == nullptr) return sdk::ReportNull("connection", error);
  if (root_layer == nullptr) return sdk::ReportNull("root_layer", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  return sdk::Return(sdk::OpenWith(connection->connection, root_layer, sdk::CopyOptions(options)),
                     out, error);
}

sd_code sd_stage_at_snapshot(sd_stage* stage, const char* snapshot, sd_stage** out,
                             sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  if (snapshot == nullptr) return sdk::ReportNull("snapshot", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  *out = new sd_stage{stage->stage.AtSnapshot(snapshot)};
  return SD_OK;
}

sd_code sd_stage_snapshot(const sd_stage* stage, char snapshot[33], sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  if (snapshot == nullptr) return sdk::ReportNull("snapshot", error);
  const std::string text = stage->stage.snapshot();
  std::memset(snapshot, 0, 33);
  text.copy(snapshot, 32);
  return SD_OK;
}

sd_code sd_stage_reload(sd_stage* stage, const sd_call_options* call, sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  return sdk::Report(stage->stage.Reload(/*expected=*/"", sdk::CallOptionsOf(call)).status(),
                     error);
}

sd_code sd_stage_time_codes(const sd_stage* stage, double* start, double* end,
                            double* time_codes_per_second, sd_error** error) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  const stagedoor::v1::Stage info = stage->stage.info();
  if (start != nullptr) *start = info.has_start_time_code() ? info.start_time_code() : kNone;
  if (end != nullptr) *end = info.has_end_time_code() ? info.end_time_code() : kNone;
  if (time_codes_per_second != nullptr) *time_codes_per_second = info.time_codes_per_second();
  return SD_OK;
}

sd_code sd_stage_set_session_layer(sd_stage* stage, const char* text, const sd_call_options* call,
                                   sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  return sdk::Report(
      stage->stage.SetSessionLayer(sdk::TextOf(text), /*expected=*/"", sdk::CallOptionsOf(call))
          .status(),
      error);
}

sd_code sd_get_time_samples(sd_stage* stage, const char* path, const sd_call_options* call,
                            sd_time_samples** out, sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  if (path == nullptr) return sdk::ReportNull("path", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  return sdk::Return(stage->stage.GetAttributeAtPath(path).GetTimeSamples(sdk::CallOptionsOf(call)),
                     out, error);
}

size_t sd_time_samples_count(const sd_time_samples* samples) {
  return samples == nullptr ? 0 : samples->times.size();
}

const double* sd_time_samples_data(const sd_time_samples* samples) {
  return samples == nullptr ? nullptr : samples->times.data();
}

sd_code sd_get_skinned_points(sd_stage* stage, const char* const* paths, size_t path_count,
                              const double* times, size_t time_count, const sd_call_options* call,
                              sd_skinned** out, sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  return sdk::Return(sdk::SkinnedPoints(stage->stage, paths, path_count, times, time_count, call),
                     out, error);
}

size_t sd_skinned_count(const sd_skinned* skinned) {
  return skinned == nullptr ? 0 : skinned->prims.size();
}

sd_code sd_skinned_get(const sd_skinned* skinned, size_t index, sd_skinned_prim* out,
                       sd_error** error) {
  if (skinned == nullptr) return sdk::ReportNull("skinned", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  if (index >= skinned->prims.size()) {
    return sdk::Report(absl::OutOfRangeError("there is no result with this index"), error);
  }
  const sdk::SkinnedPrim& prim = skinned->prims[index];
  if (!prim.status.ok()) return sdk::Report(prim.status, error);
  *out = {prim.path.c_str(), prim.time_index, reinterpret_cast<const float*>(prim.points.data()),
          prim.points.size()};
  return SD_OK;
}
