#include "server/frames/frame_part.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/fingerprinter.h"
#include "base/request_context.h"
#include "scene/values/vec.h"
#include "server/frames/frame_filter.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor::server {
namespace {

class FramePartTest : public ::testing::Test {
 protected:
  static v1::FrameValue ValueOf(const std::string& name) {
    v1::FrameValue value;
    value.set_name(name);
    value.add_values();
    return value;
  }
  // A name for the bytes of a part with an array.
  std::string BytesOf(const FramePartId& id, v1::FrameValue value, const Array<Vec3f>& array,
                      bool by_place = false) {
    FramePart part(id, value);
    part.AddArray(ValueType::kVec3f, array, value.mutable_values(0)->mutable_array_value());
    Fingerprinter fingerprinter;
    const absl::Status read = part.VisitBytes(
        context_, by_place, [&](std::string_view bytes) { fingerprinter.Add(bytes); });
    EXPECT_TRUE(read.ok()) << read;
    return fingerprinter.Finish();
  }

  RequestContext context_;
  const FramePartId id_{.object = 7, .kind = FramePartKind::kValue, .name = "points"};
};

TEST_F(FramePartTest, BytesAreThoseOfTheMessageAndItsArrays) {
  const std::string bytes = BytesOf(id_, ValueOf("points"), {{1, 2, 3}});
  EXPECT_EQ(BytesOf(id_, ValueOf("points"), {{1, 2, 3}}), bytes);
  EXPECT_NE(BytesOf(id_, ValueOf("points"), {{1, 2, 4}}), bytes);
  EXPECT_NE(BytesOf(id_, ValueOf("points"), {}), bytes);
  EXPECT_NE(BytesOf(id_, ValueOf("normals"), {{1, 2, 3}}), bytes);
}

TEST_F(FramePartTest, BytesSayWhichPartItIs) {
  const std::string bytes = BytesOf(id_, ValueOf("points"), {{1, 2, 3}});
  FramePartId other = id_;
  other.object = 8;
  EXPECT_NE(BytesOf(other, ValueOf("points"), {{1, 2, 3}}), bytes);
  other = id_;
  other.kind = FramePartKind::kSubset;
  EXPECT_NE(BytesOf(other, ValueOf("points"), {{1, 2, 3}}), bytes);
  other = id_;
  other.name = "points2";
  EXPECT_NE(BytesOf(other, ValueOf("points"), {{1, 2, 3}}), bytes);
}

TEST_F(FramePartTest, ArraysThatAreKeptCountByTheirDigests) {
  std::vector<Vec3f> points(1000, Vec3f{1, 2, 3});
  const Array<Vec3f> kept = Array<Vec3f>::FromVector(points);
  const Array<Vec3f> copy = kept;  // so that the digest is worth computing
  const std::string bytes = BytesOf(id_, ValueOf("points"), kept, /*by_place=*/true);
  EXPECT_EQ(BytesOf(id_, ValueOf("points"), copy, /*by_place=*/true), bytes);
  points[999][2] = 4;
  const Array<Vec3f> other = Array<Vec3f>::FromVector(points);
  EXPECT_NE(BytesOf(id_, ValueOf("points"), other, /*by_place=*/true), bytes);
  EXPECT_NE(BytesOf(id_, ValueOf("points"), other), BytesOf(id_, ValueOf("points"), kept));
}

TEST_F(FramePartTest, ArraysAreFilledLater) {
  v1::FrameValue value = ValueOf("points");
  const Array<Vec3f> array = {{1, 2, 3}, {4, 5, 6}};
  FramePart part(id_, value);
  part.AddArray(ValueType::kVec3f, array, value.mutable_values(0)->mutable_array_value());
  EXPECT_EQ(value.values(0).array_value().count(), 0u);
  ReplyBudget budget(context_, 1000, "");
  part.FillArrays(budget);
  EXPECT_TRUE(budget.ok());
  EXPECT_EQ(value.values(0).array_value().count(), 2u);
  EXPECT_EQ(value.values(0).array_value().data().size(), 2 * sizeof(Vec3f));
}

TEST_F(FramePartTest, LargeArraysAreReadUntilTheRequestEnds) {
  const auto array = Array<Vec3f>::FromVector(std::vector<Vec3f>(400000));
  v1::FrameValue value = ValueOf("points");
  FramePart part(id_, value);
  part.AddArray(ValueType::kVec3f, array, value.mutable_values(0)->mutable_array_value());
  size_t bytes = 0;
  const absl::Status read =
      part.VisitBytes(context_, /*by_place=*/false, [&](std::string_view piece) {
        bytes += piece.size();
        if (piece.size() > 1000) context_.Cancel();
      });
  EXPECT_EQ(read.code(), absl::StatusCode::kCancelled);
  EXPECT_LT(bytes, array.size() * sizeof(Vec3f));
}

TEST_F(FramePartTest, FingerprintsWantNothing) {
  Fingerprinter fingerprinter, other;
  FingerprintParts filter(fingerprinter);
  const v1::FrameValue value = ValueOf("points");
  const auto wanted = filter.Wants(context_, FramePart(id_, value));
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  EXPECT_FALSE(*wanted);
  EXPECT_TRUE(filter.reads());
  EXPECT_NE(fingerprinter.Finish(), other.Finish());
}

}  // namespace
}  // namespace stagedoor::server
