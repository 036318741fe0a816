#ifndef STAGEDOOR_BENCHMARKS_RAW_QUERIES_H_
#define STAGEDOOR_BENCHMARKS_RAW_QUERIES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/frame_reader.h"
#include "stagedoor/v1/frames.pb.h"

namespace stagedoor::bench {

// A query socket as the daemon serves it, without the client library: queries for one value each,
// of which a window is in flight. Exits the process on failure. Not thread-safe.
class RawQueries {
 public:
  // Connects and binds the stage of a handle and an attribute path.
  RawQueries(const std::string& socket, const std::string& handle, const std::string& path);
  ~RawQueries();
  RawQueries(const RawQueries&) = delete;
  RawQueries& operator=(const RawQueries&) = delete;

  // Sends queries in one message.
  void Send(size_t count);
  // Waits for answers, at least one, and returns their number.
  size_t Receive();

 private:
  int fd_;
  FrameReader reader_{size_t{1} << 30};
  v1::ClientFrames frames_;
  uint64_t last_id_ = 0;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_RAW_QUERIES_H_
