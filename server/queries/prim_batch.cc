#include "server/queries/prim_batch.h"

#include "base/status.h"
#include "base/strings.h"

namespace stagedoor::server {

absl::Status WrongType(const Prim& prim, Token type) {
  return WithReason(InvalidArgumentError(Quoted(prim.PathText()), " is not a ", type.text()),
                    v1::ERROR_REASON_WRONG_KIND);
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
