#include "server/error_info.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "base/status.h"
#include "google/rpc/error_details.pb.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor::server {
namespace {

using Metadata = std::map<std::string, std::string>;

google::rpc::ErrorInfo InfoOf(const absl::Status& status) {
  google::rpc::ErrorInfo info;
  const auto payload = status.GetPayload({kErrorInfoUrl.data(), kErrorInfoUrl.size()});
  EXPECT_TRUE(payload.has_value()) << status;
  if (!payload.has_value()) return info;
  EXPECT_TRUE(info.ParseFromString(std::string(*payload)));
  return info;
}

Metadata MetadataOf(const absl::Status& status) {
  const google::rpc::ErrorInfo info = InfoOf(status);
  return {info.metadata().begin(), info.metadata().end()};
}

TEST(ErrorInfoTest, AReasonComesWithDomainAndMetadata) {
  const absl::Status status =
      WithReason(NotFoundError("none"), reason::kPrimNotFound, {{"path", "/P"}, {"stage", "s"}});
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(InfoOf(status).domain(), "stagedoor");
  EXPECT_EQ(InfoOf(status).reason(), "PRIM_NOT_FOUND");
  EXPECT_EQ(MetadataOf(status), (Metadata{{"path", "/P"}, {"stage", "s"}}));
}

TEST(ErrorInfoTest, TheFirstReasonIsKept) {
  const absl::Status first =
      WithReason(NotFoundError("none"), reason::kPrimNotFound, {{"path", "/P"}});
  EXPECT_EQ(WithReason(first, reason::kWrongKind, {{"path", "/Q"}}), first);
  EXPECT_EQ(WithReason(absl::OkStatus(), reason::kWrongKind), absl::OkStatus());
}

TEST(ErrorInfoTest, MetadataIsValidUtf8) {
  const absl::Status status =
      WithReason(NotFoundError("none"), reason::kPrimNotFound, {{"path", "/\xff"}});
  EXPECT_EQ(MetadataOf(status), (Metadata{{"path", "/\xef\xbf\xbd"}}));
}

TEST(ErrorInfoTest, InvalidFieldErrorsNameFieldAndValue) {
  const absl::Status status = InvalidFieldError("page_size", "-1", "is negative");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "page_size: is negative");
  EXPECT_EQ(GetReason(status), "INVALID_FIELD");
  EXPECT_EQ(MetadataOf(status), (Metadata{{"field", "page_size"}, {"value", "-1"}}));
}

TEST(ErrorInfoTest, EngineErrorsGetTheReasonOfTheirCode) {
  EXPECT_EQ(GetReason(UnimplementedError("")), "UNSUPPORTED");
  EXPECT_EQ(GetReason(ResourceExhaustedError("")), "BUDGET_EXHAUSTED");
  EXPECT_EQ(GetReason(PermissionDeniedError("")), "ASSET_FORBIDDEN");
  EXPECT_EQ(GetReason(DataLossError("")), "LAYER_CORRUPT");
  EXPECT_EQ(GetReason(NotFoundError("")), "");
}

TEST(ErrorInfoTest, MalformedErrorInfoFallsBackToTheReasonOfTheCode) {
  absl::Status status = DataLossError("");
  status.SetPayload({kErrorInfoUrl.data(), kErrorInfoUrl.size()}, absl::Cord("\xff\xff"));
  EXPECT_EQ(GetReason(status), "LAYER_CORRUPT");
}

TEST(ErrorInfoTest, LayerErrorsNameTheLayer) {
  const auto reason = [](const absl::Status& status) {
    const absl::Status named = WithLayerReason(status, "/a.usda");
    EXPECT_EQ(named.code(), status.code());
    EXPECT_EQ(MetadataOf(named), (Metadata{{"asset", "/a.usda"}}));
    return GetReason(named);
  };
  EXPECT_EQ(reason(NotFoundError("")), "LAYER_NOT_FOUND");
  EXPECT_EQ(reason(InvalidArgumentError("")), "LAYER_SYNTAX");
  EXPECT_EQ(reason(DataLossError("")), "LAYER_CORRUPT");
  EXPECT_EQ(reason(PermissionDeniedError("")), "ASSET_FORBIDDEN");
  const absl::Status late = DeadlineExceededError("");
  EXPECT_EQ(WithLayerReason(late, "/a.usda"), late) << "not a failure of the layer";
}

TEST(ErrorInfoTest, ItemMessagesAreTruncatedAndValidUtf8) {
  v1::ItemStatus item;
  FillItemStatus(WithReason(NotFoundError("no \xff"), reason::kPrimNotFound), 7, &item);
  EXPECT_EQ(item.item(), 7u);
  EXPECT_EQ(item.code(), 5);
  EXPECT_EQ(item.reason(), "PRIM_NOT_FOUND");
  EXPECT_EQ(item.message(), "no \xef\xbf\xbd");
  FillItemStatus(NotFoundError(std::string(2001, 'x')), 0, &item);
  EXPECT_EQ(item.message(), std::string(2000, 'x'));
}

}  // namespace
}  // namespace stagedoor::server
