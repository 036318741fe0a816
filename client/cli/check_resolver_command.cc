#include <chrono>
#include <cmath>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cli/commands.h"
#include "resolver/remote/service_check.h"

namespace stagedoor {
namespace {

using Verdict = CheckedRule::Verdict;

absl::StatusOr<ResolverServiceOptions> ServiceOptions(const CommandLine& line) {
  for (const std::string_view name : {"address", "embedded", "schema-path", "connect-timeout"}) {
    if (!line.Flag(name)) continue;
    return UsageError(Concat("check-resolver uses no daemon, so it takes no --", name,
                             "; the address of the resolver service is its argument"));
  }
  ResolverServiceOptions options;
  options.address = line.arguments().front();
  if (const absl::Status checked = CheckServiceAddress(options.address); !checked.ok()) {
    return UsageError(Message(checked));
  }
  options.scheme = line.Option("scheme").value_or("");
  if (options.scheme.empty()) {
    return UsageError("check-resolver needs --scheme, the scheme of the service's URIs");
  }
  if (const absl::Status checked = CheckServiceScheme(options.scheme); !checked.ok()) {
    return UsageError(Message(checked));
  }
  SD_ASSIGN_OR_RETURN(const auto seconds, line.NumberOption("timeout"));
  if (!(seconds.value_or(1) > 0) || seconds.value_or(1) > 1e6) {
    return UsageError("--timeout must be a number of seconds above 0 and at most 1000000");
  }
  if (seconds.has_value()) {
    options.answer_timeout = std::chrono::milliseconds(std::llround(*seconds * 1000));
  }
  return options;
}

absl::StatusOr<ServiceCheckOptions> CheckOptions(const CommandLine& line, std::string_view scheme) {
  ServiceCheckOptions options;
  options.paths = line.Options("path");
  if (options.paths.empty()) {
    return UsageError("check-resolver needs --path, an asset that exists; repeatable");
  }
  for (const std::string& path : options.paths) {
    if (path.starts_with(Concat(scheme, "://"))) continue;
    return UsageError(Concat("--path must begin with ", scheme, "://, not be ", Quoted(path)));
  }
  const std::string writable = line.Option("writable-dir").value_or("");
  if (writable.empty()) return options;
  const size_t equals = writable.find(Concat("=", scheme, "://"));
  if (equals == std::string::npos || equals == 0) {
    return UsageError(Concat("--writable-dir must be DIR=URI, such as /show/tmp=", scheme,
                             "://show/tmp, not ", Quoted(writable)));
  }
  options.writable_directory = writable.substr(0, equals);
  options.writable_uri = writable.substr(equals + 1);
  return options;
}

void Print(const CheckedRule& rule, Output& output) {
  const std::string_view verdict = rule.verdict == Verdict::kOk       ? "ok       "
                                   : rule.verdict == Verdict::kFailed ? "FAILED   "
                                                                      : "skipped  ";
  output.Line(Concat(verdict, rule.rule, rule.why.empty() ? "" : ": ", rule.why));
  output.Flush().IgnoreError();  // the next rule may take a while
}

}  // namespace

absl::Status RunCheckResolver(const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const ResolverServiceOptions service, ServiceOptions(line));
  SD_ASSIGN_OR_RETURN(const ServiceCheckOptions options, CheckOptions(line, service.scheme));
  SD_ASSIGN_OR_RETURN(
      const ServiceCheckCounts counts,
      CheckService(service, options, [&](const CheckedRule& rule) { Print(rule, output); }));
  output.Line(Concat(counts.ok, " ok, ", counts.failed, " failed, ", counts.skipped, " skipped"));
  if (counts.failed == 0) return absl::OkStatus();
  return FailedPreconditionError("the resolver service at ", Quoted(service.address), " breaks ",
                                 counts.failed, counts.failed == 1 ? " rule" : " rules",
                                 "; see docs/resolver_service.md");
}

}  // namespace stagedoor
