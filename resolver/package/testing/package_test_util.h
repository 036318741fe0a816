#ifndef STAGEDOOR_RESOLVER_PACKAGE_TESTING_PACKAGE_TEST_UTIL_H_
#define STAGEDOOR_RESOLVER_PACKAGE_TESTING_PACKAGE_TEST_UTIL_H_

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "resolver/package/zip_writer.h"

namespace stagedoor {

// The bytes of a package with the given (name, content) pairs, in this order.
inline std::string MakePackage(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string out;
  ZipWriter writer([&](std::string_view bytes) {
    out += bytes;
    return absl::OkStatus();
  });
  for (const auto& [name, content] : files) {
    const absl::Status status = writer.Add(name, std::string_view(content));
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_TRUE(writer.Finish().ok());
  return out;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_PACKAGE_TESTING_PACKAGE_TEST_UTIL_H_
