#include "server/rpc/call.h"

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "server/log/trace_context.h"
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
           std::chrono::system_clock::time_point deadline,
           absl::StatusOr<std::shared_ptr<const Caller>> caller,
           const grpc::CallbackServerContext* client, std::string_view peer)
    : Entry(Clock::now()),
      admission_(admission),
      counters_(counters),
      caller_(std::move(caller)),
      admission_status_(caller_.ok() ? admission.Admit() : caller_.status()),
      admitted_(admission_status_.ok()),
      context_(admission.Deadline(ToSteady(deadline)), admission.MakeRequestLimits()),
      notes_(client, peer) {
  counters_.calls.fetch_add(1, std::memory_order_relaxed);
  if (!admitted_ || this->caller() == nullptr) return;
  admission_status_ = admission_.AdmitCaller(*this->caller());
  caller_counts_ = admission_status_.ok();
}

Call::~Call() {
  admission_.registry().Remove(*this);
  if (in_flight_) LeaveFlight();
}

void Call::LeaveFlight() {
  in_flight_ = false;
  if (caller_counts_) admission_.ReleaseCaller(*caller());
  if (admitted_) admission_.Release();
}

void Call::ReturnToFlight() {
  in_flight_ = true;
  if (caller_counts_) admission_.CountCaller(*caller());
  if (admitted_) admission_.Count();
}

grpc::Status Call::End(const absl::Status& status) {
  const std::chrono::nanoseconds spent = Clock::now() - arrived();
  if (!has_begun_) queued_ = spent;
  const std::chrono::nanoseconds worked = worked_.count() < 0 ? spent - queued_ : worked_;
  counters_.RecordCall(status.code(), spent);
  counters_.RecordMessages(queued_, bytes_in_, bytes_out_);
  Log(status, spent, worked);
  try {
    if (!status.ok()) admission_.refusals().Count(status);
    return ToGrpcStatus(status);
  } catch (const std::bad_alloc&) {
    return OutOfMemoryStatus();
  }
}

void Call::Log(const absl::Status& status, std::chrono::nanoseconds duration,
               std::chrono::nanoseconds worked) {
  const std::chrono::nanoseconds spent = queued_ + worked;
  RequestLog* const log = admission_.request_log();
  const auto suppressed = log == nullptr ? std::nullopt : log->Admit(status.code(), spent);
  const bool slowest = admission_.slowest_calls().Wants(spent);
  if (!suppressed.has_value() && !slowest) return;
  try {
    const RequestRecord record = MakeRecord(status, duration, worked);
    if (suppressed.has_value()) log->Write(record, *suppressed);
    if (slowest) admission_.slowest_calls().Add(record);
  } catch (const std::exception&) {
    // For example out of memory: the call ends as it would without a record.
  }
}

void Call::Describe(CallInFlight* out) {
  out->method = counters_.name;
  if (caller() != nullptr) out->identity = caller()->identity.name;
  notes_.Fill(out);
  out->reserved_bytes = context_.reserved_bytes();
  out->steps = context_.steps();
}

RequestRecord Call::MakeRecord(const absl::Status& status, std::chrono::nanoseconds duration,
                               std::chrono::nanoseconds worked) {
  RequestRecord record;
  record.method = counters_.name;
  record.status = status;
  record.duration = duration;
  record.queued = queued_;
  record.worked = worked;
  record.bytes_in = bytes_in_;
  record.bytes_out = bytes_out_;
  notes_.Fill(&record);
  if (caller() != nullptr) record.identity = caller()->identity.name;
  record.costs = context_.costs().costs();
  return record;
}

}  // namespace stagedoor::server
