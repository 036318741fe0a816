#include "base/uninitialized_string.h"

#include <gtest/gtest.h>

#include <cstring>

namespace stagedoor {
namespace {

TEST(UninitializedStringTest, HasTheSizeAndWhatIsWritten) {
  for (const size_t size : {size_t{0}, size_t{5}, size_t{100'000}}) {
    std::string text;
    ResizeUninitialized(&text, size);
    ASSERT_EQ(text.size(), size);
    std::memset(text.data(), 'x', size);
    EXPECT_EQ(text, std::string(size, 'x'));
  }
}

}  // namespace
}  // namespace stagedoor
