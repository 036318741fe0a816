#include "server/upstream/stage_request.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "server/rpc/message_serialization.h"
#include "server/upstream/reply_key.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {
namespace {

const ForwardedMethod& Method(const std::string& path) {
  static const std::vector<ForwardedMethod> methods = ForwardedMethods();
  return *std::find_if(methods.begin(), methods.end(),
                       [&](const ForwardedMethod& each) { return each.path == path; });
}

NodeStage Stage() {
  v1::OpenStageResponse opened;
  opened.set_handle("upstream");
  return {v1::OpenStageRequest(), "key", "", opened, 0, NodeStage::Clock::now()};
}

v1::BatchGetValuesRequest Values() {
  v1::BatchGetValuesRequest request;
  request.mutable_stage()->set_handle("node-1");
  request.mutable_stage()->set_snapshot("s");
  request.add_paths("/A.x");
  request.mutable_times()->add_frames(1);
  return request;
}

// The request that upstream gets.
v1::BatchGetValuesRequest Sent(StageRequest& request, const NodeStage& stage) {
  UpstreamRequest call = request.ForUpstream(&stage, "t");
  v1::BatchGetValuesRequest sent;
  EXPECT_TRUE(ParseMessage(&call.message, &sent).ok());
  return sent;
}

TEST(StageRequestTest, UpstreamGetsTheRequestWithItsOwnHandle) {
  const NodeStage stage = Stage();
  v1::BatchGetValuesRequest expected = Values();
  expected.mutable_stage()->set_handle("upstream");
  expected.mutable_stage()->set_snapshot("t");
  const auto request =
      StageRequest::Copy(Method("/stagedoor.v1.QueryService/BatchGetValues"), Values());
  EXPECT_EQ(request->handle(), "node-1");
  EXPECT_EQ(request->snapshot(), "s");
  EXPECT_EQ(Sent(*request, stage).SerializeAsString(), expected.SerializeAsString());
  // The key is made of bytes that are sent, too.
  EXPECT_EQ(request->ReplyKeyFor(stage, "t").size(), 32u);
  EXPECT_EQ(Sent(*request, stage).SerializeAsString(), expected.SerializeAsString());
  EXPECT_EQ(Sent(*request, stage).SerializeAsString(), expected.SerializeAsString())
      << "again, after the stage was opened again";
}

TEST(StageRequestTest, DigestsThatAreExpectedAreSent) {
  const NodeStage stage = Stage();
  MemoryPool pool("replies", 1000);
  ArrayStore arrays(pool, 1000);
  UpstreamCounters counters;
  v1::StreamValuesRequest values;
  values.mutable_stage()->set_handle("node-1");
  values.mutable_digest_options()->add_known("d");
  const ForwardedMethod& method = Method("/stagedoor.v1.QueryService/StreamValues");
  arrays.Keep("kept", "1");
  const auto request = StageRequest::Copy(method, values);
  const std::string kind = request->ArrayKind(stage);
  EXPECT_EQ(kind, ReplyKind(method.path, stage.routing_key(), values));
  arrays.Remember(kind, {"kept"});
  request->ReplyKeyFor(stage, "t");
  EXPECT_NE(request->ExpectArrays(kind, arrays, counters), nullptr);
  UpstreamRequest call = request->ForUpstream(&stage, "t");
  v1::StreamValuesRequest sent;
  ASSERT_TRUE(ParseMessage(&call.message, &sent).ok());
  EXPECT_EQ(sent.stage().handle(), "upstream");
  EXPECT_EQ(sent.digest_options().known_size(), 2);
}

}  // namespace
}  // namespace stagedoor::server
