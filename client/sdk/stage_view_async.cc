// The methods of StageView that do not wait.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "client/cc/error_reason.h"
#include "client/sdk/path_parts.h"
#include "client/sdk/path_sets.h"
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
  v1::BatchGetValuesRequest request;  // names its paths if they are known by a name
  v1::StreamValuesRequest stream_request;
  StreamedBatch batch;
  Outcome::Received received = Outcome::Received::kNothing;  // by the stream of this attempt
  absl::StatusOr<Values> result = absl::UnknownError("");    // of the attempt that succeeded
};

// One attempt of it.
struct Attempt {
  std::shared_ptr<AsyncValues> values;
  PathSets& path_sets;
  Client& client;
  CallOptions options;
  Clock::time_point deadline;
  std::function<void(Outcome)> ended;
};

// The options of a further call of an attempt.
CallOptions OptionsLeft(const Attempt& attempt) {
  CallOptions left = attempt.options;
  left.timeout =
      std::max(std::chrono::ceil<std::chrono::milliseconds>(attempt.deadline - Clock::now()),
               std::chrono::milliseconds(1));
  return left;
}

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
  attempt.client.StreamValuesAsync(
      values.stream_request,
      [values = attempt.values](const v1::StreamValuesResponse& part) {
        values->received = Outcome::Received::kRepeatable;
        return values->batch.Add(part);
      },
      [attempt](absl::Status status) {
        if (!status.ok()) return attempt.ended({std::move(status), attempt.values->received});
        EndAttempt(attempt,
                   attempt.values->batch.Finish(attempt.values->call.request().paths_size()));
      },
      OptionsLeft(attempt));
}

void SendPaths(const Attempt& attempt);

void StartBatch(const Attempt& attempt) {
  attempt.client.BatchGetValuesAsync(
      attempt.values->request,
      [attempt](absl::StatusOr<v1::BatchGetValuesResponse> reply) {
        if (IsTooLarge(reply.status())) return StartStream(attempt);
        if (ErrorReason(reply.status()) == "PATH_SET_UNKNOWN") return SendPaths(attempt);
        EndAttempt(attempt, std::move(reply));
      },
      OptionsLeft(attempt));
}

// Sends the paths to a daemon that has forgotten their name.
void SendPaths(const Attempt& attempt) {
  const PathSets::Paths& paths = attempt.values->call.request().paths();
  attempt.path_sets.Forget(paths);
  attempt.values->request.clear_path_set();
  *attempt.values->request.mutable_paths() = paths;
  StartBatch(attempt);
}

// Starts with the name of the paths, if they have one.
void StartWithName(const Attempt& attempt) {
  attempt.path_sets.FindName(attempt.client, attempt.options,
                             attempt.values->call.request().paths(),
                             [attempt](const std::string& name) {
                               if (!name.empty()) {
                                 attempt.values->request.clear_paths();
                                 attempt.values->request.set_path_set(name);
                               }
                               StartBatch(attempt);
                             });
}

// A reading of values in parts, one after another.
struct AsyncParts {
  AsyncParts(std::span<const std::string> all_paths, const Times& all_times, const std::string& pin,
             StageView::Callback<Values> done, CallOptions options)
      : paths(all_paths.begin(), all_paths.end()),
        times(all_times),
        call(std::move(options)),
        callback(std::move(done)),
        parts(paths, pin) {}

  const std::vector<std::string> paths;
  const Times times;
  const CallOptions call;
  const StageView::Callback<Values> callback;
  PathParts parts;
  std::vector<Values> found;
  // Asks about the next part. Holds the stage, and is dropped before the callback runs.
  std::function<void(StageView::Callback<Values>)> ask;
};

void EndParts(AsyncParts& all, absl::StatusOr<Values> result) {
  all.ask = nullptr;
  all.callback(std::move(result));
}

void AskForPart(const std::shared_ptr<AsyncParts>& all) {
  const auto ask = all->ask;  // the part may end before it returns
  ask([all](absl::StatusOr<Values> part) {
    const absl::StatusOr<PathParts::Then> then =
        all->parts.Take(part.status(), part.ok() ? part->snapshot() : std::string());
    if (!then.ok()) return EndParts(*all, then.status());
    if (*then == PathParts::Then::kGoOn) all->found.push_back(*std::move(part));
    if (*then == PathParts::Then::kBeginAgain) all->found.clear();
    if (!all->parts.done()) return AskForPart(all);
    EndParts(*all, ValuesCall::Join(std::move(all->found)));
  });
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
  auto all = std::make_shared<AsyncParts>(paths, times, pin_, std::move(callback), call);
  all->ask = [view = *this, all = all.get()](Callback<Values> next) {
    view.At(all->parts.pin())
        .GetValuesOfPartAsync(all->parts.next(), all->times, std::move(next), all->call);
  };
  AskForPart(all);
}

void StageView::GetValuesOfPartAsync(std::span<const std::string> paths, const Times& times,
                                     Callback<Values> callback, const CallOptions& call) const {
  auto values = std::make_shared<AsyncValues>(
      AsyncValues{.call = ValuesCall(paths, times, session_->arrays())});
  Start(
      [values, session = session_](Client& client, const v1::StageRef& ref, const CallOptions& left,
                                   Ended ended) {
        values->request = values->call.request();
        *values->request.mutable_stage() = ref;
        values->batch = StreamedBatch();
        values->received = Outcome::Received::kNothing;
        StartWithName({values, session->path_sets(), client, left, Clock::now() + *left.timeout,
                       std::move(ended)});
      },
      call,
      [values, callback = std::move(callback)](absl::Status status) {
        if (!status.ok()) return callback(std::move(status));
        callback(std::move(values->result));
      });
}

}  // namespace stagedoor::sdk
