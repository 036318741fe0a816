#include "client/cc/error_details.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;

google::rpc::ErrorInfo Info() {
  google::rpc::ErrorInfo info;
  info.set_reason("PRIM_NOT_FOUND");
  info.set_domain("stagedoor.dev");
  (*info.mutable_metadata())["path"] = "/A";
  (*info.mutable_metadata())["layer"] = "/a.usda";
  return info;
}

TEST(ErrorDetailsTest, ErrorInfoIsReadAsTheGeneratedCodeWritesIt) {
  const ErrorInfo info = ParseErrorInfo(Info().SerializeAsString());
  EXPECT_EQ(info.reason, "PRIM_NOT_FOUND");
  EXPECT_EQ(info.domain, "stagedoor.dev");
  EXPECT_EQ(info.metadata,
            (std::map<std::string, std::string>{{"path", "/A"}, {"layer", "/a.usda"}}));
}

TEST(ErrorDetailsTest, ErrorInfoIsWrittenAsTheGeneratedCodeReadsIt) {
  google::rpc::ErrorInfo read;
  ASSERT_TRUE(
      read.ParseFromString(SerializeErrorInfo({"WRONG_KIND", "stagedoor.dev", {{"path", "/A"}}})));
  EXPECT_EQ(read.reason(), "WRONG_KIND");
  EXPECT_EQ(read.domain(), "stagedoor.dev");
  EXPECT_EQ(read.metadata().at("path"), "/A");
}

TEST(ErrorDetailsTest, DetailsAreFoundByType) {
  google::rpc::Status status;
  status.set_message("failed");
  status.add_details()->PackFrom(google::rpc::RetryInfo());
  status.add_details()->PackFrom(Info());
  const std::string bytes = status.SerializeAsString();
  ASSERT_EQ(FindDetails(bytes, kErrorInfoType).size(), 1u);
  EXPECT_EQ(ParseErrorInfo(FindDetails(bytes, kErrorInfoType)[0]).reason, "PRIM_NOT_FOUND");
  EXPECT_EQ(FindDetails(bytes, kRetryInfoType), std::vector<std::string>{""});
  EXPECT_TRUE(FindDetails(bytes, "type.googleapis.com/google.rpc.BadRequest").empty());
}

TEST(ErrorDetailsTest, DelaysAreAtMostADay) {
  const auto delay = [](int64_t seconds, int nanos) {
    google::rpc::RetryInfo info;
    info.mutable_retry_delay()->set_seconds(seconds);
    info.mutable_retry_delay()->set_nanos(nanos);
    return ParseRetryDelay(info.SerializeAsString());
  };
  EXPECT_EQ(delay(2, 500'000'000), milliseconds(2500));
  EXPECT_EQ(delay(0, 0), milliseconds(0));
  EXPECT_EQ(delay(-1, -500'000'000), milliseconds(-1500));
  EXPECT_EQ(delay(INT64_MAX, 0), std::chrono::hours(24));
  EXPECT_EQ(delay(INT64_MIN, INT32_MIN), -std::chrono::hours(24) - milliseconds(999));
  EXPECT_EQ(ParseRetryDelay(""), milliseconds(0));
}

TEST(ErrorDetailsTest, BytesThatCannotBeDecodedAreNone) {
  for (const std::string& bytes :
       {std::string("\xff"), std::string("\x1a\x7f"), std::string(1000, '\x0b')}) {
    EXPECT_EQ(ParseRetryDelay(bytes), std::nullopt);
    EXPECT_EQ(ParseErrorInfo(bytes).reason, "");
    EXPECT_TRUE(ParseErrorInfo(bytes).metadata.empty());
    EXPECT_TRUE(FindDetails(bytes, kErrorInfoType).empty());
  }
}

}  // namespace
}  // namespace stagedoor
