#include "tests/hostile/raw_call.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <vector>

#include "base/mutex.h"
#include "server/testing/byte_buffers.h"

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;

// On the wire unary methods are streams of one message, so one kind of call serves all methods.
class Reader final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Reader(const RawCall& call, grpc::GenericStub& stub) : call_(call) {
    context_.set_deadline(std::chrono::system_clock::now() + call.deadline);
    stub.PrepareBidiStreamingCall(&context_, call.method, {}, this);
    request_ = server::BufferOf(call.request);
    StartWriteLast(&request_, grpc::WriteOptions());
    if (call.read_at_most > 0) StartRead(&message_);
    AddHold();
    StartCall();
  }

  RawResult Wait() {
    if (call_.read_at_most != SIZE_MAX) {
      WaitUntil(Clock::now() + call_.stall);
      context_.TryCancel();
    }
    RemoveHold();
    WaitUntil(Clock::time_point::max());
    MutexLock lock(mu_);
    return result_;
  }

 private:
  void WaitUntil(Clock::time_point end) {
    MutexLock lock(mu_);
    while (!done_ && Clock::now() < end) changed_.WaitUntil(mu_, end);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    bool more;
    {
      MutexLock lock(mu_);
      if (result_.messages == 0) result_.first = server::BytesOf(message_);
      result_.bytes += message_.Length();
      more = ++result_.messages < call_.read_at_most;
    }
    message_.Clear();
    if (more) StartRead(&message_);
  }

  void OnDone(const grpc::Status& status) override {
    MutexLock lock(mu_);
    result_.status = status;
    result_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    done_ = true;
    changed_.NotifyAll();
  }

  const RawCall& call_;
  const Clock::time_point start_ = Clock::now();
  grpc::ClientContext context_;
  grpc::ByteBuffer request_, message_;
  Mutex mu_;
  CondVar changed_;
  bool done_ ABSL_GUARDED_BY(mu_) = false;
  RawResult result_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

RawResult RunRawCall(const std::shared_ptr<grpc::Channel>& channel, const RawCall& call) {
  grpc::GenericStub stub(channel);
  Reader reader(call, stub);
  return reader.Wait();
}

std::shared_ptr<grpc::Channel> ConnectRaw(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace stagedoor
