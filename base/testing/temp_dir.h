#ifndef STAGEDOOR_BASE_TESTING_TEMP_DIR_H_
#define STAGEDOOR_BASE_TESTING_TEMP_DIR_H_

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace stagedoor {

// A new directory, which is removed with everything in it when the object is destroyed.
class TempDir {
 public:
  // In `parent`; use "/tmp" for sockets, since their path has at most 107 bytes.
  explicit TempDir(std::string parent = ::testing::TempDir());
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  // Absolute, without symbolic links or a slash at the end.
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const;

  // Writes a file and then renames it to `name`, so that a file of that name stays complete for
  // those who have it open. Creates directories as needed.
  void Write(std::string_view name, std::string_view content) const;

 private:
  std::string path_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TESTING_TEMP_DIR_H_
