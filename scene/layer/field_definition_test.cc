#include "scene/layer/field_definition.h"

#include <string>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/payload.h"

namespace stagedoor {
namespace {

TEST(FieldDefinitionTest, KnowsMisplacedFields) {
  EXPECT_TRUE(IsMisplacedField(SpecType::kPrim, Fields().interpolation));
  EXPECT_TRUE(IsMisplacedField(SpecType::kPseudoRoot, Fields().active));
  EXPECT_FALSE(IsMisplacedField(SpecType::kAttribute, Fields().interpolation));
  EXPECT_FALSE(IsMisplacedField(SpecType::kVariant, Fields().active));
  EXPECT_FALSE(IsMisplacedField(SpecType::kPrim, Token("nobodyKnows")));
}

TEST(FieldDefinitionTest, AFieldMayBelongToSeveralTypesOfSpecs) {
  for (const SpecType type : {SpecType::kPseudoRoot, SpecType::kPrim, SpecType::kVariant,
                              SpecType::kAttribute, SpecType::kRelationship}) {
    EXPECT_NE(FindFieldDefinition(type, Fields().documentation), nullptr);
  }
  EXPECT_EQ(FindFieldDefinition(SpecType::kVariantSet, Fields().documentation), nullptr);
  EXPECT_EQ(FindFieldDefinition(SpecType::kRelationship, Fields().elementSize), nullptr);
  EXPECT_TRUE(IsRegisteredField(Fields().noLoadHint));
  EXPECT_FALSE(IsRegisteredField(Token("nobodyKnows")));
}

// typeName is metadata of prims, but has its own syntax for attributes.
TEST(FieldDefinitionTest, BeingMetadataDependsOnTheSpec) {
  EXPECT_TRUE(FindFieldDefinition(SpecType::kPrim, Fields().typeName)->metadata);
  EXPECT_FALSE(FindFieldDefinition(SpecType::kAttribute, Fields().typeName)->metadata);
  EXPECT_FALSE(FindFieldDefinition(SpecType::kAttribute, Fields().default_)->metadata);
}

// Recorded from the fallbacks of Sdf.Layer and UsdObject.
TEST(FieldDefinitionTest, FallbacksMatchOpenUsd) {
  const auto fallback = [](SpecType type, Token name) {
    return FindFieldDefinition(type, name)->fallback;
  };
  EXPECT_EQ(fallback(SpecType::kPrim, Fields().active), Value(true));
  EXPECT_EQ(fallback(SpecType::kPrim, Fields().hidden), Value(false));
  EXPECT_EQ(fallback(SpecType::kPrim, Fields().kind), Value(Token()));
  EXPECT_EQ(fallback(SpecType::kPrim, Fields().permission), Value(Permission::kPublic));
  EXPECT_EQ(fallback(SpecType::kPrim, Fields().apiSchemas), Value(ListOp<Token>()));
  EXPECT_EQ(fallback(SpecType::kPrim, Fields().payload), Value(ListOp<Payload>()));
  EXPECT_EQ(fallback(SpecType::kPrim, Fields().customData), Value(Dictionary()));
  EXPECT_EQ(fallback(SpecType::kAttribute, Fields().interpolation), Value(Token("constant")));
  EXPECT_EQ(fallback(SpecType::kAttribute, Fields().elementSize), Value(1));
  EXPECT_EQ(fallback(SpecType::kAttribute, Fields().unauthoredValuesIndex), Value(-1));
  EXPECT_EQ(fallback(SpecType::kAttribute, Fields().connectability), Value(Token("full")));
  EXPECT_EQ(fallback(SpecType::kAttribute, Fields().allowedTokens), Value(Array<Token>()));
  EXPECT_EQ(fallback(SpecType::kAttribute, Fields().default_), Value());
  EXPECT_EQ(fallback(SpecType::kPseudoRoot, Fields().metersPerUnit), Value(0.01));
  EXPECT_EQ(fallback(SpecType::kPseudoRoot, Fields().kilogramsPerUnit), Value(1.0));
  EXPECT_EQ(fallback(SpecType::kPseudoRoot, Fields().upAxis), Value(Token("Y")));
  EXPECT_EQ(fallback(SpecType::kPseudoRoot, Fields().framePrecision), Value(3));
  EXPECT_EQ(fallback(SpecType::kPseudoRoot, Fields().framesPerSecond), Value(24.0));
  EXPECT_EQ(fallback(SpecType::kPseudoRoot, Fields().timeCodesPerSecond), Value(24.0));
  EXPECT_EQ(fallback(SpecType::kPseudoRoot, Fields().startTimeCode), Value(0.0));
  EXPECT_EQ(fallback(SpecType::kPseudoRoot, Fields().layerRelocates), Value());
}

TEST(FieldDefinitionTest, KnowsListOps) {
  EXPECT_TRUE(FindFieldDefinition(SpecType::kPrim, Fields().apiSchemas)->is_list_op());
  EXPECT_TRUE(FindFieldDefinition(SpecType::kPrim, Fields().inactiveIds)->is_list_op());
  EXPECT_TRUE(FindFieldDefinition(SpecType::kPrim, Fields().references)->is_list_op());
  EXPECT_FALSE(FindFieldDefinition(SpecType::kPrim, Fields().kind)->is_list_op());
  EXPECT_FALSE(FindFieldDefinition(SpecType::kPrim, Fields().customData)->is_list_op());
}

}  // namespace
}  // namespace stagedoor
