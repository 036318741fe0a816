#include "server/error_info.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "base/status.h"
#include "google/rpc/error_details.pb.h"
#include "stagedoor/v1/errors.pb.h"

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
  const absl::Status status = WithReason(NotFoundError("none"), v1::ERROR_REASON_PRIM_NOT_FOUND,
                                         {{"path", "/P"}, {"stage", "s"}});
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(InfoOf(status).domain(), "stagedoor.dev");
  EXPECT_EQ(InfoOf(status).reason(), "PRIM_NOT_FOUND");
  EXPECT_EQ(MetadataOf(status), (Metadata{{"path", "/P"}, {"stage", "s"}}));
}

TEST(ErrorInfoTest, TheFirstReasonIsKept) {
  const absl::Status first =
      WithReason(NotFoundError("none"), v1::ERROR_REASON_PRIM_NOT_FOUND, {{"path", "/P"}});
  EXPECT_EQ(WithReason(first, v1::ERROR_REASON_WRONG_KIND, {{"path", "/Q"}}), first);
  EXPECT_EQ(WithReason(absl::OkStatus(), v1::ERROR_REASON_WRONG_KIND), absl::OkStatus());
}

TEST(ErrorInfoTest, MetadataIsValidUtf8) {
  const absl::Status status =
      WithReason(NotFoundError("none"), v1::ERROR_REASON_PRIM_NOT_FOUND, {{"path", "/\xff"}});
  EXPECT_EQ(MetadataOf(status), (Metadata{{"path", "/\xef\xbf\xbd"}}));
}

TEST(ErrorInfoTest, InvalidFieldErrorsNameFieldAndValue) {
  const absl::Status status = InvalidFieldError("page_size", "-1", "is negative");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), "page_size: is negative");
  EXPECT_EQ(GetReason(status), v1::ERROR_REASON_INVALID_FIELD);
  EXPECT_EQ(MetadataOf(status), (Metadata{{"field", "page_size"}, {"value", "-1"}}));
  google::rpc::BadRequest request;
  const auto payload = status.GetPayload({kBadRequestUrl.data(), kBadRequestUrl.size()});
  ASSERT_TRUE(payload.has_value() && request.ParseFromString(std::string(*payload)));
  ASSERT_EQ(request.field_violations_size(), 1);
  EXPECT_EQ(request.field_violations(0).field(), "page_size");
  EXPECT_EQ(request.field_violations(0).description(), "is negative");
}

TEST(ErrorInfoTest, EngineErrorsGetTheReasonOfTheirCode) {
  EXPECT_EQ(GetReason(UnimplementedError("")), v1::ERROR_REASON_UNSUPPORTED);
  EXPECT_EQ(GetReason(ResourceExhaustedError("")), v1::ERROR_REASON_BUDGET_EXHAUSTED);
  EXPECT_EQ(GetReason(PermissionDeniedError("")), v1::ERROR_REASON_ASSET_FORBIDDEN);
  EXPECT_EQ(GetReason(DataLossError("")), v1::ERROR_REASON_LAYER_CORRUPT);
  EXPECT_EQ(GetReason(NotFoundError("")), v1::ERROR_REASON_UNSPECIFIED);
}

TEST(ErrorInfoTest, ReasonsAreNamedWithoutThePrefixOfTheEnum) {
  EXPECT_EQ(ReasonName(v1::ERROR_REASON_LEASE_EXPIRED), "LEASE_EXPIRED");
  EXPECT_EQ(ReasonName(v1::ERROR_REASON_UNSPECIFIED), "");
  for (int i = 1; i < v1::ErrorReason_ARRAYSIZE; ++i) {
    const auto reason = static_cast<v1::ErrorReason>(i);
    EXPECT_EQ(GetReason(WithReason(NotFoundError(""), reason)), reason);
  }
}

TEST(ErrorInfoTest, MalformedErrorInfoFallsBackToTheReasonOfTheCode) {
  absl::Status status = DataLossError("");
  status.SetPayload({kErrorInfoUrl.data(), kErrorInfoUrl.size()}, absl::Cord("\xff\xff"));
  EXPECT_EQ(GetReason(status), v1::ERROR_REASON_LAYER_CORRUPT);
}

TEST(ErrorInfoTest, LayerErrorsNameTheLayer) {
  const auto reason = [](const absl::Status& status) {
    const absl::Status named = WithLayerReason(status, "/a.usda");
    EXPECT_EQ(named.code(), status.code());
    EXPECT_EQ(MetadataOf(named), (Metadata{{"asset", "/a.usda"}}));
    return GetReason(named);
  };
  EXPECT_EQ(reason(NotFoundError("")), v1::ERROR_REASON_LAYER_NOT_FOUND);
  EXPECT_EQ(reason(InvalidArgumentError("")), v1::ERROR_REASON_LAYER_SYNTAX);
  EXPECT_EQ(reason(DataLossError("")), v1::ERROR_REASON_LAYER_CORRUPT);
  EXPECT_EQ(reason(PermissionDeniedError("")), v1::ERROR_REASON_ASSET_FORBIDDEN);
  const absl::Status late = DeadlineExceededError("");
  EXPECT_EQ(WithLayerReason(late, "/a.usda"), late) << "not a failure of the layer";
}

TEST(ErrorInfoTest, WarningsKeepTheirKind) {
  v1::Warning out;
  FillWarning({Warning::Kind::kMissingAsset, "a.usda", "/P", std::string(2001, 'x')}, &out);
  EXPECT_EQ(out.kind(), v1::Warning::KIND_MISSING_ASSET);
  EXPECT_EQ(out.asset(), "a.usda");
  EXPECT_EQ(out.path(), "/P");
  EXPECT_EQ(out.message(), std::string(2000, 'x'));
  FillWarning({Warning::Kind::kInvalidMetadata, "\xff", "", ""}, &out);
  EXPECT_EQ(out.kind(), v1::Warning::KIND_INVALID_METADATA);
  EXPECT_EQ(out.asset(), "\xef\xbf\xbd");
}

TEST(ErrorInfoTest, ItemMessagesAreTruncatedAndValidUtf8) {
  v1::ItemStatus item;
  FillItemStatus(WithReason(NotFoundError("no \xff"), v1::ERROR_REASON_PRIM_NOT_FOUND), 7, &item);
  EXPECT_EQ(item.item(), 7u);
  EXPECT_EQ(item.code(), 5);
  EXPECT_EQ(item.reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  EXPECT_EQ(item.message(), "no \xef\xbf\xbd");
  FillItemStatus(NotFoundError(std::string(2001, 'x')), 0, &item);
  EXPECT_EQ(item.message(), std::string(2000, 'x'));
}

}  // namespace
}  // namespace stagedoor::server
