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

TEST(GrpcStatusTest, MessagesThatAreTooLargeAreNotSaidInWordsOfGrpc) {
  const grpc::StatusCode code = grpc::StatusCode::RESOURCE_EXHAUSTED;
  for (const char* text : {"Received message larger than max (193497504 vs. 67108864)",
                           "Sent message larger than max (193497504 vs. 67108864)"}) {
    const absl::Status status = FromGrpcStatus(grpc::Status(code, text));
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(Message(status), "a message of 193,497,504 bytes exceeds the limit of 67,108,864");
    EXPECT_EQ(ErrorReason(status), "REQUEST_TOO_LARGE");
  }
  for (const char* text : {"message larger than max (1 vs. 2)", "Sent message larger than max"}) {
    EXPECT_EQ(Message(FromGrpcStatus(grpc::Status(code, text))), text);
  }
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
