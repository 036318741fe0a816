#include "client/sdk/stage_view.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/error_reason.h"
#include "client/sdk/sample_collector.h"
#include "client/sdk/stage_session.h"
#include "client/sdk/values_reply.h"

namespace stagedoor::sdk {
namespace {

template <typename Repeated>
void AddAll(std::span<const std::string> texts, Repeated* field) {
  field->Add(texts.begin(), texts.end());
}

// Whether a batch is too large for one reply, so that it must be streamed.
bool IsTooLarge(const absl::Status& status) {
  return absl::IsResourceExhausted(status) && ErrorReason(status) == "REQUEST_TOO_LARGE";
}

}  // namespace

v1::Stage StageView::info() const { return session_->info(); }

std::string StageView::snapshot() const { return pin_.empty() ? session_->snapshot() : pin_; }

absl::StatusOr<std::string> StageView::Refresh(const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(const v1::GetStageResponse reply,
                      Call(&Client::GetStage, v1::GetStageRequest(), call));
  if (pin_.empty()) session_->Saw(reply.stage().snapshot());
  return reply.stage().snapshot();
}

absl::StatusOr<Values> StageView::GetValues(std::span<const std::string> paths, const Times& times,
                                            const CallOptions& call) const {
  v1::BatchGetValuesRequest request;
  AddAll(paths, request.mutable_paths());
  *request.mutable_times() = times.message();
  ArrayExchange exchange(session_->arrays());
  exchange.Expect(request.paths(), request.times());
  exchange.Announce(&request);
  absl::StatusOr<v1::BatchGetValuesResponse> reply = Call(&Client::BatchGetValues, request, call);
  if (IsTooLarge(reply.status())) return StreamAllValues(request, call);
  if (!reply.ok()) return reply.status();
  TakeArrays(request, exchange, &*reply);
  return Values(std::make_shared<const ValuesReply>(std::move(request), *std::move(reply),
                                                    std::move(exchange.arrays())));
}

absl::StatusOr<Values> StageView::StreamAllValues(const v1::BatchGetValuesRequest& asked,
                                                  const CallOptions& call) const {
  v1::StreamValuesRequest request;
  *request.mutable_paths() = asked.paths();
  *request.mutable_times() = asked.times();
  ArrayExchange exchange(session_->arrays());
  exchange.Expect(request.paths(), request.times());
  exchange.Announce(&request);
  StreamedBatch batch;
  SD_RETURN_IF_ERROR(Stream(
      &Client::StreamValues, std::move(request),
      [&](const v1::StreamValuesResponse& part) { return batch.Add(part); }, call));
  SD_ASSIGN_OR_RETURN(v1::BatchGetValuesResponse reply, batch.Finish(asked.paths_size()));
  TakeArrays(asked, exchange, &reply);
  return Values(
      std::make_shared<const ValuesReply>(asked, std::move(reply), std::move(exchange.arrays())));
}

absl::StatusOr<std::vector<Samples>> StageView::GetSamples(std::span<const std::string> paths,
                                                           double start, double end,
                                                           const CallOptions& call) const {
  v1::SampleValuesRequest request;
  AddAll(paths, request.mutable_paths());
  v1::TimeInterval* interval = request.add_intervals();
  interval->set_start(start);
  interval->set_end(end);
  ArrayExchange exchange(session_->arrays());
  exchange.Expect(request.paths(), *interval);
  exchange.Announce(&request);
  std::vector<Samples> all;
  SampleCollector collector(request.paths(), exchange, &all);
  SD_RETURN_IF_ERROR(Stream(
      &Client::SampleValues, request,
      [&](const v1::SampleValuesResponse& part) { return collector.Add(part); }, call));
  SD_RETURN_IF_ERROR(collector.Finish());
  return all;
}

absl::Status StageView::Run(const Attempt& attempt, const bool* started,
                            const CallOptions& call) const {
  return session_->Run(
      [&](Client& client, const std::string& handle, const CallOptions& left) {
        v1::StageRef ref;
        ref.set_handle(handle);
        ref.set_snapshot(pin_);
        absl::Status status = attempt(client, ref, left);
        return StageSession::Outcome{std::move(status), started == nullptr || !*started};
      },
      call);
}

}  // namespace stagedoor::sdk
