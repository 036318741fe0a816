#include "server/upstream/reply_key.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {
namespace {

v1::BatchGetValuesRequest Request() {
  v1::BatchGetValuesRequest request;
  request.mutable_stage()->set_handle("a handle");
  request.add_paths("/A.x");
  request.mutable_times()->add_frames(1);
  return request;
}

std::string KeyOf(v1::BatchGetValuesRequest request,
                  const ReplySource& source = {.method = "/m", .snapshot = "s"}) {
  return ReplyKey(source, BytesWithoutStage(request, request.mutable_stage()));
}

TEST(ReplyKeyTest, HowTheStageIsNamedDoesNotCount) {
  v1::BatchGetValuesRequest other = Request();
  other.mutable_stage()->set_handle("another one");
  other.mutable_stage()->set_snapshot("s");
  EXPECT_EQ(KeyOf(other), KeyOf(Request()));
  EXPECT_EQ(KeyOf(other).size(), 32u);
}

TEST(ReplyKeyTest, EverythingElseCounts) {
  v1::BatchGetValuesRequest path = Request();
  path.set_paths(0, "/A.y");
  v1::BatchGetValuesRequest time = Request();
  time.mutable_times()->set_frames(0, 2);
  v1::BatchGetValuesRequest digests = Request();
  digests.mutable_digest_options()->add_known("d");
  const std::set<std::string> keys = {
      KeyOf(Request()),
      KeyOf(path),
      KeyOf(time),
      KeyOf(digests),
      KeyOf(Request(), {.method = "/n", .snapshot = "s"}),
      KeyOf(Request(), {.method = "/m", .snapshot = "t"}),
      KeyOf(Request(), {.method = "/m", .snapshot = "s", .interpolation = 1}),
      KeyOf(Request(), {.method = "/ms", .snapshot = ""})};
  EXPECT_EQ(keys.size(), 8u);
}

TEST(ReplyKeyTest, KindsAreThoseOfRequestsThatDifferInTime) {
  v1::BatchGetValuesRequest later = Request();
  later.mutable_stage()->set_snapshot("another one");
  later.mutable_times()->set_frames(0, 2);
  later.mutable_digest_options()->add_known("d");
  v1::BatchGetValuesRequest path = Request();
  path.set_paths(0, "/A.y");
  EXPECT_EQ(ReplyKind("/m", "root", later), ReplyKind("/m", "root", Request()));
  const std::set<std::string> kinds = {
      ReplyKind("/m", "root", Request()), ReplyKind("/n", "root", Request()),
      ReplyKind("/m", "another", Request()), ReplyKind("/m", "root", path)};
  EXPECT_EQ(kinds.size(), 4u);
}

}  // namespace
}  // namespace stagedoor::server
