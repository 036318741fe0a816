#include "server/rpc/call.h"

#include <new>

#include "server/rpc/grpc_status.h"

namespace stagedoor::server {
namespace {

using SteadyClock = RequestContext::Clock;

SteadyClock::time_point ToSteady(std::chrono::system_clock::time_point deadline) {
  const auto left = deadline - std::chrono::system_clock::now();
  // gRPC represents "no deadline" as time_point::max, which would overflow here.
  if (left > std::chrono::hours(24 * 365)) return SteadyClock::time_point::max();
  return SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(left);
}

}  // namespace

Call::Call(CallAdmission& admission, MethodCounters& counters,
           std::chrono::system_clock::time_point deadline)
    : admission_(admission),
      counters_(counters),
      admission_status_(admission.Admit()),
      context_(admission.Deadline(ToSteady(deadline)), admission.MakeRequestLimits()) {
  counters_.calls.fetch_add(1, std::memory_order_relaxed);
}

Call::~Call() {
  if (admission_status_.ok()) admission_.Release();
}

grpc::Status Call::End(const absl::Status& status) {
  const auto spent = std::chrono::steady_clock::now() - start_;
  counters_.RecordCall(status.code(), std::chrono::duration_cast<std::chrono::nanoseconds>(spent));
  try {
    return ToGrpcStatus(status);
  } catch (const std::bad_alloc&) {
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "out of memory");
  }
}

}  // namespace stagedoor::server
