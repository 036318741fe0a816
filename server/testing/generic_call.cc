#include "server/testing/generic_call.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>

#include "base/strings.h"
#include "server/testing/byte_buffers.h"
#include "stagedoor/v1/admin.pb.h"
#include "stagedoor/v1/cache.pb.h"
#include "stagedoor/v1/frame.pb.h"
#include "stagedoor/v1/geom.pb.h"
#include "stagedoor/v1/layers.pb.h"
#include "stagedoor/v1/lux.pb.h"
#include "stagedoor/v1/physics.pb.h"
#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/render.pb.h"
#include "stagedoor/v1/server.pb.h"
#include "stagedoor/v1/sessions.pb.h"
#include "stagedoor/v1/shade.pb.h"
#include "stagedoor/v1/skel.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {
namespace {

using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;

std::unique_ptr<Message> NewMessage(const google::protobuf::Descriptor* type) {
  return std::unique_ptr<Message>(MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Whether it is for the client to end the stream.
bool IsEndless(const MethodDescriptor& method) { return method.name() == "WatchStage"; }

}  // namespace

GenericReply CallMethod(const std::shared_ptr<grpc::Channel>& channel,
                        const MethodDescriptor& method, const Message& request,
                        std::chrono::seconds deadline) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + deadline);
  grpc::CompletionQueue queue;
  const auto wait = [&queue] {
    void* tag;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  auto call = stub.PrepareCall(&context, MethodPath(method), &queue);
  call->StartCall(nullptr);
  wait();
  call->WriteLast(BufferOf(request.SerializeAsString()), grpc::WriteOptions(), nullptr);
  wait();
  GenericReply reply;
  for (;;) {
    grpc::ByteBuffer buffer;
    call->Read(&buffer, nullptr);
    if (!wait()) break;
    reply.messages.push_back(NewMessage(method.output_type()));
    reply.valid &= reply.messages.back()->ParseFromString(BytesOf(buffer));
    if (IsEndless(method)) context.TryCancel();
  }
  call->Finish(&reply.status, nullptr);
  wait();
  if (IsEndless(method) && !reply.messages.empty()) reply.status = grpc::Status::OK;
  return reply;
}

std::string MethodPath(const MethodDescriptor& method) {
  return Concat("/", method.service()->full_name(), "/", method.name());
}

std::vector<const MethodDescriptor*> AllMethods() {
  const google::protobuf::FileDescriptor* files[] = {
      v1::GetCacheStatisticsRequest::descriptor()->file(),
      v1::ComputeBoundsRequest::descriptor()->file(),
      v1::ReadLayerRequest::descriptor()->file(),
      v1::ExplainRequest::descriptor()->file(),
      v1::ComputeBoundMaterialsRequest::descriptor()->file(),
      v1::ListLightsRequest::descriptor()->file(),
      v1::ComputeCollisionGroupsRequest::descriptor()->file(),
      v1::ComputeRenderSettingsRequest::descriptor()->file(),
      v1::ListSkelBindingsRequest::descriptor()->file(),
      v1::ExtractFrameRequest::descriptor()->file(),
      v1::OpenStageRequest::descriptor()->file(),
      v1::EditStageRequest::descriptor()->file(),
      v1::GetServerStatisticsRequest::descriptor()->file(),
      v1::DrainRequest::descriptor()->file()};
  std::vector<const MethodDescriptor*> methods;
  for (const auto* file : files) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        methods.push_back(file->service(s)->method(m));
      }
    }
  }
  return methods;
}

std::unique_ptr<Message> NewRequest(const MethodDescriptor& method) {
  return NewMessage(method.input_type());
}

}  // namespace stagedoor::server
