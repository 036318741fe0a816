#include "server/handlers/stats_handler.h"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>

#include "base/version.h"
#include "server/converters/coerce_to_utf8.h"
#include "server/rpc/call_admission.h"

namespace stagedoor::server {
namespace {

void FillDuration(std::chrono::nanoseconds duration, google::protobuf::Duration* out) {
  out->set_seconds(duration.count() / 1000000000);
  out->set_nanos(static_cast<int32_t>(duration.count() % 1000000000));
}

uint64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

absl::Status GetServerStatistics(ServerState& state, RequestContext&,
                                 const v1::GetServerStatisticsRequest&,
                                 v1::GetServerStatisticsResponse* response) {
  response->set_version(kVersion);
  FillDuration(std::chrono::steady_clock::now() - state.started, response->mutable_uptime());
  response->set_open_stages(state.stages.Stats().entries);
  response->set_leases(state.leases.size());
  response->set_resident_bytes(ResidentBytes());
  if (state.admission == nullptr) return absl::OkStatus();
  for (const MethodCounters* counters : state.admission->AllCounters()) {
    v1::MethodStatistics* method = response->add_methods();
    method->set_method(CoerceToUtf8(counters->name));
    method->set_calls(static_cast<uint64_t>(counters->calls.load()));
    method->set_errors(static_cast<uint64_t>(counters->errors.load()));
    FillDuration(std::chrono::nanoseconds(counters->nanoseconds.load()),
                 method->mutable_handling_time());
  }
  return absl::OkStatus();
}

}  // namespace stagedoor::server
