#include "scene/composition/composition_error.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {
namespace {

std::string Kept(std::string message) {
  CompositionErrors errors;
  AddCompositionError({CompositionErrorType::kArcCycle, Path(), std::move(message)}, &errors);
  return errors.at(0).message;
}

TEST(CompositionErrorTest, LongMessagesAreTruncatedInTheMiddle) {
  const std::string fits(kMaxErrorMessage, 'a');
  EXPECT_EQ(Kept(fits), fits);
  const size_t end = kMaxErrorMessage / 4, begin = kMaxErrorMessage - end;
  EXPECT_EQ(Kept(std::string(begin, 'a') + "b" + std::string(end, 'c')),
            std::string(begin, 'a') + "[...]" + std::string(end, 'c'));
}

TEST(CompositionErrorTest, TruncationKeepsCharactersWhole) {
  const size_t end = kMaxErrorMessage / 4, begin = kMaxErrorMessage - end;
  const std::string message = std::string(begin - 1, 'a') + "é" + "é" + std::string(end - 1, 'c');
  EXPECT_EQ(Kept(message), std::string(begin - 1, 'a') + "[...]" + std::string(end - 1, 'c'));
}

TEST(CompositionErrorTest, PlacesAreThoseWhereTheAssetWouldBe) {
  using Places = std::vector<std::string>;
  const auto built =
      LayerBuilder().Build({.identifier = "/a/r.usda", .resolved_path = "/a/r.usda"});
  EXPECT_EQ(PlacesOf("/a/x.usda", "./x.usda", *built), Places({"/a/x.usda"}));
  EXPECT_EQ(PlacesOf("lib/x.usda", "lib/x.usda", *built), Places({"lib/x.usda", "/a/lib/x.usda"}));
  CompositionErrors errors;
  const std::string fits(kMaxErrorMessage, 'x');
  AddCompositionError({CompositionErrorType::kInvalidAssetPath, Path(), "m", {fits + "x", fits}},
                      &errors);
  EXPECT_EQ(errors.at(0).places, Places({fits})) << "too long to be kept";
  EXPECT_GE(ByteSizeOf(errors), fits.size());
}

TEST(CompositionErrorTest, TheNumberOfErrorsIsBounded) {
  CompositionErrors errors;
  for (size_t i = 0; i < kMaxCompositionErrors + 2; ++i) {
    AddCompositionError({CompositionErrorType::kArcCycle, Path(), std::to_string(i)}, &errors);
  }
  ASSERT_EQ(errors.size(), kMaxCompositionErrors);
  EXPECT_EQ(errors.back().message, std::to_string(kMaxCompositionErrors - 1));
}

}  // namespace
}  // namespace stagedoor
