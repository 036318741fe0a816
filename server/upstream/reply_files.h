#ifndef STAGEDOOR_SERVER_UPSTREAM_REPLY_FILES_H_
#define STAGEDOOR_SERVER_UPSTREAM_REPLY_FILES_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/recency_list.h"
#include "base/unique_fd.h"

namespace stagedoor::server {

// Replies in a directory, by their keys, each in a file of its own with a checksum: bounded,
// evicted in the order of their last use, and kept over restarts. A file appears under its name
// once it is complete; one that is damaged, as after a power failure, counts as missing and is
// removed. Other files and directories in the directory are left alone.
//
// The directory belongs to one daemon at a time. Thread-safe; reads and writes block.
class ReplyFiles {
 public:
  // Creates the directory if necessary. UNAVAILABLE if it cannot be used, or another daemon uses
  // it.
  static absl::StatusOr<std::unique_ptr<ReplyFiles>> Open(const std::string& directory,
                                                          size_t max_bytes);

  // Whether there is a reply of a key. Does not block.
  bool Has(const std::string& key) const;
  // The messages of a reply. NOT_FOUND; DATA_LOSS for a damaged file, which is removed.
  absl::StatusOr<std::vector<grpc::ByteBuffer>> Read(const std::string& key);
  // Keeps a reply, unless it is there, or takes more than a quarter of the budget.
  absl::Status Write(const std::string& key, const std::vector<grpc::ByteBuffer>& messages);
  // Removes a reply, if there is one.
  void Remove(const std::string& key);

  size_t bytes() const;
  size_t size() const;
  size_t max_bytes() const { return max_bytes_; }

 private:
  using Files = RecencyList<std::string, uint64_t>;  // sizes

  ReplyFiles(std::string directory, size_t max_bytes, UniqueFd lock)
      : directory_(std::move(directory)), max_bytes_(max_bytes), lock_(std::move(lock)) {}

  // Finds the files of an earlier daemon, and removes what it has not completed.
  absl::Status Scan();
  std::string PathOf(const std::string& key) const;
  void Add(const std::string& key, uint64_t bytes);

  const std::string directory_;
  const size_t max_bytes_;
  const UniqueFd lock_;
  mutable Mutex mu_;
  Files files_ ABSL_GUARDED_BY(mu_);
  uint64_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t temporary_ ABSL_GUARDED_BY(mu_) = 0;  // files that were begun
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_REPLY_FILES_H_
