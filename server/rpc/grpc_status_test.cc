#include "server/rpc/grpc_status.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/status.h"
#include "google/rpc/error_details.pb.h"
#include "server/error_info.h"
#include "server/testing/status_details.h"
#include "stagedoor/v1/sessions.pb.h"

namespace stagedoor::server {
namespace {

using google::rpc::ErrorInfo;
using google::rpc::RetryInfo;

TEST(GrpcStatusTest, OkHasNoDetails) {
  const grpc::Status status = ToGrpcStatus(absl::OkStatus());
  EXPECT_TRUE(status.ok());
  EXPECT_TRUE(status.error_details().empty());
}

TEST(GrpcStatusTest, DetailsHaveCodeMessageAndReason) {
  const grpc::Status status = ToGrpcStatus(
      WithReason(NotFoundError("no /P"), v1::ERROR_REASON_PRIM_NOT_FOUND, {{"path", "/P"}}));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no /P");
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), 5);
  EXPECT_EQ(details.message(), "no /P");
  ASSERT_EQ(details.details_size(), 1);
  const auto info = DetailOf<ErrorInfo>(status);
  EXPECT_EQ(info.reason(), "PRIM_NOT_FOUND");
  EXPECT_EQ(info.domain(), "stagedoor.dev");
  EXPECT_EQ(info.metadata().at("path"), "/P");
}

TEST(GrpcStatusTest, AStatusWithoutAReasonGetsThatOfItsCode) {
  EXPECT_EQ(DetailOf<ErrorInfo>(ToGrpcStatus(ResourceExhaustedError("full"))).reason(),
            "BUDGET_EXHAUSTED");
}

TEST(GrpcStatusTest, OutOfMemoryHasAReasonAndTheBudget) {
  const grpc::Status status = OutOfMemoryStatus();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const auto info = DetailOf<ErrorInfo>(status);
  EXPECT_EQ(info.reason(), "BUDGET_EXHAUSTED");
  EXPECT_EQ(info.metadata().at("budget"), "memory");
}

TEST(GrpcStatusTest, RetryDelaysAreSent) {
  const grpc::Status status =
      ToGrpcStatus(WithRetryDelay(UnavailableError("busy"), std::chrono::milliseconds(1500)));
  const auto info = DetailOf<RetryInfo>(status);
  EXPECT_EQ(info.retry_delay().seconds(), 1);
  EXPECT_EQ(info.retry_delay().nanos(), 500000000);
  EXPECT_FALSE(ToGrpcStatus(UnavailableError("gone")).error_details().empty());
  EXPECT_EQ(DetailOf<RetryInfo>(ToGrpcStatus(UnavailableError("gone"))).ByteSizeLong(), 0u);
}

// Trailing metadata is limited to 8 KiB.
TEST(GrpcStatusTest, LongMessagesAreTruncated) {
  EXPECT_EQ(ToGrpcStatus(NotFoundError(std::string(1200, 'x'))).error_message(),
            std::string(1200, 'x'));
  EXPECT_EQ(ToGrpcStatus(NotFoundError(std::string(1201, 'x'))).error_message(),
            std::string(1200, 'x') + "…");
}

TEST(GrpcStatusTest, InvalidFieldsAreSent) {
  const grpc::Status status = ToGrpcStatus(InvalidFieldError("paths", "x", std::string(401, 'y')));
  const auto request = DetailOf<google::rpc::BadRequest>(status);
  ASSERT_EQ(request.field_violations_size(), 1);
  EXPECT_EQ(request.field_violations(0).field(), "paths");
  EXPECT_EQ(request.field_violations(0).description(), std::string(400, 'y') + "…");
}

TEST(GrpcStatusTest, ErrorsOfEditsAreSentUnlessTheyAreTooLarge) {
  v1::EditErrors errors;
  errors.add_errors()->set_item(3);
  errors.set_error_count(7);
  absl::Status status = NotFoundError("edit 3: no");
  const absl::string_view url(kEditErrorsUrl.data(), kEditErrorsUrl.size());
  status.SetPayload(url, absl::Cord(errors.SerializeAsString()));
  const auto sent = DetailOf<v1::EditErrors>(ToGrpcStatus(status));
  ASSERT_EQ(sent.errors_size(), 1);
  EXPECT_EQ(sent.errors(0).item(), 3u);
  EXPECT_EQ(sent.error_count(), 7u);
  errors.mutable_errors(0)->set_message(std::string(4000, 'x'));
  status.SetPayload(url, absl::Cord(errors.SerializeAsString()));
  EXPECT_EQ(DetailOf<v1::EditErrors>(ToGrpcStatus(status)).errors_size(), 0);
}

TEST(GrpcStatusTest, MessagesAreTruncatedBetweenCharacters) {
  // The 1,200th byte is the first of a two-byte character.
  const std::string text = std::string(1199, 'x') + "ää";
  EXPECT_EQ(ToGrpcStatus(NotFoundError(text)).error_message(), std::string(1199, 'x') + "…");
}

TEST(GrpcStatusTest, LongMetadataIsTruncated) {
  const grpc::Status status =
      ToGrpcStatus(WithReason(NotFoundError("none"), v1::ERROR_REASON_PRIM_NOT_FOUND,
                              {{"path", "/" + std::string(5000, 'x')}}));
  EXPECT_EQ(DetailOf<ErrorInfo>(status).metadata().at("path"), "/" + std::string(399, 'x') + "…");
}

TEST(GrpcStatusTest, MessagesAreValidUtf8) {
  EXPECT_EQ(ToGrpcStatus(NotFoundError("a\xff b")).error_message(), "a\xef\xbf\xbd b");
}

}  // namespace
}  // namespace stagedoor::server
