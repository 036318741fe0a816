#include "client/cc/stream_carrier.h"

#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/slice.h>
#include <grpcpp/support/status.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"

namespace stagedoor {
namespace {

constexpr const char* kMethod = "/stagedoor.v1.QueryChannelService/StreamQueries";
constexpr size_t kLengthBytes = sizeof(uint32_t);

}  // namespace

// Held by gRPC until the call is over, and by the carrier.
class StreamCarrier::Call final
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public std::enable_shared_from_this<Call> {
 public:
  Call(const std::shared_ptr<grpc::Channel>& channel, std::unique_ptr<grpc::ClientContext> context,
       std::shared_ptr<void> last, std::function<void(Opened)> done)
      : last_(std::move(last)),
        channel_(channel),
        method_(kMethod, grpc::internal::RpcMethod::BIDI_STREAMING, channel),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void Start(RetryClock& clock, std::chrono::milliseconds patience) {
    self_ = shared_from_this();
    using Factory =
        grpc::internal::ClientCallbackReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>;
    Factory::Create(channel_.get(), method_, context_.get(), this);
    AddHold();  // for writes that begin on other threads
    StartRead(&read_);
    StartCall();
    clock.RunAfter(patience, [weak = weak_from_this()] {
      if (const auto call = weak.lock()) call->EndUnlessOpen();
    });
  }

  void Send(std::string_view messages) {
    MutexLock lock(mu_);
    if (!held_) return;
    while (messages.size() >= kLengthBytes) {
      uint32_t length = 0;
      std::memcpy(&length, messages.data(), kLengthBytes);
      Add(messages.substr(kLengthBytes, length));
      messages.remove_prefix(std::min(messages.size(), kLengthBytes + length));
    }
    WriteNext();
  }

  bool Read(Clock::time_point until, FrameReader& reader) {
    std::vector<grpc::ByteBuffer> messages;
    bool ended = false;
    {
      MutexLock lock(mu_);
      while (received_.empty() && !ended_ && changed_.WaitUntil(mu_, until)) {
      }
      messages.swap(received_);
      ended = ended_;
    }
    for (const grpc::ByteBuffer& message : messages) Feed(message, reader);
    return !ended || !messages.empty();
  }

  void Shutdown() {
    context_->TryCancel();
    End();
  }

 private:
  // Messages of frames that follow each other are as one.
  void Add(std::string_view message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (waiting_.empty() || waiting_.back().size() + message.size() > kMaxFrameMessageBytes) {
      waiting_.emplace_back();
    }
    waiting_.back().append(message);
  }
  void WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (writing_ || waiting_.empty()) return;
    const grpc::Slice slice(waiting_.front());
    message_ = grpc::ByteBuffer(&slice, 1);
    waiting_.pop_front();
    writing_ = true;
    StartWrite(&message_);
  }

  static void Feed(const grpc::ByteBuffer& message, FrameReader& reader) {
    std::vector<grpc::Slice> slices;
    if (!message.Dump(&slices).ok()) return;
    const auto length = static_cast<uint32_t>(message.Length());
    reader.Feed(std::string_view(reinterpret_cast<const char*>(&length), kLengthBytes));
    for (const grpc::Slice& slice : slices) {
      reader.Feed(std::string_view(reinterpret_cast<const char*>(slice.begin()), slice.size()));
    }
  }

  std::function<void(Opened)> TakeDone() {
    MutexLock lock(mu_);
    return std::exchange(done_, nullptr);
  }
  void EndUnlessOpen() {
    {
      MutexLock lock(mu_);
      if (done_ == nullptr) return;
    }
    context_->TryCancel();
  }
  // Nothing comes any more, and nothing is sent.
  void End() {
    MutexLock lock(mu_);
    ended_ = true;
    changed_.NotifyAll();
    if (std::exchange(held_, false)) RemoveHold();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return End();
    {
      MutexLock lock(mu_);
      received_.emplace_back().Swap(&read_);
      changed_.NotifyOne();
    }
    StartRead(&read_);
    const auto done = TakeDone();
    if (done != nullptr) {
      done(std::unique_ptr<FrameCarrier>(new StreamCarrier(shared_from_this())));
    }
  }
  void OnWriteDone(bool ok) override {
    MutexLock lock(mu_);
    writing_ = false;
    if (ok && held_) WriteNext();
  }
  void OnDone(const grpc::Status& status) override {
    const std::shared_ptr<Call> self = std::move(self_);
    End();
    const auto done = TakeDone();
    if (done == nullptr) return;
    if (status.ok()) return done(UnavailableError("the daemon has sent no frames"));
    done(absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message()));
  }

  const std::shared_ptr<void> last_;  // destroyed after the channel
  const std::shared_ptr<grpc::Channel> channel_;
  const grpc::internal::RpcMethod method_;
  const std::unique_ptr<grpc::ClientContext> context_;
  std::shared_ptr<Call> self_;  // held for gRPC
  grpc::ByteBuffer read_;       // gRPC's, until OnReadDone

  Mutex mu_;
  CondVar changed_;
  std::function<void(Opened)> done_ ABSL_GUARDED_BY(mu_);  // null once it is called
  std::vector<grpc::ByteBuffer> received_ ABSL_GUARDED_BY(mu_);
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  bool held_ ABSL_GUARDED_BY(mu_) = true;  // so that gRPC keeps the call for writes
  std::list<std::string> waiting_ ABSL_GUARDED_BY(mu_);
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  grpc::ByteBuffer message_ ABSL_GUARDED_BY(mu_);  // gRPC's while it writes
};

void StreamCarrier::Open(const std::shared_ptr<grpc::Channel>& channel,
                         std::unique_ptr<grpc::ClientContext> context, RetryClock& clock,
                         std::chrono::milliseconds patience, std::shared_ptr<void> last,
                         std::function<void(Opened)> done) {
  std::make_shared<Call>(channel, std::move(context), std::move(last), std::move(done))
      ->Start(clock, patience);
}

StreamCarrier::~StreamCarrier() { call_->Shutdown(); }

size_t StreamCarrier::Send(std::string_view messages) {
  call_->Send(messages);
  return messages.size();
}

bool StreamCarrier::Read(Clock::time_point deadline, bool /*can_send*/, FrameReader& reader,
                         SharedSegments& /*segments*/) {
  return call_->Read(std::min(deadline, Clock::now() + kLongestRead), reader);
}

void StreamCarrier::Shutdown() { call_->Shutdown(); }

}  // namespace stagedoor
