#ifndef STAGEDOOR_RESOLVER_REMOTE_SERVICE_RULES_H_
#define STAGEDOOR_RESOLVER_REMOTE_SERVICE_RULES_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "resolver/remote/checked_rule.h"
#include "resolver/remote/checked_service.h"

namespace stagedoor {

// The verdict of a rule.
struct RuleVerdict {
  CheckedRule::Verdict verdict = CheckedRule::Verdict::kOk;
  std::string why = {};
};

template <typename... Args>
RuleVerdict Failed(const Args&... args) {
  return {CheckedRule::Verdict::kFailed, Concat(args...)};
}
template <typename... Args>
RuleVerdict Skipped(const Args&... args) {
  return {CheckedRule::Verdict::kSkipped, Concat(args...)};
}

// Returns from a rule that fails.
#define SD_FAIL_IF(condition, ...) \
  do {                             \
    if (condition) [[unlikely]]    \
      return Failed(__VA_ARGS__);  \
  } while (false)

// "NOT_FOUND 'no such asset'" for a message; "OK" if there is no error.
std::string Outcome(const absl::Status& status);

// An asset that exists.
struct CheckedAsset {
  std::string identifier;
  std::string resolved_path;
  ObjectInfo info;
  std::string start;  // of its content: up to kMaxCheckedBytes
};
inline constexpr size_t kMaxCheckedBytes = size_t{16} << 20;

// The arguments of a rule.
struct RuleInput {
  const CheckedService& service;
  const ServiceCheckOptions& options;
  std::vector<CheckedAsset> assets;  // not empty
};

// A rule of docs/resolver_service.md and the function that checks it.
struct ServiceRule {
  std::string_view rule;
  RuleVerdict (*check)(const RuleInput&);
};

// path_rules.cc: CreateIdentifier and Resolve, and what all calls do with paths.
std::span<const ServiceRule> PathRules();
// content_rules.cc: GetVersions and Read.
std::span<const ServiceRule> ContentRules();
// change_rules.cc: Watch, and files that are written.
std::span<const ServiceRule> ChangeRules();

// A path beside the asset, of which there is none.
std::string MissingBeside(const CheckedAsset& asset);

// Whether the service answers as it should; for rules that expect errors.
RuleVerdict StillAnswers(const RuleInput& input, std::string_view after);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_SERVICE_RULES_H_
