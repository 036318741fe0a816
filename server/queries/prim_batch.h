#ifndef STAGEDOOR_SERVER_QUERIES_PRIM_BATCH_H_
#define STAGEDOOR_SERVER_QUERIES_PRIM_BATCH_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "server/check_count.h"
#include "server/converters/reply_budget.h"
#include "server/converters/time_converter.h"
#include "server/error_info.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {

// The prims and times of a request about geometry or skeletons. Item i is prim i / T at time i % T,
// where T is the number of times.
struct PrimBatch {
  LeasedStage leased;
  std::vector<Prim> prims;             // for each path; invalid if it has no prim
  std::vector<absl::Status> failures;  // for each path; OK if it has a prim
  std::vector<TimeCode> times;         // none if the request is not about times

  size_t item_count() const { return prims.size() * times.size(); }
  size_t ItemIndex(size_t prim, size_t time) const { return prim * times.size() + time; }

  // Makes the path of a prim fail, which it has no results for then. Errors: those of the context.
  absl::Status Fail(RequestContext& context, size_t index, absl::Status failure);
  // Makes the paths of prims of another type fail with WRONG_KIND.
  absl::Status KeepType(RequestContext& context, Token type);

  // Fills the errors of the paths without a prim.
  void FillErrors(ReplyBudget& budget,
                  google::protobuf::RepeatedPtrField<v1::ItemStatus>* errors) const {
    for (size_t i = 0; i < failures.size() && budget.ok(); ++i) {
      if (!failures[i].ok()) {
        budget.FillError(failures[i], static_cast<uint32_t>(i), errors->Add());
      }
    }
  }
};

// Bytes reserved for the failure of a path, in addition to those of the path in its message.
inline constexpr size_t kFailureBytes = 512;

// The failure of a prim that is not of a type.
absl::Status WrongType(const Prim& prim, Token type);

// Fills the prims and failures of some paths, which CheckCount has accepted.
absl::Status FindPrims(const QueryState& state, RequestContext& context,
                       const google::protobuf::RepeatedPtrField<std::string>& paths,
                       PrimBatch* batch);

// Finds the prims of a request, whose results are `columns` for each path. A path without a prim is
// not an error; its status is in `failures`. Errors: those of CheckCount.
template <typename Request>
absl::Status FindPrims(const QueryState& state, RequestContext& context, const Request& request,
                       size_t columns, PrimBatch* batch) {
  const auto paths = static_cast<size_t>(request.paths_size());
  SD_RETURN_IF_ERROR(CheckCount(paths, state.limits.max_paths, "paths"));
  SD_RETURN_IF_ERROR(CheckCount(paths * columns, state.limits.max_items, "items"));
  return FindPrims(state, context, request.paths(), batch);
}

// Parses the stage, paths and times of a request. Errors: those of AcquireStage, ParseTimes and
// FindPrims.
template <typename Request>
absl::StatusOr<PrimBatch> ParsePrimBatch(const QueryState& state, RequestContext& context,
                                         const Request& request) {
  PrimBatch batch;
  SD_ASSIGN_OR_RETURN(batch.leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(batch.times, ParseTimes(context, request.times(), state.limits.max_times));
  SD_RETURN_IF_ERROR(FindPrims(state, context, request, batch.times.size(), &batch));
  return batch;
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_PRIM_BATCH_H_
