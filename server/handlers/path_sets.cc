#include "server/handlers/path_sets.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "server/access/caller.h"
#include "server/check_count.h"
#include "server/error_info.h"
#include "server/handlers/path_set_state.h"
#include "server/stages/path_set_store.h"

namespace stagedoor::server {
namespace {

absl::Status UnknownPathSet() {
  return WithReason(NotFoundError("the path set is not known, or was evicted; define it again"),
                    v1::ERROR_REASON_PATH_SET_UNKNOWN);
}

}  // namespace

absl::Status DefinePaths(const PathSetState& state, RequestContext& context,
                         const v1::DefinePathsRequest& request, v1::DefinePathsResponse* response) {
  if (request.paths().empty()) return InvalidFieldError("paths", "", "must not be empty");
  SD_RETURN_IF_ERROR(
      CheckCount(static_cast<size_t>(request.paths_size()), state.limits.max_paths, "paths"));
  SD_ASSIGN_OR_RETURN(*response->mutable_path_set(),
                      state.path_sets.Define(context, CurrentCallerName(), request.paths()));
  return absl::OkStatus();
}

absl::Status FillPaths(PathSetStore& path_sets, RequestContext& context,
                       const std::string& path_set,
                       google::protobuf::RepeatedPtrField<std::string>* paths) {
  if (!paths->empty()) {
    return InvalidFieldError("path_set", "", "must not be set in a request with paths");
  }
  const PathSetStore::Pointer known = path_sets.Find(CurrentCallerName(), path_set);
  if (known == nullptr) return UnknownPathSet();
  SD_RETURN_IF_ERROR(context.Reserve(known->size() * sizeof(void*), "the paths of a path set"));
  if (paths->GetArena() == nullptr) {
    paths->Add(known->begin(), known->end());
    return absl::OkStatus();
  }
  paths->Reserve(static_cast<int>(known->size()));
  for (const std::string& path : *known) {
    // Requests are read only. A message in an arena frees no strings that it was given.
    paths->UnsafeArenaAddAllocated(const_cast<std::string*>(&path));
  }
  context.DeferDestruction(known);
  return absl::OkStatus();
}

}  // namespace stagedoor::server
