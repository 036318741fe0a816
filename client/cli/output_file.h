#ifndef STAGEDOOR_CLIENT_CLI_OUTPUT_FILE_H_
#define STAGEDOOR_CLIENT_CLI_OUTPUT_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stagedoor {

// A file that a command writes. It is written under a temporary name and then renamed, so that an
// incomplete file never appears. Anything but a regular file (a pipe, /dev/stdout) is written to
// directly. Errors name the file; a full disk is RESOURCE_EXHAUSTED. Not thread-safe.
class OutputFile {
 public:
  // `name` comes from the user, so symbolic links in it are followed. "-" is standard output.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& name);
  // Creates the file `name` in the open directory `folder_fd`. No symbolic link is followed, and
  // only a regular file is replaced. Messages refer to the file as `display_name`.
  static absl::StatusOr<std::unique_ptr<OutputFile>> CreateAt(int folder_fd,
                                                              const std::string& name,
                                                              const std::string& display_name);
  // Removes the temporary file unless Commit() has succeeded.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  absl::Status Write(std::string_view data);
  // Closes the file and renames it to its final name.
  absl::Status Commit();

  // Whether it is written to directly, so that what was written stays.
  bool direct() const { return beside_.empty(); }
  // For reading what was written; not valid after Commit().
  int fd() const { return fd_; }
  const std::string& display_name() const { return display_name_; }

 private:
  OutputFile(int folder_fd, std::string name, std::string display_name)
      : folder_fd_(folder_fd), name_(std::move(name)), display_name_(std::move(display_name)) {}
  absl::Status OpenBeside(unsigned mode);
  absl::Status Failed(int error) const;

  int folder_fd_;  // owned
  const std::string name_, display_name_;
  std::string beside_;  // temporary name; empty if the file is written to directly
  int fd_ = -1;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_OUTPUT_FILE_H_
