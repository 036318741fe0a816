#include "server/services/services.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "server/rpc/message_fragments.h"
#include "server/testing/generic_call.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class ServicesTest : public ServerTest {};

// Each method has a handler and is counted under its name.
TEST_F(ServicesTest, EveryMethodIsImplementedAndCounted) {
  std::set<std::string> services;
  for (const google::protobuf::MethodDescriptor* method : AllMethods()) {
    services.insert(method->service()->full_name());
    const GenericReply reply = CallMethod(channel(), *method, *NewRequest(*method));
    EXPECT_NE(reply.status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << MethodPath(*method);
    EXPECT_NE(reply.status.error_code(), grpc::StatusCode::INTERNAL) << MethodPath(*method);
  }
  services.insert("stagedoor.v1.QueryChannelService");  // it has a test of its own
  EXPECT_EQ(services, std::set<std::string>(std::begin(kServiceNames), std::end(kServiceNames)));
  const auto statistics = client().GetServerStatistics({});
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  std::map<std::string, int64_t> calls;
  for (const v1::MethodStatistics& method : statistics->methods()) {
    calls["/" + method.method()] = method.calls();
  }
  for (const google::protobuf::MethodDescriptor* method : AllMethods()) {
    EXPECT_GE(calls[MethodPath(*method)], 1) << MethodPath(*method);
  }
}

// server/rpc writes these fields without knowing the messages.
TEST_F(ServicesTest, EveryStreamHasOptionsAndParts) {
  for (const google::protobuf::MethodDescriptor* method : AllMethods()) {
    const auto* options = method->input_type()->FindFieldByName("stream_options");
    const auto* parts = method->output_type()->FindFieldByName("stream_parts");
    EXPECT_EQ(options != nullptr, method->server_streaming()) << method->full_name();
    EXPECT_EQ(parts != nullptr, method->server_streaming()) << method->full_name();
    if (options == nullptr || parts == nullptr) continue;
    EXPECT_EQ(parts->number(), kStreamPartsField) << method->full_name();
    EXPECT_EQ(parts->message_type()->name(), "StreamParts") << method->full_name();
    EXPECT_EQ(options->message_type()->name(), "StreamOptions") << method->full_name();
  }
}

}  // namespace
}  // namespace stagedoor::server
