#ifndef STAGEDOOR_SERVER_UPSTREAM_ARRAY_FILES_H_
#define STAGEDOOR_SERVER_UPSTREAM_ARRAY_FILES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/upstream/array_store.h"
#include "server/upstream/reply_files.h"

namespace stagedoor::server {

// The arrays that the replies of a kind (ReplyKind) have in common, in a directory, so that they
// outlive a restart: one file for each kind, which holds digests and bytes. Files are kept as those
// of replies are. Thread-safe; reads and writes block.
class ArrayFiles {
 public:
  using Arrays = std::vector<std::pair<std::string, std::string>>;  // digests and bytes

  // Errors: those of ReplyFiles::Open.
  static absl::StatusOr<std::unique_ptr<ArrayFiles>> Open(const std::string& directory,
                                                          size_t max_bytes);

  // Whether there are arrays of a kind. Does not block.
  bool Has(const std::string& kind) const { return files_->Has(kind); }
  // NOT_FOUND; DATA_LOSS for a damaged file, which is removed.
  absl::StatusOr<Arrays> Read(const std::string& kind);
  // Replaces the arrays of a kind. They are not kept if they take more than a quarter of the
  // budget.
  absl::Status Write(const std::string& kind, const ArrayStore::Arrays& arrays);

  size_t bytes() const { return files_->bytes(); }
  size_t size() const { return files_->size(); }
  size_t max_bytes() const { return files_->max_bytes(); }

 private:
  explicit ArrayFiles(std::unique_ptr<ReplyFiles> files) : files_(std::move(files)) {}

  const std::unique_ptr<ReplyFiles> files_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_ARRAY_FILES_H_
