#include "server/queries/prim_batch.h"

#include <utility>

#include "base/executor.h"
#include "base/pacer.h"
#include "base/status.h"
#include "base/strings.h"
#include "scene/stage/prim_finder.h"

namespace stagedoor::server {
namespace {

constexpr size_t kPathsPerTask = 1024;

}  // namespace

absl::Status WrongType(const Prim& prim, Token type) {
  return WithReason(InvalidArgumentError(Quoted(prim.PathText()), " is not a ", type.text()),
                    v1::ERROR_REASON_WRONG_KIND);
}

absl::Status FindPrims(const QueryState& state, RequestContext& context,
                       const google::protobuf::RepeatedPtrField<std::string>& paths,
                       PrimBatch* batch) {
  const auto count = static_cast<size_t>(paths.size());
  const Stage& stage = batch->leased.stage();
  SD_RETURN_IF_ERROR(
      context.Reserve(count * (sizeof(Prim) + sizeof(absl::Status)), "the paths of a batch"));
  batch->prims.resize(count);
  batch->failures.resize(count);
  const auto find = [&](size_t begin, size_t end) {
    Pacer pacer(context);
    PrimFinder finder(stage);
    for (size_t i = begin; i < end && pacer.Go(); ++i) {
      batch->prims[i] = finder.Find(paths[static_cast<int>(i)]);
    }
  };
  Executor* const executor = state.stages.environment().executor;
  if (executor != nullptr && count > 2 * kPathsPerTask) {
    ParallelFor(*executor, count, kPathsPerTask, find);
  } else {
    find(0, count);
  }
  SD_RETURN_IF_ERROR(context.Check());
  for (size_t i = 0; i < count; ++i) {
    if (batch->prims[i].valid()) continue;
    const std::string& path = paths[static_cast<int>(i)];
    SD_RETURN_IF_ERROR(context.Reserve(kFailureBytes + 2 * path.size(), "path errors"));
    batch->failures[i] = LookUpPrim(stage, path).status();
  }
  return absl::OkStatus();
}

absl::Status PrimBatch::Fail(RequestContext& context, size_t index, absl::Status failure) {
  const size_t length = prims[index].PathText().size();
  SD_RETURN_IF_ERROR(context.Reserve(kFailureBytes + 2 * length, "path errors"));
  failures[index] = std::move(failure);
  prims[index] = Prim();
  return absl::OkStatus();
}

absl::Status PrimBatch::KeepType(RequestContext& context, Token type) {
  for (size_t i = 0; i < prims.size(); ++i) {
    if (!prims[i].valid() || prims[i].IsA(type)) continue;
    SD_RETURN_IF_ERROR(Fail(context, i, WrongType(prims[i], type)));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor::server
