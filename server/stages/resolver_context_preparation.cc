#include "server/stages/resolver_context_preparation.h"

#include <string>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/pin_file.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

absl::Status CheckSearchPaths(RequestContext& context, const Resolver& resolver,
                              const ResolverContext& resolver_context) {
  const ResolverContext scope = resolver_context.ScopeOnly();
  for (const std::string& path : resolver_context.search_paths()) {
    SD_RETURN_IF_ERROR(context.Check());
    // A directory does not resolve. What matters is whether it may not.
    const absl::Status status = resolver.Resolve(context, scope, path).status();
    if (status.code() != absl::StatusCode::kPermissionDenied) continue;
    return WithReason(Annotate(status, "resolver_context.search_paths"),
                      v1::ERROR_REASON_ASSET_FORBIDDEN,
                      {{"field", "resolver_context.search_paths"}, {"asset", path}});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ResolverContext> PrepareResolverContext(RequestContext& context,
                                                       LayerRegistry& layers,
                                                       const ResolverContext& resolver_context) {
  if (resolver_context.empty()) return resolver_context;
  const Resolver& resolver = layers.resolver();
  SD_RETURN_IF_ERROR(CheckSearchPaths(context, resolver, resolver_context));
  std::string failed;
  absl::StatusOr<ResolverContext> ready =
      LoadPinFiles(context, resolver, resolver_context, &failed);
  if (!ready.ok()) return WithLayerReason(Annotate(ready.status(), "pin file"), failed);
  for (const std::string& name : ready->layer_names()) {
    const auto layer = layers.Open(context, *ready, name);
    if (!layer.ok()) return WithLayerReason(layer.status(), name);
  }
  return ready;
}

}  // namespace stagedoor::server
