// The methods of StageView that do not wait.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "client/sdk/stage_session.h"
#include "client/sdk/stage_view.h"
#include "client/sdk/values_call.h"
#include "client/sdk/values_reply.h"

namespace stagedoor::sdk {
namespace {

using Clock = std::chrono::steady_clock;

// A reading of values that does not wait.
struct AsyncValues {
  ValuesCall call;
  v1::BatchGetValuesRequest request;
  v1::StreamValuesRequest stream_request;
  StreamedBatch batch;
  Outcome::Received received = Outcome::Received::kNothing;  // by the stream of this attempt
  absl::StatusOr<Values> result = absl::UnknownError("");    // of the attempt that succeeded
};

// One attempt of it.
struct Attempt {
  std::shared_ptr<AsyncValues> values;
  Client& client;
  CallOptions options;
  Clock::time_point deadline;
  std::function<void(Outcome)> ended;
};

void EndAttempt(const Attempt& attempt, absl::StatusOr<v1::BatchGetValuesResponse> reply) {
  AsyncValues& values = *attempt.values;
  values.result = values.call.Finish(std::move(reply));
  attempt.ended({values.result.status(), values.received});
}

// Reads as a stream what is too large for one reply.
void StartStream(const Attempt& attempt) {
  AsyncValues& values = *attempt.values;
  values.stream_request = values.call.StreamRequest();
  *values.stream_request.mutable_stage() = values.request.stage();
  CallOptions left = attempt.options;
  left.timeout =
      std::max(std::chrono::ceil<std::chrono::milliseconds>(attempt.deadline - Clock::now()),
               std::chrono::milliseconds(1));
  attempt.client.StreamValuesAsync(
      values.stream_request,
      [values = attempt.values](const v1::StreamValuesResponse& part) {
        values->received = Outcome::Received::kRepeatable;
        return values->batch.Add(part);
      },
      [attempt](absl::Status status) {
        if (!status.ok()) return attempt.ended({std::move(status), attempt.values->received});
        EndAttempt(attempt, attempt.values->batch.Finish(attempt.values->request.paths_size()));
      },
      left);
}

void StartBatch(const Attempt& attempt) {
  attempt.client.BatchGetValuesAsync(
      attempt.values->request,
      [attempt](absl::StatusOr<v1::BatchGetValuesResponse> reply) {
        if (IsTooLarge(reply.status())) return StartStream(attempt);
        EndAttempt(attempt, std::move(reply));
      },
      attempt.options);
}

}  // namespace

void StageView::Start(StartAttempt attempt, const CallOptions& call,
                      std::function<void(absl::Status)> done) const {
  session_->Start(
      [attempt = std::move(attempt), pin = pin_](Client& client, const std::string& handle,
                                                 const CallOptions& left,
                                                 StageSession::Ended ended) {
        attempt(client, RefTo(handle, pin), left, std::move(ended));
      },
      call, std::move(done));
}

void StageView::GetValuesAsync(std::span<const std::string> paths, const Times& times,
                               Callback<Values> callback, const CallOptions& call) const {
  auto values = std::make_shared<AsyncValues>(
      AsyncValues{.call = ValuesCall(paths, times, session_->arrays())});
  Start(
      [values](Client& client, const v1::StageRef& ref, const CallOptions& left, Ended ended) {
        values->request = values->call.request();
        *values->request.mutable_stage() = ref;
        values->batch = StreamedBatch();
        values->received = Outcome::Received::kNothing;
        StartBatch({values, client, left, Clock::now() + *left.timeout, std::move(ended)});
      },
      call,
      [values, callback = std::move(callback)](absl::Status status) {
        if (!status.ok()) return callback(std::move(status));
        callback(std::move(values->result));
      });
}

}  // namespace stagedoor::sdk
