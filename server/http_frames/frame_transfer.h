#ifndef STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_TRANSFER_H_
#define STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_TRANSFER_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "server/http_frames/frame_query.h"
#include "server/metrics/http_stream.h"
#include "stagedoor/v1/frame.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"

namespace stagedoor::server {

// The calls that answer a GET /v1/frame: open the stage, compute the fingerprint of the frame, and
// unless the client has that, export the frame; in the end, close the stage. They are calls like
// those of any client, with the credentials of the HTTP request, so the same rules and limits
// apply.
//
// A message of the export is asked for once the client has read the one before, so that one is in
// memory at a time. Keeps itself alive until the calls have ended. Thread-safe.
class FrameTransfer final : public grpc::ClientReadReactor<v1::ExportFrameResponse>,
                            public std::enable_shared_from_this<FrameTransfer> {
 public:
  struct Options {
    // The daemon ends calls whose clients do not read, and those that last too long.
    std::chrono::seconds timeout{600};  // for all of the calls together
    std::function<void()> ended;        // called once the calls have ended; may be empty
  };

  // Starts the calls. `channel` leads to this daemon. `wake` is called when Next has something,
  // until Abandon.
  static std::shared_ptr<FrameTransfer> Start(std::shared_ptr<grpc::Channel> channel,
                                              FrameQuery query, Options options,
                                              std::function<void()> wake);

  // As HttpStream::Next.
  HttpStream::State Next(std::string* piece);
  // The client is gone: cancels the call that runs.
  void Abandon();

 private:
  FrameTransfer(std::shared_ptr<grpc::Channel> channel, FrameQuery query, Options options,
                std::function<void()> wake);

  // Prepares the context of the next call. False if the client is gone.
  bool Prepare(grpc::ClientContext* context);
  void Open();
  void OnOpened(const grpc::Status& status);
  void OnFingerprint(const grpc::Status& status);
  std::string TakeHead();
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;
  // Hands out the next bytes of the answer; with a last piece, or if the answer is broken, the
  // calls have ended.
  void HandOut(const std::string& piece, HttpStream::State then);
  void Fail(const grpc::Status& status);
  void Close();

  const std::shared_ptr<grpc::Channel> channel_;  // the first member: destroyed last
  const std::unique_ptr<v1::StagesService::Stub> stages_;
  const std::unique_ptr<v1::FrameService::Stub> frames_;
  const FrameQuery query_;
  const Options options_;
  const std::chrono::system_clock::time_point deadline_;
  // Until OnDone, or the end of the last call. Set before the first call.
  std::shared_ptr<FrameTransfer> self_;

  // Used by one call after the other.
  grpc::ClientContext open_context_, fingerprint_context_, export_context_;
  v1::OpenStageRequest open_;
  v1::OpenStageResponse opened_;
  v1::ComputeFrameFingerprintRequest fingerprint_;
  v1::ComputeFrameFingerprintResponse fingerprint_reply_;
  v1::ExportFrameRequest export_;
  v1::ExportFrameResponse part_;
  std::string tag_;
  bool has_head_ = false;  // the head of the answer was handed out

  Mutex mu_;
  std::function<void()> wake_ ABSL_GUARDED_BY(mu_);              // empty once abandoned
  grpc::ClientContext* running_ ABSL_GUARDED_BY(mu_) = nullptr;  // of the call that runs
  bool abandoned_ ABSL_GUARDED_BY(mu_) = false;
  bool reads_ ABSL_GUARDED_BY(mu_) = false;  // a message may be asked for
  bool has_piece_ ABSL_GUARDED_BY(mu_) = false;
  std::string piece_ ABSL_GUARDED_BY(mu_);
  HttpStream::State then_ ABSL_GUARDED_BY(mu_) = HttpStream::State::kWaiting;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_TRANSFER_H_
