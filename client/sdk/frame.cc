#include "client/sdk/frame.h"

#include <atomic>
#include <cstddef>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/sdk/frame_delivery.h"

namespace stagedoor::sdk {
namespace {

v1::ExtractFrameRequest RequestFor(const FrameOptions& options) {
  v1::ExtractFrameRequest request = options.request;
  if (!options.camera.empty()) request.mutable_selection()->set_camera(options.camera);
  if (options.shutter.has_value()) {
    v1::SamplePolicy* policy = request.mutable_sample_policy();
    policy->set_shutter_open(options.shutter->open);
    policy->set_shutter_close(options.shutter->close);
    policy->set_segments(options.shutter->segments);
  }
  return request;
}

}  // namespace

struct Frame::State {
  explicit State(const FrameOptions& options) : request(RequestFor(options)) {}

  const v1::ExtractFrameRequest request;  // without stage, time and token
  std::atomic<bool> busy = false;         // whether a call has not ended; it uses the rest
  FrameContents contents;
  std::string token;  // of the contents; empty if they are not a whole frame
};

// A call of ExtractFrame with all its attempts. Holds what the frame holds, but not its stage.
struct Frame::Call {
  Call(std::shared_ptr<State> frame, const TimeCode& time, Sink sink)
      : state(std::move(frame)),
        request(state->request),
        delivery(state->contents, std::move(sink)) {
    *request.mutable_time() = time.message();
    request.set_base_token(state->token);
  }

  absl::Status Take(const v1::ExtractFrameResponse& message) { return delivery.Take(message); }
  // Keeps what is now known of the frame.
  void End(const absl::Status& status) {
    if (status.ok()) {
      state->token = delivery.token();
    } else if (delivery.begun()) {
      state->token.clear();
    }
    state->busy = false;
  }

  const std::shared_ptr<State> state;
  v1::ExtractFrameRequest request;
  FrameDelivery delivery;
};

Frame::Frame(StageView stage, const FrameOptions& options)
    : stage_(std::move(stage)), state_(std::make_shared<State>(options)) {}

const FrameContents& Frame::contents() const { return state_->contents; }

absl::StatusOr<std::shared_ptr<Frame::Call>> Frame::Begin(const TimeCode& time, Sink sink) {
  if (state_->busy.exchange(true)) {
    return FailedPreconditionError(
        "another call of this frame has not ended; make another Frame to get several at a time");
  }
  return std::make_shared<Call>(state_, time, std::move(sink));
}

absl::StatusOr<FrameChanges> Frame::Next(const TimeCode& time, const CallOptions& call) {
  FrameChanges all;
  const auto sink = [&](const FrameChanges& changes) {
    all.Add(changes);
    return absl::OkStatus();
  };
  SD_RETURN_IF_ERROR(NextInParts(time, sink, call));
  return all;
}

absl::Status Frame::NextInParts(const TimeCode& time, const Sink& sink, const CallOptions& call) {
  SD_ASSIGN_OR_RETURN(const std::shared_ptr<Call> made, Begin(time, sink));
  absl::Status status = stage_.Run(
      [&](Client& client, const v1::StageRef& ref, const CallOptions& left) {
        made->delivery.Begin(ref, &made->request);
        return made->delivery.Finish(client.ExtractFrame(
            made->request,
            [&](const v1::ExtractFrameResponse& message) { return made->Take(message); }, left));
      },
      call);
  made->End(status);
  return status;
}

void Frame::NextAsync(const TimeCode& time, Sink sink, Done done, const CallOptions& call) {
  const absl::StatusOr<std::shared_ptr<Call>> begun = Begin(time, std::move(sink));
  if (!begun.ok()) return done(begun.status());
  const std::shared_ptr<Call>& made = *begun;
  stage_.Start(
      [made](Client& client, const v1::StageRef& ref, const CallOptions& left,
             StageView::Ended ended) {
        made->delivery.Begin(ref, &made->request);
        client.ExtractFrameAsync(
            made->request,
            [made](const v1::ExtractFrameResponse& message) { return made->Take(message); },
            [made, ended = std::move(ended)](absl::Status status) {
              ended(made->delivery.Finish(std::move(status)));
            },
            left);
      },
      call,
      [made, done = std::move(done)](absl::Status status) {
        made->End(status);
        done(std::move(status));
      });
}

std::future<absl::StatusOr<FrameChanges>> Frame::NextAsync(const TimeCode& time,
                                                           const CallOptions& call) {
  const auto all = std::make_shared<FrameChanges>();
  return FutureOf<absl::StatusOr<FrameChanges>>([&](auto callback) {
    NextAsync(
        time,
        [all](const FrameChanges& changes) {
          all->Add(changes);
          return absl::OkStatus();
        },
        [all, callback = std::move(callback)](absl::Status status) {
          if (!status.ok()) return callback(std::move(status));
          callback(std::move(*all));
        },
        call);
  });
}

absl::StatusOr<std::string> Frame::GetFingerprint(const TimeCode& time,
                                                  const CallOptions& call) const {
  v1::ComputeFrameFingerprintRequest request;
  *request.mutable_time() = time.message();
  if (state_->request.has_sample_policy()) {
    *request.mutable_sample_policy() = state_->request.sample_policy();
  }
  *request.mutable_selection() = state_->request.selection();
  SD_ASSIGN_OR_RETURN(v1::ComputeFrameFingerprintResponse reply,
                      stage_.Call(&Client::ComputeFrameFingerprint, request, call));
  constexpr size_t kBytes = 32;
  if (reply.fingerprint().size() != kBytes) {
    return DataLossError("the daemon's reply is inconsistent: a fingerprint has ",
                         reply.fingerprint().size(), " bytes");
  }
  return std::move(*reply.mutable_fingerprint());
}

}  // namespace stagedoor::sdk
