#ifndef STAGEDOOR_CLIENT_CC_QUERY_NUMBERS_H_
#define STAGEDOOR_CLIENT_CC_QUERY_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "stagedoor/v1/frames.pb.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {

// The numbers that a client has given to stages and paths on its query connection (frames.proto).
// Keeps a bounded number of paths: beyond it, all of them are forgotten, here and by the daemon,
// and numbered anew as they are used. Not thread-safe.
class QueryNumbers {
 public:
  static constexpr size_t kMaxPaths = 100000;
  static constexpr size_t kMaxStages = 256;

  explicit QueryNumbers(size_t max_paths = kMaxPaths) : max_paths_(max_paths) {}

  // Adds the frames that ask a request, with an ID: what the daemon does not know yet of its stage
  // and paths, and the query. All frames must be sent, in order. The request must not name a path
  // set.
  void AddQuery(const v1::BatchGetValuesRequest& request, uint64_t id, v1::ClientFrames* frames);

 private:
  struct Stage {
    uint32_t number = 0;
    std::string snapshot;
    v1::Interpolation interpolation = v1::INTERPOLATION_UNSPECIFIED;
    std::unordered_map<std::string, uint32_t> paths;
  };

  void ForgetAll(v1::ClientFrames* frames);
  Stage& StageOf(const v1::BatchGetValuesRequest& request, v1::ClientFrames* frames);

  const size_t max_paths_;
  std::unordered_map<std::string, Stage> stages_;  // by handle
  size_t path_count_ = 0;                          // of all stages
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_QUERY_NUMBERS_H_
