#ifndef STAGEDOOR_SERVER_HANDLERS_PATH_SETS_H_
#define STAGEDOOR_SERVER_HANDLERS_PATH_SETS_H_

#include <google/protobuf/repeated_field.h>

#include <string>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {

class PathSetStore;
struct PathSetState;

// DefinePaths of QueryService, as the proto documents it.
absl::Status DefinePaths(const PathSetState& state, RequestContext& context,
                         const v1::DefinePathsRequest& request, v1::DefinePathsResponse* response);

// Fills `paths`, which are those of a request, from the list that has the name `path_set`. The
// paths of a message in an arena are not copied: they are valid as long as `context`, and must not
// be changed. INVALID_ARGUMENT (INVALID_FIELD) if there are paths already; NOT_FOUND
// (PATH_SET_UNKNOWN).
absl::Status FillPaths(PathSetStore& path_sets, RequestContext& context,
                       const std::string& path_set,
                       google::protobuf::RepeatedPtrField<std::string>* paths);

// Fills the paths of a request of any type, before its handler sees it. Nothing happens to one
// without a path set.
template <typename Request>
absl::Status FillPaths(PathSetStore& path_sets, RequestContext& context, Request* request) {
  if constexpr (requires { request->path_set(); }) {
    if (!request->path_set().empty()) {
      return FillPaths(path_sets, context, request->path_set(), request->mutable_paths());
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_PATH_SETS_H_
