#include "server/query_socket/query_channel.h"

#include <optional>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/error_info.h"
#include "server/query_socket/query_call.h"
#include "server/rpc/request_message.h"

namespace stagedoor::server {

QueryChannel::QueryChannel(ChannelHost& host, uint64_t number)
    : host_(host),
      number_(number),
      memory_("query channel", kMaxBytes, &host.memory()),
      read_bytes_(memory_),
      bindings_(memory_),
      segments_(memory_, *this) {}

absl::Status QueryChannel::Feed(std::string_view bytes) {
  reader_.Feed(bytes);
  const size_t capacity = reader_.capacity();
  if (capacity > read_bytes_.bytes()) {
    return read_bytes_.Grow(capacity - read_bytes_.bytes(), "the frames of a channel");
  }
  read_bytes_.Shrink(read_bytes_.bytes() - capacity);
  return absl::OkStatus();
}

absl::StatusOr<bool> QueryChannel::HandleNext() {
  SD_ASSIGN_OR_RETURN(const std::optional<std::string_view> frame, reader_.Next());
  if (!frame.has_value()) return false;
  SD_RETURN_IF_ERROR(Handle(*frame));
  return true;
}

absl::Status QueryChannel::Handle(std::string_view frame) {
  RequestMessage<v1::ClientFrame> parsed;
  if (!parsed->ParseFromArray(frame.data(), static_cast<int>(frame.size()))) {
    return InvalidArgumentError("a frame cannot be decoded");
  }
  switch (parsed->kind_case()) {
    case v1::ClientFrame::kQuery:
      StartQuery(parsed->query());
      return absl::OkStatus();
    case v1::ClientFrame::kBindStage:
      return bindings_.BindStage(parsed->bind_stage());
    case v1::ClientFrame::kBindPaths:
      return bindings_.BindPaths(parsed->bind_paths());
    case v1::ClientFrame::kUnbind:
      return bindings_.Unbind(parsed->unbind());
    case v1::ClientFrame::kRelease:
      return ReleaseArrays(parsed->release());
    case v1::ClientFrame::kCancel:
      CancelQuery(parsed->cancel().request_id());
      return absl::OkStatus();
    default:
      return InvalidArgumentError("a frame of a kind that this daemon does not know");
  }
}

v1::ServerFrame QueryChannel::Window() {
  v1::ServerFrame frame;
  frame.mutable_window()->set_queries(kMaxQueries);
  frame.mutable_window()->set_bytes(kMaxFrameMessageBytes);
  return frame;
}

v1::ServerFrame QueryChannel::Goodbye(const absl::Status& reason) {
  v1::ServerFrame frame;
  FillItemStatus(reason, 0, frame.mutable_goodbye()->mutable_reason());
  return frame;
}

void QueryChannel::StartQuery(const v1::Query& query) {
  const auto call =
      std::make_shared<QueryCall>(std::shared_ptr<QueryOwner>(shared_from_this(), this), query);
  call->Start(query, bindings_, call);
}

void QueryChannel::CancelQuery(uint64_t id) {
  std::shared_ptr<QueryCall> call;
  {
    MutexLock lock(queries_mu_);
    const auto found = queries_.find(id);
    if (found == queries_.end()) return;
    call = found->second;
  }
  call->Cancel();
}

absl::Status QueryChannel::Keep(const std::shared_ptr<QueryCall>& call) {
  MutexLock lock(queries_mu_);
  if (queries_.size() >= kMaxQueries) {
    return host_.admission().queue().Refusal(
        ResourceExhaustedError("the channel has its limit of ", kMaxQueries,
                               " queries in flight; wait for answers"),
        "window");
  }
  if (!queries_.try_emplace(call->id(), call).second) {
    return InvalidFieldError("query.request_id", Concat(call->id()),
                             "another query in flight has this ID");
  }
  host_.queued().Begin();
  return absl::OkStatus();
}

void QueryChannel::Release(uint64_t id) {
  std::shared_ptr<QueryCall> released;  // destroyed without the lock
  {
    MutexLock lock(queries_mu_);
    const auto found = queries_.find(id);
    if (found == queries_.end()) return;
    released = std::move(found->second);
    queries_.erase(found);
    host_.queued().End();
    if (!queries_.empty()) return;
  }
  OnAllAnswered();
}

size_t QueryChannel::queries_in_flight() {
  MutexLock lock(queries_mu_);
  return queries_.size();
}

std::vector<std::shared_ptr<QueryCall>> QueryChannel::Kept() {
  std::vector<std::shared_ptr<QueryCall>> kept;
  MutexLock lock(queries_mu_);
  kept.reserve(queries_.size());
  for (const auto& [id, call] : queries_) kept.push_back(call);
  return kept;
}

void QueryChannel::CancelQueries() {
  for (const auto& call : Kept()) call->Cancel();
}

absl::Status QueryChannel::ReleaseArrays(const v1::ReleaseArrays& frame) {
  for (const v1::SharedSegment& array : frame.arrays()) {
    SD_RETURN_IF_ERROR(segments_.Release(array));
  }
  return absl::OkStatus();
}

void QueryChannel::AnnounceSegment(uint64_t id, size_t size, int fd) {
  v1::ServerFrame frame;
  frame.mutable_new_segment()->set_segment_id(id);
  frame.mutable_new_segment()->set_size(size);
  SendDescriptor(frame, fd);
}

void QueryChannel::AnnounceEnd(uint64_t id) {
  v1::ServerFrame frame;
  frame.mutable_end_segment()->set_segment_id(id);
  SendSmall(frame);
}

void QueryChannel::EndIdleSegments() {
  if (segments_.empty()) return;
  segments_.EndIdle(ChannelSegments::Clock::now());
  Flush();
}

void QueryChannel::CancelOverdue() {
  const auto now = RequestContext::Clock::now();
  for (const auto& call : Kept()) call->CancelIfOverdue(now);
}

}  // namespace stagedoor::server
