#ifndef STAGEDOOR_SERVER_STAGES_RESOLVER_CONTEXT_PREPARATION_H_
#define STAGEDOOR_SERVER_STAGES_RESOLVER_CONTEXT_PREPARATION_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/resolver_context.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor::server {

// Makes a context ready for composition: reads its pin files, or checks that what was read is
// current, and opens its layers, so that a malformed one fails the request that has sent it. Free
// for the empty context.
//
// Errors, with reasons: PERMISSION_DENIED (ASSET_FORBIDDEN) for a search path outside of the
// directories that the daemon may read; those of LoadPinFiles; those of opening a layer, as
// "NAME:LINE:COLUMN: MESSAGE" (LAYER_SYNTAX).
absl::StatusOr<ResolverContext> PrepareResolverContext(RequestContext& context,
                                                       LayerRegistry& layers,
                                                       const ResolverContext& resolver_context);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_RESOLVER_CONTEXT_PREPARATION_H_
