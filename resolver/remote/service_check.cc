#include "resolver/remote/service_check.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/remote/checked_service.h"
#include "resolver/remote/service_connection.h"
#include "resolver/remote/service_rules.h"

namespace stagedoor {
namespace {

using Verdict = CheckedRule::Verdict;
using Report = std::function<void(const CheckedRule&)>;

// Finds an asset that the user has named, and reads its content.
absl::StatusOr<CheckedAsset> FindAsset(const CheckedService& service, const std::string& path) {
  CheckedAsset asset;
  SD_ASSIGN_OR_RETURN(asset.identifier, service.CreateIdentifierOf(path, ""));
  SD_ASSIGN_OR_RETURN(asset.resolved_path, service.ResolveOf(asset.identifier));
  SD_ASSIGN_OR_RETURN(asset.info, service.GetVersionOf(asset.resolved_path));
  CheckedService::Reading reading = service.Read(asset.resolved_path, {{0, kMaxCheckedBytes}});
  SD_RETURN_IF_ERROR(reading.status);
  asset.start = std::move(reading.bytes);
  return asset;
}

class Checking {
 public:
  explicit Checking(const Report& report) : report_(report) {}

  void Add(std::string_view rule, RuleVerdict verdict) {
    ++(verdict.verdict == Verdict::kOk       ? counts_.ok
       : verdict.verdict == Verdict::kFailed ? counts_.failed
                                             : counts_.skipped);
    report_({rule, verdict.verdict, std::move(verdict.why)});
  }
  const ServiceCheckCounts& counts() const { return counts_; }

 private:
  const Report& report_;
  ServiceCheckCounts counts_;
};

}  // namespace

absl::StatusOr<ServiceCheckCounts> CheckService(
    std::shared_ptr<const ServiceConnection> connection, const ServiceCheckOptions& options,
    const std::function<void(const CheckedRule&)>& report) {
  const CheckedService service(std::move(connection));
  RuleInput input{service, options, {}};
  Checking checking(report);
  for (const std::string& path : options.paths) {
    auto asset = FindAsset(service, path);
    const bool reachable = checking.counts().ok + checking.counts().failed > 0;
    if (asset.status().code() == absl::StatusCode::kUnavailable && !reachable) {
      return UnavailableError("cannot reach the resolver service at ",
                              Quoted(service.connection()->options().address), ": ",
                              Message(asset.status()));
    }
    const RuleVerdict read{.why = Quoted(path)};
    checking.Add("an asset that exists can be read",
                 asset.ok() ? read : Failed(read.why, ": ", Outcome(asset.status())));
    if (asset.ok()) input.assets.push_back(*std::move(asset));
  }
  for (const auto rules : {PathRules(), ContentRules(), ChangeRules()}) {
    for (const ServiceRule& rule : rules) {
      checking.Add(rule.rule, input.assets.empty() ? Skipped("no asset of --path can be read")
                                                   : rule.check(input));
    }
  }
  return checking.counts();
}

absl::StatusOr<ServiceCheckCounts> CheckService(
    const ResolverServiceOptions& service, const ServiceCheckOptions& options,
    const std::function<void(const CheckedRule&)>& report) {
  SD_ASSIGN_OR_RETURN(auto connection, ServiceConnection::Open(service));
  return CheckService(std::move(connection), options, report);
}

}  // namespace stagedoor
