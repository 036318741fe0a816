// SafeFolder: writes files whose names the daemon chose, and none outside of one folder.
//
// The daemon may be anybody's: a name is refused unless each part of it is a plain name, and no
// symbolic link is followed below the folder, not even one that is put there while we write.
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

// PERMISSION_DENIED, with the reason, for a name that is not a relative path of plain names: empty,
// absolute, with "..", ".", an empty part, NUL or other control characters, a backslash, a drive
// ("C:"), or more than 100 parts. For files, and for the members of packages.
absl::Status CheckFileName(std::string_view name);

class SafeFolder {
 public:
  // Makes the folder if it is not there. Links on the way to it are the user's and are followed.
  static absl::StatusOr<SafeFolder> Open(const std::string& path);
  SafeFolder(SafeFolder&& other) noexcept;
  SafeFolder& operator=(SafeFolder&&) = delete;
  ~SafeFolder();

  // Begins the file `name`; folders on the way are made. PERMISSION_DENIED for a name that is not
  // allowed, was given before, or leads over a link; the errors of OutputFile.
  absl::StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& name);

 private:
  SafeFolder(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  const std::string path_;
  int fd_;
  std::set<std::string> created_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_SAFE_FOLDER_H_
