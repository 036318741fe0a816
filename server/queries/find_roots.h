#ifndef STAGEDOOR_SERVER_QUERIES_FIND_ROOTS_H_
#define STAGEDOOR_SERVER_QUERIES_FIND_ROOTS_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/stage/stage.h"

namespace stagedoor::server {

// The prims at the roots that a request names. Their memory is reserved in the context. Errors:
// REQUEST_TOO_LARGE for more than `max_roots`; those of LookUpPrim.
absl::StatusOr<std::vector<Prim>> FindRoots(
    RequestContext& context, const Stage& stage,
    const google::protobuf::RepeatedPtrField<std::string>& paths, size_t max_roots);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_FIND_ROOTS_H_
