#ifndef STAGEDOOR_SERVER_LISTEN_ADDRESS_FILE_H_
#define STAGEDOOR_SERVER_LISTEN_ADDRESS_FILE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace stagedoor::server {

// The file that lists the addresses of a daemon for scripts. It exists exactly while the daemon
// serves. Not thread-safe.
class AddressFile {
 public:
  explicit AddressFile(std::string path) : path_(std::move(path)) {}

  // Removes the file of an earlier daemon, so that no script reads outdated addresses. Fails if it
  // is not a regular file (FAILED_PRECONDITION) or cannot be removed (PERMISSION_DENIED).
  absl::Status RemoveStale();

  // Writes the addresses, one per line, to a temporary file and renames it, so that readers never
  // see a partial list. PERMISSION_DENIED if that fails.
  absl::Status Write(const std::vector<std::string>& addresses);

  // Removes the file if it is still the one that Write created.
  void Remove();

 private:
  const std::string path_;
  uint64_t device_ = 0, inode_ = 0;  // of the written file; 0 if none was written
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LISTEN_ADDRESS_FILE_H_
