#ifndef STAGEDOOR_CLIENT_CLI_OUTPUT_FILE_H_
#define STAGEDOOR_CLIENT_CLI_OUTPUT_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stagedoor {

// A file that a command writes: beside its name and then renamed, so that there is never half of
// it. What cannot be replaced (a pipe, /dev/stdout) is written to directly. Errors name the file;
// a full disk is RESOURCE_EXHAUSTED. Not thread-safe.
class OutputFile {
 public:
  // `name` is what the user asked for: links in it are followed. "-" is standard output.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Create(const std::string& name);
  // The file `name` of the open folder `folder_fd`, where no link is followed and only a regular
  // file is replaced; `display_name` is how messages call it.
  static absl::StatusOr<std::unique_ptr<OutputFile>> CreateAt(int folder_fd,
                                                              const std::string& name,
                                                              const std::string& display_name);
  // Leaves nothing behind unless Commit was called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  absl::Status Write(std::string_view data);
  // Gives the file its name.
  absl::Status Commit();

  // For looking at what was written; -1 for standard output.
  int fd() const { return fd_; }
  const std::string& display_name() const { return display_name_; }

 private:
  OutputFile(int folder_fd, std::string name, std::string display_name)
      : folder_fd_(folder_fd), name_(std::move(name)), display_name_(std::move(display_name)) {}
  absl::Status OpenBeside(unsigned mode);
  absl::Status Failed(int error) const;

  int folder_fd_;  // owned
  const std::string name_, display_name_;
  std::string beside_;  // the file's name until it is whole; empty: written to directly
  int fd_ = -1;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_OUTPUT_FILE_H_
