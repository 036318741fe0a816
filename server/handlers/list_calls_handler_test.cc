#include "server/handlers/list_calls_handler.h"

#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "base/status.h"
#include "client/cc/error_reason.h"
#include "server/testing/server_test.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"

namespace stagedoor::server {
namespace {

class ListCallsTest : public ServerTest {
 protected:
  v1::ListCallsResponse List(uint32_t limit = 0) {
    v1::ListCallsRequest request;
    request.set_limit(limit);
    const auto reply = client().ListCalls(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.value_or(v1::ListCallsResponse());
  }
  // The call in flight of a method; null if there is none.
  static const v1::CallInFlight* Find(const v1::ListCallsResponse& reply,
                                      const std::string& method) {
    for (const v1::CallInFlight& call : reply.calls()) {
      if (call.method() == "stagedoor.v1." + method) return &call;
    }
    return nullptr;
  }
  static const v1::EndedCall* FindEnded(const v1::ListCallsResponse& reply,
                                        const std::string& method) {
    for (const v1::EndedCall& call : reply.slowest_calls()) {
      if (call.method() == "stagedoor.v1." + method) return &call;
    }
    return nullptr;
  }
};

TEST_F(ListCallsTest, AStreamThatIsNotReadIsInFlight) {
  std::string prims;
  for (int i = 0; i < 20000; ++i) prims += Concat("def \"Prim_with_a_long_name_", i, "\" {}\n");
  Write("root.usda", prims);
  v1::TraverseRequest request;
  *request.mutable_stage() = Open();
  request.mutable_read_mask()->add_paths("type_name");
  request.mutable_stream_options()->set_chunk_bytes(65536);
  const auto stub = v1::QueryService::NewStub(channel());
  grpc::ClientContext context;
  context.AddMetadata("x-request-id", "the stream");
  const auto reader = stub->Traverse(&context, request);
  v1::TraverseResponse first;
  ASSERT_TRUE(reader->Read(&first)) << reader->Finish().error_message();
  v1::ListCallsResponse reply = List();
  const auto is_sending = [&] {
    const v1::CallInFlight* call = Find(reply, "QueryService/Traverse");
    return call != nullptr && call->state() == v1::CallInFlight::STATE_SENDING;
  };
  while (!is_sending()) reply = List();
  const v1::CallInFlight* call = Find(reply, "QueryService/Traverse");
  EXPECT_EQ(call->request_id(), "the stream");
  EXPECT_EQ(call->root_layer(), "/root.usda");
  EXPECT_EQ(call->identity(), "local");
  EXPECT_NE(call->peer(), "");
  EXPECT_GT(call->age().seconds() + call->age().nanos(), 0);
  EXPECT_GT(call->reserved_bytes(), 0u);
  EXPECT_GE(reply.calls_in_flight(), 2u);
  EXPECT_EQ(reply.calls(0).method(), call->method()) << "the longest comes first";
  EXPECT_EQ(Find(List(1), "AdminService/ListCalls"), nullptr) << "the limit";
  context.TryCancel();
  while (reader->Read(&first)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  while (Find(List(), "QueryService/Traverse") != nullptr) std::this_thread::yield();
}

TEST_F(ListCallsTest, TheSlowestCallsAreKept) {
  Write("root.usda", "def \"P\" {}\n");
  grpc::ClientContext context;
  context.AddMetadata("x-request-id", "opens");
  v1::OpenStageRequest request;
  request.set_root_layer("/root.usda");
  v1::OpenStageResponse response;
  ASSERT_TRUE(v1::StagesService::NewStub(channel())->OpenStage(&context, request, &response).ok());
  v1::GetPrimRequest missing;
  missing.mutable_stage()->set_handle(response.handle());
  missing.set_path("/Nobody");
  EXPECT_FALSE(client().GetPrim(missing).ok());
  v1::ListCallsResponse reply = List();
  while (FindEnded(reply, "QueryService/GetPrim") == nullptr) reply = List();
  const v1::EndedCall& opened = *FindEnded(reply, "StagesService/OpenStage");
  EXPECT_EQ(opened.request_id(), "opens");
  EXPECT_EQ(opened.identity(), "local");
  EXPECT_EQ(opened.root_layer(), "/root.usda");
  EXPECT_EQ(opened.code(), 0);
  EXPECT_EQ(opened.reasons().rfind("opened 1 layer (", 0), 0u) << opened.reasons();
  const v1::EndedCall& failed = *FindEnded(reply, "QueryService/GetPrim");
  EXPECT_EQ(failed.code(), 5);
  EXPECT_NE(failed.message().find("/Nobody"), std::string::npos) << failed.message();
  EXPECT_GT(failed.duration().nanos(), 0);
}

TEST_F(ListCallsTest, TheLimitIsBounded) {
  v1::ListCallsRequest request;
  request.set_limit(1001);
  const absl::Status status = client().ListCalls(request).status();
  EXPECT_EQ(ErrorReason(status), "INVALID_FIELD") << status;
  EXPECT_NE(Find(List(1000), "AdminService/ListCalls"), nullptr) << "itself";
}

}  // namespace
}  // namespace stagedoor::server
