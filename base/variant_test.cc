#include "base/variant.h"

#include <gtest/gtest.h>

#include <new>
#include <vector>

namespace stagedoor {
namespace {

struct FailsToCopy {
  FailsToCopy() = default;
  FailsToCopy(const FailsToCopy&) { throw std::bad_alloc(); }
  FailsToCopy& operator=(const FailsToCopy&) = default;
};

using Holder = Variant<bool, std::vector<FailsToCopy>>;

TEST(VariantTest, SurvivesAFailedCopy) {
  const Holder held(std::vector<FailsToCopy>(1));
  EXPECT_THROW(Holder{held}, std::bad_alloc);
}

TEST(VariantTest, KeepsItsValueAfterAFailedAssignment) {
  const Holder held(std::vector<FailsToCopy>(1));
  Holder other = true;
  EXPECT_THROW(other = held, std::bad_alloc);
  EXPECT_EQ(std::get<bool>(other), true);
}

}  // namespace
}  // namespace stagedoor
