// The main function of programs that hold the tests of several sources (bazel/cc_tests.bzl). With
// TEST_SOURCE, runs those of this source only, unless the caller selects tests.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace {

// A filter for the tests of a source. Empty if there are none.
std::string TestsOf(const std::string& source) {
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (test.file() != source) continue;
      filter.append(suite.name()).append(".").append(test.name()).append(":");
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* source = std::getenv("TEST_SOURCE");
  if (source != nullptr && GTEST_FLAG_GET(filter) == "*") {
    const std::string filter = TestsOf(source);
    if (filter.empty()) {
      std::cerr << "no tests in " << source << "\n";
      return 1;
    }
    GTEST_FLAG_SET(filter, filter);
  }
  return RUN_ALL_TESTS();
}
