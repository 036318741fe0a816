#include "server/query_stream/query_streams.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/query_stream/refused_stream.h"
#include "server/rpc/call_origin.h"

namespace stagedoor::server {
namespace {

// The channels of a query socket count from 1.
constexpr uint64_t kFirstNumber = uint64_t{1} << 62;

absl::Status Stopping() { return UnavailableError("the daemon stops; connect again"); }

}  // namespace

QueryStreams::QueryStreams(const Options& options, CallAdmission& admission,
                           const QueryState& state)
    : host_(admission, state, ChannelHost::kSlotOfGrpc),
      counters_(admission.GetMethodCounters("stagedoor.v1.QueryChannelService/StreamQueries",
                                            {RpcGroup::kQuery, CallWeight::kInline})),
      places_({.calls = "streams of query frames",
               .budget = "query streams",
               .max = options.max_streams,
               .max_per_client = options.max_per_client}),
      last_number_(kFirstNumber) {}

QueryReactor* QueryStreams::Open(grpc::CallbackServerContext* context) {
  auto call = std::make_unique<Call>(host_.admission(), counters_, context->deadline(),
                                     host_.admission().Identify(*context, counters_), context);
  auto place = call->Run([&] { return Admit(*call, context->peer()); });
  if (!place.ok()) return new RefusedStream(call->End(place.status()));
  std::shared_ptr<QueryStream> stream;
  {
    MutexLock lock(mu_);
    if (draining_) return new RefusedStream(call->End(Stopping()));
    const uint64_t number = ++last_number_;
    stream = std::make_shared<QueryStream>(
        host_, number, context, QueryStream::Admitted{std::move(call), *std::move(place)},
        [this, number] { Remove(number); });
    open_.emplace(number, stream);
  }
  stream->Open();
  return stream.get();
}

absl::StatusOr<std::unique_ptr<ClientPlaces::Place>> QueryStreams::Admit(const Call& call,
                                                                         std::string_view peer) {
  SD_RETURN_IF_ERROR(call.CheckMemory(Lane::kShort));
  return places_.Admit(OriginOf(call.caller(), peer).share);
}

void QueryStreams::Remove(uint64_t number) {
  MutexLock lock(mu_);
  open_.erase(number);
}

std::vector<std::shared_ptr<QueryStream>> QueryStreams::All() const {
  std::vector<std::shared_ptr<QueryStream>> all;
  MutexLock lock(mu_);
  all.reserve(open_.size());
  for (const auto& [number, stream] : open_) all.push_back(stream);
  return all;
}

void QueryStreams::Drain() {
  {
    MutexLock lock(mu_);
    draining_ = true;
  }
  for (const auto& stream : All()) stream->AskToLeave(Stopping());
}

void QueryStreams::Sweep() {
  if (host_.queued().count() == 0) return;
  for (const auto& stream : All()) stream->CancelOverdue();
}

}  // namespace stagedoor::server
