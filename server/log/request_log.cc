#include "server/log/request_log.h"

#include <spdlog/spdlog.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/status.h"
#include "server/log/logging.h"

namespace stagedoor::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Calls = RequestLogOptions::Calls;

constexpr size_t kMaxNameBytes = 200;
constexpr size_t kMaxErrorBytes = 1000;
// A wait in the queue that is not worth mentioning.
constexpr milliseconds kShortWait{1};

constexpr std::pair<std::string_view, Calls> kCallNames[] = {{"none", Calls::kNone},
                                                             {"errors", Calls::kErrors},
                                                             {"slow", Calls::kSlow},
                                                             {"all", Calls::kAll}};

bool IsFaultOfTheDaemon(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal || code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

// With one digit behind the point, if it is not 0.
std::string Rounded(double number) { return Concat(std::round(number * 10) / 10); }

std::string ShownTime(nanoseconds time) {
  const double ms = static_cast<double>(time.count()) / 1e6;
  if (ms >= 10000) return Rounded(ms / 1000) + " s";
  return (ms < 10 ? Rounded(ms) : Concat(static_cast<int64_t>(std::round(ms)))) + " ms";
}

std::string ShownBytes(uint64_t bytes) {
  if (bytes < 1000) return Concat(bytes, " bytes");
  auto number = static_cast<double>(bytes);
  size_t unit = 0;
  constexpr std::string_view kUnits[] = {" kB", " MB", " GB", " TB"};
  for (number /= 1000; number >= 999.95 && unit < 3; number /= 1000) ++unit;
  return Rounded(number) + std::string(kUnits[unit]);
}

std::string ShownNames(const RequestCosts::Cost& cost) {
  std::vector<std::string> names;
  for (const std::string& name : cost.first_names) {
    const bool fits = name.size() <= kMaxNameBytes;
    names.push_back(fits ? name : "…" + name.substr(name.size() - kMaxNameBytes));
  }
  if (cost.count > names.size()) names.emplace_back("…");
  return Join(names, ", ");
}

std::string ShownCost(std::string_view what, std::string_view noun,
                      const RequestCosts::Cost& cost) {
  return Concat(what, " ", cost.count, " ", noun, cost.count == 1 ? " (" : "s (",
                ShownBytes(cost.bytes), ", ", ShownTime(cost.time), "): ", ShownNames(cost));
}

// With microseconds.
double Milliseconds(nanoseconds time) {
  const int64_t microseconds = time.count() / 1000;
  return static_cast<double>(microseconds) / 1000;
}

void AddText(std::string_view name, const std::string& text, std::vector<LogField>* fields) {
  if (!text.empty()) fields->push_back({name, text});
}

}  // namespace

std::string_view LoggedCallsName(Calls calls) {
  for (const auto& [name, known] : kCallNames) {
    if (known == calls) return name;
  }
  return {};
}

std::optional<Calls> ParseLoggedCalls(std::string_view name) {
  for (const auto& [known, calls] : kCallNames) {
    if (known == name) return calls;
  }
  return std::nullopt;
}

bool RequestLog::IsWanted(absl::StatusCode code, nanoseconds spent) const {
  switch (options_.calls) {
    case Calls::kNone:
      return false;
    case Calls::kErrors:
      return code != absl::StatusCode::kOk;
    case Calls::kSlow:
      return IsSlow(spent) || IsFaultOfTheDaemon(code);
    case Calls::kAll:
      return true;
  }
  return false;
}

std::optional<uint64_t> RequestLog::Admit(absl::StatusCode code, nanoseconds spent) {
  if (!IsWanted(code, spent)) return std::nullopt;
  return limiter_.Admit(now_());
}

void RequestLog::Write(const RequestRecord& record, uint64_t suppressed) const {
  const bool slow = IsSlow(record.queued + record.worked);
  const bool fault = IsFaultOfTheDaemon(record.status.code());
  std::vector<LogField> fields = {
      {"method", std::string(record.method)},
      {"status", absl::StatusCodeToString(record.status.code())},
      {"duration_ms", Milliseconds(record.duration)},
      {"queue_ms", Milliseconds(record.queued)},
      {"work_ms", Milliseconds(record.worked)},
      {"bytes_in", static_cast<int64_t>(record.bytes_in)},
      {"bytes_out", static_cast<int64_t>(record.bytes_out)},
  };
  AddText("request_id", record.request_id, &fields);
  AddText("trace_id", record.trace_id, &fields);
  AddText("span_id", record.span_id, &fields);
  AddText("parent_id", record.parent_id, &fields);
  AddText("peer", record.peer, &fields);
  AddText("identity", record.identity, &fields);
  AddText("stage", record.stage, &fields);
  AddText("error", std::string(Message(record.status).substr(0, kMaxErrorBytes)), &fields);
  if (slow) AddText("reasons", SlowCallReasons(record), &fields);
  if (suppressed != 0) fields.push_back({"suppressed", static_cast<int64_t>(suppressed)});
  LogWithFields(slow || fault ? spdlog::level::warn : spdlog::level::info,
                slow ? "slow call" : "call", fields);
}

std::string SlowCallReasons(const RequestRecord& record) {
  constexpr std::pair<std::string_view, std::string_view> kWords[RequestCosts::kKinds] = {
      {"opened", "layer"}, {"opened", "clip"}, {"fetched", "range"}};
  std::vector<std::string> reasons;
  for (size_t kind = 0; kind < record.costs.size(); ++kind) {
    const RequestCosts::Cost& cost = record.costs[kind];
    if (cost.count == 0) continue;
    reasons.push_back(ShownCost(kWords[kind].first, kWords[kind].second, cost));
  }
  if (record.queued >= kShortWait) {
    reasons.push_back(Concat("waited ", ShownTime(record.queued), " in the queue"));
  }
  return Join(reasons, "; ");
}

}  // namespace stagedoor::server
