#include "resolver/remote/service_rules.h"

#include "base/status.h"
#include "resolver/asset_path.h"

namespace stagedoor {

std::string Outcome(const absl::Status& status) {
  if (status.ok()) return "OK";
  return Concat(absl::StatusCodeToString(status.code()), " ", Quoted(Message(status)));
}

std::string MissingBeside(const CheckedAsset& asset) {
  return Concat(AssetDirectory(asset.resolved_path), "/stagedoor_check_no_such_asset.usd");
}

RuleVerdict StillAnswers(const RuleInput& input, std::string_view after) {
  const auto resolved = input.service.ResolveOf(input.assets.front().identifier);
  if (resolved.ok()) return {};
  return Failed("after ", after, ", Resolve answers ", Outcome(resolved.status()));
}

}  // namespace stagedoor
