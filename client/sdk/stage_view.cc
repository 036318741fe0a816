#include "client/sdk/stage_view.h"

#include <iterator>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/error_reason.h"
#include "client/sdk/path_parts.h"
#include "client/sdk/sample_collector.h"
#include "client/sdk/stage_session.h"
#include "client/sdk/values_call.h"
#include "client/sdk/values_reply.h"

namespace stagedoor::sdk {

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
  const auto ask = [&](PathParts::Paths part,
                       const std::string& pin) -> absl::StatusOr<OfSnapshot<Values>> {
    SD_ASSIGN_OR_RETURN(Values values, At(pin).GetValuesOfPart(part, times, call));
    std::string snapshot = values.snapshot();
    return OfSnapshot<Values>{std::move(values), std::move(snapshot)};
  };
  SD_ASSIGN_OR_RETURN(std::vector<Values> parts, AskInParts<Values>(paths, pin_, ask));
  return ValuesCall::Join(std::move(parts));
}

absl::StatusOr<Values> StageView::GetValuesOfPart(std::span<const std::string> paths,
                                                  const Times& times,
                                                  const CallOptions& call) const {
  ValuesCall values(paths, times, session_->arrays());
  absl::StatusOr<v1::BatchGetValuesResponse> reply =
      Call(&Client::BatchGetValues, values.request(), call);
  if (!IsTooLarge(reply.status())) return values.Finish(std::move(reply));
  StreamedBatch batch;
  SD_RETURN_IF_ERROR(Collect(
      &Client::StreamValues, values.StreamRequest(), [&] { batch = StreamedBatch(); },
      [&](const v1::StreamValuesResponse& part) { return batch.Add(part); }, call));
  return values.Finish(batch.Finish(paths.size()));
}

absl::Status StageView::GetValuesInParts(
    const std::function<std::optional<std::string>()>& next_path, const Times& times,
    const std::function<absl::Status(const Values&)>& sink, size_t size,
    const CallOptions& call) const {
  if (size == 0) return InvalidArgumentError("the size of a part must be at least 1");
  std::string pin = pin_;
  for (bool more = true; more;) {
    std::vector<std::string> paths;
    while (more && paths.size() < size) {
      std::optional<std::string> path = next_path();
      more = path.has_value();
      if (more) paths.push_back(*std::move(path));
    }
    if (paths.empty()) break;
    SD_ASSIGN_OR_RETURN(const Values part, At(pin).GetValues(paths, times, call));
    if (pin.empty()) pin = part.snapshot();
    SD_RETURN_IF_ERROR(sink(part));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Samples>> StageView::GetSamples(std::span<const std::string> paths,
                                                           double start, double end,
                                                           const CallOptions& call) const {
  using Part = std::vector<Samples>;
  const auto ask = [&](PathParts::Paths part,
                       const std::string& pin) -> absl::StatusOr<OfSnapshot<Part>> {
    std::string snapshot;
    SD_ASSIGN_OR_RETURN(Part samples, At(pin).GetSamplesOfPart(part, start, end, call, &snapshot));
    return OfSnapshot<Part>{std::move(samples), std::move(snapshot)};
  };
  SD_ASSIGN_OR_RETURN(std::vector<Part> parts, AskInParts<Part>(paths, pin_, ask));
  Part all = std::move(parts.front());
  for (size_t i = 1; i < parts.size(); ++i) {
    std::move(parts[i].begin(), parts[i].end(), std::back_inserter(all));
  }
  return all;
}

absl::StatusOr<std::vector<Samples>> StageView::GetSamplesOfPart(std::span<const std::string> paths,
                                                                 double start, double end,
                                                                 const CallOptions& call,
                                                                 std::string* snapshot) const {
  v1::SampleValuesRequest request;
  request.mutable_paths()->Add(paths.begin(), paths.end());
  v1::TimeInterval* interval = request.add_intervals();
  interval->set_start(start);
  interval->set_end(end);
  ArrayExchange exchange(session_->arrays());
  exchange.Expect(request.paths(), *interval);
  exchange.Announce(&request);
  std::vector<Samples> all;
  std::optional<SampleCollector> collector;
  const auto begin = [&] {
    all.clear();
    collector.emplace(request.paths(), exchange, &all);
  };
  SD_RETURN_IF_ERROR(Collect(
      &Client::SampleValues, request, begin,
      [&](const v1::SampleValuesResponse& part) {
        if (!part.snapshot().empty()) *snapshot = part.snapshot();
        return collector->Add(part);
      },
      call));
  SD_RETURN_IF_ERROR(collector->Finish());
  return all;
}

absl::Status StageView::SendPaths(Client& client, const CallOptions& call,
                                  google::protobuf::RepeatedPtrField<std::string>* paths,
                                  std::string* path_set,
                                  const std::function<absl::Status()>& send) const {
  return session_->path_sets().Send(client, call, paths, path_set, send);
}

v1::StageRef StageView::RefTo(const std::string& handle, const std::string& pin) {
  v1::StageRef ref;
  ref.set_handle(handle);
  ref.set_snapshot(pin);
  return ref;
}

absl::Status StageView::Run(const Attempt& attempt, const CallOptions& call) const {
  return session_->Run(
      [&](Client& client, const std::string& handle, const CallOptions& left) {
        return attempt(client, RefTo(handle, pin_), left);
      },
      call);
}

}  // namespace stagedoor::sdk
