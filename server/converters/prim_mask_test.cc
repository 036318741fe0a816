#include "server/converters/prim_mask.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using P = v1::Prim;
using Q = v1::Property;

absl::StatusOr<PrimMask> Parse(const std::vector<std::string>& paths, PrimMask otherwise = {}) {
  google::protobuf::FieldMask mask;
  for (const std::string& path : paths) mask.add_paths(path);
  return ParsePrimMask(mask, otherwise);
}

constexpr uint32_t kProperties = FieldSet({P::kPropertiesFieldNumber});

TEST(PrimMaskTest, AMaskWithoutPathsIsTheDefault) {
  EXPECT_EQ(*Parse({}, PrimMask{6, 4}), (PrimMask{6, 4}));
  EXPECT_EQ(*Parse({"kind"}, PrimMask{6, 4}), (PrimMask{FieldSet({P::kKindFieldNumber}), 0}));
}

TEST(PrimMaskTest, PathsAddUp) {
  EXPECT_EQ(*Parse({"type_name", "children", "type_name"}),
            (PrimMask{FieldSet({P::kTypeNameFieldNumber, P::kChildrenFieldNumber}), 0}));
  EXPECT_EQ(*Parse({"properties"}), (PrimMask{kProperties, 0}));
  EXPECT_EQ(*Parse({"properties.targets", "properties.source"}),
            (PrimMask{kProperties, FieldSet({Q::kTargetsFieldNumber, Q::kSourceFieldNumber})}));
}

TEST(PrimMaskTest, ThePartsOfValuesBelongTogether) {
  for (const char* part : {"values", "uniform_value", "value_states"}) {
    EXPECT_EQ(*Parse({std::string("properties.") + part}),
              (PrimMask{kProperties, FieldSet({Q::kValuesFieldNumber, Q::kUniformValueFieldNumber,
                                               Q::kValueStatesFieldNumber})}))
        << part;
  }
}

TEST(PrimMaskTest, AllFieldsButTheErrorHavePaths) {
  std::set<std::string> expected = {"*", "properties.*"};
  PrimMask all;
  for (int i = 0; i < P::descriptor()->field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *P::descriptor()->field(i);
    ASSERT_LT(field.number(), 32);
    if (field.name() == "error") continue;
    expected.insert(std::string(field.name()));
    all.prim |= 1u << field.number();
  }
  for (int i = 0; i < Q::descriptor()->field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *Q::descriptor()->field(i);
    ASSERT_LT(field.number(), 32);
    expected.insert("properties." + std::string(field.name()));
    all.property |= 1u << field.number();
  }
  const std::vector<std::string> paths = PrimMaskPaths();
  EXPECT_EQ(std::set<std::string>(paths.begin(), paths.end()), expected);
  EXPECT_EQ(*Parse({"*"}), all);
  EXPECT_EQ(*Parse({"properties.*"}), (PrimMask{kProperties, all.property}));
}

TEST(PrimMaskTest, ValuesAndPropertyStacksNeedTimes) {
  for (const char* path : {"*", "properties.*", "properties.values", "properties.uniform_value",
                           "properties.value_states", "properties.stacks"}) {
    EXPECT_TRUE(Parse({path})->NeedsTimes()) << path;
  }
  for (const char* path : {"prim_stack", "properties", "properties.time_samples",
                           "properties.source", "properties.might_be_time_varying"}) {
    EXPECT_FALSE(Parse({path})->NeedsTimes()) << path;
  }
}

TEST(PrimMaskTest, UnknownPathsAreNamedWithTheClosestKnownOne) {
  const struct {
    std::string path, message;
  } cases[] = {
      {"typename", "unknown path 'typename'; did you mean 'type_name'?"},
      {"property.values", "unknown path 'property.values'; did you mean 'properties.values'?"},
      {"error", "unknown path 'error'"},
      {"", "unknown path ''"},
      {"properties.values.double_value", "unknown path 'properties.values.double_value'"},
      {"properties.", "unknown path 'properties.'; did you mean 'properties'?"},
      {std::string(5000, 'x'), "unknown path '" + std::string(100, 'x') + "'"},
  };
  for (const auto& c : cases) {
    const absl::Status status = Parse({"children", c.path}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.path;
    EXPECT_EQ(GetReason(status), v1::ERROR_REASON_INVALID_FIELD) << c.path;
    EXPECT_EQ(std::string(status.message()), "read_mask: " + c.message);
    google::rpc::BadRequest request;
    const auto payload =
        status.GetPayload(absl::string_view(kBadRequestUrl.data(), kBadRequestUrl.size()));
    ASSERT_TRUE(payload && request.ParseFromString(std::string(*payload))) << c.path;
    ASSERT_EQ(request.field_violations_size(), 1);
    EXPECT_EQ(request.field_violations(0).field(), "read_mask");
    EXPECT_EQ(request.field_violations(0).description(), c.message);
  }
}

TEST(PrimMaskTest, LimitsTheNumberOfPaths) {
  EXPECT_TRUE(Parse(std::vector<std::string>(100, "kind")).ok());
  const absl::Status status = Parse(std::vector<std::string>(101, "kind")).status();
  EXPECT_EQ(GetReason(status), v1::ERROR_REASON_REQUEST_TOO_LARGE);
  EXPECT_EQ(std::string(status.message()), "read_mask has 101 paths; the limit is 100");
}

}  // namespace
}  // namespace stagedoor::server
