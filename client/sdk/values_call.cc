#include "client/sdk/values_call.h"

#include <memory>
#include <utility>

#include "base/status.h"
#include "client/cc/error_reason.h"
#include "client/sdk/path_sets.h"
#include "client/sdk/values_inl.h"
#include "client/sdk/values_reply.h"

namespace stagedoor::sdk {

ValuesCall::ValuesCall(std::span<const std::string> paths, const Times& times, ArrayCache& arrays)
    : exchange_(arrays) {
  request_.mutable_paths()->Add(paths.begin(), paths.end());
  *request_.mutable_times() = times.message();
  exchange_.Expect(request_.paths(), request_.times());
  exchange_.Announce(&request_);
}

v1::StreamValuesRequest ValuesCall::StreamRequest() const {
  v1::StreamValuesRequest request;
  *request.mutable_paths() = request_.paths();
  *request.mutable_times() = request_.times();
  exchange_.Announce(&request);
  return request;
}

absl::StatusOr<Values> ValuesCall::Finish(absl::StatusOr<v1::BatchGetValuesResponse> reply) {
  if (!reply.ok()) return reply.status();
  // A daemon that knows no path sets, such as an older replica, ignores them.
  if (reply->path_count() == 0 && request_.paths_size() >= PathSets::kMinPaths) {
    return DataLossError("the daemon's reply is inconsistent: it is about no paths, not ",
                         request_.paths_size());
  }
  TakeArrays(request_, exchange_, &*reply);
  return Values(std::make_shared<const ValuesReply>(std::move(request_), *std::move(reply),
                                                    std::move(exchange_.arrays())));
}

absl::StatusOr<Values> ValuesCall::Join(std::vector<Values> parts) {
  Values joined = parts.front();
  if (parts.size() == 1) return joined;
  auto all = std::make_shared<Values::Parts>();
  for (Values& part : parts) {
    const auto asked = static_cast<size_t>(part.reply_->request.paths_size());
    if (part.path_count() != asked || part.time_count() != joined.time_count()) {
      return DataLossError("the daemon's reply is inconsistent: it has ", part.path_count(),
                           " paths and ", part.time_count(), " times");
    }
    all->begins.push_back(all->begins.back() + asked);
    all->values.push_back(std::move(part));
  }
  joined.parts_ = std::move(all);
  return joined;
}

bool IsTooLarge(const absl::Status& status) {
  return absl::IsResourceExhausted(status) && ErrorReason(status) == "REQUEST_TOO_LARGE";
}

}  // namespace stagedoor::sdk
