#include "client/cc/grpc_status.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/cord.h"
#include "base/status.h"
#include "client/cc/client.h"
#include "client/cc/edit_errors.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace stagedoor {
namespace {

google::rpc::ErrorInfo Info(const std::string& reason) {
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  return info;
}

TEST(GrpcStatusTest, CodesAndMessagesAreKept) {
  EXPECT_TRUE(FromGrpcStatus(grpc::Status::OK).ok());
  const absl::Status status = FromGrpcStatus(grpc::Status(grpc::StatusCode::NOT_FOUND, "no prim"));
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(status), "no prim");
  EXPECT_EQ(ErrorReason(status), "");
}

TEST(GrpcStatusTest, TheReasonIsFoundAmongOtherDetails) {
  google::rpc::Status details;
  details.add_details()->PackFrom(google::rpc::RetryInfo());
  details.add_details()->PackFrom(Info("LEASE_EXPIRED"));
  details.add_details()->PackFrom(google::rpc::RetryInfo());
  const absl::Status status =
      FromGrpcStatus(grpc::Status(grpc::StatusCode::NOT_FOUND, "no", details.SerializeAsString()));
  EXPECT_EQ(ErrorReason(status), "LEASE_EXPIRED");
}

TEST(GrpcStatusTest, TheErrorsOfEditsAreKept) {
  v1::EditErrors errors;
  errors.add_errors()->set_item(3);
  google::rpc::Status details;
  details.add_details()->PackFrom(Info("PRIM_NOT_FOUND"));
  details.add_details()->PackFrom(errors);
  const absl::Status status =
      FromGrpcStatus(grpc::Status(grpc::StatusCode::NOT_FOUND, "no", details.SerializeAsString()));
  const auto kept = GetEditErrors(status);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->errors(0).item(), 3u);
  EXPECT_EQ(ErrorReason(status), "PRIM_NOT_FOUND");
  EXPECT_FALSE(GetEditErrors(InternalError("no")).has_value());
}

TEST(GrpcStatusTest, MalformedDetailsAreIgnored) {
  const absl::Status status =
      FromGrpcStatus(grpc::Status(grpc::StatusCode::INTERNAL, "no", "\xff\xff"));
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(ErrorReason(status), "");
  absl::Status odd = InternalError("no");
  odd.SetPayload("type.googleapis.com/google.rpc.ErrorInfo", absl::Cord("\xff"));
  EXPECT_EQ(ErrorReason(odd), "");
  EXPECT_EQ(ErrorReason(absl::OkStatus()), "");
}

}  // namespace
}  // namespace stagedoor
