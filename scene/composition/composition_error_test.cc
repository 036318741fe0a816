#include "scene/composition/composition_error.h"

#include "gtest/gtest.h"

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
