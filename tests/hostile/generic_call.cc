#include "tests/hostile/generic_call.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <vector>

#include "base/mutex.h"
#include "stagedoor/v1/cache.pb.h"
#include "stagedoor/v1/geom.pb.h"
#include "stagedoor/v1/layers.pb.h"
#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/skel.pb.h"
#include "stagedoor/v1/stages.pb.h"
#include "stagedoor/v1/stats.pb.h"

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

// Unary methods are streams of one message on the wire, so one kind of call serves all methods.
class Reader final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Reader(const GenericCall& call, grpc::GenericStub& stub) : call_(call) {
    context_.set_deadline(std::chrono::system_clock::now() + call.deadline);
    stub.PrepareBidiStreamingCall(&context_, call.method, {}, this);
    const grpc::Slice slice(call.request);
    request_ = grpc::ByteBuffer(&slice, 1);
    StartWriteLast(&request_, grpc::WriteOptions());
    if (call.read_at_most > 0) StartRead(&message_);
    AddHold();
    StartCall();
  }

  GenericResult Wait() {
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
      if (result_.messages == 0) result_.first = ToString(message_);
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

  const GenericCall& call_;
  const Clock::time_point start_ = Clock::now();
  grpc::ClientContext context_;
  grpc::ByteBuffer request_, message_;
  Mutex mu_;
  CondVar changed_;
  bool done_ ABSL_GUARDED_BY(mu_) = false;
  GenericResult result_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

GenericResult RunGenericCall(const std::shared_ptr<grpc::Channel>& channel,
                             const GenericCall& call) {
  grpc::GenericStub stub(channel);
  Reader reader(call, stub);
  return reader.Wait();
}

std::shared_ptr<grpc::Channel> ConnectGeneric(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

std::vector<const google::protobuf::MethodDescriptor*> AllMethods() {
  std::vector<const google::protobuf::MethodDescriptor*> methods;
  for (const google::protobuf::FileDescriptor* file :
       {v1::OpenStageRequest::descriptor()->file(), v1::GetPrimRequest::descriptor()->file(),
        v1::ReadLayerRequest::descriptor()->file(), v1::PrefetchClipsRequest::descriptor()->file(),
        v1::ComputeBoundsRequest::descriptor()->file(),
        v1::ListSkelBindingsRequest::descriptor()->file(),
        v1::GetServerStatisticsRequest::descriptor()->file()}) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        methods.push_back(file->service(s)->method(m));
      }
    }
  }
  return methods;
}

std::string MethodPath(const google::protobuf::MethodDescriptor& method) {
  return "/" + method.service()->full_name() + "/" + method.name();
}

}  // namespace stagedoor
