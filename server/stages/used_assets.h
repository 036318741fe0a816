#ifndef STAGEDOOR_SERVER_STAGES_USED_ASSETS_H_
#define STAGEDOOR_SERVER_STAGES_USED_ASSETS_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/resolver.h"
#include "scene/stage/stage.h"

namespace stagedoor::server {

// An asset that a stage was composed of, a layer or a pin file, at the version that was used.
struct UsedAsset {
  std::string identifier;
  std::string path;     // resolved
  std::string version;  // AssetVersion::token()
  bool is_layer = true;
};

// The layers and pin files of a stage, without those that a client has sent.
std::vector<UsedAsset> UsedAssets(const Stage& stage);

// The current versions of assets, asked for in batches. In the order of `paths`. Errors: those of
// the context.
absl::StatusOr<std::vector<absl::StatusOr<AssetVersion>>> GetVersionsInBatches(
    RequestContext& context, const Resolver& resolver, const ResolverContext& resolver_context,
    std::span<const std::string> paths);

// Whether each of the assets has another version now, or is gone. A version that cannot be
// determined at the moment (UNAVAILABLE) counts as unchanged; if `unanswered` is not null, it is
// set to the first error of that kind. Errors: those of the context.
absl::StatusOr<std::vector<bool>> FindChangedAssets(RequestContext& context,
                                                    const Resolver& resolver,
                                                    const ResolverContext& resolver_context,
                                                    std::span<const UsedAsset> assets,
                                                    absl::Status* unanswered = nullptr);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_USED_ASSETS_H_
