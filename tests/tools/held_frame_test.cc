#include "tests/tools/held_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace stagedoor {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = HeldFrame::Kind;

void AddMatrices(v1::FrameTransforms* transforms, uint64_t count) {
  v1::PackedValues& matrices = *transforms->mutable_matrices();
  matrices.set_count(matrices.count() + count);
  matrices.mutable_data()->resize(matrices.count() * 128);
}

// A frame with a prim, its geometry and its material.
v1::ExtractFrameResponse Whole() {
  v1::ExtractFrameResponse message;
  message.mutable_header()->set_complete(true);
  message.mutable_materials()->add_ids(30);
  message.mutable_materials()->add_paths("/Looks/m");
  message.mutable_materials()->add_networks();
  v1::FramePrims& prims = *message.mutable_prims();
  prims.add_ids(10);
  prims.add_paths("/A");
  prims.add_types(0);
  prims.add_type_names("Mesh");
  prims.add_purposes(v1::PURPOSE_DEFAULT);
  prims.add_materials(30);
  prims.add_light_sets(1);
  prims.add_shadow_sets(1);
  prims.add_geometry(20);
  prims.add_prototypes(0);
  message.mutable_visibility()->add_ids(10);
  message.mutable_visibility()->set_visible(std::string(1, '\1'));
  message.mutable_transforms()->add_ids(10);
  message.mutable_transforms()->add_counts(1);
  AddMatrices(message.mutable_transforms(), 1);
  v1::FrameGeometry& geometry = *message.add_geometry();
  geometry.set_id(20);
  geometry.set_complete(true);
  for (const char* name : {"doubleSided", "points"}) {
    v1::FrameValue& value = *geometry.add_values();
    value.set_name(name);
    value.add_values()->set_bool_value(true);
  }
  message.set_token("t");
  return message;
}

// A message of the next frame.
v1::ExtractFrameResponse Next() {
  v1::ExtractFrameResponse message;
  message.mutable_header();
  message.set_token("u");
  return message;
}

void Receive(const v1::ExtractFrameResponse& message, HeldFrame* frame) {
  frame->Begin();
  frame->Apply(message);
  frame->End();
}

HeldFrame Holding() {
  HeldFrame frame;
  Receive(Whole(), &frame);
  return frame;
}

TEST(HeldFrameTest, HoldsThePartsOfAWholeFrame) {
  const HeldFrame frame = Holding();
  EXPECT_THAT(frame.problems(), IsEmpty());
  EXPECT_EQ(frame.parts().size(), 8);  // with the header
  EXPECT_EQ(frame.counts().parts, 7);
  EXPECT_EQ(frame.counts().redundant, 0);
  EXPECT_EQ(frame.token(), "t");
  EXPECT_EQ(frame.sent_paths(), std::vector<std::string>{"/A"});
}

TEST(HeldFrameTest, TheNumberOfPrimsMayComeInTheLastMessage) {
  v1::ExtractFrameResponse early = Whole();
  early.mutable_header()->set_prim_count(7);
  v1::ExtractFrameResponse late = Whole();
  late.set_prim_count(7);
  HeldFrame first;
  Receive(early, &first);
  HeldFrame second;
  Receive(late, &second);
  EXPECT_EQ(first.parts(), second.parts());
}

TEST(HeldFrameTest, APartTakesThePlaceOfTheOneHeld) {
  HeldFrame frame = Holding();
  v1::ExtractFrameResponse message = Next();
  v1::FrameGeometry& geometry = *message.add_geometry();
  geometry.set_id(20);
  for (const bool value : {true, false}) {
    v1::FrameValue& sent = *geometry.add_values();
    sent.set_name(value ? "points" : "doubleSided");
    sent.add_values()->set_bool_value(value);
  }
  Receive(message, &frame);
  EXPECT_THAT(frame.problems(), IsEmpty());
  EXPECT_EQ(frame.counts().parts, 2);
  EXPECT_EQ(frame.counts().redundant, 1);  // points
  v1::ExtractFrameResponse part;
  ASSERT_TRUE(part.ParseFromString(frame.parts().at({20, Kind::kValue, "doubleSided"})));
  EXPECT_FALSE(part.geometry(0).values(0).values(0).bool_value());
}

TEST(HeldFrameTest, CompleteGeometryForgetsOtherValues) {
  HeldFrame frame = Holding();
  v1::ExtractFrameResponse message = Next();
  message.add_geometry()->set_id(20);
  message.mutable_geometry(0)->set_complete(true);
  Receive(message, &frame);
  EXPECT_THAT(frame.problems(), IsEmpty());
  EXPECT_FALSE(frame.parts().contains({20, Kind::kValue, "points"}));
  EXPECT_TRUE(frame.parts().contains({20, Kind::kGeometry, ""}));
}

TEST(HeldFrameTest, RemovedValuesAreForgotten) {
  HeldFrame frame = Holding();
  v1::ExtractFrameResponse message = Next();
  message.add_geometry()->set_id(20);
  v1::FrameValue& value = *message.mutable_geometry(0)->add_values();
  value.set_name("points");
  value.set_removed(true);
  Receive(message, &frame);
  EXPECT_THAT(frame.problems(), IsEmpty());
  EXPECT_FALSE(frame.parts().contains({20, Kind::kValue, "points"}));
}

TEST(HeldFrameTest, WhatARemovedPrimHadGoesWithIt) {
  HeldFrame frame = Holding();
  v1::ExtractFrameResponse message = Next();
  message.add_removed(10);
  Receive(message, &frame);
  EXPECT_THAT(frame.problems(), IsEmpty());
  EXPECT_EQ(frame.parts().size(), 1);  // the header
}

TEST(HeldFrameTest, ACompleteFrameReplacesAll) {
  HeldFrame frame = Holding();
  v1::ExtractFrameResponse message = Next();
  message.mutable_header()->set_complete(true);
  Receive(message, &frame);
  EXPECT_EQ(frame.parts().size(), 1);
}

TEST(HeldFrameTest, ReportsReferencesToNothing) {
  HeldFrame frame;
  v1::ExtractFrameResponse message = Whole();
  message.clear_materials();
  Receive(message, &frame);
  EXPECT_THAT(frame.problems(), Contains(HasSubstr("there is no object 30")));
}

TEST(HeldFrameTest, ReportsObjectsWithoutSomeOfTheirParts) {
  HeldFrame frame;
  v1::ExtractFrameResponse message = Whole();
  message.clear_transforms();
  Receive(message, &frame);
  EXPECT_THAT(frame.problems(), Contains("10 has no transform"));
}

TEST(HeldFrameTest, ReportsSamplesWithoutTimes) {
  HeldFrame frame;
  v1::ExtractFrameResponse message = Whole();
  message.mutable_geometry(0)->mutable_values(0)->add_values();
  message.mutable_transforms()->set_counts(0, 2);
  AddMatrices(message.mutable_transforms(), 1);
  Receive(message, &frame);
  EXPECT_THAT(frame.problems(), Contains("doubleSided has 0 times for 2 samples"));
  EXPECT_THAT(frame.problems(), Contains("the columns of transforms differ in length"));
}

TEST(HeldFrameTest, ReportsGeometryThatIsNotHeld) {
  HeldFrame frame;
  v1::ExtractFrameResponse message = Whole();
  message.mutable_geometry(0)->set_complete(false);
  Receive(message, &frame);
  EXPECT_THAT(frame.problems(), Contains("geometry 20 is not complete, and not held"));
}

TEST(HeldFrameTest, InvisiblePrimsMayBeMissing) {
  v1::ExtractFrameResponse message = Whole();
  message.add_lights()->set_id(50);
  message.mutable_lights(0)->set_prim(99);
  message.add_light_sets()->set_id(60);
  const std::string prim = "there is no object 99 of kind ", set = "nothing has the light set 60";
  for (const bool without_invisible : {false, true}) {
    HeldFrame frame;
    frame.Begin();
    frame.Apply(message);
    frame.End(without_invisible);
    std::string problems;
    for (const std::string& problem : frame.problems()) problems += problem + "\n";
    EXPECT_EQ(problems.find(prim) == std::string::npos, without_invisible) << problems;
    EXPECT_EQ(problems.find(set) == std::string::npos, without_invisible) << problems;
  }
}

TEST(HeldFrameTest, ReportsMessagesInTheWrongOrder) {
  HeldFrame frame;
  frame.Begin();
  frame.Apply(Whole());
  frame.Apply(Whole());
  frame.End();
  EXPECT_THAT(frame.problems(), Contains("a message follows the one with the token"));
  EXPECT_THAT(frame.problems(), Contains("the header is not at the beginning"));
}

TEST(HeldFrameTest, ReportsFramesWithoutToken) {
  HeldFrame frame;
  v1::ExtractFrameResponse message = Whole();
  message.clear_token();
  Receive(message, &frame);
  EXPECT_THAT(frame.problems(), Contains("the token has 0 bytes"));
}

TEST(HeldFrameTest, TakesValuesOfOtherGeometry) {
  v1::ExtractFrameResponse whole = Whole();
  v1::FrameGeometry& other = *whole.add_geometry();
  other.set_id(21);
  other.set_complete(true);
  v1::FrameSharedValues& shared = *other.add_shared();
  shared.set_geometry(20);
  shared.add_names("points");
  HeldFrame frame;
  frame.Begin();
  frame.Apply(whole);
  EXPECT_EQ(frame.counts().shared, 1u);
  v1::ExtractFrameResponse part;
  ASSERT_TRUE(part.ParseFromString(frame.parts().at({21, Kind::kValue, "points"})));
  EXPECT_EQ(part.geometry(0).id(), 21u);
  EXPECT_TRUE(part.geometry(0).values(0).values(0).bool_value());
  EXPECT_THAT(frame.problems(), IsEmpty());
  shared.set_names(0, "normals");
  frame.Begin();
  frame.Apply(whole);
  EXPECT_THAT(frame.problems(), Contains(HasSubstr("normals of 21 is not among")));
}

}  // namespace
}  // namespace stagedoor
