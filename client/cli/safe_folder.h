#ifndef STAGEDOOR_CLIENT_CLI_SAFE_FOLDER_H_
#define STAGEDOOR_CLIENT_CLI_SAFE_FOLDER_H_

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/output_file.h"

namespace stagedoor {

// Checks the name of a file or of a member of a package. PERMISSION_DENIED, with the reason, unless
// it is a relative path of plain names: names that are empty or absolute, or that have a ".", ".."
// or empty component, control characters, a backslash, a drive letter ("C:") or more than 100
// components are refused.
absl::Status CheckFileName(std::string_view name);

// Writes files whose names come from a daemon, and never outside of one directory.
//
// The daemon is not trusted: a name is refused unless each component is a plain name, and no
// symbolic link is followed below the directory, not even one created there in the meantime.
//
// A directory to write into. Not thread-safe.
class SafeFolder {
 public:
  // Creates the directory if it does not exist. `path` comes from the user, so symbolic links in it
  // are followed.
  static absl::StatusOr<SafeFolder> Open(const std::string& path);
  SafeFolder(SafeFolder&& other) noexcept;
  SafeFolder& operator=(SafeFolder&&) = delete;
  ~SafeFolder();

  // Opens the file `name` for writing and creates the directories in it. PERMISSION_DENIED for a
  // name that is not allowed, was used before, or leads through a symbolic link; also the errors of
  // OutputFile.
  absl::StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& name);

 private:
  SafeFolder(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  const std::string path_;
  int fd_;
  std::set<std::string> created_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_SAFE_FOLDER_H_
