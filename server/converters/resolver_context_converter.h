#ifndef STAGEDOOR_SERVER_CONVERTERS_RESOLVER_CONTEXT_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_RESOLVER_CONTEXT_CONVERTER_H_

#include "absl/status/statusor.h"
#include "base/memory_pool.h"
#include "resolver/resolver_context.h"
#include "server/server_limits.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

// The context of a request, charged to `memory`, which may be null. `access` is what the caller may
// read; null for everything. INVALID_ARGUMENT (INVALID_FIELD) with the name of the field for a path
// that cannot be used, a pin or layer of which there are two, and more elements or bytes than the
// limits allow.
absl::StatusOr<ResolverContext> ParseResolverContext(const v1::ResolverContext& request,
                                                     const ServerLimits& limits,
                                                     std::shared_ptr<const AccessScope> access,
                                                     MemoryPool* memory);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_RESOLVER_CONTEXT_CONVERTER_H_
