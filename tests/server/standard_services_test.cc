// The standard health and reflection services.
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/sync_stream.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/byte_buffers.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class StandardServicesTest : public ServerTest {
 protected:
  // The first reply of a method, with request and reply in wire form.
  std::string Call(const std::string& method, const std::string& request) {
    grpc::GenericStub stub(channel());
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    const auto call = stub.PrepareCall(&context, method, &queue);
    grpc::ByteBuffer answer;
    grpc::Status status;
    call->StartCall(nullptr);
    Wait(queue);
    call->Write(BufferOf(request), nullptr);
    Wait(queue);
    call->Read(&answer, nullptr);
    Wait(queue);
    call->WritesDone(nullptr);
    Wait(queue);
    call->Finish(&status, nullptr);
    Wait(queue);
    EXPECT_TRUE(status.ok()) << method << ": " << status.error_message();
    EXPECT_TRUE(answer.Valid());
    return BytesOf(answer);
  }

 private:
  static void Wait(grpc::CompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    ASSERT_TRUE(queue.Next(&tag, &ok));
  }
};

TEST_F(StandardServicesTest, HealthIsServing) {
  // HealthCheckResponse { status: SERVING }
  EXPECT_EQ(Call("/grpc.health.v1.Health/Check", ""), std::string("\x08\x01", 2));
}

TEST_F(StandardServicesTest, ReflectionListsEveryService) {
  // ServerReflectionRequest { list_services: "" }
  const std::string names =
      Call("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", {"\x3a\x00", 2});
  for (const char* service : {"Stages", "Query", "Layers", "Cache", "Geom", "Skel", "Server"}) {
    EXPECT_NE(names.find(Concat("stagedoor.v1.", service, "Service")), std::string::npos)
        << service;
  }
  EXPECT_NE(names.find("grpc.health.v1.Health"), std::string::npos);
}

TEST_F(StandardServicesTest, ReflectionDescribesTheHealthService) {
  // ServerReflectionRequest { file_containing_symbol: "grpc.health.v1.Health" }
  const std::string symbol = "grpc.health.v1.Health";
  const std::string file = Call("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                                std::string("\x22") + static_cast<char>(symbol.size()) + symbol);
  EXPECT_NE(file.find("HealthCheckResponse"), std::string::npos);
  EXPECT_EQ(file.find("not found"), std::string::npos) << file;
}

TEST_F(StandardServicesTest, HealthIsReportedForEveryListedService) {
  const std::string names =
      Call("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", {"\x3a\x00", 2});
  for (const char* service : {"Stages", "Query", "Layers", "Cache", "Geom", "Skel", "Server"}) {
    const std::string name = Concat("stagedoor.v1.", service, "Service");
    EXPECT_NE(names.find(name), std::string::npos);
    // HealthCheckRequest { service: name }
    EXPECT_EQ(Call("/grpc.health.v1.Health/Check",
                   std::string("\x0a") + static_cast<char>(name.size()) + name),
              std::string("\x08\x01", 2))
        << name;
  }
}

}  // namespace
}  // namespace stagedoor::server
