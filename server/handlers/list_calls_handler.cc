#include "server/handlers/list_calls_handler.h"

#include <cstdint>

#include "base/strings.h"
#include "server/converters/duration_converter.h"
#include "server/converters/reply_budget.h"
#include "server/error_info.h"
#include "server/handlers/admin_state.h"
#include "server/rpc/call_admission.h"

namespace stagedoor::server {
namespace {

constexpr uint32_t kDefaultLimit = 100;
constexpr uint32_t kMaxLimit = 1000;

v1::CallInFlight::State WireState(CallState state) {
  switch (state) {
    case CallState::kWaiting:
      return v1::CallInFlight::STATE_WAITING;
    case CallState::kWorking:
      return v1::CallInFlight::STATE_WORKING;
    case CallState::kSending:
      return v1::CallInFlight::STATE_SENDING;
    case CallState::kSuspended:
      return v1::CallInFlight::STATE_WATCHING;
  }
  return v1::CallInFlight::STATE_UNSPECIFIED;
}

// The fields that both kinds of calls have.
template <typename Call, typename Message>
void FillOrigin(const Call& call, ReplyBudget& budget, Message* out) {
  out->set_method(budget.Text(call.method));
  out->set_identity(budget.Text(call.identity));
  out->set_peer(budget.Text(call.peer));
  out->set_request_id(budget.Text(call.request_id));
  out->set_root_layer(budget.Text(call.stage));
}

void FillCall(const CallInFlight& call, ReplyBudget& budget, v1::CallInFlight* out) {
  FillOrigin(call, budget, out);
  FillDuration(call.age, out->mutable_age());
  out->set_state(WireState(call.state));
  out->set_reserved_bytes(call.reserved_bytes);
  out->set_steps(call.steps);
}

void FillEnded(const EndedCall& call, SlowestCalls::Clock::time_point now, ReplyBudget& budget,
               v1::EndedCall* out) {
  FillOrigin(call, budget, out);
  FillDuration(call.duration, out->mutable_duration());
  FillDuration(call.queued, out->mutable_queue_time());
  FillDuration(call.worked, out->mutable_work_time());
  FillDuration(now - call.ended, out->mutable_ended_ago());
  out->set_code(static_cast<int32_t>(call.code));
  out->set_message(budget.Text(call.message));
  out->set_reasons(budget.Text(call.reasons));
}

}  // namespace

absl::Status ListCalls(const AdminState& state, RequestContext& context,
                       const v1::ListCallsRequest& request, v1::ListCallsResponse* response) {
  if (request.limit() > kMaxLimit) {
    return InvalidFieldError("limit", Concat(request.limit()),
                             Concat("must be at most ", kMaxLimit));
  }
  const uint32_t limit = request.limit() == 0 ? kDefaultLimit : request.limit();
  ReplyBudget budget(context, state.caches.limits.max_reply_bytes, "request fewer calls");
  const CallRegistry::Listing listing = state.admission.registry().List(limit);
  for (const CallInFlight& call : listing.longest) {
    if (!budget.ok()) return budget.status();
    FillCall(call, budget, budget.Add(response->mutable_calls()));
  }
  response->set_calls_in_flight(state.admission.calls_in_flight());
  response->set_waiting_calls(listing.waiting);
  const SlowestCalls& slowest = state.admission.slowest_calls();
  const SlowestCalls::Clock::time_point now = slowest.now();
  for (const EndedCall& call : slowest.List()) {
    if (!budget.ok()) return budget.status();
    FillEnded(call, now, budget, budget.Add(response->mutable_slowest_calls()));
  }
  return budget.status();
}

}  // namespace stagedoor::server
