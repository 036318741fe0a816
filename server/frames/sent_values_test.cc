#include "server/frames/sent_values.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/values/vec.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor::server {
namespace {

class SentValuesTest : public ::testing::Test {
 protected:
  // The key of a value with an array; nothing if it has none.
  std::optional<SentValues::Key> KeyOf(FrameId object, const std::string& name,
                                       const Array<Vec3f>& array) {
    v1::FrameValue value;
    value.set_name(name);
    FramePart part({.object = object, .kind = FramePartKind::kValue, .name = name}, value);
    part.AddArray(ValueType::kVec3f, array, value.add_values()->mutable_array_value());
    const auto key = sent_.KeyOf(context_, part);
    EXPECT_TRUE(key.ok()) << key.status();
    return key.ok() ? *key : std::nullopt;
  }

  RequestContext context_;
  SentValues sent_{context_};
};

TEST_F(SentValuesTest, EqualValuesOfAnyGeometryHaveTheSameKey) {
  const auto key = KeyOf(1, "points", {{1, 2, 3}});
  ASSERT_TRUE(key);
  EXPECT_EQ(KeyOf(2, "points", {{1, 2, 3}}), key);
  EXPECT_NE(KeyOf(1, "points", {{1, 2, 4}}), key);
  EXPECT_NE(KeyOf(1, "normals", {{1, 2, 3}}), key);
}

TEST_F(SentValuesTest, LargeArraysOfTheFrameAloneHaveNone) {
  const auto computed = Array<Vec3f>::FromVector(std::vector<Vec3f>(1000));
  EXPECT_FALSE(KeyOf(1, "points", computed));
  const Array<Vec3f> stored = computed;  // held elsewhere, too
  EXPECT_TRUE(KeyOf(1, "points", computed));
}

TEST_F(SentValuesTest, GeometryIsFoundByWhatItWasSentWith) {
  const auto key = KeyOf(1, "points", {{1, 2, 3}});
  EXPECT_EQ(sent_.Find(*key), 0u);
  sent_.Begin(1);
  ASSERT_TRUE(sent_.Add(*key).ok());
  sent_.Begin(2);
  EXPECT_EQ(sent_.Find(*key), 1u);
  EXPECT_EQ(sent_.Find(*KeyOf(1, "points", {{3, 2, 1}})), 0u);
}

TEST_F(SentValuesTest, OldGeometryIsNotReferredTo) {
  const auto key = KeyOf(1, "points", {{1, 2, 3}});
  sent_.Begin(1);
  ASSERT_TRUE(sent_.Add(*key).ok());
  for (FrameId id = 2; id < 2 + kMostGeometryBetween; ++id) sent_.Begin(id);
  EXPECT_EQ(sent_.Find(*key), 1u);
  sent_.Begin(2 + kMostGeometryBetween);
  EXPECT_EQ(sent_.Find(*key), 0u);
  ASSERT_TRUE(sent_.Add(*key).ok());
  sent_.Begin(1);
  EXPECT_EQ(sent_.Find(*key), 2 + kMostGeometryBetween);
}

TEST_F(SentValuesTest, ABoundedNumberIsKnown) {
  const auto key = KeyOf(1, "points", {{1, 2, 3}});
  sent_.Begin(1);
  ASSERT_TRUE(sent_.Add(*key).ok());
  for (uint64_t i = 0; i < (1 << 16); ++i) ASSERT_TRUE(sent_.Add({i, 0}).ok());
  EXPECT_EQ(sent_.Find(*key), 0u);
}

}  // namespace
}  // namespace stagedoor::server
