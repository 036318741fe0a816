#include "server/handlers/server_handlers.h"

#include <chrono>
#include <cstdint>

#include "base/strings.h"
#include "base/version.h"
#include "server/converters/duration_converter.h"
#include "server/handlers/daemon_state.h"
#include "server/machine/resident_bytes.h"
#include "server/rpc/call_admission.h"
#include "server/server_limits.h"
#include "server/stages/session_follower.h"

namespace stagedoor::server {
namespace {

void FillLimits(const DaemonState& state, v1::Limits* out) {
  const ServerLimits& limits = state.limits;
  out->set_max_paths(limits.max_paths);
  out->set_max_times(limits.max_times);
  out->set_max_items(limits.max_items);
  out->set_max_request_bytes(state.capabilities.max_request_bytes);
  out->set_max_reply_bytes(limits.max_reply_bytes);
  out->set_max_session_layer_bytes(limits.max_session_layer_bytes);
  out->set_max_page_size(limits.max_page_size);
}

void FillFollow(const SessionFollower& follower, v1::FollowStatistics* out) {
  const SessionFollower::Stats stats = follower.GetStats();
  out->set_stages(stats.stages);
  out->set_watched_assets(stats.watched_assets);
  out->set_polled_assets(stats.polled_assets);
  out->set_changes(stats.changes);
  out->set_reopens(stats.reopens);
  out->set_failures(stats.failures);
}

}  // namespace

absl::Status GetCapabilities(const DaemonState& state, RequestContext&,
                             const v1::GetCapabilitiesRequest&,
                             v1::GetCapabilitiesResponse* response) {
  response->set_version(kVersion);
  response->add_api_versions(v1::GetCapabilitiesResponse::descriptor()->file()->package());
  if (state.capabilities.reflection) response->add_features(v1::FEATURE_REFLECTION);
  response->add_features(v1::FEATURE_PATH_SETS);
  response->add_features(v1::FEATURE_FRAMES);
  response->add_features(v1::FEATURE_QUERY_CHANNELS);
  FillLimits(state, response->mutable_limits());
  for (const BackendInfo& backend : state.capabilities.backends) {
    v1::Backend* added = response->add_backends();
    added->set_name(backend.name);
    added->mutable_schemes()->Assign(backend.schemes.begin(), backend.schemes.end());
  }
  for (const LayerFormat& format : state.layers.formats().all()) {
    v1::LayerFileFormat* added = response->add_layer_formats();
    added->set_name(format.name);
    added->mutable_extensions()->Assign(format.extensions.begin(), format.extensions.end());
    added->set_writable(format.write != nullptr);
  }
  response->set_query_socket(CoerceToUtf8(state.capabilities.query_socket));
  return absl::OkStatus();
}

absl::Status GetServerStatistics(const DaemonState& state, RequestContext&,
                                 const v1::GetServerStatisticsRequest&,
                                 v1::GetServerStatisticsResponse* response) {
  response->set_version(kVersion);
  FillDuration(std::chrono::steady_clock::now() - state.started, response->mutable_uptime());
  response->set_open_stages(state.stages.Stats().entries);
  response->set_leases(state.leases.size());
  response->set_resident_bytes(ResidentBytes());
  FillFollow(state.follower, response->mutable_follow());
  for (const MethodCounters* counters : state.admission.AllCounters()) {
    v1::MethodStatistics* method = response->add_methods();
    method->set_method(CoerceToUtf8(counters->name));
    method->set_calls(static_cast<uint64_t>(counters->calls.load()));
    method->set_errors(static_cast<uint64_t>(counters->errors.load()));
    FillDuration(std::chrono::nanoseconds(counters->nanoseconds.load()),
                 method->mutable_handling_time());
    method->set_bytes_in(counters->bytes_in.load());
    method->set_bytes_out(counters->bytes_out.load());
  }
  state.upstream.Fill(response);
  return absl::OkStatus();
}

}  // namespace stagedoor::server
