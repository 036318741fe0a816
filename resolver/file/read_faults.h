#ifndef STAGEDOOR_RESOLVER_FILE_READ_FAULTS_H_
#define STAGEDOOR_RESOLVER_FILE_READ_FAULTS_H_

#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/mutex.h"

namespace stagedoor {

// Counts for each file how often a mapping of it became useless because pages could not be read.
// The count is part of the file's version (VersionFromStat), so that what was made from such a
// mapping is replaced by a refresh as if the file had changed. Thread-safe.
class ReadFaults {
 public:
  void Add(const struct stat& info);
  uint64_t Count(const struct stat& info) const;

 private:
  static constexpr size_t kMaxFiles = 10000;

  std::atomic<bool> any_{false};
  mutable Mutex mu_;
  std::map<std::pair<dev_t, ino_t>, uint64_t> counts_ ABSL_GUARDED_BY(mu_);
  uint64_t forgotten_ ABSL_GUARDED_BY(mu_) = 0;  // added to all counts, so that none decreases
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_READ_FAULTS_H_
