#include "client/cc/query_numbers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stagedoor {
namespace {

v1::BatchGetValuesRequest RequestFor(const std::string& handle,
                                     const std::vector<std::string>& paths,
                                     const std::string& snapshot = "") {
  v1::BatchGetValuesRequest request;
  request.mutable_stage()->set_handle(handle);
  request.mutable_stage()->set_snapshot(snapshot);
  for (const std::string& path : paths) request.add_paths(path);
  return request;
}

// The frames that ask a request, in short: "stage 0=h paths 0.0=/A query 0: 0".
std::string FramesOf(QueryNumbers& numbers, const v1::BatchGetValuesRequest& request) {
  v1::ClientFrames frames;
  numbers.AddQuery(request, 1, &frames);
  std::string text;
  for (const v1::ClientFrame& frame : frames.frames()) {
    if (frame.has_bind_stage()) {
      const v1::BindStage& bind = frame.bind_stage();
      text += "stage " + std::to_string(bind.stage()) + "=" + bind.ref().handle() +
              bind.ref().snapshot() + " ";
    } else if (frame.has_bind_paths()) {
      const v1::BindPaths& bind = frame.bind_paths();
      text += "paths " + std::to_string(bind.stage()) + "." + std::to_string(bind.first()) + "=";
      for (const std::string& path : bind.paths()) text += path;
      text += ' ';
    } else if (frame.has_unbind()) {
      text += "unbind " + std::to_string(frame.unbind().stage()) + " ";
    } else {
      text += "query " + std::to_string(frame.query().stage()) + ":";
      for (const uint32_t path : frame.query().paths()) text += " " + std::to_string(path);
    }
  }
  return text;
}

TEST(QueryNumbersTest, SendsWhatIsNewOnce) {
  QueryNumbers numbers;
  EXPECT_EQ(FramesOf(numbers, RequestFor("h", {"/A", "/B"})),
            "stage 0=h paths 0.0=/A/B query 0: 0 1");
  EXPECT_EQ(FramesOf(numbers, RequestFor("h", {"/B", "/A"})), "query 0: 1 0");
  EXPECT_EQ(FramesOf(numbers, RequestFor("h", {"/C", "/A", "/D", "/C"})),
            "paths 0.2=/C/D query 0: 2 0 3 2");
  EXPECT_EQ(FramesOf(numbers, RequestFor("g", {"/A"})), "stage 1=g paths 1.0=/A query 1: 0");
}

TEST(QueryNumbersTest, AnotherSnapshotKeepsThePaths) {
  QueryNumbers numbers;
  FramesOf(numbers, RequestFor("h", {"/A"}, "1"));
  EXPECT_EQ(FramesOf(numbers, RequestFor("h", {"/A"}, "2")), "stage 0=h2 query 0: 0");
  EXPECT_EQ(FramesOf(numbers, RequestFor("h", {"/A"}, "2")), "query 0: 0");
}

TEST(QueryNumbersTest, ForgetsAllPathsBeyondTheLimit) {
  QueryNumbers numbers(/*max_paths=*/3);
  FramesOf(numbers, RequestFor("h", {"/A", "/B"}));
  FramesOf(numbers, RequestFor("g", {"/A"}));
  const std::string frames = FramesOf(numbers, RequestFor("h", {"/C"}));
  EXPECT_TRUE(frames == "unbind 0 unbind 1 stage 0=h paths 0.0=/C query 0: 0" ||
              frames == "unbind 1 unbind 0 stage 0=h paths 0.0=/C query 0: 0")
      << frames;
}

}  // namespace
}  // namespace stagedoor
