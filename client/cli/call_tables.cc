#include "client/cli/call_tables.h"

#include "absl/status/status.h"
#include "base/strings.h"
#include "client/cli/safe_text.h"
#include "client/cli/shown_units.h"

namespace stagedoor {
namespace {

using Align = TextTable::Align;

constexpr size_t kMaxIdentity = 32;
constexpr size_t kMaxRequestId = 32;
constexpr size_t kMaxStage = 60;

std::string_view StateText(v1::CallInFlight::State state) {
  switch (state) {
    case v1::CallInFlight::STATE_WAITING:
      return "waiting";
    case v1::CallInFlight::STATE_WORKING:
      return "working";
    case v1::CallInFlight::STATE_SENDING:
      return "sending";
    case v1::CallInFlight::STATE_WATCHING:
      return "watching";
    default:
      return "?";
  }
}

// The caller of a call: the identity or, where nothing was proved, the address.
template <typename Call>
std::string Who(const Call& call) {
  const bool proved = !call.identity().empty() && call.identity() != "anonymous";
  return SafeText(proved ? call.identity() : call.peer());
}

// Why a call took long, and how it failed.
std::string Remarks(const v1::EndedCall& call) {
  std::string text = SafeText(call.reasons());
  if (call.code() == 0) return text;
  const auto code = static_cast<absl::StatusCode>(call.code());
  if (!text.empty()) text += "; ";
  return Concat(text, absl::StatusCodeToString(code), ": ", SafeText(call.message()));
}

}  // namespace

std::string ShownMethod(std::string_view method) {
  constexpr std::string_view kPackage = "stagedoor.v1.";
  if (method.starts_with(kPackage)) method.remove_prefix(kPackage.size());
  return SafeText(method);
}

TextTable CallsInFlightTable(const v1::ListCallsResponse& response) {
  TextTable table({{"AGE", Align::kRight},
                   {"STATE"},
                   {"METHOD"},
                   {"CALLER", Align::kLeft, kMaxIdentity},
                   {"MEMORY", Align::kRight},
                   {"STEPS", Align::kRight},
                   {"REQUEST", Align::kLeft, kMaxRequestId},
                   {"STAGE"}});
  for (const v1::CallInFlight& call : response.calls()) {
    table.Add({ShownTime(SecondsOf(call.age())), std::string(StateText(call.state())),
               ShownMethod(call.method()), Who(call),
               ShownBytes(static_cast<double>(call.reserved_bytes())), Concat(call.steps()),
               SafeText(call.request_id()), SafeText(call.root_layer())});
  }
  return table;
}

TextTable SlowestCallsTable(const v1::ListCallsResponse& response) {
  TextTable table({{"WORK", Align::kRight},
                   {"QUEUE", Align::kRight},
                   {"AGO", Align::kRight},
                   {"METHOD"},
                   {"CALLER", Align::kLeft, kMaxIdentity},
                   {"REQUEST", Align::kLeft, kMaxRequestId},
                   {"STAGE", Align::kLeft, kMaxStage},
                   {"REASONS"}});
  for (const v1::EndedCall& call : response.slowest_calls()) {
    table.Add({ShownTime(SecondsOf(call.work_time())), ShownTime(SecondsOf(call.queue_time())),
               ShownTime(SecondsOf(call.ended_ago())), ShownMethod(call.method()), Who(call),
               SafeText(call.request_id()), SafeText(call.root_layer()), Remarks(call)});
  }
  return table;
}

}  // namespace stagedoor
