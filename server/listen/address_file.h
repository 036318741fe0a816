#ifndef STAGEDOOR_SERVER_LISTEN_ADDRESS_FILE_H_
#define STAGEDOOR_SERVER_LISTEN_ADDRESS_FILE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace stagedoor {

// The file that tells scripts where a daemon listens: there while it serves, and only then. Not
// thread-safe.
class AddressFile {
 public:
  // Removes what an earlier daemon left, so that nobody reads its addresses. Errors name the file:
  // it is no regular file, or cannot be removed.
  explicit AddressFile(std::string path) : path_(std::move(path)) {}
  absl::Status RemoveStale();

  // Writes the addresses, one a line: beside and renamed, so that a reader never sees half of them.
  absl::Status Write(const std::vector<std::string>& addresses);

  // Removes the file if it is still the one that was written.
  void Remove();

 private:
  const std::string path_;
  uint64_t device_ = 0, inode_ = 0;  // of the file that was written; 0: none was
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_LISTEN_ADDRESS_FILE_H_
